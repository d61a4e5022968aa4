"""Bars from later games, and the appeals against them (S19)."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from voice.bars import Bars
from voice.ports_store import BadStore
from voice.store_sql import SqlStore

NOW = datetime(2030, 1, 1, 20, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


@pytest.fixture
def bars(where: Path | str) -> Iterator[Bars]:
    bars = Bars(where)
    yield bars
    bars.close()


def test_s19_a_bar_lasts_its_time_or_for_good(bars: Bars) -> None:
    bars.bar("ann", "g1", "threats", NOW, NOW + WEEK)
    bars.bar("bob", "g1", "exposure", NOW)
    assert bars.barred("ann", NOW + WEEK / 2) is not None
    assert bars.barred("ann", NOW + WEEK) is None
    assert bars.barred("bob", NOW + 1000 * WEEK) is not None
    assert bars.barred("cid", NOW) is None


def test_the_longest_bar_is_the_one_that_is_named(bars: Bars) -> None:
    bars.bar("ann", "g1", "short", NOW, NOW + WEEK)
    bars.bar("ann", "g2", "longer", NOW, NOW + 2 * WEEK)
    found = bars.barred("ann", NOW)
    assert found is not None and found.reason == "longer"
    bars.bar("ann", "g3", "for good", NOW)
    found = bars.barred("ann", NOW)
    assert found is not None and (found.reason, found.until) == ("for good", None)


def test_s19_an_appeal_can_be_granted_later(bars: Bars) -> None:
    bar = bars.bar("ann", "g1", "threats", NOW)
    bars.appeal(bar.id, "ann", "It was a joke.", NOW)
    assert bars.barred("ann", NOW) == bar, "an appeal alone lifts nothing"
    (waiting,) = bars.appeals()
    assert (waiting.bar, waiting.text, waiting.granted) == (bar, "It was a joke.", None)
    bars.rule(bar.id, False, "judge", NOW)
    assert bars.barred("ann", NOW) == bar
    bars.rule(bar.id, True, "judge", NOW)
    assert bars.barred("ann", NOW) is None
    assert bars.appeals() == []


def test_nobody_contests_for_somebody_else_nor_twice(bars: Bars) -> None:
    bar = bars.bar("ann", "g1", "threats", NOW)
    with pytest.raises(LookupError, match="not one of this person's"):
        bars.appeal(bar.id, "bob", "Let her in.", NOW)
    with pytest.raises(LookupError, match="has not been contested"):
        bars.rule(bar.id, True, "judge", NOW)
    bars.appeal(bar.id, "ann", "Please.", NOW)
    with pytest.raises(ValueError, match="contested already"):
        bars.appeal(bar.id, "ann", "Please!", NOW)


async def test_bars_live_beside_the_games_and_outlast_the_process(where: Path | str) -> None:
    store = SqlStore(where)
    first = Bars(where)
    first.bar("ann", "g1", "threats", NOW)
    first.close()
    again = Bars(where)
    assert again.barred("ann", NOW) is not None
    again.close()
    assert await store.games() == []
    await store.close()


def test_what_is_no_store_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"not a database, whatever it is called" * 100)
    with pytest.raises(BadStore, match=r"x\.db: cannot be used as a store"):
        Bars(tmp_path / "x.db")
