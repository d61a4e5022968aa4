"""`moderator worker`: plays the games of a fleet on this machine, as many at a time as it has slots.

A first signal drains it: no new game, and the games that run may end; what still runs after `drain_s`, or at a second
signal, is handed over to other workers. A worker that dies without a word takes its games' processes with it; their
leases run out, and the service hands them out again.
"""

import argparse
import asyncio
import contextlib
import json
import logging

from prometheus_client import Gauge
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from voice import livekit_server
from voice.config import ConfigError
from voice.fleet.hosted import Hosted
from voice.fleet.orders import Orders
from voice.home import sole
from voice.livekit_dispatch import Desk
from voice.ports import MissingPart
from voice.service import program
from voice.service.config import load_serve_config
from voice.service.games import Games
from voice.service.metrics import Metrics
from voice.service.retention import keep_house
from voice.service.tables import Tables
from voice.stored import home

log = logging.getLogger(__name__)


def main(args: argparse.Namespace) -> int:
    """Exit code 0: stopped by a signal. The first line of standard output is one JSON object with the address."""
    return program.run("worker", work(args.host, args.port, args.slots or program.tables_of_this_machine()))


async def work(host: str, port: int, slots: int) -> None:
    """Until SIGTERM or SIGINT. Raises `ConfigError`, `BadStore`, `MissingPart` or `InUse`."""
    config, folder, server = load_serve_config(), home(), livekit_server.configured()
    if not config.fleet.store:
        raise ConfigError("fleet.store: no store is named; set it in configs/serve.yaml, or MODERATOR_STORE")
    if server is None:
        raise MissingPart("the address of a LiveKit server", "set LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET")
    folder.mkdir(parents=True, exist_ok=True)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(sole(folder / "worker.lock"))
        listener = stack.enter_context(program.listening(host, port))
        metrics = Metrics()
        orders = await asyncio.to_thread(Orders, config.fleet.store)
        stack.push_async_callback(orders.close)
        games = Games(config, server.environment(), metrics.game_deaths.inc)
        tables = Tables(folder, slots, config.idle_s, config.fleet.store)
        desk = Desk(server, config.fleet.agent, slots, Hosted(tables, games, orders).play)
        house = asyncio.create_task(keep_house(tables, config.keep))
        stack.callback(house.cancel)
        http = program.http_server(make_app(desk, tables, metrics))
        answering = asyncio.create_task(http.serve([listener]))
        print(json.dumps({"url": program.url_of(listener), "livekit": server.url, "slots": slots}), flush=True)
        try:
            await until_drained(desk, config.fleet.drain_s)
        finally:
            http.stop()
            await answering


async def until_drained(desk: Desk, limit_s: float) -> None:
    """Take games until a signal, then let them end or give them back. Raises `ConfigError` when LiveKit refuses us."""
    first, second = asyncio.Event(), asyncio.Event()
    program.on_signals(lambda: (second if first.is_set() else first).set())
    offering, asked = asyncio.create_task(desk.run()), asyncio.create_task(first.wait())
    await asyncio.wait([offering, asked], return_when=asyncio.FIRST_COMPLETED)
    if offering.done():
        offering.result()
    log.info("draining")
    hurry, idle = asyncio.create_task(second.wait()), asyncio.create_task(desk.drain())
    await asyncio.wait([hurry, idle], timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
    await desk.hand_over()
    for task in (hurry, idle, offering):
        task.cancel()
    log.info("stopping")


def make_app(desk: Desk, tables: Tables, metrics: Metrics) -> Starlette:
    """For those who look after the machine; no player comes here."""
    for name, what, value in (
        ("slots", "Games that can be played at a time", lambda: desk.slots),
        ("free_slots", "Games that would be taken now", lambda: desk.free),
        ("games", "Games that are played now", lambda: desk.playing),
        ("registered", "1 while LiveKit knows this worker", lambda: desk.registered),
    ):
        Gauge(f"moderator_worker_{name}", what, registry=metrics.registry).set_function(value)

    async def healthz(_: Request) -> Response:
        """200: takes a game now."""
        ready = desk.registered and desk.free > 0
        facts = {"registered": desk.registered, "slots": desk.slots, "free": desk.free, "games": desk.playing}
        return JSONResponse({**facts, "draining": desk.draining}, 200 if ready else 503)

    async def readyz(_: Request) -> Response:
        """200: LiveKit knows it, even when it is full or drains."""
        return JSONResponse({"registered": desk.registered}, 200 if desk.registered else 503)

    async def measures(_: Request) -> Response:
        return Response(metrics.exposition(tables), media_type="text/plain; version=0.0.4")

    return Starlette(routes=[Route("/healthz", healthz), Route("/readyz", readyz), Route("/metrics", measures)])
