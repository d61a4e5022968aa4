"""`moderator worker` as a program: what it refuses, and what it answers to those who look after it."""

import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from voice.fleet.worker import make_app
from voice.livekit_dispatch import Desk
from voice.livekit_server import Server
from voice.service.metrics import Metrics
from voice.service.tables import Options, State, Tables

ROOT = Path(__file__).parent.parent
KEYS = {"LIVEKIT_URL": "ws://127.0.0.1:7", "LIVEKIT_API_KEY": "key", "LIVEKIT_API_SECRET": "s" * 32}


async def nothing(_: str) -> None:
    pass


@pytest.mark.parametrize(
    ("command", "environment", "says"),
    [
        ("worker", KEYS, "moderator worker: fleet.store: no store is named; set it in configs/serve.yaml"),
        ("worker", {"MODERATOR_STORE": "games.db"}, "set LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET"),
        ("serve", {"MODERATOR_STORE": "games.db"}, "a fleet needs a LiveKit that its workers reach: set LIVEKIT_URL"),
        ("serve", {**KEYS, "MODERATOR_STORE": "mysql://db/x"}, "MODERATOR_STORE: "),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, command: str, environment: dict[str, str], says: str) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("LIVEKIT_", "MODERATOR_"))}
    done = subprocess.run(
        [sys.executable, "-m", "voice", command, "--port", "0"],
        env={**clean, "MODERATOR_HOME": str(tmp_path), "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    (line,) = done.stderr.splitlines()
    assert done.returncode in (1, 2) and done.stdout == "" and says in line


async def test_who_looks_after_it_sees_slots_and_games_and_nothing_else(tmp_path: Path) -> None:
    tables = Tables(tmp_path, 2, 60)
    tables.lend("20260101-0a1b2c3d", Options(), State.PLAYING, {3: "Ada"})
    desk = Desk(Server("ws://127.0.0.1:7", "key", "s" * 32), "moderator", 2, nothing)
    transport = httpx2.ASGITransport(make_app(desk, tables, Metrics()))
    async with httpx2.AsyncClient(transport=transport, base_url="http://worker") as http:
        health, ready = await http.get("/healthz"), await http.get("/readyz")
        assert (health.status_code, ready.status_code) == (503, 503), "LiveKit does not know it"
        assert health.json() == {"registered": False, "slots": 2, "free": 2, "games": 0, "draining": False}
        figures = (await http.get("/metrics")).text
        assert "moderator_worker_slots 2.0" in figures and 'moderator_tables{state="playing"} 1.0' in figures
        assert "Ada" not in figures and "0a1b2c3d" not in figures
        await desk.drain()
        assert (await http.get("/healthz")).json()["free"] == 0
