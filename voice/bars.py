"""Who may not join later games, for a time or for good, and the appeals against it (S19).

Kept beside the games, not in them. A person is whatever the lobby knows him by: a name, and two spellings that
`names.key` does not tell apart are one. An appeal is private: only its author and who rules on it read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Row, Select, func, insert, or_, select, update

from voice.database import Database
from voice.names import key
from voice.ports_store import Conflict
from voice.tables import appeals as appeals_
from voice.tables import bars as bars_


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
    """Kept in the same store as the games. Each call is one transaction; raises `BadStore`."""

    def __init__(self, where: str | Path) -> None:
        """`where`: the path or URL of the store. Raises `BadStore` or `MissingPart`."""
        self._database = Database(where)

    def bar(self, person: str, game: str, reason: str, now: datetime, until: datetime | None = None) -> Bar:
        """Keep a person from joining until then; None: for good."""
        ends = None if until is None else _text(until)
        row = {"person": person, "game": game, "reason": reason, "barred_at": _text(now), "until": ends}
        number = self._database.write(lambda db: db.scalars(insert(bars_).returning(bars_.c.id), row).one())
        return Bar(number, person, game, reason, now, until)

    def barred(self, person: str, now: datetime) -> Bar | None:
        """The bar that keeps this person out now: the one that lasts longest. An appeal that was granted lifts it."""
        found = (
            select(bars_)
            .outerjoin(appeals_)
            .where(or_(bars_.c.until.is_(None), bars_.c.until > _text(now)))
            .where(func.coalesce(appeals_.c.granted, 0) == 0)
            .order_by(bars_.c.until.is_not(None), bars_.c.until.desc())
        )
        return next((_bar(row) for row in self._rows(found) if key(row.person) == key(person)), None)

    def appeal(self, bar: int, person: str, text: str, now: datetime) -> None:
        """Contest one's own bar, once. Raises LookupError for a bar of somebody else, ValueError the second time."""
        if not any(key(row.person) == key(person) for row in self._rows(select(bars_).where(bars_.c.id == bar))):
            raise LookupError(f"bar {bar} is not one of this person's")
        row = {"bar": bar, "text": text, "appealed_at": _text(now)}
        try:
            self._database.write(lambda db: db.execute(insert(appeals_), row))
        except Conflict:
            raise ValueError(f"bar {bar} has been contested already") from None

    def appeals(self) -> list[Appeal]:
        """For who rules on them: those that wait, oldest first."""
        waiting = select(bars_, appeals_.c.text, appeals_.c.granted).join(appeals_).where(appeals_.c.granted.is_(None))
        rows = self._rows(waiting.order_by(appeals_.c.appealed_at))
        return [appeal for row in rows if (appeal := _appeal(row)) is not None]

    def all(self) -> list[tuple[Bar, Appeal | None]]:
        """Every bar there ever was, oldest first, and the appeal against it."""
        every = select(bars_, appeals_.c.text, appeals_.c.granted).outerjoin(appeals_).order_by(bars_.c.id)
        return [(_bar(row), _appeal(row)) for row in self._rows(every)]

    def rule(self, bar: int, granted: bool, by: str, now: datetime) -> None:
        """Decide an appeal; the last ruling stands. Raises LookupError when nobody has appealed."""
        ruling = update(appeals_).where(appeals_.c.bar == bar)
        ruling = ruling.values(granted=int(granted), ruled_by=by, ruled_at=_text(now))
        if not self._database.write(lambda db: db.execute(ruling).rowcount):
            raise LookupError(f"bar {bar} has not been contested")

    def close(self) -> None:
        self._database.close()

    def _rows(self, found: Select[Any]) -> Sequence[Row[Any]]:
        return self._database.read(lambda db: db.execute(found).all())


def _bar(row: Row[Any]) -> Bar:
    ends = None if row.until is None else datetime.fromisoformat(row.until)
    return Bar(row.id, row.person, row.game, row.reason, datetime.fromisoformat(row.barred_at), ends)


def _appeal(row: Row[Any]) -> Appeal | None:
    return None if row.text is None else Appeal(_bar(row), row.text, None if row.granted is None else bool(row.granted))


def _text(moment: datetime) -> str:
    """In UTC and always as long, so that text sorts like time."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")
