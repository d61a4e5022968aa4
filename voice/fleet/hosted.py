"""The games that a worker was given: each is kept alive as on one machine, and its standing is told to the service."""

import asyncio
import logging
import time
from collections import defaultdict

from pydantic import ValidationError

from voice.fleet.job import Job
from voice.fleet.orders import Order, Orders, Standing
from voice.home import BOOTHS, write_private
from voice.ports_store import BadStore
from voice.service.games import Games, missing
from voice.service.tables import UNFINISHED, ServedTable, State, Tables

log = logging.getLogger(__name__)

LOOK_S = 0.5
AT_IT_S = 2.0
"""A worker whose game is not yet open says so often that it is at it; well below `fleet.patience_s`."""


class Hosted:
    """`tables`: of this worker alone; what an earlier life of it has left there is not gone on with."""

    def __init__(self, tables: Tables, games: Games, orders: Orders) -> None:
        self._tables, self._games, self._orders = tables, games, orders
        self._one = defaultdict[str, asyncio.Lock](asyncio.Lock)
        """By game: when one is handed out twice to this worker, the later job waits until the earlier has ended."""
        for table in tables:
            leave(table)

    async def play(self, text: str) -> None:
        """One job of LiveKit, until its game is over or is another worker's. Cancelled, it gives the game back."""
        try:
            job = Job.model_validate_json(text)
        except ValidationError:
            log.warning("a job that is none of ours")
            return
        taken = await self._orders.take(job.game, job.attempt)
        if taken is None:
            log.info("the game was handed out anew, or is over", extra={"game": job.game})
            return
        await self._games.stop(job.game)
        async with self._one[job.game]:
            await self._keep(self._hold(job.game, *taken), job.attempt)

    async def _keep(self, table: ServedTable, attempt: int) -> None:
        self._games.begin(table)
        try:
            await self._tell(table, attempt)
        except asyncio.CancelledError:
            await self._games.stop(table.game)
            await self._orders.give_back(table.game, attempt)
            raise
        finally:
            await self._games.stop(table.game)
            leave(table)

    def _hold(self, game: str, order: Order, state: State) -> ServedTable:
        table = self._tables.lend(game, order.options, state, order.names)
        write_private(table.home / BOOTHS, order.booths)
        return table

    async def _tell(self, table: ServedTable, attempt: int) -> None:
        """Every change, and until players may come in also that we are at it: after that its lease says so."""
        told, told_s = Standing(), 0.0
        while True:
            ended, standing = not self._games.keeps(table), standing_of(table)
            if standing != told or (not standing.open and time.monotonic() - told_s > AT_IT_S):
                try:
                    if not await self._orders.report(table.game, attempt, standing):
                        log.warning("another worker has the game", extra={"game": table.game})
                        return
                    told, told_s = standing, time.monotonic()
                except BadStore as failure:
                    log.warning("the store was not told: %s", failure, extra={"game": table.game})
            if ended and standing == told:
                return
            await asyncio.sleep(LOOK_S)


def standing_of(table: ServedTable) -> Standing:
    absent = tuple(missing(table)) if table.state is State.GATHERING else ()
    return Standing(state=table.state, open=table.opened, missing=absent)


def leave(table: ServedTable) -> None:
    """What lies here of a game that is not played here any more is kept as long as that of one that is over."""
    if table.state in (*UNFINISHED, State.GATHERING):
        table.become(State.LOST)
