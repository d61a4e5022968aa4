"""`moderator bench conduct`: lines for and against fair play: found by kind, and noticed wrongly."""

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from voice import conduct

FOLDER = Path("tests/bench")
CLEAN = "clean"


def main(args: argparse.Namespace) -> dict[str, Any]:
    """Over the half of the lines that was never tuned on, or that --half names."""
    lines = (FOLDER / f"conduct.{args.lang}.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [row for row in map(json.loads, lines) if row["half"] == args.half][:: args.every]
    there, noticed = Counter[str](), Counter[str]()
    for row in kept:
        (kind,) = row["gold"]["kinds"] or [CLEAN]
        there[kind] += 1
        noticed[kind] += any(breach.sure for breach in conduct.read(args.lang, row["text"]))
    wrongly = noticed.pop(CLEAN, 0)
    return {
        "rows": len(kept),
        "found": {kind: round(noticed[kind] / number, 3) for kind, number in there.items() if kind != CLEAN},
        "false": round(wrongly / there[CLEAN], 4) if there[CLEAN] else 0.0,
    }
