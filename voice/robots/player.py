"""One robot at the table: it hears its booth, waits for silence, speaks, listens whether it was understood."""

import asyncio
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from moderator.model import Seat
from voice.ports import RATE_HZ, Pcm
from voice.robots.mind import ECHOES, TASK_OF_STEP, Mind, Saying
from voice.robots.speech import LATER, SOON, Voices
from voice.wire import TO_CLIENT, Asked, Caption, Closed, Line

log = logging.getLogger(__name__)

LOUD = 400
"""Peak of a 20 ms frame that is more than the night's soft noise."""
QUIET_S = 0.25
REACT_S = 0.15
AGAIN_S = 7.0
"""Without an answer to what was said, it is said again: longer than the moderator needs on a busy machine."""
INTO_SPEECH_S = 4.0
"""After the call of somebody's speech: he is in the middle of it."""
BETWEEN_S = 0.8
"""Between two answers that must not be heard as one."""
NOT_UNDERSTOOD = ("say-the-number", "say-yes-or-no")
REFUSED = (*NOT_UNDERSTOOD, "nothing-noted", "refused-target-not-alive", "refused-not-a-candidate")


class Mouth(Protocol):
    """The microphone of a client."""

    def say(self, pcm: Pcm) -> None: ...

    async def said(self) -> None: ...


@dataclass(slots=True)
class Spoken:
    """Something said, waiting for the narrator's sign that it was heard."""

    id: int
    task: str
    targets: tuple[int, ...]
    words_end: float
    heard_from: float | None = None
    confirmed: bool = False


@dataclass(slots=True)
class Booth:
    """What the robot's ears know: when sound was last heard, and whose sign the next sound is."""

    last_loud_s: float = 0.0
    listens_for: list[Spoken] = field(default_factory=list)


