"""faster-whisper as a `Transcriber`: worker processes with one thread each, urgent clips first.

openai-whisper is the same but for the engine that the workers load: see `voice.stt_openai_whisper`.
"""

import asyncio
import functools
import itertools
import logging
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from voice.config import SttConfig
from voice.gate import HEARING_HZ
from voice.grammar import seat_spans
from voice.phantoms import is_phantom
from voice.ports import Clip, Hint, Lang, MissingPart, Segment, Transcript
from voice.weights_tuned import hearing_folder
from voice.worker import Worker, WorkerDied, WorkerFailed, WorkerLate

log = logging.getLogger(__name__)

START_S = 120.0
"""Loading the weights, joining or converting them the first time."""
NICENESS = 3
NO_SPEECH, UNSURE_OF_WORDS = 0.25, -0.35
"""An engine that doubts both that somebody spoke and what was said has heard "euh", and would make it an answer."""
FRAMES_A_SECOND = 100
LEAST_WINDOW, AFTER_WORDS, FULL_WINDOW = 15 * FRAMES_A_SECOND, 4 * FRAMES_A_SECOND, 30 * FRAMES_A_SECOND
"""Whisper's window of 30 s is shortened: a third of the time. Shorter than this it loses words (docs/hearing.md)."""
CLOSED_READINGS = 5
"""Of a closed answer: what share of them names the seat is how sure it is."""
SUPPORTED = 0.5
"""Likelihood of a token, on the mean, under which the sound does not support the words: how sure a seat in them is."""
LIKELY_ENOUGH = 0.2
"""Share of the readings from which one that names a seat, where the best does not, is worth a question."""
FEWEST_TOKENS, TOKENS_A_SECOND = 12, 12
"""Nobody says more than this; an engine that is caught in a loop does."""


class Request(NamedTuple):
    pcm: bytes
    lang: Lang
    prompt: str
    readings: int = 1
    """How many readings of the sound are wanted, at least."""


class Piece(NamedTuple):
    """A segment as an engine gives it; `logprob` is the mean over its tokens.

    `guesses`: this and the engine's other readings of the same sound, each with the logarithm of its likelihood.
    """

    start_s: float
    end_s: float
    text: str
    logprob: float
    no_speech: float
    guesses: tuple[tuple[str, float], ...] = ()


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
        folder = hearing_folder(self._config.weights, self._config.tuned)
        return (str(folder), self._config.threads, self._config.beam)

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
        request = Request(clip.pcm.tobytes(), hint.lang, hint.prompt, CLOSED_READINGS if hint.closed else 1)
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
        except (WorkerDied, WorkerLate) as lost:
            log.warning("%s; it is started again, and the clip tried once more", lost)
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
        Segment(piece.start_s, piece.end_s, piece.text.strip(), confidence(piece, lang))
        for piece in pieces
        if not ((piece.no_speech > NO_SPEECH and piece.logprob < UNSURE_OF_WORDS) or is_phantom(piece.text, lang))
    )
    text = " ".join(segment.text for segment in kept)
    if is_phantom(text, lang):
        return Transcript("", 0.0, (), seconds)
    with_seat = "" if _seats(text, lang) else _with_seat(pieces, lang)
    return Transcript(text, min(segment.confidence for segment in kept), kept, seconds, with_seat)


def confidence(piece: Piece, lang: Lang) -> float:
    """How sure an engine is: of the seats that it heard, where it heard any and had other guesses; else of its words.

    The likelihood of the words says little of the one that counts: "contre le huit" and "contre le dix" share the rest.
    """
    seats = _seats(piece.text, lang)
    words = math.exp(min(0.0, piece.logprob))
    if not seats or len(piece.guesses) < 2 or words < SUPPORTED:
        return words
    # Shares add up to a hair over one, now and then.
    return min(1.0, sum(share for text, share in _shares(piece) if _seats(text, lang) == seats))


def _shares(piece: Piece) -> list[tuple[str, float]]:
    """The readings of a sound and how likely each is among them."""
    best = max(likelihood for _, likelihood in piece.guesses)
    shares = [(text, math.exp(likelihood - best)) for text, likelihood in piece.guesses]
    whole = sum(share for _, share in shares)
    return [(text, share / whole) for text, share in shares]


def _with_seat(pieces: list[Piece], lang: Lang) -> str:
    """ "5." where "Sangue." was a little more likely."""
    guesses = [guess for piece in pieces if piece.guesses for guess in _shares(piece)]
    named = [(share, text) for text, share in guesses if share >= LIKELY_ENOUGH and _seats(text, lang)]
    return max(named)[1].strip() if named else ""


def _seats(text: str, lang: Lang) -> list[int]:
    return [seat for seat, _ in seat_spans(lang, text, {})]


# --- in the worker --------------------------------------------------------------------------------


def load(folder: str, threads: int, beam: int) -> Callable[[Request], list[Piece]]:
    """One clip is one window, of 30 s at most, decoded without timestamps: these cost words in short answers."""
    from faster_whisper import WhisperModel
    from faster_whisper.tokenizer import Tokenizer
    from faster_whisper.transcribe import get_suppressed_tokens

    model = WhisperModel(folder, device="cpu", compute_type="int8", cpu_threads=threads)

    @functools.cache
    def tokenizer(lang: Lang) -> Any:
        return Tokenizer(model.hf_tokenizer, multilingual=True, task="transcribe", language=lang)

    def transcribe(request: Request) -> list[Piece]:
        pcm, words = samples(request.pcm), tokenizer(request.lang)
        if not len(pcm):
            return []
        before = [words.sot_prev, *words.encode(" " + request.prompt)] if request.prompt else []
        start = [*before, *words.sot_sequence, words.no_timestamps]
        heard_s = len(pcm) / HEARING_HZ
        (found,) = model.model.generate(
            model.encode(windowed(model.feature_extractor(pcm))),
            [start],
            beam_size=max(beam, request.readings),
            num_hypotheses=max(beam, request.readings),
            max_length=len(start) + FEWEST_TOKENS + round(TOKENS_A_SECOND * heard_s),
            suppress_tokens=get_suppressed_tokens(words, [-1]),
            return_scores=True,
            return_no_speech_prob=True,
        )
        texts = [words.decode([token for token in ids if token < words.eot]) for ids in found.sequences_ids]
        totals = [score * len(ids) for score, ids in zip(found.scores, found.sequences_ids, strict=True)]
        logprob = totals[0] / (len(found.sequences_ids[0]) + 1)
        guesses = tuple(zip(texts, totals, strict=True))
        return [Piece(0.0, heard_s, texts[0], logprob, found.no_speech_prob, guesses)]

    warm_up(transcribe)
    return transcribe


def windowed(features: Any) -> Any:
    """Mel frames in the window that is in use: what comes after the words is silence."""
    from faster_whisper.audio import pad_or_trim

    return pad_or_trim(features, min(FULL_WINDOW, max(LEAST_WINDOW, features.shape[-1] + AFTER_WORDS) // 2 * 2))


def samples(pcm: bytes) -> Any:
    return np.frombuffer(pcm, dtype=np.int16).astype(np.float32) / 32768


def warm_up(transcribe: Callable[[Request], list[Piece]]) -> None:
    """The first call is slow: make it before anybody waits for one."""
    noise = np.random.default_rng(0).normal(0, 300, HEARING_HZ).astype(np.int16)
    transcribe(Request(noise.tobytes(), "fr", ""))
