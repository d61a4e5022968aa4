"""A fleet without LiveKit: the service hands games out, workers play them, and what each knows of the other."""

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from service_kit import GAME, QUICK

from moderator.events import NightBegan
from voice.config import ConfigError
from voice.fleet.dispatcher import Dispatcher
from voice.fleet.hosted import Hosted
from voice.fleet.job import Job
from voice.fleet.orders import Order, Orders, Seen, Standing
from voice.ports_store import BadStore, Conflict
from voice.routing import GALLERY
from voice.service.config import load_serve_config
from voice.service.games import Games
from voice.service.pins import seal
from voice.service.tables import Options, ServedTable, State, Tables
from voice.store_sql import SqlStore

PIN = seal("123456")
ORDER = Order(options=Options(), names={3: "Ada"}, booths={3: "booth"})
PLAYED = Seen(1, Standing(state=State.PLAYING, open=True), played=True, silent_s=1.0)


class Fleet:
    """A service with one full table, and workers in this process, to which its jobs go in turn."""

    def __init__(self, folder: Path) -> None:
        self.store = str(folder / "store.db")
        self.orders, self._folder = Orders(self.store), folder
        self.tables = Tables(folder / "service", 10, 60, self.store)
        self.jobs: list[str] = []
        self._workers: list[Worker] = []
        self.again = 0
        self.dispatcher = Dispatcher(self.orders, self.send, 600, self.count)

    async def send(self, job: str) -> None:
        self.jobs.append(job)

    def count(self) -> None:
        self.again += 1

    def table(self, **options: object) -> ServedTable:
        table = self.tables.open(Options.model_validate(options))
        while table.missing:
            table.take(PIN, f"Joueur {'abcdefghij'[table.missing - 1]}")
        self.dispatcher.begin(table)
        return table

    def worker(self, name: str, *lives: str) -> "Worker":
        worker = Worker(self._folder / name, self.store, self.orders, lives)
        self._workers.append(worker)
        return worker

    async def close(self) -> None:
        for worker in self._workers:
            await ended(*worker.plays)
        await self.orders.close()

    async def until(self, wanted: Callable[[], object], limit_s: float = 60.0) -> None:
        deadline_s = time.monotonic() + limit_s
        while not wanted():
            assert time.monotonic() < deadline_s
            await self.dispatcher.look()
            await asyncio.sleep(0.05)

    async def nights(self, table: ServedTable) -> list[int]:
        """Which lives have stored something."""
        store = SqlStore(self.store)
        events = await store.events(table.game)
        await store.close()
        return [event.night for event in events if isinstance(event, NightBegan)]


class Worker:
    def __init__(self, home: Path, store: str, orders: Orders, lives: Sequence[str]) -> None:
        home.mkdir()
        self.home = home
        environment = {"PYTHONPATH": str(GAME.parent.parent), "STAND_IN_STORE": store}
        self.games = Games(
            QUICK,
            environment,
            lambda: None,
            lambda table: [sys.executable, str(GAME), str(table.home), table.game, *lives],
        )
        self.tables = Tables(home, 10, 60, store)
        self.hosted = Hosted(self.tables, self.games, orders)
        self.plays: list[asyncio.Task[None]] = []

    def play(self, job: str) -> asyncio.Task[None]:
        self.plays.append(asyncio.create_task(self.hosted.play(job)))
        return self.plays[-1]

    @property
    def table(self) -> ServedTable:
        (table,) = self.tables
        return table

    def kill(self) -> None:
        pid = self.games.pid(self.table)
        assert pid is not None
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
async def fleet(tmp_path: Path) -> AsyncIterator[Fleet]:
    fleet = Fleet(tmp_path)
    yield fleet
    await fleet.close()


