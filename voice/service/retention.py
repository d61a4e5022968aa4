"""How long the service keeps what is over: first sound and words go, then the whole game (`configs/serve.yaml`)."""

import asyncio
import logging
import shutil
import time

from voice.ports_store import BadStore, Conflict
from voice.service.config import Keep
from voice.service.tables import FILE, ServedTable, State, Tables
from voice.stored import delete, delete_words

log = logging.getLogger(__name__)

EVERY_S = 3600.0
DAY_S = 86_400.0
SOUNDS = ("*.ogg", "*.pcm", "*.part", "*.began")


async def keep_house(tables: Tables, keep: Keep) -> None:
    """For as long as the service runs; what cannot be removed now is tried again."""
    while True:
        for table in [table for table in tables if table.state in (State.OVER, State.LOST)]:
            try:
                await clear(tables, table, keep, time.time())
            except (OSError, BadStore, Conflict) as error:
                log.error("cannot be cleared: %s", type(error).__name__, extra={"game": table.game})
        await asyncio.sleep(EVERY_S)


async def clear(tables: Tables, table: ServedTable, keep: Keep, now_s: float) -> None:
    """`now_s`: Unix time. A game's age is counted from when its table was last changed: from its end."""
    age_days = (now_s - (table.home / FILE).stat().st_mtime) / DAY_S
    if keep.games_days is not None and age_days > keep.games_days:
        await delete(table.store, table.game)
        await asyncio.to_thread(shutil.rmtree, table.home)
        tables.forget(table)
        log.info("game removed, its time is over", extra={"game": table.game})
    elif keep.voices_days is not None and age_days > keep.voices_days and await silenced(table):
        log.info("sound and words removed, their time is over", extra={"game": table.game})


async def silenced(table: ServedTable) -> bool:
    """Whether there was anything left to remove."""
    sounds = [path for pattern in SOUNDS for path in table.home.glob(pattern)]
    for path in sounds:
        path.unlink()
    return await delete_words(table.store, table.game) + len(sounds) > 0
