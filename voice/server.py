"""`moderator serve`: the service that ten people use. Joins its parts, listens, and stops in order.

Two things are started beside it: the media server, unless one is configured, and a process for each game. Whatever
dies of them is started again; when the service is stopped they end with it, and its next start takes the games up.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import os
import signal
import socket
import sys
from collections.abc import Generator

import uvicorn

from voice.config import ConfigError
from voice.home import InUse, sole
from voice.ports import MissingPart
from voice.service import log as json_log
from voice.service.app import Service, make_app
from voice.service.config import load_serve_config
from voice.service.games import Games
from voice.service.guard import Limits
from voice.service.media import Media
from voice.service.metrics import Metrics
from voice.service.retention import keep_house
from voice.service.tables import Tables
from voice.stored import home

log = logging.getLogger(__name__)

CORES_A_TABLE = 2
REQUESTS_AT_ONCE = 400
GRACE_S = 3
"""Requests under way have this long when the service is stopped."""


class HttpServer(uvicorn.Server):
    """Signals are the service's: it has more to end than this."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


def main(args: argparse.Namespace) -> int:
    """Exit code 0: stopped by a signal. The first line of standard output is one JSON object with the address."""
    json_log.begin()
    try:
        asyncio.run(serve(args.host, args.port, args.tables or max(1, (os.cpu_count() or 1) // CORES_A_TABLE)))
    except (InUse, ConfigError, ValueError) as error:
        print(f"moderator serve: {error}", file=sys.stderr)
        return 2
    except (MissingPart, RuntimeError) as error:
        print(f"moderator serve: {error}", file=sys.stderr)
        return 1
    return 0


async def serve(host: str, port: int, limit: int) -> None:
    """Until SIGTERM or SIGINT."""
    config, folder = load_serve_config(), home()
    folder.mkdir(parents=True, exist_ok=True)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(sole(folder / "serve.lock"))
        listener = stack.enter_context(listening(host, port))
        metrics = Metrics()
        media = await stack.enter_async_context(Media(host, folder / "livekit.log", metrics.livekit_deaths.inc))
        games = Games(config, media.server.environment(), metrics.game_deaths.inc)
        stack.push_async_callback(games.close)
        tables = Tables(folder, limit, config.idle_s)
        for table in tables:
            games.begin(table)
        house = asyncio.create_task(keep_house(tables, config.keep))
        stack.callback(house.cancel)
        app = make_app(Service(tables, games, media, Limits(config.rates), metrics))
        http = HttpServer(
            uvicorn.Config(
                app,
                log_config=None,
                access_log=False,
                server_header=False,
                limit_concurrency=REQUESTS_AT_ONCE,
                timeout_graceful_shutdown=GRACE_S,
            )
        )
        for sign in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(sign, stop, http)
        announce(listener, media)
        await http.serve([listener])
        log.info("stopping")


def stop(http: uvicorn.Server) -> None:
    """A second signal does not wait for the requests under way."""
    http.force_exit, http.should_exit = http.should_exit, True


def listening(host: str, port: int) -> socket.socket:
    """Raises ConfigError when the address cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        number = getattr(error, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else error
        raise ConfigError(f"--host {host} --port {port}: cannot listen ({reason}); name another") from error


def announce(listener: socket.socket, media: Media) -> None:
    name, port = listener.getsockname()[:2]
    shown = f"[{name}]" if ":" in name else name
    print(json.dumps({"url": f"http://{shown}:{port}", "livekit": media.server.url}), flush=True)
    log.info("serving")
