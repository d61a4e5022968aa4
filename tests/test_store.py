"""The store: what was acknowledged is there, in order, and nobody overwrites anybody. In both databases."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from postgres_kit import Postgres
from sqlalchemy import text

from moderator.events import DayBegan, Event, NightBegan, Nominated
from voice import bench_store
from voice.database import Database
from voice.ports import MissingPart, Utterance
from voice.ports_store import BadStore, Conflict
from voice.store_sql import DamagedLog, SqlStore, export_log, read_events

EVENTS: list[Event] = [NightBegan(at=1, night=0), DayBegan(at=2, day=0, order=(1, 2)), Nominated(at=3, by=1, target=4)]
SPOKEN = Utterance(4, 1.0, 2.5, "Je nomine le « 7 »", 0.8)


def tamper(where: Path | str, statement: str) -> None:
    database = Database(where)
    database.write(lambda db: db.execute(text(statement)))
    database.close()


async def test_events_come_back_as_they_were(where: Path | str) -> None:
    store = SqlStore(where)
    await store.append("g", 0, EVENTS[:2])
    await store.append("g", 2, EVENTS[2:])
    await store.close()
    again = SqlStore(where)
    assert await again.events("g") == EVENTS
    assert await again.events("other") == []
    assert await again.games() == ["g"]
    await again.close()


async def test_a_second_writer_is_refused_and_changes_nothing(where: Path | str) -> None:
    one, two = SqlStore(where), SqlStore(where)
    await one.append("g", 0, EVENTS)
    with pytest.raises(Conflict, match="3 events"):
        await two.append("g", 0, EVENTS[:1])
    with pytest.raises(Conflict):
        await two.append("g", 5, EVENTS[:1])
    assert await two.events("g") == EVENTS
    await one.close()
    await two.close()


async def test_of_two_who_write_at_once_one_is_refused(where: Path | str) -> None:
    stores = [SqlStore(where) for _ in range(4)]
    outcomes = await asyncio.gather(*(store.append("g", 0, EVENTS) for store in stores), return_exceptions=True)
    assert [type(each) for each in outcomes].count(Conflict) == 3
    assert await stores[0].events("g") == EVENTS
    for store in stores:
        await store.close()


async def test_a_damaged_event_leaves_the_valid_prefix(where: Path | str) -> None:
    store = SqlStore(where)
    await store.append("g", 0, EVENTS)
    tamper(where, 'update events set body = \'{"type": "nonsense"}\' where seq = 1')
    with pytest.raises(DamagedLog, match="event 1 is damaged") as caught:
        await store.events("g")
    assert caught.value.valid == EVENTS[:1]
    await store.close()


async def test_a_missing_event_is_damage_too(where: Path | str) -> None:
    store = SqlStore(where)
    await store.append("g", 0, EVENTS)
    tamper(where, "delete from events where seq = 1")
    with pytest.raises(DamagedLog, match="event 1 is missing") as caught:
        await store.events("g")
    assert caught.value.valid == EVENTS[:1]
    with pytest.raises(Conflict):
        await store.append("g", 2, EVENTS[:1])
    await store.close()


async def test_games_are_listed_oldest_first(where: Path | str) -> None:
    store = SqlStore(where)
    for game in ("zoe", "adam", "mia"):
        await store.append(game, 0, EVENTS[:1])
    await store.append("zoe", 1, EVENTS[1:])
    assert await store.games() == ["zoe", "adam", "mia"]
    await store.close()


async def test_transcripts_are_kept_apart(where: Path | str) -> None:
    store = SqlStore(where)
    await store.append_utterance("g", SPOKEN)
    assert await store.utterances("g") == [SPOKEN]
    assert await store.events("g") == []
    await store.close()


def test_what_is_no_store_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "noise.db").write_bytes(bytes(range(256)) * 8)
    with pytest.raises(BadStore, match=r"noise\.db: cannot be used as a store .*; name a store"):
        SqlStore(tmp_path / "noise.db")
    assert (tmp_path / "noise.db").read_bytes() == bytes(range(256)) * 8
    with pytest.raises(BadStore, match=r"cannot be used .*; make its folder"):
        SqlStore(tmp_path / "no" / "folder" / "m.db")


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("mysql://me@host/name", "the address of a store is a path, sqlite:///PATH or postgresql"),
        ("sqlite://", "the address of a store is a path"),
        ("postgresql+psycopg://", "the address of a store is a path"),
        ("postgresql+psycopg://me:secret@127.0.0.1:1/name", r"me:\*\*\*@.*see that the server runs"),
    ],
)
def test_an_address_of_no_store_is_refused_without_its_password(where: str, says: str) -> None:
    with pytest.raises(BadStore, match=says):
        SqlStore(where)


def test_without_its_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingPart, match=r"pip install 'voice-moderator\[postgres\]'"):
        SqlStore("postgresql+psycopg://me@127.0.0.1/name")


async def test_a_url_of_sqlite_is_that_file(tmp_path: Path) -> None:
    store = SqlStore(f"sqlite:///{tmp_path}/m.db")
    await store.append("g", 0, EVENTS)
    await store.close()
    again = SqlStore(str(tmp_path / "m.db"))
    assert await again.events("g") == EVENTS
    await again.close()


def test_an_exported_log_reads_back(tmp_path: Path) -> None:
    export_log(tmp_path / "log.jsonl", EVENTS)
    lines = (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines()
    assert read_events(lines, "log") == EVENTS


async def test_what_was_acknowledged_survives_kill_9(where: Path | str) -> None:
    writer = (
        "import asyncio, sys; from moderator.events import NightBegan; from voice.store_sql import SqlStore\n"
        "async def main():\n"
        "    store = SqlStore(sys.argv[1])\n"
        "    for n in range(100000):\n"
        "        await store.append('g', n, [NightBegan(at=n, night=0)]); print(n, flush=True)\n"
        "asyncio.run(main())"
    )
    process = subprocess.Popen(  # noqa: ASYNC220 - the test has nothing else to do
        [sys.executable, "-c", writer, str(where)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    acknowledged = [process.stdout.readline() for _ in range(20)]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    acknowledged += process.stdout.readlines()
    process.stdout.close()
    store = SqlStore(where)
    stored = await store.events("g")
    assert len(stored) in (len(acknowledged), len(acknowledged) + 1)
    assert [event.at for event in stored] == list(range(len(stored)))
    await store.append("g", len(stored), EVENTS[:1])
    await store.close()


@pytest.mark.real
@pytest.mark.postgres
async def test_a_connection_that_was_lost_between_two_appends_is_made_again(postgres: Postgres) -> None:
    where = postgres.new_database()
    store = SqlStore(where)
    await store.append("g", 0, EVENTS[:1])
    others = "select pg_terminate_backend(pid) from pg_stat_activity"
    tamper(where, f"{others} where datname = current_database() and pid <> pg_backend_pid()")
    await store.append("g", 1, EVENTS[1:])
    assert await store.events("g") == EVENTS
    await store.close()


def test_the_bench_measures_and_leaves_nothing_behind(where: Path | str) -> None:
    figures = bench_store.run(str(where))
    assert set(figures) == {"append_p50_ms", "append_p95_ms", "read_300_events_ms", "read_3000_events_ms"}
    assert all(isinstance(each, float) and each > 0 for each in figures.values())
    store = SqlStore(where)
    assert asyncio.run(store.games()) == []
    asyncio.run(store.close())
