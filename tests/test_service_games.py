"""What keeps a game alive: its process dies, ends, or never gets its ten players."""

import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from service_kit import QUICK, games_of

from voice.game_exit import GameExit
from voice.service.games import Games, game_command
from voice.service.metrics import Metrics
from voice.service.pins import seal
from voice.service.tables import Options, ServedTable, State, Tables

PIN = seal("123456")


def full_table(folder: Path) -> ServedTable:
    table = Tables(folder, 10, 60).open(Options())
    while table.missing:
        table.take(PIN)
    return table


@contextlib.asynccontextmanager
async def kept(table: ServedTable, *lives: str, metrics: Metrics | None = None) -> AsyncIterator[Games]:
    games = games_of(QUICK, lives, metrics)
    games.begin(table)
    try:
        yield games
    finally:
        await games.close()


async def until(wanted: Callable[[], object], limit_s: float = 60.0) -> None:
    deadline_s = time.monotonic() + limit_s
    while not wanted():
        assert time.monotonic() < deadline_s
        await asyncio.sleep(0.02)


def lives(table: ServedTable) -> list[int]:
    path = table.home / "lives"
    return [int(pid) for pid in path.read_text().split()] if path.exists() else []


def deaths(metrics: Metrics) -> float:
    figures = metrics.exposition(()).decode().splitlines()
    return float(next(line for line in figures if line.startswith("moderator_game_deaths_total")).split()[1])


async def test_a_killed_game_is_started_again_on_the_same_home(tmp_path: Path) -> None:
    table, metrics = full_table(tmp_path), Metrics()
    async with kept(table, "play", metrics=metrics) as games:
        await until(lambda: table.state is State.PLAYING)
        first = games.pid(table)
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: len(lives(table)) == 2 and (table.booth(3) or "").startswith("booth-2"))
        assert games.pid(table) not in (None, first)
        assert table.state is State.PLAYING and deaths(metrics) == 1


async def test_between_two_lives_there_are_no_booths(tmp_path: Path) -> None:
    table = full_table(tmp_path)
    async with kept(table, "open", "1") as games:
        await until(lambda: table.booth(1))
        pid = games.pid(table)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: len(lives(table)) == 2)
        assert table.booth(1) is None


async def test_a_game_that_dies_too_often_is_given_up(tmp_path: Path) -> None:
    table, metrics = full_table(tmp_path), Metrics()
    async with kept(table, "1", metrics=metrics) as games:
        await until(lambda: table.state is State.LOST)
        assert len(lives(table)) == deaths(metrics) == QUICK.deaths
        assert games.pid(table) is None
    assert [one.state for one in Tables(tmp_path, 10, 60)] == [State.LOST], "it is written down"


async def test_a_game_that_ends_is_over(tmp_path: Path) -> None:
    table = full_table(tmp_path)
    async with kept(table, "1", "0"):
        await until(lambda: table.state is State.OVER)
    assert len(lives(table)) == 2


async def test_a_game_that_cannot_be_configured_is_lost_at_once(tmp_path: Path) -> None:
    table = full_table(tmp_path)
    async with kept(table, "2"):
        await until(lambda: table.state is State.LOST)
    assert len(lives(table)) == 1


@pytest.mark.parametrize("code", [GameExit.IN_USE, GameExit.UNSTORED])
async def test_a_game_that_another_process_holds_or_whose_store_is_away_is_waited_for(
    tmp_path: Path, code: GameExit
) -> None:
    table, metrics = full_table(tmp_path), Metrics()
    async with kept(table, *[str(int(code))] * (QUICK.deaths + 1), "open", metrics=metrics):
        await until(lambda: table.booth(1))
    assert table.state is State.STARTING and deaths(metrics) == 0


async def test_the_seats_of_those_who_do_not_come_are_free_again(tmp_path: Path) -> None:
    table = full_table(tmp_path)
    (table.home / "missing.json").write_text(json.dumps([3, 7]))
    (table.home / "booths.json").write_text("{}")
    async with kept(table, "3", "open") as games:
        await until(lambda: table.state is State.GATHERING)
        assert [int(seat) for seat, one in table.facts()["seats"].items() if not one["taken"]] == [3, 7]
        assert not (table.home / "booths.json").exists(), "who has left holds no ticket to a booth of this game"
        table.take(PIN)
        table.take(PIN)
        games.begin(table)
        await until(lambda: table.booth(1))


