"""What is really heard and understood: `moderator bench hearing`.

Lines of `tests/bench/hearing.LANG.HALF.jsonl` are spoken by the robots' voices, sent through noise, cut by the gate,
heard by the recogniser with the prompt of their task, and read by both readers: the way of a word in the game. The
development half is for trying things out; the test half was written apart from the code.

* right: exactly what was meant would have been done (or nothing, where nothing was meant);
* asked: the player would have been asked, nothing was done;
* missed: something was meant, nothing would have happened;
* false: something else than was meant would have been done.
"""

import argparse
import asyncio
import contextlib
import functools
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ValidationError

from moderator.faults import plain
from moderator.model import SEATS, Seat
from voice import engines
from voice.bench_noise import CONDITIONS
from voice.config import ConfigError, load_voice_config, read_yaml
from voice.dialogue import SURE
from voice.gate import VoiceGate
from voice.hearing import WEIGHED_TASKS, awaited, certainty, prompt_for
from voice.ports import (
    FRAME_SAMPLES,
    RATE_HZ,
    ActKind,
    Clip,
    Context,
    Hint,
    Lang,
    MissingPart,
    Pcm,
    Proposal,
    Synthesizer,
    Task,
    Transcriber,
)
from voice.robots.speech import RobotVoice, sentences, spare_voices, voices_of
from voice.sound_cache import CachedSynthesizer
from voice.understanding import Understanding

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "bench"
AROUND: Pcm = np.zeros(RATE_HZ * 7 // 10, dtype=np.int16)
"""Silence before and after a line."""
Outcome = Literal["right", "asked", "missed", "false"]
TASKS = {
    "vote": Task.VOTE,
    "nomination": Task.NOMINATION,
    "speech": Task.NOMINATION,
    "testament": Task.TESTAMENT,
    "shot": Task.SHOT,
    "check": Task.CHECK,
    "lift": Task.LIFT,
    "confirm": Task.CONFIRM,
    "command": Task.NOMINATION,
}

ANSWERS = ("vote", "shot", "check", "lift")
"""Whoever is not understood at all is asked to say it again (`voice.answer`)."""


class RowContext(BaseModel):
    speaker: Seat = 1
    alive: tuple[Seat, ...] = SEATS
    nominated: tuple[Seat, ...] = ()
    asked: Seat | None = None
    """Of a confirmation: the seat that the question was about."""


class Row(BaseModel):
    """One line to be spoken, and what it means."""

    id: str
    task: str
    text: str
    context: RowContext = RowContext()
    gold: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Heard:
    text: str
    confidence: float
    seconds: float
    audio_s: float


def rows(lang: Lang, half: str) -> list[Row]:
    path = FOLDER / f"hearing.{lang}.{half}.jsonl"
    if not path.is_file():
        raise MissingPart(f"{path}", "run the bench in a checkout of the project, where its lines are")
    try:
        return [Row.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except ValidationError as error:
        raise ConfigError(f"{path}: {plain(error.errors()[0])}") from error


async def run(args: argparse.Namespace) -> dict[str, Any]:
    """Figures by condition and task; what went wrong goes to standard error."""
    lang: Lang = args.lang
    lines = rows(lang, args.half)[:: args.every]
    config = load_voice_config()
    async with contextlib.AsyncExitStack() as stack:
        voices = await speakers(stack, lang, args.voices)
        transcriber = await stack.enter_async_context(engines.transcriber(config.stt))
        model = await stack.enter_async_context(engines.extractor(config.llm, lang)) if args.model else None
        understanding = Understanding(model)
        spoken = await asyncio.gather(*(speak(voices, number, row) for number, row in enumerate(lines)))
        figures: dict[str, Any] = {}
        for condition in args.conditions.split(","):
            bench = Bench(lang, lines, spoken, condition, args.show)
            figures[condition] = await bench.run(transcriber, understanding)
    return {"lang": lang, "half": args.half, "voices": args.voices, "lines": len(lines), **figures}


async def speakers(stack: contextlib.AsyncExitStack, lang: Lang, which: str) -> list[tuple[Synthesizer, RobotVoice]]:
    voices = voices_of(lang) if which == "robots" else [RobotVoice("pyttsx3", spec) for spec in spare_voices(lang)]
    made: dict[str, Synthesizer] = {}
    for engine in dict.fromkeys(voice.engine for voice in voices):
        made[engine] = CachedSynthesizer(engines.make_synthesizer(engine, lang, workers=2), engine)
        await made[engine].open()
        stack.push_async_callback(made[engine].close)
    return [(made[voice.engine], voice) for voice in voices]


async def speak(voices: Sequence[tuple[Synthesizer, RobotVoice]], number: int, row: Row) -> Pcm:
    engine, voice = voices[number % len(voices)]
    parts = [await engine.synthesize(sentence.strip(), voice.spec) for sentence in sentences(row.text)]
    pause = np.zeros(RATE_HZ // 5, dtype=np.int16)
    return np.concatenate([AROUND, *(piece for part in parts for piece in (part, pause)), AROUND])


class Bench:
    """One condition over all lines."""

    def __init__(self, lang: Lang, lines: Sequence[Row], spoken: Sequence[Pcm], condition: str, show: bool) -> None:
        self.lang, self.lines, self.spoken, self.condition, self.show = lang, lines, spoken, condition, show
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        self.errors = self.words = 0
        self.seconds: list[float] = []
        self.audio_s = self.engine_s = 0.0

    async def run(self, transcriber: Transcriber, understanding: Understanding) -> dict[str, Any]:
        for number, row in enumerate(self.lines):
            others = [self.spoken[(number + step) % len(self.spoken)] for step in (7, 13, 29)]
            pcm = CONDITIONS[self.condition](self.spoken[number], others, Random(number))
            heard = await self._hear(transcriber, pcm, row)
            outcome = await self._judge(understanding, row, heard)
            self.outcomes[row.task][outcome] += 1
            self._count(row, heard)
            if self.show and outcome != "right":
                print(
                    f"{self.condition} {row.id} {row.task} {outcome}: {row.text!r} -> {heard.text!r}", file=sys.stderr
                )
        return self._figures()

    async def _hear(self, transcriber: Transcriber, pcm: Pcm, row: Row) -> Heard:
        task = _task(row)
        hint = Hint(self.lang, prompt_for(task, self.lang), closed=task in WEIGHED_TASKS)
        texts, confidence, seconds, audio_s = [], 1.0, 0.0, 0.0
        for clip in clips(pcm):
            started_s = time.perf_counter()
            found = awaited(task, await transcriber.transcribe(clip, hint))
            seconds = time.perf_counter() - started_s
            self.engine_s += found.seconds
            audio_s += len(clip.pcm) / 16_000
            if found.text:
                texts.append(found.text)
                confidence = min(confidence, certainty(task, found, self.lang))
        return Heard(" ".join(texts), confidence, seconds, audio_s)

    async def _judge(self, understanding: Understanding, row: Row, heard: Heard) -> Outcome:
        task = _task(row)
        asked = _asked(row) if task is Task.CONFIRM else None
        context = Context(row.context.speaker, row.context.alive, row.context.nominated, asked=asked)
        if not heard.text:
            return "right" if _nothing(meant(row)) else "missed"
        proposal = await understanding.read(task, self.lang, heard.text, context)
        return judge(row, proposal, heard.confidence < SURE)

    def _count(self, row: Row, heard: Heard) -> None:
        said, got = _words(row.text, self.lang), _words(heard.text, self.lang)
        self.words += len(said)
        self.errors += _distance(said, got)
        self.seconds.append(heard.seconds)
        self.audio_s += heard.audio_s

    def _figures(self) -> dict[str, Any]:
        total: Counter[str] = sum(self.outcomes.values(), Counter())
        return {
            "all": _shares(total),
            **{task: _shares(counts) for task, counts in sorted(self.outcomes.items())},
            "word_error": round(self.errors / max(1, self.words), 3),
            "last_clip_ms": {
                "p50": round(1000 * statistics.median(self.seconds)),
                "p95": round(1000 * statistics.quantiles(self.seconds, n=20)[-1]),
            },
            "engine_s_per_audio_s": round(self.engine_s / max(0.1, self.audio_s), 3),
        }


def _shares(counts: Counter[str]) -> dict[str, float | int]:
    total = sum(counts.values())
    names: tuple[Outcome, ...] = ("right", "asked", "missed", "false")
    return {"lines": total} | {name: round(100 * counts[name] / total, 1) for name in names}


def clips(pcm: Pcm) -> list[Clip]:
    """The utterances that the gate cuts out of it."""
    gate, clips = VoiceGate(1), list[Clip]()
    whole = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES))
    for number, start in enumerate(range(0, len(whole), FRAME_SAMPLES)):
        clips += gate.push(whole[start : start + FRAME_SAMPLES], number * FRAME_SAMPLES / RATE_HZ)
    return clips + gate.flush(len(whole) / RATE_HZ)


# --- what was meant, what would be done -----------------------------------------------------------


def _task(row: Row) -> Task:
    return Task.OUT_OF_TURN if row.gold.get("act") == "interpellate" else TASKS[row.task]


def _asked(row: Row) -> Seat:
    """The question was about the seat that is confirmed, or else about another one."""
    if row.context.asked:
        return row.context.asked
    seat = row.gold.get("seat") or 4
    return seat if row.gold.get("yes") else seat % 10 + 1


def meant(row: Row) -> Any:
    """What should be done, in a form that `done` gives as well."""
    gold = row.gold
    match row.task:
        case "vote" | "shot" | "check":
            return gold["seat"]
        case "nomination" | "speech":
            return _first_free(row, gold["nominated"]), bool(gold.get("withdrawn"))
        case "testament":
            return frozenset(gold["suspects"]), gold.get("crown")
        case "lift":
            return gold["yes"]
        case "confirm":
            return gold["seat"] if gold.get("seat") and not gold["yes"] else gold["yes"]
        case _:
            return None if gold["act"] == "none" else gold["act"]


def done(row: Row, proposal: Proposal) -> Any:
    kinds = {act.kind for act in proposal.acts}
    seats = [act.seat for act in proposal.acts if act.seat is not None and act.kind is not ActKind.END_SPEECH]
    match row.task:
        case "vote" | "shot" | "check":
            return seats[0] if seats else None
        case "nomination" | "speech":
            named = [act.seat for act in proposal.acts if act.kind is ActKind.NOMINATE and act.seat]
            return _first_free(row, named), ActKind.WITHDRAW in kinds
        case "testament":
            suspects = frozenset(act.seat for act in proposal.acts if act.kind is ActKind.SUSPECT)
            crown = [act.seat for act in proposal.acts if act.kind is ActKind.CROWN]
            return suspects, crown[-1] if crown else None
        case "lift" | "confirm":
            if row.task == "confirm" and seats and seats[-1] != _asked(row):
                return seats[-1]
            return True if ActKind.YES in kinds else False if ActKind.NO in kinds else None
        case _:
            acts = {ActKind.INTERPELLATE: "interpellate", ActKind.END_SPEECH: "end_speech"}
            return next((name for kind, name in acts.items() if kind in kinds), None)


def _first_free(row: Row, named: Sequence[Seat]) -> tuple[Seat, ...]:
    """Who is nominated of those who were named: "two, or if two is taken, one"."""
    free = set(row.context.alive) - set(row.context.nominated)
    return tuple(seat for seat in named if seat in free)[:1]


def judge(row: Row, proposal: Proposal, doubtful: bool) -> Outcome:
    wanted, got = meant(row), done(row, proposal)
    if doubtful and row.task == "command":  # nothing is done, and nobody asks
        got = None
    if proposal.ask or (doubtful and (row.task in ANSWERS or not _nothing(got))):
        return "asked"
    if got == wanted:
        return "right"
    return "missed" if _nothing(got) else "false"


def _nothing(what: Any) -> bool:
    return what in (None, ((), False), (frozenset(), None))


def _words(text: str, lang: Lang) -> list[str]:
    """Without case and punctuation; "sept" and "7" are one word."""
    words = "".join(letter if letter.isalnum() else " " for letter in text.casefold()).split()
    return [_digits(lang).get(word, word) for word in words]


@functools.cache
def _digits(lang: Lang) -> dict[str, str]:
    bare = read_yaml("prompts", f"numbers.{lang}.yaml")["seat"]["bare"]
    return {word: str(seat) for seat, word in enumerate(bare, 1)}


def _distance(said: Sequence[str], heard: Sequence[str]) -> int:
    """Words to be changed, added or removed."""
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1]


def main(args: argparse.Namespace) -> dict[str, Any]:
    unknown = set(args.conditions.split(",")) - set(CONDITIONS)
    if unknown:
        raise ConfigError(f"--conditions: {', '.join(sorted(unknown))}: unknown; there are {', '.join(CONDITIONS)}")
    return asyncio.run(run(args))
