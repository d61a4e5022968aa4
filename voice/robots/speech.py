"""The ten voices of the robots: synthesised ahead of their turn, sentence by sentence, kept on disk."""

import asyncio
import itertools
import logging
import re
from dataclasses import dataclass

import numpy as np

from moderator.model import Seat
from voice.config import read_yaml
from voice.engines import make_synthesizer
from voice.ports import RATE_HZ, Lang, MissingPart, Pcm, Synthesizer, VoiceSpec
from voice.sound_cache import CachedSynthesizer

log = logging.getLogger(__name__)

NOW, SOON, LATER = 0, 1, 2
WORKERS = 2
PAUSE: Pcm = np.zeros(RATE_HZ // 6, dtype=np.int16)
"""Between two sentences of one breath."""
SENTENCE = re.compile(r"[^.!?]+[.!?]+")


@dataclass(frozen=True, slots=True)
class RobotVoice:
    engine: str
    spec: VoiceSpec


def voices_of(lang: Lang) -> list[RobotVoice]:
    """By seat, from the first; `configs/robots.yaml`."""
    rows = read_yaml("configs", "robots.yaml")["voices"][lang]
    return [RobotVoice(row["engine"], VoiceSpec(lang, row["name"], row["rate_wpm"])) for row in rows]


def spare_voices(lang: Lang) -> list[VoiceSpec]:
    """Ten voices of espeak-ng, for where the natural ones are missing."""
    spare = read_yaml("configs", "robots.yaml")["spare"]
    return [VoiceSpec(lang, spare["names"][lang] + variant, spare["rate_wpm"]) for variant in spare["variants"]]


class Voices:
    """Says what a seat will say, first what is wanted now. Where a natural voice is missing espeak-ng takes over."""

    def __init__(self, lang: Lang) -> None:
        self._lang = lang
        self._voices = voices_of(lang)
        self._engines: dict[str, Synthesizer] = {}
        self._jobs: asyncio.PriorityQueue[tuple[int, int, Seat, str]] = asyncio.PriorityQueue()
        self._number = itertools.count()
        self._made: dict[tuple[Seat, str], asyncio.Future[Pcm]] = {}
        self._begun: set[tuple[Seat, str]] = set()
        self._makers: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        for engine in dict.fromkeys(voice.engine for voice in self._voices):
            try:
                self._engines[engine] = await self._start(engine)
            except (MissingPart, ImportError) as missing:
                log.warning("the robots speak through espeak-ng: %s", missing)
                self._engines[engine] = await self._start("pyttsx3")
                self._voices = [RobotVoice(engine, spec) for spec in spare_voices(self._lang)]
        self._makers = [asyncio.create_task(self._make()) for _ in range(WORKERS)]

    async def _start(self, engine: str) -> Synthesizer:
        made = CachedSynthesizer(make_synthesizer(engine, self._lang, workers=WORKERS), engine)
        await made.open()
        return made

    def prepare(self, seat: Seat, text: str, urgency: int = SOON) -> None:
        """Have it ready later; the same sentence is made once."""
        for sentence in sentences(text):
            key = (seat, sentence)
            if key not in self._made:
                self._made[key] = asyncio.get_running_loop().create_future()
            if key not in self._begun:
                self._jobs.put_nowait((urgency, next(self._number), seat, sentence))

    async def speak(self, seat: Seat, text: str) -> Pcm:
        """Mono 16-bit at 48 kHz. Who waits for it may be cancelled; the sound is made all the same."""
        self.prepare(seat, text, NOW)
        sounds: list[Pcm] = []
        for sentence in sentences(text):
            sounds += [await asyncio.shield(self._made[seat, sentence]), PAUSE]
        return np.concatenate(sounds[:-1])

    async def _make(self) -> None:
        while True:
            _, _, seat, sentence = await self._jobs.get()
            if (seat, sentence) in self._begun:
                continue
            self._begun.add((seat, sentence))
            made, voice = self._made[seat, sentence], self._voices[seat - 1]
            try:
                sound = await self._engines[voice.engine].synthesize(sentence, voice.spec)
            except Exception as failure:
                log.warning("seat %d has no sound for a phrase: %s", seat, failure)
                sound = PAUSE
            made.set_result(sound)

    async def close(self) -> None:
        for maker in self._makers:
            maker.cancel()
        for engine in self._engines.values():
            await engine.close()


def sentences(text: str) -> list[str]:
    return [found.strip() for found in SENTENCE.findall(text)] or [text]
