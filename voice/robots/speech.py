"""The ten voices of the robots: synthesised ahead of their turn, one at a time, kept on disk."""

import asyncio
import itertools
import logging
from dataclasses import dataclass

from moderator.model import Seat
from voice.config import read_yaml
from voice.engines import make_synthesizer
from voice.ports import Lang, MissingPart, Pcm, Synthesizer, VoiceSpec
from voice.sound_cache import CachedSynthesizer

log = logging.getLogger(__name__)

NOW, AHEAD = 0, 1
WORKERS = 1


@dataclass(frozen=True, slots=True)
class RobotVoice:
    engine: str
    spec: VoiceSpec


def voices_of(lang: Lang) -> list[RobotVoice]:
    """By seat, from the first; `configs/robots.yaml`."""
    rows = read_yaml("configs", "robots.yaml")["voices"][lang]
    return [RobotVoice(row["engine"], VoiceSpec(lang, row["name"], row["rate_wpm"])) for row in rows]


class Voices:
    """Says what a seat will say, first what is wanted now. Where a natural voice is missing espeak-ng takes over."""

    def __init__(self, lang: Lang) -> None:
        self._lang = lang
        self._voices = voices_of(lang)
        self._engines: dict[str, Synthesizer] = {}
        self._jobs: asyncio.PriorityQueue[tuple[int, int, Seat, str]] = asyncio.PriorityQueue()
        self._number = itertools.count()
        self._made: dict[tuple[Seat, str], asyncio.Future[Pcm]] = {}
        self._worker: asyncio.Task[None] | None = None

    async def open(self) -> None:
        for engine in dict.fromkeys(voice.engine for voice in self._voices):
            try:
                self._engines[engine] = await self._start(engine)
            except (MissingPart, ImportError) as missing:
                log.warning("the robots speak through espeak-ng: %s", missing)
                self._engines[engine] = await self._start("pyttsx3")
                self._voices = [RobotVoice(engine, VoiceSpec(self._lang, "", 150)) for _ in self._voices]
        self._worker = asyncio.create_task(self._work())

    async def _start(self, engine: str) -> Synthesizer:
        made = CachedSynthesizer(make_synthesizer(engine, self._lang, workers=WORKERS), engine)
        await made.open()
        return made

    def prepare(self, seat: Seat, text: str, urgency: int = AHEAD) -> asyncio.Future[Pcm]:
        """Have it ready later; the same words are made once."""
        key = (seat, text)
        if key not in self._made:
            self._made[key] = asyncio.get_running_loop().create_future()
        if not self._made[key].done():
            self._jobs.put_nowait((urgency, next(self._number), seat, text))
        return self._made[key]

    async def speak(self, seat: Seat, text: str) -> Pcm:
        return await self.prepare(seat, text, NOW)

    async def _work(self) -> None:
        while True:
            _, _, seat, text = await self._jobs.get()
            made = self._made[seat, text]
            if made.done():
                continue
            voice = self._voices[seat - 1]
            try:
                made.set_result(await self._engines[voice.engine].synthesize(text, voice.spec))
            except Exception as failure:
                log.warning("seat %d has no sound for a phrase: %s", seat, failure)
                made.set_exception(failure)

    async def close(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
        for engine in self._engines.values():
            await engine.close()
