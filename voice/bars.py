"""Who may not join later games, for a time or for good, and the appeals against it (S19).

Kept beside the games, not in them. A person is whatever the lobby knows him by. An appeal is private: only its
author and who rules on it read it.
"""

import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from voice.ports import BadStore

SCHEMA = """
create table if not exists bars (
    id integer primary key, person text not null, game text not null, reason text not null,
    barred_at text not null, until text) strict;
create index if not exists bars_of_person on bars (person);
create table if not exists appeals (
    bar integer primary key references bars (id), text text not null, appealed_at text not null,
    granted integer, ruled_by text, ruled_at text) strict;
"""


@dataclass(frozen=True, slots=True)
class Bar:
    """`until` None: for good. Times are UTC."""

    id: int
    person: str
    game: str
    reason: str
    barred_at: datetime
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Appeal:
    """`granted` None: not yet ruled on."""

    bar: Bar
    text: str
    granted: bool | None


class Bars:
    """Kept in the same file as the games. Each call is one transaction; raises `BadStore`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None, timeout=5.0)
            self._db.execute("pragma journal_mode = wal")
            self._db.execute("pragma foreign_keys = on")
            self._db.executescript(SCHEMA)
        except sqlite3.Error as error:
            raise BadStore(f"{path}: cannot be used as a store ({error})") from error

    def bar(self, person: str, game: str, reason: str, now: datetime, until: datetime | None = None) -> Bar:
        """Keep a person from joining until then; None: for good."""
        ((number,),) = self._all(
            "insert into bars (person, game, reason, barred_at, until) values (?, ?, ?, ?, ?) returning id",
            (person, game, reason, _text(now), None if until is None else _text(until)),
        )
        assert isinstance(number, int)
        return Bar(number, person, game, reason, now, until)

    def barred(self, person: str, now: datetime) -> Bar | None:
        """The bar that keeps this person out now: the one that lasts longest. An appeal that was granted lifts it."""
        found = self._all(
            "select b.id, person, game, reason, barred_at, until from bars b left join appeals a on a.bar = b.id"
            " where person = ? and (until is null or until > ?) and coalesce(granted, 0) = 0"
            " order by until is not null, until desc limit 1",
            (person, _text(now)),
        )
        return _bar(found[0]) if found else None

    def appeal(self, bar: int, person: str, text: str, now: datetime) -> None:
        """Contest one's own bar, once. Raises LookupError for a bar of somebody else, ValueError the second time."""
        if not self._all("select 1 from bars where id = ? and person = ?", (bar, person)):
            raise LookupError(f"bar {bar} is not one of this person's")
        made = self._all(
            "insert into appeals (bar, text, appealed_at) values (?, ?, ?) on conflict do nothing returning bar",
            (bar, text, _text(now)),
        )
        if not made:
            raise ValueError(f"bar {bar} has been contested already")

    def appeals(self) -> list[Appeal]:
        """For who rules on them: those that wait, oldest first."""
        rows = self._all(
            "select b.id, person, game, reason, barred_at, until, text, granted"
            " from appeals a join bars b on a.bar = b.id where granted is null order by appealed_at",
            (),
        )
        return [appeal for row in rows if (appeal := _appeal(row)) is not None]

    def all(self) -> list[tuple[Bar, Appeal | None]]:
        """Every bar there ever was, oldest first, and the appeal against it."""
        rows = self._all(
            "select b.id, person, game, reason, barred_at, until, text, granted"
            " from bars b left join appeals a on a.bar = b.id order by b.id",
            (),
        )
        return [(_bar(row[:6]), _appeal(row)) for row in rows]

    def rule(self, bar: int, granted: bool, by: str, now: datetime) -> None:
        """Decide an appeal; the last ruling stands. Raises LookupError when nobody has appealed."""
        ruled = self._all(
            "update appeals set granted = ?, ruled_by = ?, ruled_at = ? where bar = ? returning bar",
            (int(granted), by, _text(now), bar),
        )
        if not ruled:
            raise LookupError(f"bar {bar} has not been contested")

    def close(self) -> None:
        self._db.close()

    def _all(self, query: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise BadStore(f"{self.path}: {error}") from error


def _bar(row: tuple[object, ...]) -> Bar:
    number, person, game, reason, barred_at, until = row
    assert isinstance(number, int)
    ends = None if until is None else datetime.fromisoformat(str(until))
    return Bar(number, str(person), str(game), str(reason), datetime.fromisoformat(str(barred_at)), ends)


def _appeal(row: tuple[object, ...]) -> Appeal | None:
    *bar, text, granted = row
    return None if text is None else Appeal(_bar(tuple(bar)), str(text), None if granted is None else bool(granted))


def _text(moment: datetime) -> str:
    """In UTC and always as long, so that text sorts like time."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")
