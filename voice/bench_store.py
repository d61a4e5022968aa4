"""How long the store takes: `moderator bench store`. The figures are those of a game: one event an append, on disk."""

import asyncio
import secrets
import tempfile
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from voice.bench_engine import long_log
from voice.store_sql import SqlStore

APPENDS = 300
READS = 15
LENGTHS = (300, 3000)


def run(where: str | None) -> dict[str, object]:
    """Milliseconds. `where`: path or URL; None: a new SQLite file on the disk of the working folder."""
    if where is not None:
        return asyncio.run(measured(where))
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        return asyncio.run(measured(Path(folder) / "moderator.db"))


async def measured(where: str | Path) -> dict[str, object]:
    """Appends as the median and the 95th percentile, reads as the quickest of several."""
    store, log = SqlStore(where), long_log(max(LENGTHS))
    name = f"bench-{secrets.token_hex(4)}"
    games = {name: log[:APPENDS], **{f"{name}-{length}": log[:length] for length in LENGTHS}}
    try:
        appends_ms = sorted([await _ms(store.append(name, n, [event])) for n, event in enumerate(games[name])])
        figures: dict[str, object] = {
            "append_p50_ms": round(appends_ms[APPENDS // 2], 2),
            "append_p95_ms": round(appends_ms[APPENDS * 95 // 100], 2),
        }
        for length in LENGTHS:
            game = f"{name}-{length}"
            await store.append(game, 0, games[game])
            figures[f"read_{length}_events_ms"] = round(min([await _ms(store.events(game)) for _ in range(READS)]), 2)
        return figures
    finally:
        for game in games:
            await store.delete(game)
        await store.close()


async def _ms(work: Coroutine[Any, Any, object]) -> float:
    started_s = time.perf_counter()
    await work
    return 1000 * (time.perf_counter() - started_s)
