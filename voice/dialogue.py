"""What one seat says in one step becomes commands of that seat, a question, or nothing.

A dialogue lives as long as its step is open for its seat. It acts when both readers agree and says what it
understood, so that the player can object before it counts; when they do not agree it asks one short
question; without an answer nothing happens.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from moderator import narration
from moderator.commands import (
    Check,
    Command,
    EndSpeech,
    GiveCrown,
    GiveTestament,
    Interpellate,
    LiftVote,
    Nominate,
    Shoot,
    Vote,
    Withdraw,
)
from moderator.events import Event
from moderator.model import Refusal, RefusalCode, Seat, Step, StepKind
from moderator.narration import Cue
from voice.ports import Act, ActKind, Proposal, Task

OBJECT_S = 1.2
"""After an echo was heard, a player has this long to say no before it counts."""
ANSWER_S = 5.0
"""A question waits this long for the first word of its answer."""
UNDERSTAND_S = 3.0
"""... and this long more for the words to be understood."""

TASKS: dict[StepKind, Task] = {
    StepKind.SPEECH: Task.NOMINATION,
    StepKind.SPLIT_SPEECH: Task.NOMINATION,
    StepKind.FAREWELL: Task.TESTAMENT,
    StepKind.BALLOT: Task.VOTE,
    StepKind.LIFT: Task.LIFT,
    StepKind.SHOTS: Task.SHOT,
    StepKind.DON_CHECK: Task.CHECK,
    StepKind.SHERIFF_CHECK: Task.CHECK,
}


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance: its words and when they were spoken (game clock)."""

    seat: Seat
    text: str
    started_s: float
    ended_s: float


class Desk(Protocol):
    """What a dialogue may do; the table is the real one."""

    async def submit(self, command: Command) -> list[Event] | Refusal: ...

    def refusal(self, command: Command) -> Refusal | None:
        """What the rules would answer, without doing it."""
        ...

    async def understand(self, task: Task, seat: Seat, text: str, asked: Seat | None = None) -> Proposal: ...

    async def say(self, cue: Cue, after_pause_of: Seat | None = None) -> None:
        """Returns when the cue has been heard to its end; `after_pause_of`: never over that speaker."""
        ...

    async def said(self) -> None:
        """Returns when every public line queued so far has been heard."""
        ...

    def ask(self, seat: Seat, target: Seat | None, time_s: float) -> None:
        """Tell the seat's client that a question waits for its answer."""
        ...

    def busy(self, seat: Seat) -> bool:
        """The seat is speaking, or something it said is still being transcribed."""
        ...

    def count(self, outcome: str, task: Task, heard: Heard) -> None:
        """For the figures: "acted", "asked", "unanswered" or "refused"."""
        ...

    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...


@dataclass(slots=True)
class Question:
    """Waits for yes, no or another number. `over` is set in any case in the end."""

    acts: tuple[Act, ...]
    origin: Heard
    over: asyncio.Event = field(default_factory=asyncio.Event)


class Dialogue:
    """The common part: one question at a time, and how its answer is read."""

    def __init__(self, desk: Desk, seat: Seat, step: Step) -> None:
        self.desk, self.seat, self.step = desk, seat, step
        self.task = TASKS[step.kind]
        self.question: Question | None = None
        self._background: set[asyncio.Task[None]] = set()

    async def hear(self, heard: Heard) -> None:
        raise NotImplementedError

    async def settle(self) -> None:
        """The step's time is over: wait for the open question, then commit what stands."""
        if self.question:
            await self.question.over.wait()

    def close(self) -> None:
        if self.question is not None:
            self.end_question()
        for task in self._background:
            task.cancel()

    def in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def start_question(self, cue: Cue, acts: tuple[Act, ...], origin: Heard) -> None:
        self.desk.count("asked", self.task, origin)
        self.question = Question(acts, origin)
        self.in_background(self._wait_for_answer(self.question, cue))

    async def _wait_for_answer(self, question: Question, cue: Cue) -> None:
        await self.desk.say(cue, after_pause_of=self.seat)
        if question.over.is_set():
            return
        self.desk.ask(self.seat, question.acts[0].seat, ANSWER_S)
        await self.desk.sleep(ANSWER_S)
        if self.desk.busy(self.seat):
            await self.desk.sleep(UNDERSTAND_S)
        if self.question is question:
            self.end_question()
            self.desk.count("unanswered", self.task, question.origin)
            await self.unanswered()

    def end_question(self) -> None:
        assert self.question is not None
        self.question.over.set()
        self.question = None

    async def unanswered(self) -> None:
        raise NotImplementedError

    async def reply(self, heard: Heard, about: tuple[Act, ...]) -> tuple[Act, ...] | None:
        """What an answer allows: the acts in question, those of another number, none (a no), or None: no answer."""
        proposal = await self.desk.understand(Task.CONFIRM, self.seat, heard.text, about[0].seat)
        if proposal.ask:
            return None
        corrected = tuple(Act(about[0].kind, act.seat, act.quote) for act in proposal.acts if act.seat is not None)
        if corrected:
            return corrected
        kinds = {act.kind for act in proposal.acts}
        if ActKind.YES in kinds:
            return about
        return () if ActKind.NO in kinds else None


