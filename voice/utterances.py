"""Each seat's utterances become words, in the order in which they were spoken.

Whoever has something to answer is heard before it is certain that he has ended: the recogniser begins when no later
sound can be part of what it gets, while the gate still waits whether he goes on. Where he does, it begins again.
"""

import asyncio
import logging
from dataclasses import dataclass
from typing import Protocol

from moderator.model import SEATS, Seat
from voice.dialogue import Heard
from voice.hearing import WEIGHED_TASKS, awaited, certainty, prompt_for
from voice.nearness import Nearness
from voice.ports import Clip, Hint, Lang, Task, Transcriber, Transcript

log = logging.getLogger(__name__)


class Host(Protocol):
    """The table."""

    def now(self) -> float: ...

    def heard_by(self, seat: Seat, at_s: float | None = None) -> frozenset[int]: ...

    def task_of(self, clip: Clip) -> Task:
        """What the words in it may answer."""
        ...

    async def take_words(
        self, said: Heard, utterance: int, audience: frozenset[int], confidence: float = 1.0
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Begun:
    """Words that are on their way before the utterance has ended."""

    clip: Clip
    hint: Hint
    words: asyncio.Task[Transcript]

    def is_of(self, clip: Clip, hint: Hint) -> bool:
        def span(one: Clip) -> tuple[float, float, int]:
            return one.started_s, one.ended_s, len(one.pcm)

        return hint == self.hint and span(clip) == span(self.clip)


class Utterances:
    def __init__(self, host: Host, transcriber: Transcriber, lang: Lang) -> None:
        self._host, self._transcriber, self._lang = host, transcriber, lang
        self._clips: dict[Seat, asyncio.Queue[Clip]] = {seat: asyncio.Queue() for seat in SEATS}
        self._unheard: dict[Seat, int] = dict.fromkeys(SEATS, 0)
        self._begun: dict[Seat, Begun] = {}
        self._near = {seat: Nearness() for seat in SEATS}
        self.decided_ms: dict[Task, list[int]] = {}
        """By what it might answer, for each utterance: from the end of its words to what came of them."""

    def ending(self, clip: Clip) -> None:
        """What the seat has said, if he says no more: his words are looked for already."""
        hint = self._hint(self._host.task_of(clip))
        self._forget(clip.seat)
        words = asyncio.create_task(self._transcriber.transcribe(clip, hint))
        self._begun[clip.seat] = Begun(clip, hint, words)

    def add(self, clip: Clip) -> None:
        self._unheard[clip.seat] += 1
        self._clips[clip.seat].put_nowait(clip)

    def waits(self, seat: Seat) -> bool:
        """Something that the seat has said is not understood yet."""
        return self._unheard[seat] > 0

    @property
    def busy(self) -> bool:
        """Words are waited for."""
        return any(self._unheard.values()) or any(not begun.words.done() for begun in self._begun.values())

    async def run(self, seat: Seat) -> None:
        """For ever: words, caption, dialogue."""
        while True:
            clip = await self._clips[seat].get()
            try:
                await self._hear(clip)
            except Exception:
                log.exception("an utterance was lost")
            finally:
                self._unheard[seat] -= 1

    async def _hear(self, clip: Clip) -> None:
        seat, audience, task = clip.seat, self._host.heard_by(clip.seat, clip.started_s), self._host.task_of(clip)
        waited_s = self._host.now() - clip.ended_s
        transcript = awaited(task, await self._words(clip, self._hint(task)))
        log.info("heard %.1f s after %.1f s in %.1f s", clip.ended_s - clip.started_s, waited_s, transcript.seconds)
        if not transcript.text:
            return
        sure, far = certainty(task, transcript, self._lang), self._near[seat].far(clip)
        said = Heard(seat, transcript.text, clip.started_s, clip.ended_s, sure, far)
        await self._host.take_words(said, utterance_id(clip.started_s), audience, transcript.confidence)
        if task is not Task.OUT_OF_TURN:
            self.decided_ms.setdefault(task, []).append(round(1000 * (self._host.now() - clip.ended_s)))

    async def _words(self, clip: Clip, hint: Hint) -> Transcript:
        begun = self._begun.get(clip.seat)
        if begun is not None and begun.is_of(clip, hint):
            return await self._begun.pop(clip.seat).words
        if begun is not None and begun.clip.started_s == clip.started_s:
            self._forget(clip.seat)
        return await self._transcriber.transcribe(clip, hint)

    def _forget(self, seat: Seat) -> None:
        if (begun := self._begun.pop(seat, None)) is not None:
            begun.words.cancel()

    def _hint(self, task: Task) -> Hint:
        prompt = prompt_for(task, self._lang)
        return Hint(self._lang, prompt, urgent=task is not Task.OUT_OF_TURN, closed=task in WEIGHED_TASKS)


def utterance_id(started_s: float) -> int:
    """One utterance of a seat keeps its beginning, however long it grows: in milliseconds of the game's clock."""
    return round(1000 * started_s)
