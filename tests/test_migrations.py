"""A store is brought up to date when it is opened: from nothing, and from every version there was."""

import asyncio
import shutil
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from postgres_kit import Postgres
from sqlalchemy import text

from moderator.events import Event
from voice.bars import Bars
from voice.database import Database
from voice.ports import Utterance
from voice.ports_store import BadStore
from voice.store_sql import SqlStore, read_events
from voice.tables import SCHEMA, VERSION_TABLE, metadata

ROOT = Path(__file__).parent.parent
VERSION_1 = ROOT / "tests" / "stores" / "version-1.db"
"""Written by the moderator as it was before it had migrations: two games, a transcript, a bar with its appeal."""


def friday() -> list[Event]:
    lines = VERSION_1.with_suffix(".friday.jsonl").read_text(encoding="utf-8").splitlines()
    return read_events(lines, "friday")


def schema(path: Path) -> Sequence[tuple[object, ...]]:
    with sqlite3.connect(path) as db:
        found = db.execute("select name, sql from sqlite_master order by name").fetchall()
    db.close()
    return found


def test_the_migrations_make_the_tables_that_the_store_uses(where: Path | str) -> None:
    database = Database(where)
    options = {"version_table": VERSION_TABLE, "compare_type": True}
    assert database.read(lambda db: compare_metadata(MigrationContext.configure(db, opts=options), metadata)) == []
    database.close()


def test_the_newest_migration_is_the_schema_and_numbers_follow() -> None:
    scripts = ScriptDirectory.from_config(_config())
    numbers = [script.revision for script in scripts.walk_revisions()][::-1]
    assert numbers == [f"{n:04}" for n in range(1, len(numbers) + 1)] and numbers[-1] == SCHEMA


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "voice" / "migrations"))
    config.set_main_option("path_separator", "os")
    return config


async def test_a_store_of_version_1_is_taken_over_without_loss(tmp_path: Path) -> None:
    path = tmp_path / "moderator.db"
    shutil.copy(VERSION_1, path)
    with sqlite3.connect(path) as before:
        bodies = before.execute("select game, seq, body from events order by game, seq").fetchall()
        begun = before.execute("select * from games").fetchall()
    before.close()
    store = SqlStore(path)
    assert await store.games() == ["friday", "interrupted"]
    assert await store.events("friday") == friday()
    assert await store.events("interrupted") == friday()[:40]
    assert await store.utterances("friday") == [
        Utterance(4, 65.0, 67.5, "Je nomine le sept.", 0.8),
        Utterance(7, 70.25, 71.5, "Я пас.", 0.61),
        Utterance(4, 90.0, 91.0, "Merci.", 0.9),
    ]
    await store.take_lease("interrupted", "the test", 5)
    await store.append("interrupted", 40, friday()[40:])
    assert await store.events("interrupted") == friday()
    await store.close()
    bars = Bars(path)
    assert bars.barred("ann", datetime(2030, 1, 1, tzinfo=UTC)) is not None
    assert [appeal.text for appeal in bars.appeals()] == ["It was a joke."]
    bars.close()
    with sqlite3.connect(path) as after:
        kept = after.execute("select game, seq, body from events order by game, seq").fetchall()
        assert [row for row in kept if row[:2] in {each[:2] for each in bodies}] == bodies, "to the byte"
        assert after.execute("select * from games").fetchall() == begun
        assert after.execute("pragma user_version").fetchone() == (2,), "a moderator that knows version 1 refuses it"
    after.close()


def test_bars_of_version_1_without_any_game_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "moderator.db"
    shutil.copy(VERSION_1, path)
    with sqlite3.connect(path) as db:
        for table in ("games", "events", "utterances"):
            db.execute(f"drop table {table}")
        db.execute("pragma user_version = 0")
    db.close()
    bars = Bars(path)
    assert bars.barred("ann", datetime(2030, 1, 1, tzinfo=UTC)) is not None
    bars.close()


def test_a_store_of_a_newer_schema_is_refused_and_left_as_it_is(where: Path | str) -> None:
    database = Database(where)
    database.write(lambda db: db.execute(text(f"update {VERSION_TABLE} set version_num = '9999'")))
    database.close()
    with pytest.raises(
        BadStore, match=r"newer moderator \(schema 9999; this one knows \d+\); update with: pip install"
    ):
        SqlStore(where)


def test_a_database_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    for name, statement in (("other.db", "create table bookmarks (url)"), ("empty.db", "pragma user_version = 77")):
        with sqlite3.connect(tmp_path / name) as db:
            db.execute(statement)
        db.close()
        content = (tmp_path / name).read_bytes()
        with pytest.raises(BadStore, match=r"is no store \(it holds .*\); name a store, or a new file or database"):
            SqlStore(tmp_path / name)
        assert (tmp_path / name).read_bytes() == content
    assert not list(tmp_path.glob("*-wal"))


@pytest.mark.real
@pytest.mark.postgres
def test_a_database_of_somebody_else_is_refused_in_postgresql(postgres: Postgres) -> None:
    where = postgres.new_database()
    database = Database(where)
    database.write(lambda db: db.execute(text("create table bookmarks (url text)")))
    database.write(lambda db: db.execute(text(f"drop table {VERSION_TABLE}")))
    database.close()
    with pytest.raises(BadStore, match="it holds bookmarks"):
        Database(where)


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "moderator.db"
    shutil.copy(VERSION_1, path)
    with sqlite3.connect(path) as db:
        db.execute("create table leases (mine)")  # what the second step is about to make
    db.close()
    before = schema(path)
    with pytest.raises(BadStore, match="table leases already exists"):
        SqlStore(path)
    assert schema(path) == before


async def test_a_new_store_may_be_opened_by_many_at_once(where: Path | str) -> None:
    stores = await asyncio.gather(*(asyncio.to_thread(SqlStore, where) for _ in range(4)))
    assert [await store.games() for store in stores] == [[], [], [], []]
    for store in stores:
        await store.close()
