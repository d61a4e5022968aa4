"""A cluster of LiveKit on this machine: Redis, and nodes that share it and their keys."""

import asyncio
import contextlib
import secrets
import shutil
import socket
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from voice import child, livekit_server
from voice.livekit_server import Server, free_port
from voice.ports import MissingPart


@contextlib.asynccontextmanager
async def cluster(folder: Path, nodes: int) -> AsyncIterator[list[Server]]:
    """Raises `MissingPart`."""
    key, secret = f"key{secrets.token_hex(8)}", secrets.token_urlsafe(32)
    async with contextlib.AsyncExitStack() as stack:
        redis = await stack.enter_async_context(redis_running(folder))
        yield list(
            await asyncio.gather(
                *(stack.enter_async_context(node(folder / f"node-{n}.log", redis, key, secret)) for n in range(nodes))
            )
        )


@contextlib.asynccontextmanager
async def redis_running(folder: Path) -> AsyncIterator[str]:
    """Its address; nothing is kept."""
    program = shutil.which("redis-server")
    if program is None:
        raise MissingPart("Redis for the tests", "sudo apt-get install redis-server")
    port = free_port(socket.SOCK_STREAM)
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    process = await child.start([program, *options], {}, folder / "redis.log")
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await child.stop(process, (2.0,))


@contextlib.asynccontextmanager
async def node(
    log_path: Path, redis: str, key: str, secret: str, wanted: Mapping[str, Any] | None = None
) -> AsyncIterator[Server]:
    """`wanted`: a configuration of LiveKit to try out; its addresses are replaced by free ones of this machine."""
    wanted = wanted or {}
    for _ in range(livekit_server.START_TRIES):
        kinds = (socket.SOCK_STREAM, socket.SOCK_STREAM, socket.SOCK_DGRAM)
        port, tcp_port, udp_port = (free_port(kind) for kind in kinds)
        made = yaml.safe_load(livekit_server.loopback_config(port, tcp_port, udp_port, key, secret))
        rtc = {**wanted.get("rtc", {}), **made["rtc"]}
        config = yaml.safe_dump({**wanted, **made, "rtc": rtc, "redis": {"address": redis}})
        process = await livekit_server.spawn(livekit_server.find(), config, log_path)
        try:
            if await livekit_server.answers(port, process):
                yield Server(f"ws://127.0.0.1:{port}", key, secret, process.pid)
                return
        finally:
            await livekit_server.stop(process)
    raise AssertionError(log_path.read_text(encoding="utf-8"))
