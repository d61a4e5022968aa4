"""Captions behind a real voice, heard by the real recogniser in real time: how far behind, and that they only grow."""

import asyncio
import statistics
import time
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from moderator.model import SEATS, Seat, StepKind
from voice import engines
from voice.config import load_voice_config
from voice.gate import VoiceGate
from voice.growing import GrowingCaptions
from voice.ports import FRAME_SAMPLES, RATE_HZ, Clip, Hint, Pcm, VoiceSpec
from voice.robots.speech import voices_of
from voice.utterances import utterance_id
from voice.wire import Caption, Wire

pytestmark = [pytest.mark.real, pytest.mark.whisper, pytest.mark.natural]

SPEAKER, READER = 4, 7
SAID = (
    "Je ne crois pas du tout le numéro six.",
    "Hier il a voté contre le deux sans donner une seule raison.",
    "Le neuf a suivi, et personne ne lui a rien demandé.",
    "Je nomine le six.",
)
BEHIND_S = 2.0


async def test_captions_are_less_than_two_seconds_behind_the_voice() -> None:
    sentences = await spoken()
    async with engines.transcriber(load_voice_config().stt) as transcriber:
        booth = Booth()
        growing = GrowingCaptions(cast("Any", booth), transcriber, "fr", booth.send)
        look = asyncio.create_task(growing.run())
        ends_s = await booth.speak(sentences)
        clips = booth.clips
        finals = [await transcriber.transcribe(clip, Hint("fr")) for clip in clips]
        look.cancel()
        last_s = time.monotonic()
    for clip, heard in zip(clips, finals, strict=True):
        booth.shown.append((last_s, Caption(seat=SPEAKER, text=heard.text, id=utterance_id(clip.started_s))))
    behind_s = [booth.words_shown_s(number) - end_s for number, end_s in words_spoken(ends_s)]
    print("behind the voice, s:", [round(each, 2) for each in behind_s])
    assert len(behind_s) == len(SAID)
    assert statistics.median(behind_s) < BEHIND_S
    booth.only_grows()


async def spoken() -> list[Pcm]:
    """Each sentence as a robot says it."""
    voice = voices_of("fr")[SPEAKER - 1]
    synthesizer = engines.make_synthesizer(voice.engine, "fr")
    await synthesizer.open()
    try:
        return [
            await synthesizer.synthesize(text, VoiceSpec("fr", voice.spec.name, voice.spec.rate_wpm)) for text in SAID
        ]
    finally:
        await synthesizer.close()


def words_spoken(ends_s: list[float]) -> list[tuple[int, float]]:
    """How many words have been said when each sentence ends."""
    counts = np.cumsum([len(text.split()) for text in SAID])
    return list(zip(map(int, counts), ends_s, strict=True))


class Booth:
    """The table as growing captions see it: seat 4 has the floor, and its microphone runs in real time."""

    def __init__(self) -> None:
        step = SimpleNamespace(kind=StepKind.SPEECH, seat=SPEAKER, ends_at=time.monotonic() + 300)
        self.state = SimpleNamespace(suspended_at=None, motion=None, interpellation=None, step=step)
        self.gate = VoiceGate(SPEAKER)
        self.ears = self
        self.hears_out = False
        self.clips: list[Clip] = []
        self.shown: list[tuple[float, Caption]] = []

    def running(self, seat: Seat) -> Clip | None:
        return self.gate.running()

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def heard_by(self, seat: Seat) -> frozenset[Seat]:
        return frozenset(set(SEATS) - {seat})

    def send(self, seat: Seat, message: Wire) -> None:
        if seat == READER and isinstance(message, Caption):
            self.shown.append((time.monotonic(), message))

    async def speak(self, sentences: list[Pcm]) -> list[float]:
        """Returns when the last sound of each sentence was spoken."""
        began_s, samples, ends_s = time.monotonic(), 0, []
        silence = np.zeros(RATE_HZ, dtype=np.int16)
        for sentence in [*sentences, silence]:
            loud = np.flatnonzero(np.abs(sentence.astype(np.int32)) > 400)
            ends_s += [began_s + (samples + int(loud[-1])) / RATE_HZ] if len(loud) else []
            for frame in np.pad(sentence, (0, -len(sentence) % FRAME_SAMPLES)).reshape(-1, FRAME_SAMPLES):
                captured_s = began_s + samples / RATE_HZ
                samples += FRAME_SAMPLES
                await asyncio.sleep(max(0.0, began_s + samples / RATE_HZ - time.monotonic()))
                self.clips += self.gate.push(frame, captured_s)
        return ends_s

    def words_shown_s(self, number: int) -> float:
        """When so many words stood there for the first time, over all his utterances."""
        words: dict[int, int] = {}
        for at_s, caption in self.shown:
            words[caption.id] = max(words.get(caption.id, 0), len(caption.text.split()))
            if sum(words.values()) >= number - 1:  # a word may be written as two, or two as one
                return at_s
        raise AssertionError(f"word {number} was never shown")

    def only_grows(self) -> None:
        lines: dict[int, str] = {}
        for _, caption in self.shown:
            before = lines.get(caption.id, "")
            assert caption.final or caption.text.startswith(before)
            lines[caption.id] = caption.text
        assert sum(not caption.final for _, caption in self.shown) >= 4
