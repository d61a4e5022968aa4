"""A fleet as it is in the field, on one machine: two nodes of LiveKit on one Redis, PostgreSQL, a service, workers.

Ten guests play; their worker is killed; the next one is stopped.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest
import yaml
from cluster_kit import cluster
from postgres_kit import Postgres
from service_kit import START_S, until

from moderator.events import Event, Resumed
from voice import demo
from voice.config import ConfigError
from voice.livekit_dispatch import Desk, http
from voice.livekit_server import Server
from voice.livekit_ticket import booth_token
from voice.store_sql import SqlStore

ROOT = Path(__file__).parent.parent
LIGHT = {"stt": {"workers": 1, "beam": 1}, "llm": {"engine": "none"}}
JOBS = {
    "RoomService/CreateRoom": {"name": "booth", "agents": [{"agentName": "moderator", "metadata": "{}"}]},
    "AgentDispatchService/CreateDispatch": {"room": "booth", "agentName": "moderator", "metadata": "{}"},
}
"""Both ways to hand out a job."""

pytestmark = [pytest.mark.real, pytest.mark.livekit]


@dataclass
class Program:
    process: asyncio.subprocess.Process
    http: httpx2.AsyncClient


@dataclass
class Fleet:
    """What all programs of one fleet share, and the table that is played."""

    folder: Path
    nodes: list[Server]
    store: str
    at: str = ""
    game: str = ""

    @contextlib.asynccontextmanager
    async def program(self, name: str, node: Server, *command: str) -> AsyncIterator[Program]:
        data = self.folder / "data" / "configs"
        data.mkdir(parents=True, exist_ok=True)
        (data / "voice.yaml").write_text(yaml.safe_dump(LIGHT))
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("LIVEKIT_")},
            **node.environment(),
            "MODERATOR_STORE": self.store,
            "MODERATOR_HOME": str(self.folder / name),
            "MODERATOR_DATA": str(data.parent),
            "PYTHONPATH": str(ROOT),
        }
        with (self.folder / f"{name}.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "voice", *command, "--port", "0"),
                env=environment,
                cwd=self.folder,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        try:
            assert process.stdout is not None
            line = await asyncio.wait_for(process.stdout.readline(), START_S)
            assert line, (self.folder / f"{name}.log").read_text()
            async with httpx2.AsyncClient(base_url=json.loads(line)["url"]) as http:
                yield Program(process, http)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    @contextlib.asynccontextmanager
    async def worker(self, name: str, node: Server) -> AsyncIterator[Program]:
        async with self.program(name, node, "worker", "--slots", "1") as worker:

            async def takes_games() -> bool:
                return (await worker.http.get("/healthz")).status_code == 200

            await until(takes_games, f"{name} takes games")
            yield worker

    async def events(self) -> list[Event]:
        store = SqlStore(self.store)
        try:
            return await store.events(self.game)
        finally:
            await store.close()

    async def goes_on(self, before: int) -> int | None:
        """How often it has gone on, once that is more often than `before`."""
        count = sum(isinstance(event, Resumed) for event in await self.events())
        return count if count > before else None


@pytest.fixture
async def fleet(tmp_path: Path, postgres: Postgres) -> AsyncIterator[Fleet]:
    async with cluster(tmp_path, 2) as nodes:
        yield Fleet(tmp_path, nodes, postgres.new_database())


async def test_nobody_registers_or_hands_out_without_the_secret(tmp_path: Path) -> None:
    """Neither does a player, whose token LiveKit has signed, nor who signs with another secret."""
    async with cluster(tmp_path, 1) as (server,), aiohttp.ClientSession() as session:
        forged = Server(server.url, server.api_key, "another secret of more than thirty-two bytes")
        for token in (booth_token(server, "booth", "seat-3"), booth_token(forged, "booth", "seat-3"), "", "nonsense"):
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{server.url}/agent", headers={"Authorization": f"Bearer {token}"})
            assert refused.value.status == 401
            for call, job in JOBS.items():
                headers = {"Authorization": f"Bearer {token}"}
                async with session.post(f"{http(server)}/twirp/livekit.{call}", json=job, headers=headers) as answer:
                    assert answer.status in (401, 403), await answer.text()
        with pytest.raises(ConfigError, match="refuses LIVEKIT_API_KEY"):
            await asyncio.wait_for(Desk(forged, "moderator", 1, unwanted).run(), 30)


async def unwanted(_: str) -> None:
    raise AssertionError("a job for who has no key")


@pytest.mark.postgres
@pytest.mark.whisper
@pytest.mark.tts
@pytest.mark.timeout(300)
async def test_a_game_survives_its_worker_and_moves_when_one_is_stopped(fleet: Fleet) -> None:
    one, two = fleet.nodes
    async with contextlib.AsyncExitStack() as stack:
        starting = [fleet.program("service", one, "serve"), fleet.worker("first", one), fleet.worker("second", two)]
        service, *workers = await asyncio.gather(*map(stack.enter_async_context, starting))
        seats = await seated(fleet, service)
        async with guests(fleet, service, seats):
            await until(lambda: playing(fleet, service), "the game has begun")
            killed = await player(workers)
            await asyncio.sleep(1)
            before = await fleet.events()
            killed.process.kill()
            workers.remove(killed)
            workers.append(await stack.enter_async_context(fleet.worker("third", one)))
            assert await until(lambda: fleet.goes_on(0), "the game goes on at another worker") == 1
            assert (await fleet.events())[: len(before)] == before
        stopped = await player(workers)
        stopped.process.send_signal(signal.SIGTERM)
        await until(lambda: drains(stopped), "it takes no more games")
        assert (await health(stopped))["games"] == 1, "what it plays may end"
        stopped.process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(stopped.process.wait(), 60) == 0
        workers.remove(stopped)
        await until(lambda: playing_now(workers), "the last worker has it")
    nothing_told(fleet)


async def seated(fleet: Fleet, service: Program) -> list[dict[str, Any]]:
    opened = await service.http.post("/api/tables", json={"rules": "turbo", "lang": "fr"})
    fleet.at = f"/api/tables/{opened.json()['code']}"
    seats = [
        (await service.http.post(f"{fleet.at}/seats", json={"name": f"Joueur {each}"})).json() for each in "abcdefghij"
    ]
    (table,) = (fleet.folder / "service").glob("*/table.json")
    fleet.game = table.parent.name
    return seats


@contextlib.asynccontextmanager
async def guests(fleet: Fleet, service: Program, seats: list[dict[str, Any]]) -> AsyncIterator[None]:

    async def tickets() -> list[dict[str, Any]] | None:
        answers = [await service.http.post(f"{fleet.at}/ticket", json=seat) for seat in seats]
        return [answer.json() for answer in answers] if all(one.status_code == 200 for one in answers) else None

    path = fleet.folder / "tickets.json"
    path.write_text(json.dumps(await until(tickets, "the booths are open")))
    command = [sys.executable, str(ROOT / "tests" / "guests.py"), str(path)]
    async with demo.child(command, {**os.environ, "PYTHONPATH": str(ROOT)}, fleet.folder / "guests.log"):
        yield


async def playing(fleet: Fleet, service: Program) -> bool:
    return bool((await service.http.get(fleet.at)).json()["state"] == "playing")


async def health(worker: Program) -> dict[str, Any]:
    found: dict[str, Any] = (await worker.http.get("/healthz")).json()
    return found


async def drains(worker: Program) -> bool:
    return bool((await health(worker))["draining"])


async def playing_now(workers: Iterable[Program]) -> list[Program]:
    return [each for each in workers if (await health(each))["games"]]


async def player(workers: Iterable[Program]) -> Program:
    """The one that plays the game."""
    (found,) = await playing_now(workers)
    return found


def nothing_told(fleet: Fleet) -> None:
    """Neither LiveKit nor a log nor a worker's files know the table's code, its names, its PINs."""
    folders = [fleet.folder / name for name in ("first", "second", "third")]
    logs = [*fleet.folder.glob("*.log"), *(log for folder in folders for log in folder.rglob("game.log"))]
    said, code = "".join(path.read_text(errors="replace") for path in logs), fleet.at.rpartition("/")[2]
    assert "registered with LiveKit" in said and "game handed out" in said and "livekit.agents" in said
    assert code not in said and "Joueur" not in said
    kept = "".join(path.read_text() for folder in folders for path in folder.rglob("*.json"))
    assert code not in kept and "digest" not in kept
