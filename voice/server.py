"""`moderator serve`: the service that ten people use. Joins its parts, listens, and stops in order.

Two things are started beside it: the media server, unless one is configured, and a process for each game, unless
workers play them. Whatever dies of them is started again; when the service is stopped they end with it, and its next
start takes the games up.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import socket
import sys
from functools import partial

from voice import livekit_server
from voice.config import ConfigError
from voice.fleet.dispatcher import Dispatcher
from voice.fleet.orders import Orders
from voice.home import sole
from voice.livekit_dispatch import dispatch
from voice.service import program
from voice.service.app import Service, make_app
from voice.service.config import ServeConfig, load_serve_config
from voice.service.games import Games, Keeper
from voice.service.guard import Limits
from voice.service.media import Media
from voice.service.metrics import Metrics
from voice.service.retention import keep_house
from voice.service.tables import Tables
from voice.stored import home

log = logging.getLogger(__name__)


def main(args: argparse.Namespace) -> int:
    """Exit code 0: stopped by a signal. The first line of standard output is one JSON object with the address."""
    return program.run("serve", serve(args.host, args.port, args.tables))


async def serve(host: str, port: int, limit: int | None) -> None:
    """Until SIGTERM or SIGINT. `limit`: of open tables; None: as many as fit here, or as the fleet takes."""
    config, folder = load_serve_config(), home()
    if config.fleet.store and livekit_server.configured() is None:
        raise ConfigError("a fleet needs a LiveKit that its workers reach: set LIVEKIT_URL and its keys")
    folder.mkdir(parents=True, exist_ok=True)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(sole(folder / "serve.lock"))
        listener = stack.enter_context(program.listening(host, port))
        metrics = Metrics()
        media = await stack.enter_async_context(Media(host, folder / "livekit.log", metrics.livekit_deaths.inc))
        keep = fleet if config.fleet.store else on_this_machine
        games = await keep(config, media, metrics, stack)
        most = sys.maxsize if config.fleet.store else program.tables_of_this_machine()
        tables = Tables(folder, limit or most, config.idle_s, config.fleet.store or None, config.left_s)
        for table in tables:
            games.begin(table)
        house = asyncio.create_task(keep_house(tables, config.keep))
        stack.callback(house.cancel)
        http = program.http_server(make_app(Service(tables, games, media, Limits(config.rates), metrics)))
        program.on_signals(http.stop)
        announce(listener, media)
        await http.serve([listener])
        log.info("stopping")


async def on_this_machine(
    config: ServeConfig, media: Media, metrics: Metrics, stack: contextlib.AsyncExitStack
) -> Keeper:
    games = Games(config, media.server.environment(), metrics.game_deaths.inc)
    stack.push_async_callback(games.close)
    return games


async def fleet(config: ServeConfig, media: Media, metrics: Metrics, stack: contextlib.AsyncExitStack) -> Keeper:
    """Raises `BadStore` or `MissingPart`."""
    orders = await asyncio.to_thread(Orders, config.fleet.store)
    stack.push_async_callback(orders.close)
    send = partial(dispatch, media.server, config.fleet.agent)
    games = Dispatcher(orders, send, config.fleet.patience_s, metrics.handed_out_again.inc)
    watch = asyncio.create_task(games.run())
    stack.callback(watch.cancel)
    return games


def announce(listener: socket.socket, media: Media) -> None:
    print(json.dumps({"url": program.url_of(listener), "livekit": media.server.url}), flush=True)
    log.info("serving")
