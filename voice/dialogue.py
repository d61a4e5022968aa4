"""What one seat says in one step becomes commands of that seat, a question, or nothing.

A dialogue lives as long as its step is open for its seat. It acts when both readers agree and says what it
understood, so that the player can object before it counts; when they do not agree it asks one short
question; without an answer nothing happens.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Protocol

from moderator.commands import Command, Interpellate, VoteMotion
from moderator.events import Event
from moderator.model import Refusal, Seat, Step, StepKind
from moderator.narration import Cue
from voice.ports import Act, ActKind, Proposal, Task

SURE = 0.6
"""Below this what was heard is asked about (docs/hearing.md)."""
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
    confidence: float = 1.0
    """How sure the recogniser is of the seats in it, or of its words; a key is always sure."""
    far: bool = False
    """Somebody else, away from the microphone, is likely to have spoken."""

    @property
    def unsure(self) -> bool:
        """The words may have been others."""
        return self.confidence < SURE

    @property
    def doubtful(self) -> bool:
        """Not to be acted on: asked about, or not taken for an answer."""
        return self.unsure or self.far


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
        """What an answer allows: the acts in question, those of another number, none (a no), or None: no answer.

        A question may be answered as low as the words that it is about were spoken.
        """
        proposal = await self.desk.understand(Task.CONFIRM, self.seat, heard.text, about[0].seat)
        if proposal.ask or heard.unsure or (heard.far and self.question is None):
            return None
        corrected = tuple(Act(about[0].kind, act.seat, act.quote) for act in proposal.acts if act.seat is not None)
        if corrected:
            return corrected
        kinds = {act.kind for act in proposal.acts}
        if ActKind.YES in kinds:
            return about
        return () if ActKind.NO in kinds else None


class OutOfTurn:
    """A seat without the floor during a speech: the one thing it can do is to interpellate."""

    def __init__(self, desk: Desk, seat: Seat) -> None:
        self.desk, self.seat = desk, seat

    async def hear(self, heard: Heard) -> None:
        proposal = await self.desk.understand(Task.OUT_OF_TURN, self.seat, heard.text)
        plain = not proposal.ask and not heard.doubtful
        if plain and any(act.kind is ActKind.INTERPELLATE for act in proposal.acts):
            await self.desk.submit(Interpellate(at=self.desk.now(), seat=self.seat))


class OnMotion:
    """A seat while a motion is running: all it can say is yes or no."""

    def __init__(self, desk: Desk, seat: Seat) -> None:
        self.desk, self.seat = desk, seat

    async def hear(self, heard: Heard) -> None:
        proposal = await self.desk.understand(Task.CONFIRM, self.seat, heard.text)
        kinds = {act.kind for act in proposal.acts}
        plain = not proposal.ask and not heard.doubtful and len(kinds & {ActKind.YES, ActKind.NO}) == 1
        if plain:
            await self.desk.submit(VoteMotion(at=heard.ended_s, seat=self.seat, yes=ActKind.YES in kinds))