class RobotPlayer:
    """`note` writes one record to the intents log, which nobody at the table reads.

    `mouth` may be replaced: who joins again speaks through a new client.
    """

    def __init__(self, seat: Seat, mind: Mind, voices: Voices, mouth: Mouth, note: Callable[[dict[str, Any]], None]):
        self.seat, self.mind, self.voices, self.mouth, self._note = seat, mind, voices, mouth, note
        self._booth = Booth()
        self._turn: asyncio.Task[None] | None = None
        self._asked: Asked | None = None
        self._spoken: list[Spoken] = []
        self._progress = asyncio.Event()
        self._heard_since_turn = False
        self._count = 0

    # --- ears -------------------------------------------------------------------------------------

    def on_frame(self, pcm: Pcm) -> None:
        if pcm.max(initial=0) < LOUD and pcm.min(initial=0) > -LOUD:
            return
        self._booth.last_loud_s = time.time()
        self._heard_since_turn = True
        for spoken in self._booth.listens_for:
            if not spoken.confirmed:
                spoken.confirmed = True
                latency_ms = round(1000 * (time.time() - spoken.words_end))
                if latency_ms < 0:
                    continue  # answered in a pause, before the last word: no waiting to measure
                self._note({"type": "confirmed", "id": spoken.id, "at": time.time(), "latency_ms": latency_ms})
        self._booth.listens_for.clear()

    def on_message(self, body: bytes) -> None:
        message = TO_CLIENT.validate_json(body)
        if isinstance(message, Line | Caption):
            self.mind.hear(message)
        match message:
            case Line():
                self._on_line(message)
            case Asked(what="question"):
                self._start(self._answer_question(message))
            case Asked():
                self._asked = message
                self._spoken = []
                self._start(self._take_turn(message))
            case Closed():
                self._asked = None
                self._heard_since_turn = False
                self._progress.set()
                if self._turn is not None:
                    self._turn.cancel()

    def _on_line(self, line: Line) -> None:
        if line.key.endswith("-call"):
            self._spoken = []  # the next step: no sign will come for what was said in the last
        if line.key == "speech-call" and line.args.get("seat") != self.seat:
            self._maybe_interrupt()
        elif line.key.startswith("foul") and line.args.get("seat") == self.seat:
            self._start(self._say_now(self.mind.objection()))
        for text in self.mind.upcoming(line):
            self.voices.prepare(self.seat, text, LATER if line.private else SOON)
        self._await_sound(line)
        if self._asked is not None:
            self._on_answer(line, self._asked)

    def _await_sound(self, line: Line) -> None:
        """Is this line the sign that something said was heard? Then its first sound is."""
        for spoken in self._spoken:
            if not spoken.confirmed and answers(line, spoken):
                self._booth.listens_for.append(spoken)
                self._progress.set()

    def _on_answer(self, line: Line, asked: Asked) -> None:
        """Was it misheard, or not understood?"""
        if line.key.startswith("ask-") or (line.private and line.key in NOT_UNDERSTOOD):
            open_id = next((spoken.id for spoken in self._spoken if spoken.task != "crown"), None)
            self._note({"type": "asked", "id": open_id, "at": time.time()})
        objection = self.mind.contradicts(line, asked.what)
        if objection is not None:
            self._start(self._object(objection, asked))
        elif line.key in REFUSED and line.private:
            again = self.mind.again(asked.what)
            if again is not None:
                self._start(self._say_and_insist(again, asked))

    # --- turns ------------------------------------------------------------------------------------

    def _start(self, work: Any) -> None:
        """A new turn replaces the one before."""
        if self._turn is not None:
            self._turn.cancel()
        self._turn = asyncio.create_task(self._guarded(work))

    async def _guarded(self, work: Any) -> None:
        try:
            await work
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("seat %d lost its turn", self.seat)

    async def _take_turn(self, asked: Asked) -> None:
        saying = self.mind.answer(asked)
        if saying is not None:
            await self._say_and_insist(saying, asked)

    async def _say_and_insist(self, saying: Saying, asked: Asked) -> None:
        """Say it, and say it again when nobody seems to have heard."""
        again: Saying | None = saying
        if not await self._silence():
            return
        while again is not None:
            self._progress.clear()
            await self._say(again, asked)
            while await self._progressed():
                if asked.what in TASK_OF_STEP:
                    return
            again = self.mind.again(asked.what)

    async def _progressed(self) -> bool:
        try:
            await asyncio.wait_for(self._progress.wait(), AGAIN_S)
        except TimeoutError:
            return False
        self._progress.clear()
        return True

    async def _object(self, objection: Saying, asked: Asked) -> None:
        """A lift takes two answers: no to what was understood, then once more what was meant."""
        if asked.what == "lift":
            await self._say_now(objection)
            await asyncio.sleep(BETWEEN_S)
        again = self.mind.again(asked.what) if asked.what == "lift" else objection
        if again is not None:
            await self._say_and_insist(again, asked)

    async def _answer_question(self, question: Asked) -> None:
        saying = self.mind.answer(question)
        if saying is None:
            return
        if self._asked is None or self._asked.what in TASK_OF_STEP:
            await self._say_now(saying)
        else:
            await self._say_and_insist(saying, self._asked)

    async def _say_now(self, saying: Saying) -> None:
        if await self._silence():
            await self._say(saying, None)

    def _maybe_interrupt(self) -> None:
        saying = self.mind.interrupts()
        if saying is not None:
            self._start(self._interrupt(saying))

    async def _interrupt(self, saying: Saying) -> None:
        await asyncio.sleep(INTO_SPEECH_S)
        if self._heard_since_turn:
            await self._say(saying, None)

    async def _silence(self) -> bool:
        """Wait until the narrator has ended. A robot that has heard nothing at all does not act."""
        for _ in range(500):
            if self._heard_since_turn and time.time() - self._booth.last_loud_s > QUIET_S:
                await asyncio.sleep(REACT_S)
                return True
            await asyncio.sleep(0.02)
        return False

    async def _say(self, saying: Saying, asked: Asked | None) -> None:
        pcm = await self.voices.speak(self.seat, saying.text)
        await self.mouth.said()
        self.mouth.say(pcm)
        self._note_meant(saying, asked, time.time() + audible_s(pcm))
        await self.mouth.said()

    def _note_meant(self, saying: Saying, asked: Asked | None, words_end: float) -> None:
        """Written as the words begin: once begun they are said, even when the turn is over before their end."""
        for meaning in saying.meanings:
            self._count += 1
            spoken = Spoken(self.seat * 1000 + self._count, meaning.task, meaning.targets, words_end)
            if not self.mind.noted:
                self._spoken.append(spoken)
            self._note(
                {
                    "type": "meant",
                    "id": spoken.id,
                    "at": time.time(),
                    "seat": self.seat,
                    "task": meaning.task,
                    "targets": list(meaning.targets),
                    "counts": meaning.counts,
                    "said": saying.text,
                    "words_end": words_end,
                    "day": self.mind.day,
                    "step": asked.what if asked is not None else None,
                    "candidates": list(self.mind.candidates),
                    "round": self.mind.ballots if meaning.task == "vote" else 0,
                }
            )


def audible_s(pcm: Pcm) -> float:
    """Until the last sample that is not silence."""
    loud = np.flatnonzero(np.abs(pcm.astype(np.int32)) >= LOUD)
    return float(loud[-1] + 1) / RATE_HZ if len(loud) else 0.0


def answers(line: Line, spoken: Spoken) -> bool:
    """Whether the line is the narrator's sign (echo, acknowledgement, question) for what was said."""
    if spoken.task == "nomination":
        return line.key in ("nominated", "ask-nomination")
    if spoken.task == "testament":
        return line.key in ("testament", "ask-testament", "ask-testament-crown")
    if spoken.task == "crown":
        return line.key == "crown"
    if spoken.task == "interpellation":
        return line.key.startswith("foul")
    return line.private and (ECHOES.get(line.key) == spoken.task or line.key.startswith("ask-"))


def write(path: Any) -> Callable[[dict[str, Any]], None]:
    """A log of JSON lines, each on disk at once."""
    out = open(path, "a", encoding="utf-8", buffering=1)  # noqa: SIM115

    def note(record: dict[str, Any]) -> None:
        out.write(json.dumps(record, ensure_ascii=False) + "\n")

    return note
