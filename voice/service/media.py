"""The media server of all games: the configured one, or one of ours that is started again when it dies or hangs.

It comes back with the same keys, even when the service itself was started anew, so that tickets stay good and clients
find back by themselves; the games open their booths again themselves.
"""

import asyncio
import contextlib
import ipaddress
import json
import logging
import os
import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import yaml

from voice import livekit_server
from voice.config import ConfigError
from voice.home import write_private
from voice.livekit_server import Server

log = logging.getLogger(__name__)

KEYS = "livekit.json"
ANSWER_S = 2.0
ANSWER_HOLDS_S = 2.0
PROBE_EVERY_S = 1.0
HANGS_AFTER = 5
"""Probes in a row without an answer: then a server of ours hangs, and is ended. A count, not a time: after a stall of
this process one probe fails at once, not all."""
STEADY_S = 10.0
"""A server that has lived so long is started again at once when it dies; one that dies sooner ever later."""
AGAIN_S = 1.0
AGAIN_MOST_S = 15.0
KINDS = {"port": socket.SOCK_STREAM, "tcp_port": socket.SOCK_STREAM, "udp_port": socket.SOCK_DGRAM}
"""Of the ports of a server of ours, by their settings."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Of a LiveKit server, as `configs/livekit.yaml` names them: signalling, media over TCP, media over UDP."""

    port: int
    tcp_port: int
    udp_port: int


class Media:
    """Use as a context. `server` is what the games join; `url_for` what a browser joins."""

    def __init__(self, host: str, log_path: Path, died: Callable[[], None], path: Path = livekit_server.CONFIG) -> None:
        """`host`: where the service listens; `died` is told of every death of a server of ours."""
        self._host, self._log_path, self._died, self._path = host, log_path, died, path
        self._settings = livekit_server.settings(path)
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._answered: tuple[float, bool] = (0.0, False)

    async def __aenter__(self) -> "Media":
        """Raises `MissingPart`, `ConfigError` (also for a port that is taken), or `RuntimeError` when a server of ours
        does not start.
        """
        configured = livekit_server.configured(self._path)
        if configured is not None:
            self.server = configured
            return self
        self._binary, self._ports = livekit_server.find(self._path), self._ports_wanted()
        key, secret = kept_keys(self._log_path.with_name(KEYS))
        self._made = network_config(self._host, self._settings["node_ip"], self._ports, key, secret)
        self.server = Server(f"ws://127.0.0.1:{self._ports.port}", key, secret)
        await self._start()
        self._watch = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
        if self._process is not None:
            await livekit_server.stop(self._process)

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def url_for(self, scheme: str, host: str) -> str:
        """The address for a browser that reached the page by `scheme` (http, https) and `host`."""
        if self._settings["public_url"]:
            return self._settings["public_url"].rstrip("/")
        internal = urlsplit(self.server.url)
        if self._process is None and not is_loopback(internal.hostname or ""):
            return self.server.url
        name = f"[{host}]" if ":" in host else host
        return f"{'wss' if scheme == 'https' else 'ws'}://{name}:{internal.port or 7880}"

    async def answers(self) -> bool:
        """Whether the server serves; asked at most every two seconds. Who else answers when ours is dead is not it."""
        if self._process is not None and self._process.returncode is not None:
            return False
        asked_s, answered = self._answered
        if time.monotonic() - asked_s < ANSWER_HOLDS_S:
            return answered
        self._answered = time.monotonic(), await self._probe()
        return self._answered[1]

    async def _probe(self) -> bool:
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            async with (
                aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(ANSWER_S)) as session,
                session.get(self.server.url.replace("ws", "http", 1)) as answer,
            ):
                return answer.status == 200
        return False

    # --- a server of ours -------------------------------------------------------------------------

    def _ports_wanted(self) -> Ports:
        found = []
        for name, kind in KINDS.items():
            text = self._settings[name] or "0"
            if not text.isdecimal() or int(text) > 65_535:
                raise ConfigError(f"{self._path}: {name}: must be a port, 0 to 65535, got {text!r}")
            found.append(int(text) or livekit_server.free_port(kind))
        return Ports(*found)

    def _refuse_taken(self) -> None:
        """Raises `ConfigError`. Whoever else answers on a port of ours would pass for our server."""
        for name, kind in KINDS.items():
            port = getattr(self._ports, name)
            if reason := hindrance(kind, port):
                raise ConfigError(f"{self._path}: {name}: cannot listen on {port} ({reason}); set another, or 0")

    async def _start(self) -> None:
        self._refuse_taken()
        process = await livekit_server.spawn(self._binary, self._made, self._log_path)
        if not await livekit_server.answers(urlsplit(self.server.url).port or 0, process):
            await livekit_server.stop(process)
            words = self._log_path.read_text(encoding="utf-8", errors="replace")[-300:].strip()
            raise RuntimeError(f"livekit-server did not start; are its ports free ({self._path})? It said: {words}")
        self._process = process

    async def _keep(self) -> None:
        """Start it again whenever it dies, or hangs."""
        wait_s = 0.0
        while True:
            assert self._process is not None
            started_s = time.monotonic()
            code = await self._end_of(self._process)
            self._died()
            log.error("livekit-server died", extra={"code": code})
            wait_s = await self._start_again(0.0 if time.monotonic() - started_s > STEADY_S else wait_s)

    async def _start_again(self, wait_s: float) -> float:
        """Wait, and try until it serves; how long to wait when it dies right after that."""
        while True:
            await asyncio.sleep(wait_s)
            wait_s = min(max(2 * wait_s, AGAIN_S), AGAIN_MOST_S)
            try:
                await self._start()
            except (RuntimeError, ConfigError, OSError) as failure:
                log.error("%s", failure)
            else:
                log.info("livekit-server serves again")
                return wait_s

    async def _end_of(self, process: asyncio.subprocess.Process) -> int:
        """Wait for it. A server that is there and answers nobody (stopped, or locked up) is brought to its end."""
        unanswered = 0
        while process.returncode is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), PROBE_EVERY_S)
            unanswered = 0 if process.returncode is not None or await self._probe() else unanswered + 1
            if unanswered == HANGS_AFTER:
                log.error("livekit-server hangs and is ended")
                with contextlib.suppress(ProcessLookupError):  # it may have ended since
                    process.kill()
        return process.returncode


