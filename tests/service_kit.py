"""The service without its network: real tables, limits, processes and HTTP; another program plays the game. And the
service as a person runs it, with real games."""

import asyncio
import contextlib
import json
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from engine_kit import ROLES

from moderator.rules import Rules
from moderator.simulate import play
from voice.ports import Utterance
from voice.service.app import Service, make_app
from voice.service.config import Rates, ServeConfig
from voice.service.games import Games
from voice.service.guard import Limits
from voice.service.media import Media
from voice.service.metrics import Metrics
from voice.service.tables import ServedTable, Tables
from voice.store_sql import SqlStore

ROOT = Path(__file__).parent.parent
GAME = Path(__file__).parent / "stand_in_game.py"
QUICK = ServeConfig(deaths=3, backoff_s=0.01, backoff_most_s=0.02)
LIVEKIT = {"url": "ws://127.0.0.1:7", "api_key": "key", "api_secret": "a secret of more than thirty-two bytes"}
SEATS = 10
PLAYED = play(random.Random(3), Rules(), ROLES)


def games_of(config: ServeConfig, lives: Sequence[str], metrics: Metrics | None = None) -> Games:
    """`lives`: what the stand-in does, life after life."""

    def command(table: ServedTable) -> Sequence[str]:
        return [sys.executable, str(GAME), str(table.home), table.game, *lives]

    counted = metrics or Metrics()
    return Games(config, {"PYTHONPATH": str(GAME.parent.parent)}, counted.game_deaths.inc, command)


@contextlib.asynccontextmanager
async def served(
    folder: Path, lives: Sequence[str] = ("open",), limit: int = 100, livekit: dict[str, str] | None = None
) -> AsyncIterator[Service]:
    config = folder / "livekit.yaml"
    config.write_text(yaml.safe_dump({**LIVEKIT, **(livekit or {})}))
    metrics = Metrics()
    games = games_of(QUICK, lives, metrics)
    async with Media("127.0.0.1", folder / "livekit.log", lambda: None, config) as media:
        tables = Tables(folder / "games", limit, QUICK.idle_s)
        try:
            yield Service(tables, games, media, Limits(Rates()), metrics)
        finally:
            await games.close()


def browser(service: Service, address: str = "192.0.2.1", url: str = "http://mafia.test:8080") -> httpx2.AsyncClient:
    """Somebody's browser, at this address."""
    transport = httpx2.ASGITransport(make_app(service), client=(address, 1))
    return httpx2.AsyncClient(transport=transport, base_url=url)


async def opened(http: httpx2.AsyncClient, **options: Any) -> str:
    """The path of a new table."""
    answer = await http.post("/api/tables", json={"rules": "turbo", "lang": "fr", **options})
    assert answer.status_code == 201, answer.text
    return f"/api/tables/{answer.json()['code']}"


async def joined(http: httpx2.AsyncClient, at: str, name: str) -> httpx2.Response:
    return await http.post(f"{at}/seats", json={"consent": True, "name": name})


async def seated(http: httpx2.AsyncClient, at: str, number: int = SEATS) -> list[dict[str, Any]]:
    """So many join; seat and PIN of each."""
    answers = [await http.post(f"{at}/seats", json={"consent": True}) for _ in range(number)]
    assert {answer.status_code for answer in answers} == {201}
    return [answer.json() for answer in answers]


async def played(table: ServedTable) -> None:
    """A whole game, and a spoken line, in the table's store."""
    store = SqlStore(table.home / "moderator.db")
    await store.append(table.game, 0, PLAYED)
    await store.append_utterance(table.game, Utterance(4, 65.0, 67.5, "Je nomine le 7.", 0.8))
    await store.close()


# --- as a person runs it --------------------------------------------------------------------------

START_S = 100.0
"""Patience with a busy machine; on a free one all of this takes 25 s."""
LIGHT = {"stt": {"workers": 1, "beam": 1}, "llm": {"engine": "none"}}
"""The real ears and voice, of which this test needs little."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Free ports and homes of its own."""
    configs = tmp_path / "data" / "configs"
    configs.mkdir(parents=True)
    (configs / "livekit.yaml").write_text(yaml.safe_dump({"port": 0, "tcp_port": 0, "udp_port": 0}))
    (configs / "voice.yaml").write_text(yaml.safe_dump(LIGHT))
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("LIVEKIT_")}
    own = {"MODERATOR_HOME": str(tmp_path / "games"), "MODERATOR_DATA": str(tmp_path / "data"), "PYTHONPATH": str(ROOT)}
    return {**inherited, **own}


@contextlib.asynccontextmanager
async def serving(
    folder: Path, home: dict[str, str], tables: int = 1
) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """Its address and its process, which ends with the block; it logs into `folder`. `home`: its `environment`."""
    command = [sys.executable, "-m", "voice", "serve", "--port", "0", "--tables", str(tables)]
    with (folder / "serve.log").open("wb") as log:
        service = await asyncio.create_subprocess_exec(
            *command, env=home, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=log
        )
    try:
        assert service.stdout is not None
        address = json.loads(await asyncio.wait_for(service.stdout.readline(), START_S))["url"]
        yield address, service
    finally:
        if service.returncode is None:
            service.terminate()
            await service.wait()


async def until(wanted: Callable[[], Awaitable[Any]], what: str, limit_s: float = START_S) -> Any:
    deadline_s = time.monotonic() + limit_s
    while time.monotonic() < deadline_s:
        if found := await wanted():
            return found
        await asyncio.sleep(0.2)
    raise AssertionError(f"not within {limit_s:.0f} s: {what}")
