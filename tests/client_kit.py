"""A table for tests of the browser client: the service's HTTP interface before real booths on a real LiveKit server.

It plays no game. What the moderator says, asks and hears is up to the test, which sees every message and frame.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from aiohttp import web

from moderator.model import Seat
from voice import wire
from voice.livekit_server import Server
from voice.ports import FRAME_SAMPLES, RATE_HZ, Pcm
from voice.room_livekit import LiveKitRoom

DIST = Path(__file__).parent.parent / "voice" / "client" / "dist"
CODE = "sept-lunes"
SILENCE: Pcm = np.zeros(FRAME_SAMPLES, dtype=np.int16)


class WallClock:
    def now(self) -> float:
        return time.monotonic()

    async def sleep_until(self, at_s: float) -> None:
        await asyncio.sleep(max(0.0, at_s - time.monotonic()))


@dataclass
class Table:
    """What the service knows of its one table. `state` is set by the test."""

    room: LiveKitRoom
    lang: str = "en"
    rules: str = "classic"
    recording: bool = False
    state: str = "gathering"
    pins: dict[Seat, str] = field(default_factory=dict)
    opened: list[dict[str, Any]] = field(default_factory=list)
    hears: Pcm = field(default_factory=lambda: SILENCE)
    """What every booth hears, one frame again and again."""
    heard: dict[Seat, list[Pcm]] = field(default_factory=dict)
    done: list[wire.Do] = field(default_factory=list)
    """The keys that were pressed; signs of life, and questions how the table stands, are counted apart."""
    signs: int = 0
    asked: int = 0

    tickets: int = 0

    @property
    def present(self) -> bool:
        return len(self.room.present()) > 0

    async def close_booths(self) -> None:
        await self.room.close()

    async def move(self, server: Server) -> None:
        """The same seats in booths on another server."""
        await self.room.close()
        self.room = LiveKitRoom(server, WallClock(), new_booths())
        await self.room.open()

    @property
    def missing(self) -> int:
        return 0 if self.state != "gathering" else 10 - len(self.pins)

    def say(self, seat: Seat, message: wire.Wire) -> None:
        self.room.send(seat, message.model_dump_json().encode())

    async def relay(self) -> None:
        """Move sound and messages for ever."""
        due_s = time.monotonic()
        while True:
            for seat in self.room.booths:
                frames = self.heard.setdefault(seat, [])
                frames += [frame.pcm for frame in self.room.read(seat)]
                del frames[: -3 * RATE_HZ // FRAME_SAMPLES]
                self.room.write(seat, self.hears)
            for message in self.room.receive():
                do = wire.FROM_CLIENT.validate_json(message.body)
                self.signs += do.what == "here"
                self.asked += do.what == "table"
                self.done += [do] if do.what not in ("here", "table") else []
            due_s = max(due_s + 0.02, time.monotonic() - 0.1)
            await asyncio.sleep(max(0.0, due_s - time.monotonic()))


class Service:
    """The contract of voice/server.py for one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        app = web.Application()
        app.router.add_get("/", self.page)
        app.router.add_get("/t/{code}", self.page)
        app.router.add_static("/assets", DIST / "assets")
        app.router.add_post("/api/tables", self.open)
        app.router.add_get("/api/tables/{code}", self.look)
        app.router.add_post("/api/tables/{code}/seats", self.sit)
        app.router.add_post("/api/tables/{code}/ticket", self.ticket)
        app.router.add_post("/api/tables/{code}/leave", self.leave)
        self.runner = web.AppRunner(app)

    async def page(self, _: web.Request) -> web.FileResponse:
        policy = "default-src 'self'; connect-src 'self' ws: http://127.0.0.1:*; media-src 'self' blob:"
        return web.FileResponse(DIST / "index.html", headers={"Content-Security-Policy": policy})

    async def open(self, request: web.Request) -> web.Response:
        self.table.opened.append(await request.json())
        return web.json_response({"code": CODE}, status=201)

    async def look(self, request: web.Request) -> web.Response:
        table = self.table
        if request.match_info["code"] != CODE:
            return refusal(404, "unknown")
        return web.json_response(
            {
                "code": CODE,
                "state": table.state,
                "rules": table.rules,
                "lang": table.lang,
                "setting": "mafia",
                "recording": table.recording,
                "seats": {str(seat): {"taken": seat in table.pins} for seat in range(1, 11)},
                "missing": table.missing,
            }
        )

    async def sit(self, request: web.Request) -> web.Response:
        if self.table.recording and not (await request.json())["consent"]:
            return refusal(403, "consent_needed")
        seat = min(set(range(1, 11)) - set(self.table.pins), default=None)
        if seat is None:
            return refusal(409, "full")
        self.table.pins[seat] = f"{4071 + seat}"
        return web.json_response({"seat": seat, "pin": self.table.pins[seat]}, status=201)

    async def ticket(self, request: web.Request) -> web.Response:
        wish = await request.json()
        if self.table.pins.get(wish["seat"]) != wish["pin"]:
            return refusal(403, "wrong_pin")
        if self.table.state in ("over", "lost"):
            return refusal(409, self.table.state)
        if self.table.state == "gathering":
            return web.json_response({"state": self.table.state, "missing": self.table.missing}, status=202)
        self.table.tickets += 1
        ticket = self.table.room.ticket(wish["seat"])
        return web.json_response({"url": ticket.url, "token": ticket.token})

    async def leave(self, request: web.Request) -> web.Response:
        self.table.pins.pop((await request.json())["seat"], None)
        return web.json_response({})


def refusal(status: int, code: str) -> web.Response:
    return web.json_response({"error": code, "message": code}, status=status)


@contextlib.asynccontextmanager
async def serving(table: Table) -> AsyncIterator[str]:
    """The service on a free port of this machine; yields its address."""
    service = Service(table)
    await service.runner.setup()
    site = web.TCPSite(service.runner, "127.0.0.1", 0)
    await site.start()
    relay = asyncio.create_task(table.relay())
    try:
        yield f"http://127.0.0.1:{service.runner.addresses[0][1]}"
    finally:
        relay.cancel()
        await service.runner.cleanup()


def new_booths() -> dict[Seat, str]:
    """One is enough: seats are taken from the first on."""
    return {1: secrets.token_urlsafe(16)}


@contextlib.asynccontextmanager
async def moderated(server: Server) -> AsyncIterator[Table]:
    """A table whose booths are open."""
    room = LiveKitRoom(server, WallClock(), new_booths())
    await room.open()
    table = Table(room)
    try:
        yield table
    finally:
        await table.room.close()
