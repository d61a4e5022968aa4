"""The event log in SQLite: an append returns when its events are on disk, and nobody overwrites anybody.

Transcripts are kept apart from the events, so that they can be deleted without them.
"""

import asyncio
import itertools
import json
import sqlite3
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from moderator.events import Event
from voice.ports import BadStore, Conflict, Utterance

SCHEMA_VERSION = 1
SCHEMA = """
create table if not exists games (
    number integer primary key, game text not null unique, begun_at text not null default current_timestamp) strict;
create table if not exists events (
    game text not null, seq integer not null, body text not null, primary key (game, seq)) strict, without rowid;
create table if not exists utterances (
    id integer primary key, game text not null, seat integer not null, started_s real not null, ended_s real not null,
    text text not null, confidence real not null) strict;
create index if not exists utterances_of_game on utterances (game, started_s);
"""
EVENT: TypeAdapter[Event] = TypeAdapter(Event)
T = TypeVar("T")


class DamagedLog(ValueError):
    """A stored event is missing or cannot be read. `valid` holds the events before it."""

    def __init__(self, where: str, valid: list[Event]) -> None:
        super().__init__(f"{where}; the {len(valid)} events before it are intact")
        self.valid = valid


class SqliteStore:
    """`voice.ports.Store`. One connection, used from worker threads one call at a time."""

    def __init__(self, path: Path) -> None:
        """Makes the file if it is not there. Raises `BadStore`."""
        self.path = path
        self._lock = threading.Lock()
        try:
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5.0)
            self._prepare()
        except sqlite3.Error as error:
            raise BadStore(f"{path}: cannot be used as a store ({error})") from error

    def _prepare(self) -> None:
        (version,) = self._db.execute("pragma user_version").fetchone()
        if version not in (0, SCHEMA_VERSION):
            self._db.close()
            raise BadStore(f"{self.path}: schema version {version} is not {SCHEMA_VERSION}; use what wrote it")
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = full")
        self._db.executescript(SCHEMA)
        self._db.execute(f"pragma user_version = {SCHEMA_VERSION}")

    async def append(self, game: str, first_seq: int, events: Sequence[Event]) -> None:
        rows = [(game, first_seq + n, event.model_dump_json()) for n, event in enumerate(events)]

        def write(db: sqlite3.Connection) -> None:
            db.execute("begin immediate")
            try:
                (stored,) = db.execute(
                    "select coalesce(max(seq) + 1, 0) from events where game = ?", (game,)
                ).fetchone()
                if stored != first_seq:
                    raise Conflict(f"game {game}: {stored} events are stored, not {first_seq}")
                if stored == 0:
                    db.execute("insert into games (game) values (?)", (game,))
                db.executemany("insert into events values (?, ?, ?)", rows)
                db.execute("commit")
            except BaseException:
                if db.in_transaction:
                    db.execute("rollback")
                raise

        await self._do(write)

    async def events(self, game: str) -> list[Event]:
        """In order. Raises `DamagedLog` with the valid prefix."""
        rows = await self._do(
            lambda db: db.execute("select seq, body from events where game = ? order by seq", (game,)).fetchall()
        )
        whole = sum(1 for _ in itertools.takewhile(lambda row: row[0] == row[1][0], enumerate(rows)))
        valid = read_events((body for _, body in rows[:whole]), f"{self.path}: game {game}")
        if whole < len(rows):
            raise DamagedLog(f"{self.path}: game {game}: event {whole} is missing", valid)
        return valid

    async def append_utterance(self, game: str, utterance: Utterance) -> None:
        row = {"game": game, **asdict(utterance)}
        await self._do(
            lambda db: db.execute(
                "insert into utterances (game, seat, started_s, ended_s, text, confidence)"
                " values (:game, :seat, :started_s, :ended_s, :text, :confidence)",
                row,
            )
        )

    async def utterances(self, game: str) -> list[Utterance]:
        rows = await self._do(
            lambda db: db.execute(
                "select seat, started_s, ended_s, text, confidence from utterances where game = ? order by id", (game,)
            ).fetchall()
        )
        return [Utterance(*row) for row in rows]

    async def games(self) -> list[str]:
        rows = await self._do(lambda db: db.execute("select game from games order by number").fetchall())
        return [game for (game,) in rows]

    async def close(self) -> None:
        await self._do(lambda db: db.close())

    async def _do(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def locked() -> T:
            with self._lock:
                try:
                    return work(self._db)
                except sqlite3.Error as error:
                    raise BadStore(f"{self.path}: {error}") from error

        return await asyncio.to_thread(locked)


def read_events(lines: Iterable[str], where: str) -> list[Event]:
    """JSON lines of events. Raises `DamagedLog` naming the first line that is none."""
    valid: list[Event] = []
    for number, line in enumerate(lines):
        try:
            valid.append(EVENT.validate_json(line))
        except ValidationError as fault:
            raise DamagedLog(f"{where}: event {number} is damaged ({fault.errors()[0]['msg']})", valid) from fault
    return valid


def export_log(path: Path, events: Sequence[Event]) -> None:
    """The whole log as JSON lines, one event a line."""
    path.write_text("".join(json.dumps(event.model_dump(mode="json")) + "\n" for event in events), encoding="utf-8")
