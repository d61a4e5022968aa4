"""`moderator extract`: JSON lines of transcribed speech in, what was said out, by the same readers as in the game.

One line of output for each good line of input. A bad line is named on standard error with its field and the cure;
the rest is still done, and the exit code is 2. Where `ask` is true nothing is done, the other fields hold what the
player is asked about. What the rules would refuse (a dead candidate, a vote for somebody who is not up) is left
out, as in the game. Conduct is read by `voice.conduct`: what may be meant so and is not plain is asked about.
"""

import argparse
import asyncio
import contextlib
import json
import sys
from typing import Annotated, Any, Literal, TextIO

from pydantic import BaseModel, Field, ValidationError

from moderator.faults import wanted
from moderator.model import SEATS, Seat
from moderator.state import CLASSIC
from voice.config import load_voice_config
from voice.engines import extractor
from voice.grammar.scope import LIKELY
from voice.ports import ActKind, Context, Lang, Proposal, Task
from voice.understanding import Understanding

LINE_MAX = 100_000
"""Characters; a longer line is no speech."""
PATIENCE_S = 30.0
"""Nobody waits at a table: the model may take longer than in the game."""
Known = Literal["nomination", "testament", "vote", "claims", "conduct"]


class RowContext(BaseModel):
    speaker: Seat = 1
    alive: list[Seat] = list(SEATS)
    nominated: list[Seat] = []
    names: dict[Seat, str] = {}
    suspects: Annotated[int, Field(ge=0, le=9)] = CLASSIC.suspects
    """The most that a farewell may name."""


class Row(BaseModel):
    """One line of input. Fields that are not named here (a gold answer, tags) are not looked at."""

    id: str | int
    task: Known
    lang: Lang
    text: Annotated[str, Field(max_length=LINE_MAX)]
    context: RowContext = RowContext()


class BadRow(ValueError):
    """The field and the cure."""


def main(args: argparse.Namespace) -> int:
    return asyncio.run(_main(args.lang))


async def _main(lang: Lang | None) -> int:
    config = load_voice_config().llm
    async with contextlib.AsyncExitStack() as stack:
        model = await stack.enter_async_context(extractor(config, lang or "fr"))
        if model is None and config.engine != "none":
            print("moderator extract: no language model, the grammar reads alone", file=sys.stderr)
        if sys.stdin.isatty():
            print("moderator extract: type one JSON object a line; Ctrl-D ends it", file=sys.stderr)
        return await run(Understanding(model, deadline_s=PATIENCE_S), lang, sys.stdin, sys.stdout, sys.stderr)


async def run(understanding: Understanding, lang: Lang | None, source: TextIO, out: TextIO, errors: TextIO) -> int:
    """Answers every line of `source`; 0, or 2 when a line was bad."""
    bad = False
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        try:
            row = parse(line, lang)
        except BadRow as fault:
            bad = True
            print(f"moderator extract: line {number}: {fault}", file=errors)
            continue
        print(json.dumps(await answer(understanding, row), ensure_ascii=False), file=out, flush=True)
    return 2 if bad else 0


def parse(line: str, lang: Lang | None) -> Row:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise BadRow(f"not JSON ({error}); write one JSON object a line") from None
    if not isinstance(found, dict):
        raise BadRow("not an object; write one JSON object a line")
    try:
        return Row.model_validate({"lang": lang, **found} if lang else found)
    except ValidationError as error:
        fault = error.errors()[0]
        cure = "; add it, or give --lang" if fault["type"] == "missing" and fault["loc"] == ("lang",) else ""
        raise BadRow(f"{wanted(fault)}{cure}") from None


async def answer(understanding: Understanding, row: Row) -> dict[str, Any]:
    if row.task == "conduct":
        return {"id": row.id} | await _conduct(understanding, row)
    said = row.context
    context = Context(said.speaker, tuple(said.alive), tuple(said.nominated), dict(said.names), suspects=said.suspects)
    proposal = await understanding.read(Task(row.task), row.lang, row.text, context)
    fields = FIELDS[row.task](proposal, context)
    rest = {"confidence": round(proposal.confidence, 3), "source": proposal.source, "quote": proposal.quote}
    return {"id": row.id, "ask": proposal.ask and _worth_asking(row.task, proposal, fields)} | fields | rest


async def _conduct(understanding: Understanding, row: Row) -> dict[str, Any]:
    found = await understanding.conduct(row.lang, row.text, row.context.names)
    sure = [breach for breach in found if breach.sure]
    named = sure or found
    return {
        "ask": bool(found) and not sure,
        "kinds": [breach.offence for breach in named],
        "confidence": LIKELY if found and not sure else 1.0,
        "source": named[0].source if named else "none",
        "quote": named[0].quote if named else "",
    }


def _worth_asking(task: Known, proposal: Proposal, fields: dict[str, Any]) -> bool:
    """A seat that the rules refuse anyway is not asked about; a ballot without any seat is."""
    return any(fields.values()) or (task == "vote" and not _seats(proposal, ActKind.VOTE))


def _seats(proposal: Proposal, kind: ActKind) -> list[Seat]:
    return [act.seat for act in proposal.acts if act.kind is kind and act.seat is not None]


def _nomination(proposal: Proposal, context: Context) -> dict[str, Any]:
    free = set(context.alive) - set(context.nominated)
    return {
        "nominated": [seat for seat in _seats(proposal, ActKind.NOMINATE) if seat in free],
        "withdrawn": _seats(proposal, ActKind.WITHDRAW),
    }


def _testament(proposal: Proposal, _: Context) -> dict[str, Any]:
    crown = _seats(proposal, ActKind.CROWN)
    return {"suspects": _seats(proposal, ActKind.SUSPECT), "crown": crown[-1] if crown else None}


def _vote(proposal: Proposal, context: Context) -> dict[str, Any]:
    candidates = set(context.nominated or context.alive)
    votes = [seat for seat in _seats(proposal, ActKind.VOTE) if seat in candidates]
    return {"vote": votes[-1] if votes else None}


def _claims(proposal: Proposal, _: Context) -> dict[str, Any]:
    checks = [
        {"seat": act.seat, "mafia": act.kind is ActKind.CLAIM_BLACK}
        for act in proposal.acts
        if act.kind in (ActKind.CLAIM_RED, ActKind.CLAIM_BLACK)
    ]
    return {"sheriff": any(act.kind is ActKind.CLAIM_SHERIFF for act in proposal.acts), "checks": checks}


FIELDS = {"nomination": _nomination, "testament": _testament, "vote": _vote, "claims": _claims}
