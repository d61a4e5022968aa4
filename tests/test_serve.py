"""`moderator serve` as a person runs it: a process, real rooms, ten guests, a killed game, an orderly end."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest
from service_kit import environment, serving, until
from spectator import Spectator

from moderator.events import Event, Resumed
from voice import demo
from voice.home import sole
from voice.service.log import JsonLines
from voice.store_sql import SqlStore

ROOT = Path(__file__).parent.parent
home = environment


def children(pid: int) -> dict[int, str]:
    """Pid -> command line of the living children."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found[int(stat.parent.name)] = (stat.parent / "cmdline").read_text().replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def game_pid(service: int) -> int | None:
    return next((pid for pid, command in children(service).items() if "-m voice.game" in command), None)


def refused(home: dict[str, str], *options: str) -> str:
    """The one line with which the service does not start."""
    command = [sys.executable, "-m", "voice", "serve", "--port", "0", *options]
    done = subprocess.run(command, env=home, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    return line


def test_an_address_that_is_taken_is_named(home: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert f"--port {port}: cannot listen (Address already in use)" in refused(home, "--port", str(port))


def test_a_port_of_the_media_server_that_is_taken_is_named(home: dict[str, str], tmp_path: Path) -> None:
    """By the media server of a second service, say, which would answer for ours."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (tmp_path / "data" / "configs" / "livekit.yaml").write_text(f"port: {port}\n")
        assert f"livekit.yaml: port: cannot listen on {port} (Address already in use)" in refused(home)


def test_a_second_service_does_not_touch_the_same_games(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    with sole(tmp_path / "games" / "serve.lock"):
        assert "serve.lock: another process is at work here" in refused(home)


def test_a_wrong_limit_is_named_with_its_file(home: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "data" / "configs" / "serve.yaml").write_text("rates: {join: often}\n")
    assert "serve.yaml: rates.join: " in refused(home)


def test_a_line_of_the_log_is_an_object_that_knows_a_table_by_its_game() -> None:
    record = logging.LogRecord("voice.service", logging.WARNING, __file__, 1, "died %s", ("again",), None)
    record.__dict__.update(game="20260101-ab", pin="123456")
    line = json.loads(JsonLines().format(record))
    assert line.pop("time").endswith("Z")
    assert line == {"level": "warning", "logger": "voice.service", "message": "died again", "game": "20260101-ab"}


@pytest.mark.real
@pytest.mark.livekit
@pytest.mark.whisper
@pytest.mark.tts
@pytest.mark.timeout(400)
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_ten_people_play_although_the_game_is_killed(tmp_path: Path, home: dict[str, str]) -> None:
    async with serving(tmp_path, home) as (address, service):
        async with httpx2.AsyncClient(base_url=address) as http:
            await play(http, service.pid, tmp_path)
        begun = children(service.pid)
        assert len(begun) == 2, begun
        service.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(service.wait(), 60) == 0
        assert not [pid for pid in begun if Path(f"/proc/{pid}").exists()]
    said = (tmp_path / "serve.log").read_text()
    (table,) = (tmp_path / "games").glob("*/table.json")
    record = json.loads(table.read_text())
    assert record["state"] == "playing", "the next start takes it up"
    assert record["code"] not in said and "Joueur" not in said + (table.parent / "game.log").read_text()
    assert [json.loads(line)["message"] for line in said.splitlines()].count("game process died") == 1


async def play(http: httpx2.AsyncClient, service: int, folder: Path) -> None:
    """Open a table, seat ten guests, see it begin, kill the game, see it go on."""
    assert (await http.get("/healthz")).status_code == 200
    wishes = {"rules": "turbo", "lang": "fr", "recording": False, "gallery_delay_s": 1}
    opened = await http.post("/api/tables", json=wishes)
    at = f"/api/tables/{opened.json()['code']}"
    assert (await http.get("/healthz")).status_code == 503, "one table is all that this service has"
    seats = [(await http.post(f"{at}/seats", json={"name": f"Joueur {each}"})).json() for each in "abcdefghij"]

    async def tickets() -> list[dict[str, Any]] | None:
        answers = [await http.post(f"{at}/ticket", json=seat) for seat in seats]
        return [answer.json() for answer in answers] if all(one.status_code == 200 for one in answers) else None

    async def playing() -> bool:
        return bool((await http.get(at)).json()["state"] == "playing")

    (folder / "tickets.json").write_text(json.dumps(await until(tickets, "the booths are open")))
    guests = [sys.executable, str(ROOT / "tests" / "guests.py"), str(folder / "tickets.json")]
    async with demo.child(guests, {**os.environ, "PYTHONPATH": str(ROOT)}, folder / "guests.log"):
        await until(playing, "the game has begun")
        async with spectating((await http.post(f"{at}/gallery")).json()) as spectator:
            await until(told(spectator), "the gallery hears and reads")
            killed = game_pid(service)
            assert killed is not None
            os.kill(killed, signal.SIGKILL)
            before = await resumptions(folder)  # a machine that stalls suspends the game as well
            await until(lambda: goes_on(folder, before), "the game goes on")
            assert game_pid(service) not in (None, killed)
            spectator.heard.clear()
            spectator.read.clear()
            await until(told(spectator), "the gallery hears and reads again")
            assert not any(json.loads(body).get("private") for _, body in spectator.read)
    assert set((await kept(folder))[1]) == {seat["seat"] for seat in seats}, "the game's store knows the names"


@contextlib.asynccontextmanager
async def spectating(ticket: dict[str, str]) -> AsyncIterator[Spectator]:
    spectator = Spectator()
    await spectator.join(ticket["url"], ticket["token"])
    try:
        yield spectator
    finally:
        await spectator.leave()


def told(spectator: Spectator) -> Callable[[], Awaitable[bool]]:
    async def look() -> bool:
        return bool(spectator.heard and spectator.read)

    return look


async def goes_on(folder: Path, before: int) -> bool:
    return await resumptions(folder) > before


async def resumptions(folder: Path) -> int:
    return sum(isinstance(event, Resumed) for event in (await kept(folder))[0])


async def kept(folder: Path) -> tuple[list[Event], dict[int, str]]:
    (path,) = (folder / "games").glob("*/moderator.db")
    store = SqlStore(path)
    try:
        return await store.events(path.parent.name), await store.names(path.parent.name)
    finally:
        await store.close()