async def ended(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


# --- one game -----------------------------------------------------------------------------------------


async def test_a_full_table_is_played_by_a_worker_who_knows_no_code_and_no_pin(fleet: Fleet) -> None:
    table, worker = fleet.table(gallery_delay_s=0), fleet.worker("a", "hold")
    await fleet.until(lambda: fleet.jobs)
    assert table.booth(3) is None, "nobody has opened it yet"
    worker.play(fleet.jobs[0])
    await fleet.until(lambda: table.state is State.PLAYING and table.booth(3))
    assert table.booth(3) == worker.table.booth(3) and table.gallery()
    assert worker.table.names == table.names and not worker.table.fits(3, "123456")
    kept = "".join(path.read_text() for path in worker.home.rglob("*.json"))
    assert table.code not in kept and "digest" not in kept
    assert table.code.encode() not in Path(fleet.store).read_bytes()

    later = Dispatcher(fleet.orders, fleet.send, 0.0, fleet.count)
    (again,) = Tables(fleet.tables.home, 10, 60, fleet.store)
    later.begin(again)
    await later.look()
    assert again.state is State.PLAYING and again.booth(3) == table.booth(3)
    assert len(fleet.jobs) == 1, "a service that starts again does not touch a game that is played"


async def test_what_travels_opens_nothing_and_says_nothing(fleet: Fleet) -> None:
    table = fleet.table()
    await fleet.until(lambda: fleet.jobs)
    assert json.loads(fleet.jobs[0]) == {"game": table.game, "attempt": 1}
    assert table.code not in fleet.jobs[0] and "Joueur" not in fleet.jobs[0]
    booths = json.loads((table.home / "booths.json").read_text())
    assert len(set(booths.values())) == 10 and str(GALLERY) not in booths, "drawn for each, of 128 bits"
    assert all(len(name) >= 22 and name not in fleet.jobs[0] for name in booths.values())


@pytest.mark.parametrize(
    "text", ["", "{}", '{"game": "../../etc", "attempt": 1}', '{"game": "20260101-0a1b2c3d", "attempt": 0}']
)
async def test_a_job_that_is_none_is_left(fleet: Fleet, text: str) -> None:
    worker = fleet.worker("a", "hold")
    await worker.hosted.play(text)
    assert not list(worker.tables)


async def test_a_job_that_nobody_ordered_is_left(fleet: Fleet) -> None:
    worker = fleet.worker("a", "hold")
    await worker.hosted.play(Job(game="20260101-0a1b2c3d", attempt=1).model_dump_json())
    assert not list(worker.tables)


async def test_nobody_came_and_the_table_gathers_again(fleet: Fleet) -> None:
    table, worker = fleet.table(), fleet.worker("a", "3")
    await fleet.until(lambda: fleet.jobs)
    before = (table.home / "booths.json").read_text()
    (worker.home / table.game).mkdir()
    (worker.home / table.game / "missing.json").write_text("[3, 7]")
    await worker.hosted.play(fleet.jobs[0])
    await fleet.until(lambda: table.state is State.GATHERING)
    assert table.missing == 2
    table.take(PIN)
    table.take(PIN)
    fleet.dispatcher.begin(table)
    await fleet.until(lambda: len(fleet.jobs) == 2)
    assert (table.home / "booths.json").read_text() != before, "old tickets open nothing"


async def test_a_game_that_is_over_leaves_no_order(fleet: Fleet) -> None:
    table, worker = fleet.table(), fleet.worker("a", "0")
    await fleet.until(lambda: fleet.jobs)
    await worker.hosted.play(fleet.jobs[0])
    await fleet.until(lambda: table.state is State.OVER)
    assert await fleet.orders.look([table.game]) == {} and not worker.table.names


async def test_a_game_that_cannot_be_kept_going_is_lost_and_not_tried_elsewhere(fleet: Fleet) -> None:
    table, worker = fleet.table(), fleet.worker("a", "1")
    await fleet.until(lambda: fleet.jobs)
    await worker.hosted.play(fleet.jobs[0])
    await fleet.until(lambda: table.state is State.LOST)
    assert len(fleet.jobs) == 1


async def test_a_game_that_nobody_takes_is_handed_out_again(fleet: Fleet) -> None:
    fleet.table()
    fleet.dispatcher.patience_s = 0
    await fleet.until(lambda: len(fleet.jobs) == 3)
    assert [json.loads(job)["attempt"] for job in fleet.jobs] == [1, 2, 3] and fleet.again == 2


async def test_after_the_store_was_away_its_workers_get_their_time(
    fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_: object) -> dict[str, Seen]:
        raise BadStore("away")

    fleet.table()
    fleet.dispatcher.patience_s = 0.5
    with monkeypatch.context() as broken:
        broken.setattr(fleet.orders, "look", away)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(fleet.dispatcher.run(), 0.05)
    back_s = time.monotonic()
    await fleet.until(lambda: fleet.jobs)
    assert time.monotonic() - back_s > 0.4


async def test_of_two_attempts_the_later_is_played(fleet: Fleet) -> None:
    fleet.table()
    fleet.dispatcher.patience_s = 0
    await fleet.until(lambda: len(fleet.jobs) == 2)
    worker = fleet.worker("a", "hold")
    await worker.hosted.play(fleet.jobs[0])
    assert not list(worker.tables), "it came too late"


# --- a worker is lost -----------------------------------------------------------------------------------


async def test_the_game_of_a_lost_worker_goes_on_at_another(fleet: Fleet) -> None:
    """The first worker's game dies, and the worker cannot start it again."""
    table, lost, other = fleet.table(), fleet.worker("a", "hold", *["4"] * 200), fleet.worker("b", "open", "hold")
    await fleet.until(lambda: fleet.jobs)
    first = lost.play(fleet.jobs[0])
    await fleet.until(lambda: table.state is State.PLAYING and table.booth(3))
    booth = table.booth(3)
    lost.kill()
    fleet.dispatcher.patience_s = 0
    await fleet.until(lambda: len(fleet.jobs) == 2)
    assert table.state is State.PLAYING and table.booth(3) is None
    (other.home / table.game).mkdir()
    (other.home / table.game / "lives").write_text("of before\n")
    fleet.dispatcher.patience_s = 600
    other.play(fleet.jobs[1])
    await fleet.until(lambda: table.booth(3))
    assert table.booth(3) == booth, "whoever waits in it hears the new moderator"
    assert await fleet.nights(table) == [1, 2]
    await asyncio.wait_for(first, 20)
    assert lost.table.state is State.LOST and table.state is State.PLAYING, "what it says does not count any more"


async def test_a_worker_that_is_stopped_gives_its_game_back_at_once(fleet: Fleet) -> None:
    table, worker = fleet.table(), fleet.worker("a", "hold")
    await fleet.until(lambda: fleet.jobs)
    play = worker.play(fleet.jobs[0])
    await fleet.until(lambda: table.state is State.PLAYING)
    await ended(play)
    assert worker.games.pid(worker.table) is None and worker.table.state is State.LOST
    await fleet.until(lambda: len(fleet.jobs) == 2, limit_s=5)


async def test_a_game_may_come_back_to_the_worker_that_had_it(fleet: Fleet) -> None:
    table, worker = fleet.table(), fleet.worker("a", "hold")
    await fleet.until(lambda: fleet.jobs)
    first = worker.play(fleet.jobs[0])
    await fleet.until(lambda: table.state is State.PLAYING)
    seen = (await fleet.orders.look([table.game]))[table.game]
    assert await fleet.orders.again(table.game, seen) == 2
    worker.play(Job(game=table.game, attempt=2).model_dump_json())
    await asyncio.wait_for(first, 20)
    await fleet.until(lambda: (worker.table.home / "lives").read_text().count("\n") == 2 and table.booth(3))
    assert worker.games.pid(worker.table) and await fleet.nights(table) == [1, 2]


async def test_a_worker_that_starts_again_leaves_its_old_games_to_the_watcher(fleet: Fleet) -> None:
    worker = fleet.worker("a", "hold")
    worker.tables.lend("20260101-0a1b2c3d", Options(), State.PLAYING, {3: "Ada"})
    again = Tables(worker.home, 10, 60)
    Hosted(again, worker.games, fleet.orders)
    assert [(table.state, table.names) for table in again] == [(State.LOST, {})]


# --- the row ------------------------------------------------------------------------------------------


async def test_only_the_last_attemptcounts(where: Path | str) -> None:
    orders = Orders(where)
    placed = await orders.place("g", ORDER)
    assert placed.silent_s == float("inf") and not placed.played
    assert await orders.again("g", placed) == 1
    assert await orders.again("g", placed) is None, "two watchers make one attempt"
    assert await orders.take("g", 0) is None
    assert await orders.take("g", 1) == (ORDER, State.STARTING)
    assert await orders.report("g", 1, PLAYED.standing)
    seen = (await orders.look(["g", "h"]))["g"]
    assert seen == replace(seen, attempt=1, standing=PLAYED.standing, played=False) and seen.silent_s < 5
    assert await orders.again("g", seen) == 2
    assert not await orders.report("g", 1, Standing(state=State.OVER))
    assert (await orders.look(["g"]))["g"].standing == Standing(state=State.PLAYING, open=False)
    await orders.give_back("g", 2)
    assert (await orders.look(["g"]))["g"].silent_s > 1e9
    with pytest.raises(Conflict):
        await orders.place("g", ORDER)
    await orders.drop("g")
    assert await orders.look(["g"]) == {} and not await orders.report("g", 2, Standing())
    await orders.close()


async def test_a_game_is_played_while_its_lease_lasts(where: Path | str) -> None:
    orders, store = Orders(where), SqlStore(where)
    await orders.place("g", ORDER)
    await store.take_lease("g", "77 on host", 30)
    assert (await orders.look(["g"]))["g"].played
    await store.release_lease("g")
    assert not (await orders.look(["g"]))["g"].played
    await store.delete("g")
    assert await orders.look(["g"]) == {}, "a game that is deleted is not handed out again"
    await store.close()
    await orders.close()


# --- configuration --------------------------------------------------------------------------------------


def test_the_environment_names_the_store() -> None:
    assert load_serve_config({}).fleet.store == ""
    url = "postgresql+psycopg://moderator@db/moderator"
    assert load_serve_config({"MODERATOR_STORE": url}).fleet.store == url
    with pytest.raises(ConfigError, match=r"MODERATOR_STORE: .*PGPASSWORD"):
        load_serve_config({"MODERATOR_STORE": "postgresql+psycopg://moderator:secret@db/moderator"})
    with pytest.raises(ConfigError, match=r"MODERATOR_STORE: .*postgresql"):
        load_serve_config({"MODERATOR_STORE": "mysql://db/moderator"})
