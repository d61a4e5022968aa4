"""faster-whisper as a `Transcriber`: worker processes with one thread each, urgent clips first.

openai-whisper is the same but for the engine that the workers load: see `voice.stt_openai_whisper`.
"""

import asyncio
import itertools
import logging
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from voice.config import SttConfig
from voice.gate import HEARING_HZ
from voice.phantoms import is_phantom
from voice.ports import Clip, Hint, Lang, MissingPart, Segment, Transcript
from voice.weights import whisper_folder
from voice.worker import Worker, WorkerDied, WorkerFailed

log = logging.getLogger(__name__)

START_S = 120.0
NICENESS = 3
"""Loading the weights, joining or converting them the first time."""
NO_SPEECH = 0.8
"""An engine this sure that nobody spoke, and unsure of its words, is believed."""
SURE_OF_WORDS = -0.8


class Request(NamedTuple):
    pcm: bytes
    lang: Lang
    prompt: str


class Piece(NamedTuple):
    """A segment as an engine gives it; `logprob` is the mean over its tokens."""

    start_s: float
    end_s: float
    text: str
    logprob: float
    no_speech: float


class Answer(NamedTuple):
    """What an engine heard, and how long it took; clips that waited in the queue waited longer."""

    pieces: list[Piece]
    seconds: float


NOTHING = Transcript("", 0.0)


class WhisperTranscriber:
    """`voice.ports.Transcriber`. `ENGINE` names the function that a worker calls to load its engine."""

    ENGINE = "voice.stt_whisper:load"

    def __init__(self, config: SttConfig) -> None:
        self._config = config
        self._jobs: asyncio.PriorityQueue[tuple[bool, int, Request, asyncio.Future[Answer]]] = asyncio.PriorityQueue()
        self._number = itertools.count()
        self._workers: list[Worker] = []
        self._dispatchers: list[asyncio.Task[None]] = []
        self._closed = False

    def arguments(self) -> tuple[object, ...]:
        return (str(whisper_folder(self._config.weights)), self._config.threads, self._config.beam)

    async def open(self) -> None:
        """Start the workers and warm them up. Raises `MissingPart`, or `ValueError` for damaged weights."""
        started_s = asyncio.get_running_loop().time()
        arguments = await asyncio.to_thread(self.arguments)
        self._workers = [
            Worker(self.ENGINE, *arguments, start_s=START_S, niceness=NICENESS) for _ in range(self._config.workers)
        ]
        try:
            await asyncio.gather(*(worker.open() for worker in self._workers))
        except BaseException:
            await self.close()
            raise
        self._dispatchers = [asyncio.create_task(self._serve(worker)) for worker in self._workers]
        log.info("%d recognisers ready after %.1f s", len(self._workers), self._now_s() - started_s)

    async def transcribe(self, clip: Clip, hint: Hint) -> Transcript:
        """Empty text where nothing was said, and where the engine failed: never an exception for bad sound."""
        if self._closed:
            return NOTHING
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        request = Request(clip.pcm.tobytes(), hint.lang, hint.prompt)
        self._jobs.put_nowait((not hint.urgent, next(self._number), request, answer))
        found = await answer
        return transcript(found.pieces, hint.lang, found.seconds)

    async def _serve(self, worker: Worker) -> None:
        while True:
            _, _, request, answer = await self._jobs.get()
            if answer.done():  # whoever asked has given up
                continue
            started_s, pieces = self._now_s(), list[Piece]()
            try:
                pieces = await self._ask(worker, request)
            except (WorkerFailed, MissingPart) as failure:
                log.warning("a clip of %.1f s was not understood: %s", len(request.pcm) / 2 / HEARING_HZ, failure)
            finally:  # closed in the middle: nobody waits for ever
                if not answer.done():
                    answer.set_result(Answer(pieces, self._now_s() - started_s))

    async def _ask(self, worker: Worker, request: Request) -> list[Piece]:
        try:
            return list(await worker.call(request, self._config.deadline_s))
        except WorkerDied as died:
            log.warning("%s; it is started again", died)
            return list(await worker.call(request, self._config.deadline_s))

    async def close(self) -> None:
        """Whoever still waits for words gets none."""
        self._closed = True
        for dispatcher in self._dispatchers:
            dispatcher.cancel()
        await asyncio.gather(*self._dispatchers, return_exceptions=True)
        while not self._jobs.empty():
            _, _, _, answer = self._jobs.get_nowait()
            if not answer.done():
                answer.set_result(Answer([], 0.0))
        await asyncio.gather(*(worker.close() for worker in self._workers))

    @staticmethod
    def _now_s() -> float:
        return asyncio.get_running_loop().time()


def transcript(pieces: list[Piece], lang: Lang, seconds: float) -> Transcript:
    """What was said: without silence that was taken for speech, and without invented phrases."""
    kept = tuple(
        Segment(piece.start_s, piece.end_s, piece.text.strip(), math.exp(min(0.0, piece.logprob)))
        for piece in pieces
        if not ((piece.no_speech > NO_SPEECH and piece.logprob < SURE_OF_WORDS) or is_phantom(piece.text, lang))
    )
    text = " ".join(segment.text for segment in kept)
    if is_phantom(text, lang):
        return Transcript("", 0.0, (), seconds)
    return Transcript(text, sum(segment.confidence for segment in kept) / len(kept), kept, seconds)


# --- in the worker --------------------------------------------------------------------------------


def load(folder: str, threads: int, beam: int) -> Callable[[Request], list[Piece]]:
    from faster_whisper import WhisperModel

    model = WhisperModel(str(Path(folder)), device="cpu", compute_type="int8", cpu_threads=threads)

    def transcribe(request: Request) -> list[Piece]:
        segments, _ = model.transcribe(
            samples(request.pcm),
            language=request.lang,
            task="transcribe",
            beam_size=beam,
            temperature=0.0,
            condition_on_previous_text=False,
            initial_prompt=request.prompt or None,
            compression_ratio_threshold=None,
            log_prob_threshold=None,
            no_speech_threshold=None,
            vad_filter=False,
        )
        return [Piece(one.start, one.end, one.text, one.avg_logprob, one.no_speech_prob) for one in segments]

    warm_up(transcribe)
    return transcribe


def samples(pcm: bytes) -> Any:
    return np.frombuffer(pcm, dtype=np.int16).astype(np.float32) / 32768


def warm_up(transcribe: Callable[[Request], list[Piece]]) -> None:
    """The first call is slow: make it before anybody waits for one."""
    noise = np.random.default_rng(0).normal(0, 300, HEARING_HZ).astype(np.int16)
    transcribe(Request(noise.tobytes(), "fr", ""))
