"""`moderator serve` for the benchmarks, as a person runs it: a process that can be killed, and is then started again.

It has ports, a home and a configuration of its own; steps of the game are short, so that a whole game takes minutes.
"""

import asyncio
import contextlib
import os
import socket
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import yaml

from moderator.model import SEATS, Seat
from voice.livekit_server import free_port

START_S = 60.0
QUICK_RULES = {
    "name": "turbo",
    "deal_s": 8,
    "meeting_s": 6,
    "greeting_s": 1,
    "speech_s": 12,
    "split_s": 8,
    "farewell_s": 8,
    "ballot_s": 8,
    "lift_s": 8,
    "shot_s": 4,
    "check_s": 4,
    "warn_s": 2,
}
"""Time for a key and a sentence, and for a kill in the midst of it."""
WORKERS = {"voice.stt": "recogniser", "voice.tts": "voice", "voice.llm": "model"}


@dataclass(slots=True)
class Seated:
    """A table of the service as its ten players know it."""

    code: str
    pins: dict[Seat, str] = field(default_factory=dict)


class Serving:
    """Start with `start`, end with `stop`; `kill` is what the machine might do."""

    def __init__(self, folder: Path, rules: Mapping[str, object] = QUICK_RULES) -> None:
        self.folder, self._http_port = folder, free_port(socket.SOCK_STREAM)
        self._process: asyncio.subprocess.Process | None = None
        kinds = {"port": socket.SOCK_STREAM, "tcp_port": socket.SOCK_STREAM, "udp_port": socket.SOCK_DGRAM}
        configs = folder / "data" / "configs"
        configs.mkdir(parents=True)
        ports = {name: free_port(kind) for name, kind in kinds.items()}
        (configs / "livekit.yaml").write_text(yaml.safe_dump(ports), encoding="utf-8")
        (configs / "turbo.yaml").write_text(yaml.safe_dump(dict(rules)), encoding="utf-8")
        self._http = aiohttp.ClientSession(f"http://127.0.0.1:{self._http_port}")

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self) -> None:
        """Returns when it listens. Raises `RuntimeError` when it ends before."""
        own = {"MODERATOR_HOME": str(self.folder / "games"), "MODERATOR_DATA": str(self.folder / "data")}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("LIVEKIT_")}
        environment = {**inherited, **own, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        with (self.folder / "serve.log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "voice", "serve", "--port", str(self._http_port), "--tables", "1"),
                env=environment,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        assert self._process.stdout is not None
        if not await asyncio.wait_for(self._process.stdout.readline(), START_S):
            raise RuntimeError(f"the service did not start; see {self.folder / 'serve.log'}")

    async def wait(self) -> None:
        assert self._process is not None
        await self._process.wait()

    async def stop(self) -> None:
        await self._http.close()
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()
            await self._process.wait()

    # --- HTTP -------------------------------------------------------------------------------------

    async def seat_ten(self) -> Seated:
        table = Seated((await self._post("/api/tables", rules="turbo", lang="fr", recording=True))["code"])
        for _ in SEATS:
            taken = await self._post(f"/api/tables/{table.code}/seats", consent=True)
            table.pins[taken["seat"]] = taken["pin"]
        return table

    async def _post(self, path: str, **body: object) -> Any:
        async with self._http.post(path, json=body) as answer:
            answer.raise_for_status()
            return await answer.json()

    async def ticket(self, table: Seated, seat: Seat) -> tuple[str, str] | None:
        """Address and token; None while the booth is not open, or nobody answers."""
        claim = {"seat": seat, "pin": table.pins[seat]}
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with self._http.post(f"/api/tables/{table.code}/ticket", json=claim) as answer:
                if answer.status == 200:
                    found = await answer.json()
                    return found["url"], found["token"]
        return None

    async def state(self, table: Seated) -> str:
        """Of the table; empty while nobody answers."""
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with self._http.get(f"/api/tables/{table.code}") as answer:
                return str((await answer.json())["state"])
        return ""

    @property
    def game(self) -> str:
        """The id of the only game. Raises `StopIteration` before there is one."""
        return next((self.folder / "games").glob("*/table.json")).parent.name

    def store(self) -> Path | None:
        """Of the only game, once it is played."""
        return next((self.folder / "games").glob("*/moderator.db"), None)

    # --- processes --------------------------------------------------------------------------------

    def parts(self) -> dict[str, list[int]]:
        """The processes of each part: web, livekit, game, recogniser, voice, model."""
        found = defaultdict(list, {"web": [self.pid]})
        for pid, command in children(self.pid).items():
            if "-m voice.game" not in command:
                found["livekit"].append(pid)
                continue
            found["game"].append(pid)
            for worker, said in children(pid).items():
                part = next((part for name, part in WORKERS.items() if f"voice.worker {name}" in said), None)
                if part is not None:
                    found[part].append(worker)
        return dict(found)


def children(pid: int) -> dict[int, str]:
    """Pid -> command line of the living children (Linux)."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if int(parent) == pid and state != "Z":
                found[int(stat.parent.name)] = (stat.parent / "cmdline").read_text().replace("\0", " ")
    return found


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Serving]:
    service = Serving(folder)
    try:
        await service.start()
        yield service
    finally:
        await service.stop()
