"""The store in SQLite or PostgreSQL: an append returns when its events are on disk, and nobody overwrites anybody.

Transcripts are kept apart from the events, so that they can be deleted without them.
"""

import asyncio
import itertools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from moderator.events import Event
from moderator.faults import wanted
from moderator.model import Seat
from voice.database import NOW_S, Database
from voice.ports import Utterance
from voice.ports_store import Conflict, Held, Understood
from voice.tables import events as events_
from voice.tables import games as games_
from voice.tables import leases as leases_
from voice.tables import names as names_
from voice.tables import orders as orders_
from voice.tables import understood as understood_
from voice.tables import utterances as utterances_

EVENT: TypeAdapter[Event] = TypeAdapter(Event)
NOTE: TypeAdapter[Understood] = TypeAdapter(Understood)
WORDS = (utterances_, understood_)
"""What can be deleted without the events."""
LENGTH = select(func.coalesce(func.max(events_.c.seq) + 1, 0)).where(events_.c.game == bindparam("game"))
LEASE = {
    dialect: select(leases_.c.fence, leases_.c.holder, leases_.c.expires_s - now_s)
    .where(leases_.c.game == bindparam("game"))
    .with_for_update()
    for dialect, now_s in NOW_S.items()
}
T = TypeVar("T")


class DamagedLog(ValueError):
    """A stored event is missing or cannot be read. `valid` holds the events before it."""

    def __init__(self, where: str, valid: list[Event]) -> None:
        super().__init__(f"{where}; the {len(valid)} events before it are intact")
        self.valid = valid


@dataclass(frozen=True, slots=True)
class GameRow:
    """A game as it is listed. `begun_at` is UTC; `held_by` names the process that plays it now, or None."""

    game: str
    begun_at: str
    events: int
    utterances: int
    held_by: str | None


