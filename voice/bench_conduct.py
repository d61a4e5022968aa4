"""`moderator bench conduct`: lines for and against fair play: found by kind, and noticed wrongly."""

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from voice import engines

FOLDER = Path("tests/bench")
CLEAN = "clean"


def main(args: argparse.Namespace) -> dict[str, Any]:
    """Over the half of the lines that was never tuned on, or that --half names."""
    return asyncio.run(_main(args))


async def _main(args: argparse.Namespace) -> dict[str, Any]:
    lines = args.rows or FOLDER / f"conduct.{args.lang}.jsonl"
    rows = map(json.loads, lines.read_text(encoding="utf-8").splitlines())
    kept = [row for row in rows if row["half"] == args.half and row["lang"] == args.lang][:: args.every]
    there, noticed = Counter[str](), Counter[str]()
    async with engines.reader(args.lang, model=args.model) as reader:
        for row in kept:
            (kind,) = row["gold"]["kinds"] or [CLEAN]
            there[kind] += 1
            noticed[kind] += any(breach.sure for breach in await reader.conduct(args.lang, row["text"]))
    wrongly = noticed.pop(CLEAN, 0)
    return {
        "rows": len(kept),
        "found": {kind: round(noticed[kind] / number, 3) for kind, number in there.items() if kind != CLEAN},
        "false": round(wrongly / there[CLEAN], 4) if there[CLEAN] else 0.0,
    }
