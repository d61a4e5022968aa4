"""Who plays a game: one process, and one that was only paused can never write again. In both databases."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from postgres_kit import Postgres
from sqlalchemy import Connection, select, text, update

from moderator.events import Event, NightBegan
from voice import game
from voice.game_exit import GameExit
from voice.lease import is_dead, leased
from voice.ports import Utterance
from voice.ports_store import BadStore, Conflict
from voice.store_sql import SqlStore
from voice.tables import leases

LEASE_S = 2.0
PLAYER = """
import asyncio, sys
from moderator.events import NightBegan
from voice import game
from voice.game_exit import GameExit
from voice.lease import leased
from voice.ports_store import Conflict
from voice.store_sql import SqlStore

async def main(where, night, lasts_s):
    store = SqlStore(where)
    try:
        async with leased(store, "g", lasts_s) as renewal:
            stored = len(await store.events("g"))
            print("plays", flush=True)
            while await asyncio.to_thread(sys.stdin.readline):
                await store.append("g", stored, [NightBegan(at=stored, night=night)])
                stored += 1
                print("stored", flush=True)
    except Conflict as refused:
        print(refused, flush=True)
    await store.close()

asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
"""
"""A process that plays: for each line it is given it appends an event that carries its own number."""


@asynccontextmanager
async def player(where: Path | str, number: int) -> AsyncIterator[asyncio.subprocess.Process]:
    pipe = asyncio.subprocess.PIPE
    arguments = ["-c", PLAYER, str(where), str(number), str(LEASE_S)]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdin=pipe, stdout=pipe)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def says(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), 60)).decode().strip()


async def plays(process: asyncio.subprocess.Process) -> str:
    assert process.stdin is not None
    process.stdin.write(b"\n")
    return await says(process)


async def nights(where: Path | str) -> list[int]:
    store = SqlStore(where)
    events = await store.events("g")
    await store.close()
    return [event.night for event in events if isinstance(event, NightBegan)]


async def test_a_paused_process_never_writes_again_once_another_has_taken_over(where: Path | str) -> None:
    async with player(where, 1) as old:
        assert await says(old) == "plays"
        assert [await plays(old), await plays(old)] == ["stored", "stored"]
        old.send_signal(signal.SIGSTOP)
        async with player(where, 2) as new:
            assert await says(new) == "plays", "the lease of the paused process has run out"
            assert await plays(new) == "stored"
            old.send_signal(signal.SIGCONT)
            assert (await plays(old)).endswith("game g has been taken over by another process")
            assert await plays(new) == "stored"
    assert await nights(where) == [1, 1, 2, 2]


EVENTS: list[Event] = [NightBegan(at=1, night=0), NightBegan(at=2, night=1)]
SPOKEN = Utterance(4, 1.0, 2.5, "Je passe.", 0.8)


async def test_who_has_no_lease_of_a_game_that_has_one_writes_nothing(where: Path | str) -> None:
    one, two = SqlStore(where), SqlStore(where)
    async with leased(one, "g"):
        await one.append("g", 0, EVENTS[:1])
        for refused in (two.append("g", 1, EVENTS[1:]), two.append_utterance("g", SPOKEN), two.renew_lease("g", 1)):
            with pytest.raises(Conflict, match="taken over"):
                await refused
        with pytest.raises(Conflict, match="is being played"):
            await two.delete("g")
    assert await two.events("g") == EVENTS[:1] and await two.utterances("g") == []
    await one.close()
    await two.close()


async def test_a_lease_that_was_let_go_is_taken_at_once_and_the_old_holder_refused(where: Path | str) -> None:
    one, two = SqlStore(where), SqlStore(where)
    async with leased(one, "g"):
        assert [row.held_by for row in await one.rows()] == [], "no event yet"
        await one.append("g", 0, EVENTS[:1])
        (row,) = await two.rows()
        assert row.held_by is not None
    assert [row.held_by for row in await two.rows()] == [None]
    await two.take_lease("g", "another", 60)
    with pytest.raises(Conflict, match="taken over"):
        await one.append("g", 1, EVENTS[1:])
    await one.release_lease("g")
    with pytest.raises(Conflict, match="is being played by process another, whose lease has 60 s left"):
        await one.take_lease("g", "one", 60)
    await one.close()
    await two.close()


async def test_who_played_a_deleted_game_does_not_begin_it_again(where: Path | str) -> None:
    one, two = SqlStore(where), SqlStore(where)
    await one.take_lease("g", "paused", 0)
    await one.append("g", 0, EVENTS[:1])
    await two.delete("g")
    with pytest.raises(Conflict, match="taken over"):
        await one.append("g", 0, EVENTS[:1])
    async with leased(two, "g"):
        await two.append("g", 0, EVENTS)
        with pytest.raises(Conflict, match="taken over"):
            await one.append("g", 2, EVENTS[:1])
    await one.close()
    await two.close()


async def test_a_living_game_cannot_be_taken_and_loses_nothing(where: Path | str) -> None:
    one, two = SqlStore(where), SqlStore(where)
    async with leased(one, "g", LEASE_S) as renewal:
        await one.append("g", 0, EVENTS[:1])
        with pytest.raises(Conflict, match=f"is being played by process {os.getpid()} on .*; end that one first"):
            async with leased(two, "g", LEASE_S):
                pass
        assert not renewal.done()
        await one.append("g", 1, EVENTS[1:])
    await one.close()
    await two.close()


async def test_the_lease_of_a_process_that_is_no_more_is_taken_at_once(where: Path | str) -> None:
    dead, other = SqlStore(where), SqlStore(where)
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    await dead.take_lease("g", f"{ended.pid} on {socket.gethostname()}", 60)
    async with asyncio.timeout(5), leased(other, "g"):
        with pytest.raises(Conflict, match="taken over"):
            await dead.append("g", 0, EVENTS[:1])
    assert not is_dead(f"{os.getpid()} on {socket.gethostname()}")
    assert not is_dead(f"{ended.pid} on elsewhere")
    await dead.close()
    await other.close()


async def test_a_lease_that_ran_out_goes_on_until_somebody_takes_it(where: Path | str) -> None:
    dead, other = SqlStore(where), SqlStore(where)
    await dead.take_lease("g", "dead", 0.5)
    await asyncio.sleep(0.6)
    await dead.append("g", 0, EVENTS[:1])
    await dead.renew_lease("g", 0.5)
    async with leased(other, "g", LEASE_S):
        await other.append("g", 1, EVENTS[1:])
        with pytest.raises(Conflict, match="taken over"):
            await dead.renew_lease("g", 0.5)
    await dead.close()
    await other.close()


async def test_the_renewal_ends_when_another_has_taken_the_game(where: Path | str) -> None:
    one, two = SqlStore(where), SqlStore(where)
    async with leased(one, "g", 0.3) as renewal:
        two._database.write(lambda db: db.execute(update(leases).values(fence=leases.c.fence + 1)))
        with pytest.raises(Conflict, match="taken over"):
            await asyncio.wait_for(renewal, 10)
    await one.close()
    await two.close()


@pytest.mark.real
@pytest.mark.postgres
async def test_who_is_paused_in_the_midst_of_a_transaction_loses_it(postgres: Postgres) -> None:
    """In SQLite the file stays locked as long as such a process lives."""
    where = postgres.new_database()
    hasty = f"{where}&options=-c%20idle_in_transaction_session_timeout%3D200"
    one, two = SqlStore(hasty), SqlStore(where)
    assert two._database.read(lambda db: db.scalar(text("show idle_in_transaction_session_timeout"))) == "5s"
    await one.take_lease("g", "paused", 0)

    def paused(db: Connection) -> None:
        db.execute(select(leases).with_for_update())
        time.sleep(1)
        db.execute(update(leases).values(holder="paused no more"))

    pausing = asyncio.create_task(one._write(paused))
    await asyncio.sleep(0.1)
    await two.take_lease("g", "two", 5)
    with pytest.raises(BadStore, match="idle-in-transaction timeout"):
        await pausing
    await one.close()
    await two.close()


def test_a_second_game_process_ends_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("URL", "ws://127.0.0.1:1"), ("API_KEY", "key"), ("API_SECRET", "secret" * 6)):
        monkeypatch.setenv(f"LIVEKIT_{name}", value)
    monkeypatch.setattr(game, "leased", lambda store, name: leased(store, name, lasts_s=0.2))
    living = SqlStore(tmp_path / "moderator.db")
    asyncio.run(living.take_lease("g", "7 on elsewhere", 60))
    arguments = ["--game", "g", "--home", str(tmp_path)]
    assert game.main(arguments) == GameExit.IN_USE
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if line.startswith("game: ") and "is being played by process" in line] == said[-1:]
    asyncio.run(living.close())
    noise = tmp_path / "noise.db"
    noise.write_bytes(b"no database" * 500)
    assert game.main([*arguments, "--store", str(noise)]) == GameExit.UNSTORED
    assert "noise.db: cannot be used as a store" in capsys.readouterr().err.splitlines()[-1]