class SqlStore:
    """`voice.ports.Store`, `Provenance` and `Leases`. One connection, used from worker threads one call at a time."""

    def __init__(self, where: str | Path) -> None:
        """`where`: a path, or a URL (sqlite:///..., postgresql+psycopg://...). Raises `BadStore` or `MissingPart`."""
        self._database = Database(where)
        self.name = self._database.name
        self._fences: dict[str, int] = {}
        """The numbers of the leases that this store has taken; it writes with these."""

    # --- events and transcripts -------------------------------------------------------------------

    async def append(self, game: str, first_seq: int, events: Sequence[Event]) -> None:
        rows = _event_rows(game, first_seq, events)

        def write(db: Connection) -> None:
            self._must_hold(db, game)
            stored = db.scalar(LENGTH, {"game": game})
            if stored != first_seq:
                raise Conflict(f"{self.name}: game {game}: {stored} events are stored, not {first_seq}")
            if first_seq == 0:
                db.execute(insert(games_), {"game": game, "begun_at": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"})
            db.execute(insert(events_), rows)

        if rows:
            await self._write(write)

    async def events(self, game: str) -> list[Event]:
        """In order. Raises `DamagedLog` with the valid prefix."""
        found = select(events_.c.seq, events_.c.body).where(events_.c.game == game).order_by(events_.c.seq)
        rows = await self._read(lambda db: db.execute(found).all())
        whole = sum(1 for _ in itertools.takewhile(lambda row: row[0] == row[1][0], enumerate(rows)))
        valid = read_events((body for _, body in rows[:whole]), f"{self.name}: game {game}")
        if whole < len(rows):
            raise DamagedLog(f"{self.name}: game {game}: event {whole} is missing", valid)
        return valid

    async def append_utterance(self, game: str, utterance: Utterance) -> None:
        def write(db: Connection) -> None:
            self._must_hold(db, game)
            db.execute(insert(utterances_), {"game": game, **asdict(utterance)})

        await self._write(write)

    async def utterances(self, game: str) -> list[Utterance]:
        columns = (utterances_.c[name] for name in ("seat", "started_s", "ended_s", "text", "confidence"))
        found = select(*columns).where(utterances_.c.game == game).order_by(utterances_.c.id)
        return [Utterance(*row) for row in await self._read(lambda db: db.execute(found).all())]

    async def append_understood(self, game: str, understood: Understood) -> None:
        def write(db: Connection) -> None:
            self._must_hold(db, game)
            db.execute(insert(understood_), _note_row(game, understood))

        await self._write(write)

    async def understood(self, game: str) -> list[Understood]:
        found = select(understood_.c.body).where(understood_.c.game == game).order_by(understood_.c.id)
        return [NOTE.validate_json(body) for body in await self._read(lambda db: list(db.scalars(found)))]

    async def set_names(self, game: str, names: Mapping[Seat, str]) -> None:
        """What the players are called, by seat, instead of what was kept before."""

        def write(db: Connection) -> None:
            self._must_hold(db, game)
            db.execute(delete(names_).where(names_.c.game == game))
            _insert_names(db, game, names)

        await self._write(write)

    async def names(self, game: str) -> dict[Seat, str]:
        found = select(names_.c.seat, names_.c.name).where(names_.c.game == game).order_by(names_.c.seat)
        return {row.seat: row.name for row in await self._read(lambda db: db.execute(found).all())}

    # --- whole games ------------------------------------------------------------------------------

    async def games(self) -> list[str]:
        found = select(games_.c.game).order_by(games_.c.number)
        return await self._read(lambda db: list(db.scalars(found)))

    async def rows(self) -> list[GameRow]:
        """Oldest first."""
        said = select(func.count()).where(utterances_.c.game == games_.c.game).scalar_subquery()
        kept = select(func.count()).where(events_.c.game == games_.c.game).scalar_subquery()
        living = leases_.c.expires_s > self._database.now_s
        holder = select(leases_.c.holder).where(leases_.c.game == games_.c.game, living).scalar_subquery()
        found = select(games_.c.game, games_.c.begun_at, kept, said, holder).order_by(games_.c.number)
        return [GameRow(*row) for row in await self._read(lambda db: db.execute(found).all())]

    async def restore(
        self,
        game: str,
        begun_at: str,
        events: Sequence[Event],
        utterances: Sequence[Utterance],
        notes: Sequence[Understood] = (),
        names: Mapping[Seat, str] | None = None,
    ) -> None:
        """All of an exported game, or nothing. Raises `Conflict` where something of such a game is stored."""

        def write(db: Connection) -> None:
            for table in (games_, events_, names_, *WORDS):
                if db.scalar(select(func.count()).where(table.c.game == game)):
                    raise Conflict(f"{self.name}: holds a game {game} already; delete that one first")
            db.execute(insert(games_), {"game": game, "begun_at": begun_at})
            db.execute(insert(events_), _event_rows(game, 0, events))
            if utterances:
                db.execute(insert(utterances_), [{"game": game, **asdict(each)} for each in utterances])
            if notes:
                db.execute(insert(understood_), [_note_row(game, each) for each in notes])
            _insert_names(db, game, names or {})

        await self._write(write)

    async def delete(self, game: str) -> None:
        """The game and its transcript. Who played it may not write any more. Raises `Conflict` while it is played."""

        def write(db: Connection) -> None:
            fence, holder, left_s = self._lease(db, game)
            if left_s > 0:
                raise Conflict(f"{self.name}: {_held(game, holder, left_s)}")
            if fence:  # the number is kept: a process that was only paused would else begin the game again
                db.execute(update(leases_).where(leases_.c.game == game).values(holder="", fence=fence + 1))
            for table in (*WORDS, names_, orders_, events_, games_):
                db.execute(delete(table).where(table.c.game == game))

        await self._write(write)
        await asyncio.to_thread(self._database.vacate)

    async def delete_utterances(self, game: str, seat: Seat | None = None) -> int:
        """What a seat said, or with None everybody, and how it was read; the events stay. How many utterances."""

        def write(db: Connection) -> int:
            counts = []
            for table in WORDS:
                which = table.c.game == game if seat is None else (table.c.game == game) & (table.c.seat == seat)
                counts.append(db.execute(delete(table).where(which)).rowcount)
            return counts[0]

        deleted = await self._write(write)
        await asyncio.to_thread(self._database.vacate)
        return deleted

    async def forget(self, game: str, seat: Seat) -> int:
        """A seat's words, how they were read, and its name, at once. How many utterances. Raises `Conflict`."""

        def write(db: Connection) -> int:
            _, holder, left_s = self._lease(db, game)
            if left_s > 0:
                raise Conflict(f"{self.name}: {_held(game, holder, left_s)}")
            gone = [
                db.execute(delete(table).where(table.c.game == game, table.c.seat == seat)).rowcount
                for table in (*WORDS, names_)
            ]
            return gone[0]

        deleted = await self._write(write)
        await asyncio.to_thread(self._database.vacate)
        return deleted

    # --- the lease of a game ----------------------------------------------------------------------

    async def take_lease(self, game: str, holder: str, lasts_s: float, over: str = "") -> None:
        def write(db: Connection) -> int:
            fence, held_by, left_s = self._lease(db, game)
            if left_s > 0 and held_by != over:
                raise Held(f"{self.name}: {_held(game, held_by, left_s)}", held_by)
            now_s = db.scalar(select(self._database.now_s)) or 0.0
            lease = {"holder": holder, "fence": fence + 1, "expires_s": now_s + lasts_s}
            if fence:
                db.execute(update(leases_).where(leases_.c.game == game).values(lease))
            else:
                db.execute(insert(leases_), {"game": game, **lease})
            return fence + 1

        self._fences[game] = await self._write(write)

    async def renew_lease(self, game: str, lasts_s: float) -> None:
        expires = self._database.now_s + lasts_s
        ours = (leases_.c.game == game) & (leases_.c.fence == self._fences.get(game, 0))
        if not await self._write(lambda db: db.execute(update(leases_).where(ours).values(expires_s=expires)).rowcount):
            raise Conflict(f"{self.name}: {_taken_over(game)}")

    async def release_lease(self, game: str) -> None:
        ours = (leases_.c.game == game) & (leases_.c.fence == self._fences.get(game, 0))
        await self._write(lambda db: db.execute(update(leases_).where(ours).values(expires_s=0.0)))

    def _lease(self, db: Connection, game: str) -> tuple[int, str, float]:
        """Fence, holder, seconds left; all nothing where it was never taken. Nobody else changes it until we commit."""
        row = db.execute(LEASE[self._database.dialect], {"game": game}).one_or_none()
        return (0, "", 0.0) if row is None else (row[0], row[1], row[2])

    def _must_hold(self, db: Connection, game: str) -> None:
        """Nobody has taken the game since we did, and nobody will before we have committed."""
        fence, _, _ = self._lease(db, game)
        if fence > self._fences.get(game, 0):
            raise Conflict(f"{self.name}: {_taken_over(game)}")

    async def close(self) -> None:
        await asyncio.to_thread(self._database.close)

    async def _read(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self._database.read, work)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        return await asyncio.to_thread(self._database.write, work)


def _event_rows(game: str, first_seq: int, events: Sequence[Event]) -> list[dict[str, str | int]]:
    return [{"game": game, "seq": first_seq + n, "body": each.model_dump_json()} for n, each in enumerate(events)]


def _note_row(game: str, note: Understood) -> dict[str, str | int]:
    return {"game": game, "seat": note.seat, "body": NOTE.dump_json(note).decode()}


def _insert_names(db: Connection, game: str, names: Mapping[Seat, str]) -> None:
    if names:
        db.execute(insert(names_), [{"game": game, "seat": seat, "name": name} for seat, name in names.items()])


def _held(game: str, holder: str, left_s: float) -> str:
    return f"game {game} is being played by process {holder}, whose lease has {left_s:.0f} s left; end that one first"


def _taken_over(game: str) -> str:
    return f"game {game} has been taken over by another process"


def read_events(lines: Iterable[str], where: str) -> list[Event]:
    """JSON lines of events. Raises `DamagedLog` naming the first line that is none."""
    valid: list[Event] = []
    for number, line in enumerate(lines):
        try:
            valid.append(EVENT.validate_json(line))
        except ValidationError as fault:
            raise DamagedLog(f"{where}: event {number} is damaged ({wanted(fault.errors()[0])})", valid) from fault
    return valid


def export_log(path: Path, events: Sequence[Event]) -> None:
    """The whole log as JSON lines, one event a line."""
    path.write_text("".join(json.dumps(event.model_dump(mode="json")) + "\n" for event in events), encoding="utf-8")
