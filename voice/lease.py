"""The lease of a game: as long as its process lives it renews it, and no other process can take the game."""

import asyncio
import contextlib
import logging
import os
import socket
import time
from collections.abc import AsyncIterator

from voice.ports_store import BadStore, Held, Leases

log = logging.getLogger(__name__)

LEASE_S = 10.0
"""How long a game waits for a process that died without a word."""
RENEW_S = 3.0
RETRY_S = 0.5
ON = " on "


@contextlib.asynccontextmanager
async def leased(store: Leases, game: str, lasts_s: float = LEASE_S) -> AsyncIterator[asyncio.Task[None]]:
    """Take the game, renew its lease beside whatever is done, and let it go at the end.

    The lease of a process of this machine that is no more is taken at once; another that is still running is waited for
    once, since its process may be dead too; one that is renewed meanwhile raises `Held`. The task ends with
    `Conflict` when another process has taken the game over.
    """
    await _take(store, game, lasts_s)
    renewal = asyncio.create_task(_renew(store, game, lasts_s))
    try:
        yield renewal
    finally:
        renewal.cancel()
        with contextlib.suppress(BadStore):  # then it runs out
            await store.release_lease(game)


async def _take(store: Leases, game: str, lasts_s: float) -> None:
    holder = f"{os.getpid()}{ON}{socket.gethostname()}"
    until_s: float | None = None
    over = ""
    while True:
        try:
            return await store.take_lease(game, holder, lasts_s, over)
        except Held as held:
            if is_dead(held.holder) and over != held.holder:
                over = held.holder
                continue
            if until_s is None:
                log.info("%s; waiting, for it may run out", held)
                until_s = time.monotonic() + lasts_s + RETRY_S
            elif time.monotonic() > until_s:
                raise
            await asyncio.sleep(RETRY_S)


def is_dead(holder: str) -> bool:
    """Known of a process of this machine only. A wrong guess costs a game its process, never its log: see the fence."""
    pid, _, host = holder.partition(ON)
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return False


async def _renew(store: Leases, game: str, lasts_s: float) -> None:
    while True:
        await asyncio.sleep(lasts_s * RENEW_S / LEASE_S)
        try:
            await store.renew_lease(game, lasts_s)
        except BadStore as failure:  # whoever stores something will say so; until then it may pass
            log.warning("the lease was not renewed: %s", failure)
