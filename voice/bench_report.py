"""`moderator bench all`: every benchmark in a process of its own, in one report that is compared with the last one.

The report is `bench.json` and `bench.md` in --out, the quick one `bench-quick.*`: each is compared with the last of its
kind. A figure got worse when it moved the wrong way by more than a tenth.
"""

import argparse
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

WORSE_BY = 0.1
LIMIT_S = 3600.0
LESS_IS_BETTER = ("ms", "_s", "false", "wrong", "missed", "asked", "cpu", "core", "delay", "mb", "seconds", "events")
MORE_IS_BETTER = ("right", "found", "per_s", "a_second", "games")
QUICK: dict[str, list[str]] = {
    "engine": ["engine"],
    "store": ["store"],
    **{f"reading {lang}": ["reading", "--lang", lang] for lang in ("fr", "en", "ru")},
    **{f"conduct {lang}": ["conduct", "--lang", lang, "--half", "test"] for lang in ("fr", "en", "ru")},
    "hearing fr": ["hearing", "--lang", "fr", "--every", "20", "--conditions", "clean"],
}
WHOLE: dict[str, list[str]] = {
    **QUICK,
    **{f"hearing {lang}": ["hearing", "--lang", lang, "--model"] for lang in ("fr", "en", "ru")},
    **{f"reading {lang}": ["reading", "--lang", lang, "--model"] for lang in ("fr", "en", "ru")},
    **{f"conduct {lang}": ["conduct", "--lang", lang, "--half", "test", "--model"] for lang in ("fr", "en", "ru")},
    **{f"narrator {lang}": ["narrator", "--lang", lang] for lang in ("fr", "en", "ru")},
    "ears fr": ["ears", "--lang", "fr", "--every", "4"],
    "lines fr": ["lines", "--lang", "fr"],
    **{f"nothing {lang}": ["nothing", "--lang", lang] for lang in ("fr", "en", "ru")},
    "rooms": ["rooms"],
    "table": ["table"],
    "kills": ["kills"],
}
"""Hours, most of it Whisper."""


def main(args: argparse.Namespace) -> dict[str, Any]:
    """Prints nothing but what it returns; one line a benchmark goes to standard error."""
    file: Path = args.out / ("bench-quick.json" if args.quick else "bench.json")
    before = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    report: dict[str, Any] = {"made_at": f"{datetime.now(UTC):%Y-%m-%d %H:%M}", "quick": args.quick, "benches": {}}
    for name, words in (QUICK if args.quick else WHOLE).items():
        started_s = time.perf_counter()
        report["benches"][name] = one(words)
        print(f"moderator bench: {name}: {time.perf_counter() - started_s:.0f} s", file=sys.stderr)
    changes = list(compared(before.get("benches", {}), report["benches"]))
    args.out.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    page = file.with_suffix(".md")
    page.write_text(to_markdown(report, before.get("made_at"), changes), encoding="utf-8")
    return {
        "report": str(page),
        "failed": [name for name, found in report["benches"].items() if "failed" in found],
        "worse": [figure for figure, _, _, _, worse in changes if worse],
    }


def one(words: list[str]) -> dict[str, Any]:
    """The figures of one benchmark; one that fails costs the others nothing."""
    command = [sys.executable, "-m", "voice", "bench", *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=True)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError) as error:
        said = (getattr(error, "stderr", None) or type(error).__name__).strip().splitlines()
        return {"failed": said[-1] if said else type(error).__name__}
    return {key: value for key, value in found.items() if key != "name"}


Change = tuple[str, float, float, float, bool]


def compared(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Change]:
    """(figure, before, now, ratio, worse) of every number that both reports hold."""
    old = dict(figures(before))
    for name, value in figures(now):
        if name in old:
            ratio = value / old[name] if old[name] else math.inf if value else 1.0
            yield name, old[name], value, ratio, _worse(name, ratio)


def _worse(name: str, ratio: float) -> bool:
    if any(part in name for part in MORE_IS_BETTER):
        return ratio < 1 - WORSE_BY
    return any(part in name for part in LESS_IS_BETTER) and ratio > 1 + WORSE_BY


def figures(node: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, float]]:
    for key, value in node.items():
        name = f"{path}/{key}" if path else key
        if isinstance(value, Mapping):
            yield from figures(value, name)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield name, float(value)


def to_markdown(report: Mapping[str, Any], before: str | None, changes: list[Change]) -> str:
    """All figures in one table, what got worse first."""
    old = {name: (was, ratio, worse) for name, was, _, ratio, worse in changes}
    rows = []
    for name, value in figures(report["benches"]):
        was, ratio, worse = old.get(name, (None, None, False))
        last = "" if was is None else f"{was:g}"
        rows.append((not worse, f"| {name} | {value:g} | {last} | {_shown(ratio)} | {'worse' if worse else ''} |"))
    failed = [f"* {name} failed: {one['failed']}\n" for name, one in report["benches"].items() if "failed" in one]
    head = f"# Benchmarks, {report['made_at']} UTC\n\nCompared with: {before or 'nothing'}.\n\n" + "".join(failed)
    lines = [line for _, line in sorted(rows, key=lambda row: row[0])]
    return "\n".join([head, "| figure | now | last | ratio | |", "| --- | ---: | ---: | ---: | --- |", *lines, ""])


def _shown(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2f}"
