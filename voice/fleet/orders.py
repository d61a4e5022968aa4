"""What the service and the workers of a fleet know in common of a game: one row each, beside its events.

Each handing out of a game has a number, its attempt. What a worker reports counts while no later attempt was made, so
that one who was only paused cannot undo what another has done meanwhile. No role and no word is in here.
"""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict
from sqlalchemy import delete, func, insert, select, update

from moderator.model import Seat
from voice.database import Database
from voice.service.tables import Options, State
from voice.tables import leases as leases_
from voice.tables import orders as orders_


class Order(BaseModel):
    """What a worker needs to play a game. `booths`: listener -> room name, the same for whoever plays it; secret."""

    model_config = ConfigDict(frozen=True)

    options: Options
    names: dict[Seat, str]
    booths: dict[int, str]


class Standing(BaseModel):
    """How far a game is, as its worker says. `open`: players may come in; `missing`: who did not come."""

    model_config = ConfigDict(frozen=True)

    state: State = State.STARTING
    open: bool = False
    missing: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """`played`: a process holds the game's lease; `silent_s`: since it was handed out or its worker reported."""

    attempt: int
    standing: Standing
    played: bool
    silent_s: float


class Orders:
    """Every call is one transaction, in a thread; raises `BadStore`."""

    def __init__(self, where: str | Path) -> None:
        """`where`: the store of the games. Raises `BadStore` or `MissingPart`."""
        self._database = Database(where)

    # --- the service's side -----------------------------------------------------------------------

    async def place(self, game: str, order: Order) -> Seen:
        """As attempt 0, which nobody plays. Raises `Conflict` where there is one."""
        standing = Standing()
        row = {"game": game, "attempt": 0, "body": order.model_dump_json(), "heard_s": 0.0}
        placed = insert(orders_).values(standing=standing.model_dump_json(), **row)
        await asyncio.to_thread(self._database.write, lambda db: db.execute(placed))
        return Seen(0, standing, played=False, silent_s=float("inf"))

    async def look(self, games: Collection[str]) -> dict[str, Seen]:
        """Those of `games` that are ordered."""
        now_s = self._database.now_s
        played = func.coalesce(leases_.c.expires_s > now_s, False)
        found = (
            select(orders_.c.game, orders_.c.attempt, orders_.c.standing, played, now_s - orders_.c.heard_s)
            .join_from(orders_, leases_, orders_.c.game == leases_.c.game, isouter=True)
            .where(orders_.c.game.in_(games))
        )
        rows = await asyncio.to_thread(self._database.read, lambda db: db.execute(found).all())
        return {
            game: Seen(attempt, Standing.model_validate_json(standing), bool(held), silent_s)
            for game, attempt, standing, held, silent_s in rows
        }

    async def again(self, game: str, seen: Seen) -> int | None:
        """The number of a new attempt, of which its worker is awaited from now on; None: somebody else made one."""
        attempt, closed = seen.attempt + 1, seen.standing.model_copy(update={"open": False})
        made = await self._set(game, seen.attempt, {**self._heard(closed), "attempt": attempt})
        return attempt if made else None

    async def drop(self, game: str) -> None:
        """It is over, or nobody came: names and booths are forgotten here."""
        dropped = delete(orders_).where(orders_.c.game == game)
        await asyncio.to_thread(self._database.write, lambda db: db.execute(dropped))

    # --- a worker's side --------------------------------------------------------------------------

    async def take(self, game: str, attempt: int) -> tuple[Order, State] | None:
        """What to play, and how far it is; None: it has been handed out again, or is not wanted any more."""
        if not await self._set(game, attempt, self._heard()):
            return None
        found = select(orders_.c.body, orders_.c.standing).where(orders_.c.game == game)
        row = await asyncio.to_thread(self._database.read, lambda db: db.execute(found).one_or_none())
        return row and (Order.model_validate_json(row[0]), Standing.model_validate_json(row[1]).state)

    async def report(self, game: str, attempt: int, standing: Standing) -> bool:
        """False: there is a later attempt, or no order any more; then this one is to be ended."""
        return await self._set(game, attempt, self._heard(standing))

    async def give_back(self, game: str, attempt: int) -> None:
        """To be handed out at once, when its lease has been let go."""
        await self._set(game, attempt, {"heard_s": 0.0})

    async def close(self) -> None:
        await asyncio.to_thread(self._database.close)

    def _heard(self, standing: Standing | None = None) -> dict[str, Any]:
        told = {} if standing is None else {"standing": standing.model_dump_json()}
        return {"heard_s": self._database.now_s, **told}

    async def _set(self, game: str, attempt: int, values: dict[str, Any]) -> bool:
        """Whether this attempt is still the last one."""
        ours = (orders_.c.game == game) & (orders_.c.attempt == attempt)
        change = update(orders_).where(ours).values(values)
        return bool(await asyncio.to_thread(self._database.write, lambda db: db.execute(change).rowcount))
