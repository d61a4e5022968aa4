"""A closed answer, given in private: a ballot, a lift ballot, a shot, a check."""

from dataclasses import dataclass

from moderator import narration
from moderator.commands import Check, Command, LiftVote, Shoot, Vote
from moderator.model import Refusal, RefusalCode, Seat, Step, StepKind
from moderator.narration import Cue
from voice.dialogue import OBJECT_S, Desk, Dialogue, Heard
from voice.ports import Act, ActKind


@dataclass(frozen=True, slots=True)
class Pending:
    """An answer that was echoed and not yet contradicted."""

    act: Act
    command: Command
    heard: Heard


class AnswerDialogue(Dialogue):
    """One seat's answer in one step.

    It is echoed into the player's own booth and counts when he does not object, at the latest at
    the end of the step. What he says again before that replaces it.
    """

    def __init__(self, desk: Desk, seat: Seat, step: Step) -> None:
        super().__init__(desk, seat, step)
        self.pending: Pending | None = None
        self.committed = False
        self.unclear = False
        """He was asked to say it again: noise that is taken for words would ask for ever."""

    async def hear(self, heard: Heard) -> None:
        if self.committed or await self._replied(heard):
            return
        proposal = await self.desk.understand(self.task, self.seat, heard.text)
        acts = tuple(act for act in proposal.acts if act.kind is not ActKind.END_SPEECH)
        ask = proposal.ask or (heard.doubtful and (bool(acts) or not self.unclear))
        if not ask and acts:
            self._propose(acts[0], heard)
        elif self.question is None and self.pending is None and ask:
            if acts:
                self.start_question(self._ask(acts[0]), acts[:1], heard)
            else:
                self.unclear = True
                self.desk.count("asked", self.task, heard)
                self.in_background(self.desk.say(self._again()))

    async def _replied(self, heard: Heard) -> bool:
        """It was yes, no, or "no, the eight" about what was asked or echoed."""
        if self.question is not None:
            about, origin = self.question.acts, self.question.origin
        elif self.pending is not None:
            about, origin = (self.pending.act,), self.pending.heard
        else:
            return False
        acts = await self.reply(heard, about)
        if acts is None or self.committed:
            return False
        if self.question is not None:
            self.end_question()
        self.pending = None
        if acts == about:
            self._propose(about[0], origin, confirmed=True)
            await self._commit()
        elif acts:
            self._propose(acts[0], heard)
        return True

    def _propose(self, act: Act, heard: Heard, *, confirmed: bool = False) -> None:
        command = self._command(act, heard)
        if command is None:
            return
        refusal = self.desk.refusal(command)
        if refusal is not None:
            self.desk.count("refused", self.task, heard)
            self.in_background(self._refuse(refusal.code, act.seat))
            return
        if self.question is not None:
            self.end_question()
        self.pending = Pending(act, command, heard)
        if not confirmed:
            self.in_background(self._echo_then_commit(self.pending))

    async def _echo_then_commit(self, pending: Pending) -> None:
        await self.desk.say(self._echo(pending.act))
        await self.desk.sleep(OBJECT_S)
        if self.pending is pending and not self.desk.busy(self.seat):
            await self._commit()

    async def _commit(self) -> None:
        if self.pending is None:
            return
        pending, self.pending = self.pending, None
        result = await self.desk.submit(pending.command)
        self.committed = not isinstance(result, Refusal)
        self.desk.count("acted" if self.committed else "refused", self.task, pending.heard)

    async def settle(self) -> None:
        await super().settle()
        await self._commit()

    async def unanswered(self) -> None:
        await self.desk.say(narration.nothing_noted(self.seat))

    async def _refuse(self, code: RefusalCode, target: Seat | None) -> None:
        cue = narration.refused(code, self.seat, target)
        if cue is not None:
            await self.desk.say(cue)

    def _echo(self, act: Act) -> Cue:
        if act.seat is None:
            return narration.echo_lift(self.seat, lift=act.kind is ActKind.YES)
        return narration.echo(self.step.kind, self.seat, act.seat)

    def _ask(self, act: Act) -> Cue:
        if act.seat is None:
            return narration.ask_lift(self.seat, lift=act.kind is ActKind.YES)
        return narration.ask_answer(self.step.kind, self.seat, act.seat)

    def _again(self) -> Cue:
        if self.step.kind is StepKind.LIFT:
            return narration.say_yes_or_no(self.seat)
        return narration.say_the_number(self.seat)

    def _command(self, act: Act, heard: Heard) -> Command | None:
        at, seat, kind = heard.ended_s, self.seat, self.step.kind
        if kind is StepKind.LIFT:
            yes_or_no = act.kind in (ActKind.YES, ActKind.NO)
            return LiftVote(at=at, seat=seat, lift=act.kind is ActKind.YES) if yes_or_no else None
        if act.seat is None:
            return None
        if kind is StepKind.BALLOT:
            return Vote(at=at, seat=seat, target=act.seat)
        if kind is StepKind.SHOTS:
            return Shoot(at=at, seat=seat, target=act.seat)
        return Check(at=at, seat=seat, target=act.seat)
