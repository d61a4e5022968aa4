"""Words are looked for before it is sure that their speaker has ended, and are the same as if they were not."""

import asyncio
from dataclasses import replace

import numpy as np

from moderator.model import SEATS, Seat
from voice.dialogue import Heard
from voice.ports import Clip, Hint, Task, Transcript
from voice.utterances import Utterances


class Recogniser:
    """Words come when they are let go."""

    def __init__(self) -> None:
        self.asked: list[tuple[Clip, Hint]] = []
        self.given_up = 0
        self.go = asyncio.Event()

    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def transcribe(self, clip: Clip, hint: Hint) -> Transcript:
        self.asked.append((clip, hint))
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        return Transcript(f"{len(clip.pcm)} samples for {(hint.prompt and 'a question') or 'nothing'}", 0.9)


class Table:
    def __init__(self) -> None:
        self.task = Task.VOTE
        self.words: list[Heard] = []

    def now(self) -> float:
        return 10.0

    def heard_by(self, seat: Seat, at_s: float | None = None) -> frozenset[int]:
        return frozenset(SEATS) - {seat}

    def task_of(self, clip: Clip) -> Task:
        return self.task

    async def take_words(self, said: Heard, utterance: int, audience: frozenset[int], confidence: float = 1.0) -> None:
        self.words.append(said)


class Bench:
    """A table, its recogniser, and seat 4 that speaks."""

    def __init__(self) -> None:
        self.table, self.recogniser = Table(), Recogniser()
        self.utterances = Utterances(self.table, self.recogniser, "fr")

    async def __aenter__(self) -> "Bench":
        self._running = asyncio.create_task(self.utterances.run(4))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._running.cancel()

    async def turn(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)


def said(samples: int, started_s: float = 1.0) -> Clip:
    return Clip(4, np.zeros(samples, dtype=np.int16), started_s, started_s + samples / 16_000)


async def test_an_utterance_that_is_over_is_heard_once() -> None:
    async with Bench() as bench:
        bench.utterances.ending(said(500))
        await bench.turn()
        assert bench.utterances.busy and not bench.utterances.waits(4), "nothing waits for words that may grow"
        bench.utterances.add(said(500))
        bench.recogniser.go.set()
        await bench.turn()
        assert len(bench.recogniser.asked) == len(bench.table.words) == 1
        assert not bench.utterances.busy


async def test_who_goes_on_is_heard_whole() -> None:
    async with Bench() as bench:
        bench.utterances.ending(said(500))
        await bench.turn()
        bench.utterances.add(said(900))
        bench.recogniser.go.set()
        await bench.turn()
        assert [heard.text for heard in bench.table.words] == ["900 samples for a question"]
        assert bench.recogniser.given_up == 1


async def test_words_that_answer_something_else_meanwhile_are_heard_anew() -> None:
    async with Bench() as bench:
        bench.utterances.ending(said(500))
        await bench.turn()
        bench.table.task = Task.CONFIRM
        bench.utterances.add(said(500))
        bench.recogniser.go.set()
        await bench.turn()
        early, late = (hint for _, hint in bench.recogniser.asked)
        assert early == replace(late, prompt=early.prompt) != late
        assert len(bench.table.words) == 1


async def test_the_next_sentence_does_not_cost_the_last_its_words() -> None:
    """With a slow machine the speaker is in his next pause before his last sentence is understood."""
    async with Bench() as bench:
        bench.utterances.ending(said(500))
        bench.utterances.add(said(500))
        await bench.turn()
        bench.utterances.ending(said(700, started_s=3.0))
        await bench.turn()
        bench.utterances.ending(said(800, started_s=3.0))
        await bench.turn()
        bench.utterances.add(said(800, started_s=3.0))
        bench.recogniser.go.set()
        await bench.turn()
        assert [heard.text.split()[0] for heard in bench.table.words] == ["500", "800"]
        assert len(bench.recogniser.asked) == 3 and bench.recogniser.given_up == 1


async def test_it_is_known_how_long_words_took_to_count() -> None:
    async with Bench() as bench:
        bench.utterances.add(said(1600, started_s=9.0))
        bench.table.task = Task.OUT_OF_TURN
        bench.recogniser.go.set()
        await bench.turn()
        bench.table.task = Task.VOTE
        bench.utterances.add(said(1600, started_s=9.0))
        await bench.turn()
        assert bench.utterances.decided_ms == {Task.VOTE: [900]}, "out of turn nothing is waited for"