async def test_a_game_that_was_interrupted_and_nobody_comes_back_is_lost(tmp_path: Path) -> None:
    table = full_table(tmp_path)
    async with kept(table, "play", "3") as games:
        await until(lambda: table.state is State.PLAYING)
        pid = games.pid(table)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: table.state is State.LOST)


@pytest.mark.parametrize(("first", "state"), [("play", State.OVER), ("open", State.LOST)])
async def test_a_round_that_its_guest_has_left_is_over_and_one_that_never_began_has_no_review(
    tmp_path: Path, first: str, state: State
) -> None:
    table, metrics = full_table(tmp_path), Metrics()
    async with kept(table, first, str(int(GameExit.GUEST_LEFT)), metrics=metrics) as games:
        await until(lambda: table.state is State.PLAYING if first == "play" else table.booth(1))
        pid = games.pid(table)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until(lambda: table.state is state)
    assert deaths(metrics) == 1, "the killed one alone"


async def test_a_stopped_service_leaves_its_games_to_the_next(tmp_path: Path) -> None:
    table = full_table(tmp_path)
    async with kept(table, "play"):
        await until(lambda: table.state is State.PLAYING)
        (pid,) = lives(table)
    assert not Path(f"/proc/{pid}").exists()
    (again,) = Tables(tmp_path, 10, 60)
    assert (again.code, again.state) == (table.code, State.PLAYING)
    assert all(again.fits(seat, "123456") for seat in range(1, 11))
    async with kept(again, "play"):
        await until(lambda: len(lives(again)) == 2)


def test_the_command_of_a_game_says_what_was_agreed(tmp_path: Path) -> None:
    tables = Tables(tmp_path, 10, 60)
    silent = game_command(tables.open(Options(rules="club", lang="ru", setting="loup-garou")))
    assert "--rules club" in " ".join(silent) and "--lang ru" in " ".join(silent)
    assert "--setting loup-garou" in " ".join(silent) and "--no-recording" in silent
    assert "--no-recording" not in game_command(tables.open(Options(recording=True)))


def test_a_damaged_table_costs_no_other(tmp_path: Path) -> None:
    tables = Tables(tmp_path, 10, 60)
    whole, damaged = tables.open(Options()), tables.open(Options())
    (damaged.home / "table.json").write_text('{"game": ')
    assert [one.code for one in Tables(tmp_path, 10, 60)] == [whole.code]


def test_a_table_of_which_no_page_is_open_is_closed(tmp_path: Path) -> None:
    tables = Tables(tmp_path, 1, idle_s=60)
    table = tables.open(Options())
    assert tables.full
    table.touched_s -= 59
    assert tables.find(table.code) is table, "who looks at it attends it"
    table.touched_s -= 59
    assert tables.full
    table.touched_s -= 2
    assert not tables.full
    assert tables.find(table.code) is None and not table.home.exists()


def test_a_table_that_was_left_gives_its_place_to_the_next_and_not_before(tmp_path: Path) -> None:
    tables = Tables(tmp_path, 2, idle_s=600, left_s=120)
    left, kept = tables.open(Options()), tables.open(Options())
    left.take(PIN)
    left.touched_s -= 121
    kept.touched_s -= 119
    assert not tables.full
    assert tables.find(left.code) is left and tables.full, "who comes back in time has his table"
    left.touched_s -= 121
    opened = tables.open(Options())
    assert {table.code for table in tables} == {kept.code, opened.code} and not left.home.exists()
    assert tables.full


def test_a_table_whose_game_has_begun_gives_its_place_to_nobody(tmp_path: Path) -> None:
    tables = Tables(tmp_path, 1, idle_s=600, left_s=120)
    table = tables.open(Options(rules="practice"))
    table.take(PIN)
    table.touched_s -= 10_000
    assert table.state is State.STARTING and tables.full