def kept_keys(path: Path) -> tuple[str, str]:
    """Key and secret of the servers of this service: drawn once, readable by its owner alone."""
    with contextlib.suppress(FileNotFoundError, ValueError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(kept, list) and len(kept) == 2:
            return str(kept[0]), str(kept[1])
    keys = f"key{secrets.token_hex(8)}", secrets.token_urlsafe(32)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, keys)
    return keys


def hindrance(kind: socket.SocketKind, port: int) -> str:
    """Why nobody can listen on the port at every address now, in the system's words; "" when somebody can."""
    with socket.socket(socket.AF_INET, kind) as probe:
        if kind is socket.SOCK_STREAM:  # what a server that has just ended leaves behind hinders nobody
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
        except OSError as error:
            return os.strerror(error.errno or 0)
    return ""


def network_config(host: str, node_ip: str, ports: Ports, key: str, secret: str) -> str:
    """LiveKit's own configuration. Signalling listens where the service does; media reach `node_ip`, or stay local.

    `host` is an address; `node_ip` may be empty: then loopback, or all addresses of this machine when `host` is one
    that others reach.
    """
    made = yaml.safe_load(livekit_server.loopback_config(ports.port, ports.tcp_port, ports.udp_port, key, secret))
    if is_loopback(host) and not node_ip:
        return yaml.safe_dump(made)
    if not is_loopback(host):
        made["bind_addresses"] = [host] if ipaddress.ip_address(host).is_unspecified else ["127.0.0.1", host]
    rtc = made["rtc"]
    for local in ("node_ip", "ips", "enable_loopback_candidate", "allow_tcp_fallback"):
        del rtc[local]
    if node_ip:
        rtc["node_ip"] = node_ip
        rtc["stun_servers"] = [f"{node_ip}:{ports.udp_port}"]
    return yaml.safe_dump(made)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
