"""A bad line between clients and a LiveKit server on this machine: drops packets of sound and delays them.

The server tells its clients an address of the loopback where this relay listens, and itself listens on another. With
`ice_lite` it never looks for a way around. Signalling (TCP) does not pass here.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from socket import SOCK_DGRAM, SOCK_STREAM
from typing import Literal

import yaml

from voice import livekit_server
from voice.livekit_server import Server

SERVER_IP, RELAY_IP = "127.0.0.1", "127.0.0.2"
KEY, SECRET = "key", secrets.token_urlsafe(32)
Address = tuple[str, int]


@dataclass(slots=True)
class Weather:
    """What happens to each packet, in both directions. May be changed while packets fly."""

    loss: float = 0.0
    """Share of packets that never arrive, 0 to 1."""
    delay_s: float = 0.0
    """... and how much later the others do."""


@dataclass(frozen=True, slots=True)
class Packet:
    at_s: float
    """`time.monotonic`, as it came."""
    to: Literal["client", "server"]
    size: int


@dataclass(slots=True)
class Flow:
    """One client socket and all that passed."""

    client: Address
    weather: Weather
    packets: list[Packet] = field(default_factory=list)
    out: asyncio.DatagramTransport | None = None


class LossyLine(asyncio.DatagramProtocol):
    """Clients that come get `weather`, which may be replaced for those who come later: flows keep the one they have."""

    def __init__(self, port: int, seed: int = 1) -> None:
        self._port, self._chance = port, Random(seed)
        self.weather = Weather()
        self.flows: dict[Address, Flow] = {}
        self._opening: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "LossyLine":
        self._loop = asyncio.get_running_loop()
        self._in, _ = await self._loop.create_datagram_endpoint(lambda: self, local_addr=(RELAY_IP, self._port))
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*self._opening)
        for transport in (self._in, *(flow.out for flow in self.flows.values())):
            if transport is not None:
                transport.close()

    def datagram_received(self, data: bytes, client: Address) -> None:
        flow = self.flows.get(client)
        if flow is None:
            flow = self.flows[client] = Flow(client, self.weather)
            opening = self._loop.create_task(self._open(flow))
            self._opening.add(opening)
            opening.add_done_callback(self._opening.discard)
        self.carry(flow, "server", data)

    async def _open(self, flow: Flow) -> None:
        """What comes before this is done is lost; a client that looks for a way asks again."""
        way_back = _WayBack(self, flow)
        flow.out, _ = await self._loop.create_datagram_endpoint(lambda: way_back, remote_addr=(SERVER_IP, self._port))

    def carry(self, flow: Flow, to: Literal["client", "server"], data: bytes) -> None:
        flow.packets.append(Packet(time.monotonic(), to, len(data)))
        if self._chance.random() < flow.weather.loss:
            return
        if flow.weather.delay_s:
            self._loop.call_later(flow.weather.delay_s, self._deliver, flow, to, data)
        else:
            self._deliver(flow, to, data)

    def _deliver(self, flow: Flow, to: Literal["client", "server"], data: bytes) -> None:
        transport, address = (self._in, flow.client) if to == "client" else (flow.out, None)
        if transport is not None and not transport.is_closing():
            transport.sendto(data, address)


class _WayBack(asyncio.DatagramProtocol):
    """From the server to one client."""

    def __init__(self, line: LossyLine, flow: Flow) -> None:
        self._line, self._flow = line, flow

    def datagram_received(self, data: bytes, _server: Address) -> None:
        self._line.carry(self._flow, "client", data)


@contextlib.asynccontextmanager
async def behind_a_lossy_line(log: Path) -> AsyncIterator[tuple[Server, LossyLine]]:
    """A LiveKit server of our own that clients reach through the line. Raises `MissingPart` or `RuntimeError`."""
    for _ in range(livekit_server.START_TRIES):
        port, udp_port = livekit_server.free_port(SOCK_STREAM), livekit_server.free_port(SOCK_DGRAM)
        process = await livekit_server.spawn(livekit_server.find(), config(port, udp_port), log)
        try:
            if await livekit_server.answers(port, process):
                async with LossyLine(udp_port) as line:
                    yield Server(f"ws://127.0.0.1:{port}", KEY, SECRET, process.pid), line
                return
        finally:
            await livekit_server.stop(process)
    raise RuntimeError(f"livekit-server did not start; see {log}")


def config(port: int, udp_port: int) -> str:
    made = yaml.safe_load(livekit_server.loopback_config(port, 0, udp_port, KEY, SECRET))
    made["rtc"] |= {"node_ip": RELAY_IP, "use_ice_lite": True}
    return yaml.safe_dump(made)
