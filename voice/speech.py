"""A speech with the floor: nominations, testament and crown, and the words that give the floor back."""

from moderator import narration
from moderator.commands import EndSpeech, GiveCrown, GiveTestament, Nominate, Withdraw
from moderator.model import Refusal, RefusalCode, Seat, Step, StepKind
from moderator.narration import Cue
from voice.dialogue import OBJECT_S, Desk, Dialogue, Heard, Question
from voice.ports import Act, ActKind, Proposal


class SpeechDialogue(Dialogue):
    """One seat's speech, from its opening to its end; what was said so far is always read as a whole."""

    def __init__(self, desk: Desk, seat: Seat, step: Step) -> None:
        super().__init__(desk, seat, step)
        self.text = ""
        self.nominated: Seat | None = None
        self.asked_about: set[Seat] = set()
        self.testament: Proposal | None = None
        self.doubted = False
        """Some words of the farewell might have been others."""
        self.last: Heard | None = None
        self.ending = False

    async def hear(self, heard: Heard) -> None:
        self.last = heard
        if self.question and await self._answered(self.question, heard):
            return
        self.text = f"{self.text} {heard.text}".strip()
        proposal = await self.desk.understand(self.task, self.seat, self.text)
        ends = [act.quote for act in proposal.acts if act.kind is ActKind.END_SPEECH]
        said = not heard.doubtful and any(quote.casefold() in heard.text.casefold() for quote in ends)
        self.ending = self.ending or said
        if self.step.kind is StepKind.FAREWELL:
            self.testament, self.doubted = proposal, self.doubted or heard.doubtful
        elif self.step.kind is StepKind.SPEECH:
            await self._nominations(proposal, heard)
        self._end_if_said(heard)

    async def _answered(self, question: Question, heard: Heard) -> bool:
        acts = await self.reply(heard, question.acts)
        if acts is None or self.question is not question:
            return False
        self.end_question()
        if self.step.kind is StepKind.FAREWELL:
            await self._commit_testament(acts, question.origin)
        else:
            await self._change(question, acts)
        self._end_if_said(heard)
        return True

    # --- nominations ------------------------------------------------------------------------------

    async def _nominations(self, proposal: Proposal, heard: Heard) -> None:
        named = nominees(proposal.acts)
        withdrawn = any(act.kind is ActKind.WITHDRAW for act in proposal.acts)
        if self.nominated in named or not (named or withdrawn):
            return
        if proposal.ask or heard.doubtful:
            self.text = self.text.removesuffix(heard.text).strip()
            self._ask_about(named, heard)
            return
        await self._withdraw(heard)
        await self._nominate(named, heard)

    def _ask_about(self, named: list[Seat], heard: Heard) -> None:
        """A seat is asked about once; the own nomination where it seems to be taken back and no other is named."""
        new = next((seat for seat in named if seat not in self.asked_about), None)
        if self.question is not None:
            return
        if new is not None:
            self.asked_about.add(new)
            act = Act(ActKind.NOMINATE, new, heard.text)
            self.start_question(narration.ask_nomination(new), (act,), heard)
        elif not named and self.nominated is not None:
            act = Act(ActKind.WITHDRAW, self.nominated, heard.text)
            self.start_question(narration.ask_withdrawal(self.nominated), (act,), heard)

    async def _change(self, question: Question, acts: tuple[Act, ...]) -> None:
        """What the answer to a question allows. Only confirmed words become a part of the speech."""
        if acts == question.acts:
            self.text = f"{self.text} {question.origin.text}".strip()
        if any(act.kind is ActKind.WITHDRAW and act.seat == self.nominated for act in acts):
            await self._withdraw(question.origin)
        if named := nominees(acts):
            await self._withdraw(question.origin)
            await self._nominate(named, question.origin)

    async def _withdraw(self, heard: Heard) -> None:
        if self.nominated is not None:
            await self.desk.submit(Withdraw(at=heard.ended_s, seat=self.seat))
            self.nominated = None

    async def _nominate(self, named: list[Seat], heard: Heard) -> None:
        """Of several names in one breath the first free one counts; a name already on the list is passed in silence."""
        for target in named:
            result = await self.desk.submit(Nominate(at=heard.ended_s, seat=self.seat, target=target))
            if not isinstance(result, Refusal):
                self.nominated = target
                self.desk.count("acted", self.task, heard)
                return
            self.desk.count("refused", self.task, heard)
            if result.code is not RefusalCode.TARGET_NOT_ALIVE:
                continue
            self.in_background(self._refuse(result.code, target))

    # --- the end of the speech --------------------------------------------------------------------

    def _end_if_said(self, heard: Heard) -> None:
        if self.ending and self.question is None:
            self.in_background(self._end(heard))

    async def _end(self, heard: Heard) -> None:
        """Give the echo of what was understood time to be heard, and contradicted."""
        await self.settle()
        if self.nominated is not None:
            await self.desk.said()
            await self.desk.sleep(OBJECT_S)
        if self.last is heard and not self.desk.busy(self.seat):
            await self.desk.submit(EndSpeech(at=heard.ended_s, seat=self.seat))

    async def _refuse(self, code: RefusalCode, target: Seat) -> None:
        cue = narration.refused(code, None, target)
        if cue is not None:
            await self.desk.say(cue, after_pause_of=self.seat)

    async def unanswered(self) -> None:
        await self.desk.say(narration.nothing_noted(None), after_pause_of=self.seat)
        if self.last is not None:
            self._end_if_said(self.last)

    async def settle(self) -> None:
        await super().settle()
        if self.testament is None or self.last is None:
            return
        proposal, self.testament = self.testament, None
        acts = tuple(act for act in proposal.acts if act.kind in (ActKind.SUSPECT, ActKind.CROWN))
        if not acts:
            return
        if proposal.ask or self.doubted:
            self.start_question(ask_testament(acts), acts, self.last)
            await super().settle()
        else:
            await self._commit_testament(acts, self.last)

    async def _commit_testament(self, acts: tuple[Act, ...], heard: Heard) -> None:
        suspects = tuple(act.seat for act in acts if act.kind is ActKind.SUSPECT and act.seat is not None)
        if suspects:
            await self.desk.submit(GiveTestament(at=heard.ended_s, seat=self.seat, suspects=suspects))
            self.desk.count("acted", self.task, heard)
        for act in acts:
            if act.kind is ActKind.CROWN and act.seat is not None:
                await self.desk.submit(GiveCrown(at=heard.ended_s, seat=self.seat, to=act.seat))


def nominees(acts: tuple[Act, ...]) -> list[Seat]:
    return [act.seat for act in acts if act.kind is ActKind.NOMINATE and act.seat is not None]


def ask_testament(acts: tuple[Act, ...]) -> Cue:
    suspects = tuple(act.seat for act in acts if act.kind is ActKind.SUSPECT and act.seat is not None)
    crown = next((act.seat for act in acts if act.kind is ActKind.CROWN), None)
    return narration.ask_testament(suspects, crown)
