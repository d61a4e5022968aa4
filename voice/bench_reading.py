"""How well the two readers read: `moderator bench reading`.

Rows of `tests/bench/reading.LANG.jsonl` (or of --rows, in the same form) have what was said and what it means. They are
read as `moderator extract` reads them, by the grammar alone and, with --model, by the model alone and by both.

* right: what the row says would have been done (where it is not clear, asking is right);
* asked: the player would have been asked although it is clear;
* missed: less was done than was said; false: something was done that was not said.
"""

import argparse
import asyncio
import contextlib
import statistics
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from moderator.faults import plain
from voice import engines, extract
from voice.config import ConfigError, load_voice_config
from voice.ports import Context, Extractor, Lang, MissingPart, Proposal, Reading, Task
from voice.understanding import Understanding

FOLDER = Path(__file__).resolve().parent.parent / "tests" / "bench"
PATIENCE_S = 60.0
"""The bench measures what is read, and how long it takes; it does not give up."""
Outcome = Literal["right", "asked", "missed", "false"]
OUTCOMES: tuple[Outcome, ...] = ("right", "asked", "missed", "false")


class Row(extract.Row):
    """A row of extraction, and the right answer to it in the same fields."""

    gold: dict[str, Any]
    clear: bool = True
    tags: tuple[str, ...] = ()


class _Timed:
    """The model, as both readers ask it; what it read of the last text, and how long it took each time."""

    def __init__(self, model: Extractor) -> None:
        self._model = model
        self.seconds: list[float] = []

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        started_s = time.perf_counter()
        reading = await self._model.read(task, lang, text, context)
        self.seconds.append(time.perf_counter() - started_s)
        return reading


def rows(path: Path) -> list[Row]:
    if not path.is_file():
        raise MissingPart(f"{path}", "run the bench in a checkout of the project, or name rows with --rows")
    try:
        return [Row.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except ValidationError as error:
        raise ConfigError(f"{path}: {plain(error.errors()[0])}") from error


def main(args: argparse.Namespace) -> dict[str, Any]:
    return asyncio.run(run(args))


async def run(args: argparse.Namespace) -> dict[str, Any]:
    """Counts of outcomes by reader, then by task; what went wrong goes to standard error with --show."""
    path = args.rows or FOLDER / f"reading.{args.lang}.jsonl"
    read = rows(path)[:: args.every]
    figures: dict[str, Any] = {"rows": len(read), "grammar": await judged(read, Understanding(), args.show)}
    if not args.model:
        return figures
    async with contextlib.AsyncExitStack() as stack:
        config = load_voice_config().llm
        model = await stack.enter_async_context(engines.extractor(config, args.lang))
        if model is None:
            raise MissingPart("language model", "moderator doctor")
        timed = _Timed(model)
        figures["model"] = await judged(read, _Alone(timed), show=False)
        both = Understanding(timed, deadline_s=PATIENCE_S)
        figures["both"] = await judged(read, both, args.show)
        figures["read_ms"] = round(1000 * statistics.median(timed.seconds))
    return figures


class _Alone(Understanding):
    """The model without the grammar, as it must never act in a game."""

    def __init__(self, model: Extractor) -> None:
        super().__init__(model)
        self._reader = model

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Proposal:
        reading = await self._reader.read(task, lang, text, context)
        return Proposal(reading.acts, reading.unsure, reading.confidence, "model")


async def judged(read: list[Row], understanding: Understanding, show: bool) -> dict[str, dict[str, int]]:
    """Counts of outcomes, in all and by task."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in read:
        answer = await extract.answer(understanding, row)
        outcome = judge(row, answer)
        counts["all"][outcome] += 1
        counts[row.task][outcome] += 1
        if show and outcome != "right":
            print(f"{outcome}\t{row.id}\t{','.join(row.tags)}\t{row.text[:120]}", file=sys.stderr)
    return {name: {outcome: found[outcome] for outcome in OUTCOMES} for name, found in counts.items()}


def judge(row: Row, answer: dict[str, Any]) -> Outcome:
    if answer["ask"]:
        return "asked" if row.clear else "right"
    meant, done = parts(row.gold), parts(answer)
    if done == meant:
        return "right"
    return "missed" if set(done) < set(meant) else "false"


def parts(fields: dict[str, Any]) -> list[tuple[str, Any]]:
    """What is done, piece by piece: seats in their order, checks in any."""
    found: list[tuple[str, Any]] = [("nominate", seat) for seat in fields.get("nominated") or []]
    found += [("suspect", seat) for seat in fields.get("suspects") or []]
    found += [(name, fields[name]) for name in ("crown", "vote", "sheriff") if fields.get(name)]
    checks = [(check["seat"], check["mafia"]) for check in fields.get("checks") or []]
    return found + [("check", check) for check in sorted(checks)]