class SpeechDialogue(Dialogue):
    """A speech with the floor: nominations, testament and crown, and the words that give the floor back."""

    def __init__(self, desk: Desk, seat: Seat, step: Step) -> None:
        super().__init__(desk, seat, step)
        self.text = ""
        self.nominated: Seat | None = None
        self.asked_about: set[Seat] = set()
        self.testament: Proposal | None = None
        self.last: Heard | None = None
        self.ending = False

    async def hear(self, heard: Heard) -> None:
        self.last = heard
        if self.question and await self._answered(self.question, heard):
            return
        self.text = f"{self.text} {heard.text}".strip()
        proposal = await self.desk.understand(self.task, self.seat, self.text)
        ends = [act.quote for act in proposal.acts if act.kind is ActKind.END_SPEECH]
        self.ending = self.ending or any(quote.casefold() in heard.text.casefold() for quote in ends)
        if self.step.kind is StepKind.FAREWELL:
            self.testament = proposal
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
        elif acts:
            await self._nominate([act.seat for act in acts if act.seat], question.origin)
        self._end_if_said(heard)
        return True

    # --- nominations ------------------------------------------------------------------------------

    async def _nominations(self, proposal: Proposal, heard: Heard) -> None:
        named = [act.seat for act in proposal.acts if act.kind is ActKind.NOMINATE and act.seat is not None]
        if proposal.ask:
            self._ask_about(proposal, heard)
            return
        withdrawn = any(act.kind is ActKind.WITHDRAW for act in proposal.acts)
        if self.nominated is not None and self.nominated not in named and (named or withdrawn):
            await self.desk.submit(Withdraw(at=heard.ended_s, seat=self.seat))
            self.nominated = None
        if self.nominated is None and named:
            await self._nominate(named, heard)

    def _ask_about(self, proposal: Proposal, heard: Heard) -> None:
        doubtful = [act for act in proposal.acts if act.kind is ActKind.NOMINATE and act.seat not in self.asked_about]
        if self.nominated is None and self.question is None and doubtful and doubtful[0].seat is not None:
            self.asked_about.add(doubtful[0].seat)
            self.start_question(narration.ask_nomination(doubtful[0].seat), (doubtful[0],), heard)

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
        if proposal.ask:
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


def ask_testament(acts: tuple[Act, ...]) -> Cue:
    suspects = tuple(act.seat for act in acts if act.kind is ActKind.SUSPECT and act.seat is not None)
    crown = next((act.seat for act in acts if act.kind is ActKind.CROWN), None)
    return narration.ask_testament(suspects, crown)


@dataclass(frozen=True, slots=True)
class Pending:
    """An answer that was echoed and not yet contradicted."""

    act: Act
    command: Command
    heard: Heard


class AnswerDialogue(Dialogue):
    """A closed answer, given in private: a ballot, a lift ballot, a shot, a check.

    The answer is echoed into the player's own booth and counts when he does not object, at the latest at
    the end of the step. What he says again before that replaces it.
    """

    def __init__(self, desk: Desk, seat: Seat, step: Step) -> None:
        super().__init__(desk, seat, step)
        self.pending: Pending | None = None
        self.committed = False

    async def hear(self, heard: Heard) -> None:
        if self.committed or await self._replied(heard):
            return
        proposal = await self.desk.understand(self.task, self.seat, heard.text)
        acts = tuple(act for act in proposal.acts if act.kind is not ActKind.END_SPEECH)
        if not proposal.ask and acts:
            self._propose(acts[0], heard)
        elif self.question is None and self.pending is None and proposal.ask:
            if acts:
                self.start_question(self._ask(acts[0]), acts[:1], heard)
            else:
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


class OutOfTurn:
    """A seat without the floor during a speech: the one thing it can do is to interpellate."""

    def __init__(self, desk: Desk, seat: Seat) -> None:
        self.desk, self.seat = desk, seat

    async def hear(self, heard: Heard) -> None:
        proposal = await self.desk.understand(Task.OUT_OF_TURN, self.seat, heard.text)
        if not proposal.ask and any(act.kind is ActKind.INTERPELLATE for act in proposal.acts):
            await self.desk.submit(Interpellate(at=self.desk.now(), seat=self.seat))
