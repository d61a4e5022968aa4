"""The service's side of a fleet: games are handed out, watched, and handed out again when nobody plays them.

The watcher asks the store alone: while a game's lease lasts somebody plays it, whatever LiveKit believes of its worker.
"""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Awaitable, Callable

from voice.fleet.job import Job
from voice.fleet.orders import Order, Orders, Seen
from voice.home import BOOTHS, booths, write_private
from voice.livekit_dispatch import NotDispatched
from voice.ports_store import BadStore, Conflict
from voice.routing import GALLERY, LISTENERS
from voice.service.tables import UNFINISHED, ServedTable, State

log = logging.getLogger(__name__)

LOOK_S = 1.0


class Dispatcher:
    """A `service.games.Keeper` whose games are played elsewhere. `run` it for as long as the service lives."""

    def __init__(
        self, orders: Orders, send: Callable[[str], Awaitable[None]], patience_s: float, again: Callable[[], None]
    ) -> None:
        """`send` gives a job to LiveKit; `patience_s`: with a silent worker; `again` is told of every new attempt."""
        self._orders, self._send, self._again = orders, send, again
        self.patience_s = patience_s
        self._watched: dict[str, ServedTable] = {}
        self._sure_s = 0.0
        """From when on silence counts: the workers could not reach the store either while it was away."""
        self._woken = asyncio.Event()

    def begin(self, table: ServedTable) -> None:
        """Also a game that is over and whose gallery still listens."""
        if table.state in UNFINISHED or table.opened:
            self._watched[table.game] = table
            self._woken.set()

    async def run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self.look()
            except BadStore as failure:
                log.error("the games are not looked at: %s", failure)
                self._sure_s = time.monotonic() + self.patience_s
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), LOOK_S)

    async def look(self) -> None:
        """Once at all of them, one for one, so that none waits for another."""
        watched = list(self._watched.values())
        seen = await self._orders.look([table.game for table in watched]) if watched else {}
        works = [self._attend(table, seen.get(table.game)) for table in watched]
        for table, result in zip(watched, await asyncio.gather(*works, return_exceptions=True), strict=True):
            if isinstance(result, BadStore | Conflict | NotDispatched):
                log.warning("%s; it is tried again", result, extra={"game": table.game})
            elif isinstance(result, Exception):  # a fault of ours costs one game, not the watch over all
                log.error("the game cannot be followed", extra={"game": table.game}, exc_info=result)

    async def _attend(self, table: ServedTable, seen: Seen | None) -> None:
        if seen is None and table.state is State.STARTING:
            seen = await self._orders.place(table.game, order(table))
        if seen is None:
            log.error("the game is not in the store any more", extra={"game": table.game})
            self._leave(table, State.LOST)
            return
        standing = seen.standing
        over = standing.state in (State.OVER, State.LOST)
        if not over and not seen.played and seen.silent_s > self.patience_s:
            if time.monotonic() > self._sure_s:
                await self._hand_out(table, seen)
        elif standing.state is State.GATHERING:
            await self._orders.drop(table.game)
            del self._watched[table.game]
            table.close_booths()
            table.gather_again(standing.missing)
        elif over and not (standing.open and seen.played):
            await self._orders.drop(table.game)
            self._leave(table, standing.state)
        else:
            table.become(standing.state)
            (table.open_booths if standing.open else table.close_booths)()

    def _leave(self, table: ServedTable, state: State) -> None:
        del self._watched[table.game]
        table.close_booths()
        table.become(state)

    async def _hand_out(self, table: ServedTable, seen: Seen) -> None:
        """Whether a worker took it shows itself: else nobody plays it when patience is over, and it goes out again."""
        table.close_booths()
        attempt = await self._orders.again(table.game, seen)
        if attempt is None:
            return
        if attempt > 1:
            self._again()
        log.info("game handed out", extra={"game": table.game, "attempt": attempt})
        await self._send(Job(game=table.game, attempt=attempt).model_dump_json())


def order(table: ServedTable) -> Order:
    """The booths are the service's to name: whoever plays the game opens the same ones."""
    watched = table.options.gallery_delay_s is not None
    names = booths(table.home) or {
        listener: secrets.token_urlsafe(16) for listener in LISTENERS if watched or listener != GALLERY
    }
    write_private(table.home / BOOTHS, names)
    return Order(options=table.options, names=table.names, booths=names)
