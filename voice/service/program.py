"""What `moderator serve` and `moderator worker` have in common: how a program begins, answers HTTP, and stops."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Generator
from typing import Any

import uvicorn
from starlette.applications import Starlette

from voice.config import ConfigError
from voice.home import InUse
from voice.ports import MissingPart
from voice.service import log as json_log

CORES_A_TABLE = 2
REQUESTS_AT_ONCE = 400
GRACE_S = 3
"""Requests under way have this long when the program is stopped."""


def run(command: str, program: Coroutine[Any, Any, None]) -> int:
    """Exit code 0: stopped by a signal."""
    json_log.begin()
    try:
        asyncio.run(program)
    except (InUse, ConfigError, ValueError) as error:
        print(f"moderator {command}: {error}", file=sys.stderr)
        return 2
    except (MissingPart, RuntimeError) as error:
        print(f"moderator {command}: {error}", file=sys.stderr)
        return 1
    return 0


def tables_of_this_machine() -> int:
    return max(1, (os.cpu_count() or 1) // CORES_A_TABLE)


class HttpServer(uvicorn.Server):
    """Signals are the program's: it has more to end than this."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    def stop(self) -> None:
        """Asked a second time it does not wait for the requests under way."""
        self.force_exit, self.should_exit = self.should_exit, True


def http_server(app: Starlette) -> HttpServer:
    return HttpServer(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=REQUESTS_AT_ONCE,
            timeout_graceful_shutdown=GRACE_S,
        )
    )


def on_signals(stop: Callable[[], None]) -> None:
    for sign in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(sign, stop)


def listening(host: str, port: int) -> socket.socket:
    """Raises ConfigError when the address cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, OverflowError) as error:
        number = getattr(error, "errno", None) or 0
        reason = os.strerror(number) if number > 0 else error
        raise ConfigError(f"--host {host} --port {port}: cannot listen ({reason}); name another") from error


def url_of(listener: socket.socket) -> str:
    name, port = listener.getsockname()[:2]
    return f"http://{f'[{name}]' if ':' in name else name}:{port}"
