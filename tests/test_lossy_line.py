"""The relay that makes a line bad: what it drops, delays and remembers; and a player behind it, on a real server."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from socket import SOCK_DGRAM

import numpy as np
import pytest
from booth_kit import WallClock, joined, until

from voice.lines import LOST_S, THERE_S
from voice.livekit_server import free_port
from voice.lossy_line import RELAY_IP, SERVER_IP, Address, LossyLine, Weather, behind_a_lossy_line
from voice.ports import FRAME_SAMPLES, RATE_HZ
from voice.room_livekit import LiveKitRoom


class Echo(asyncio.DatagramProtocol):
    """A server that sends everything back; as a client it keeps what comes."""

    def __init__(self, answers: bool) -> None:
        self.answers, self.came = answers, list[tuple[float, bytes]]()

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # type: ignore[override]
        self.transport = transport

    def datagram_received(self, data: bytes, address: Address) -> None:
        self.came.append((time.monotonic(), data))
        if self.answers:
            self.transport.sendto(data, address)


@contextlib.asynccontextmanager
async def echoed() -> AsyncIterator[tuple[LossyLine, Echo]]:
    """A line to an echo, and a client at its other end."""
    loop, port = asyncio.get_running_loop(), free_port(SOCK_DGRAM)
    far, server = await loop.create_datagram_endpoint(lambda: Echo(True), local_addr=(SERVER_IP, port))
    async with LossyLine(port) as line:
        near, client = await loop.create_datagram_endpoint(lambda: Echo(False), remote_addr=(RELAY_IP, port))
        client.transport.sendto(b"who is there")
        await until(lambda: any(flow.out for flow in line.flows.values()))
        client.came.clear()
        yield line, client
        near.close()
    far.close()
    assert server.answers


async def test_a_good_line_carries_everything_and_remembers_its_sizes() -> None:
    async with echoed() as (line, client):
        for number in range(50):
            client.transport.sendto(bytes(number + 1))
        await until(lambda: len(client.came) == 50)
        (flow,) = line.flows.values()
        assert [packet.size for packet in flow.packets if packet.to == "client"][-50:] == list(range(1, 51))


async def test_a_bad_line_loses_its_share_both_ways() -> None:
    async with echoed() as (line, client):
        (flow,) = line.flows.values()
        flow.weather.loss = 0.2
        for _ in range(2000):
            client.transport.sendto(b"a")
            await asyncio.sleep(0)
        await asyncio.sleep(0.2)
        assert len(client.came) == pytest.approx(2000 * 0.8 * 0.8, rel=0.1)


async def test_a_late_line_delays_both_ways() -> None:
    async with echoed() as (line, client):
        (flow,) = line.flows.values()
        flow.weather.delay_s = 0.1
        sent_s = time.monotonic()
        client.transport.sendto(b"a")
        await until(lambda: bool(client.came))
        assert client.came[0][0] - sent_s >= 0.2


@pytest.mark.real
@pytest.mark.livekit
async def test_a_player_who_loses_a_tenth_of_his_packets_is_kept_and_heard(tmp_path: Path) -> None:
    async with behind_a_lossy_line(tmp_path / "livekit.log") as (server, line):
        room = LiveKitRoom(server, WallClock(), {1: "booth-one"})
        await room.open()
        line.weather = storm = Weather(loss=0.1, delay_s=0.3)
        async with joined(room, 1) as players:
            players[1].say(np.random.default_rng(1).integers(-9000, 9000, 4 * RATE_HZ, dtype=np.int16))
            worst_s, loud = 0.0, 0
            for _ in range(200):
                loud += sum(int(np.abs(frame.pcm.astype(int)).max()) > 500 for frame in room.read(1))
                room.write(1, np.zeros(FRAME_SAMPLES, dtype=np.int16))
                worst_s = max(worst_s, time.monotonic() - room.presence(1).seen_s)
                await asyncio.sleep(0.02)
            assert worst_s < LOST_S
            assert loud > 150, "what is lost is filled in"
            storm.loss = 1.0
            await asyncio.sleep(2)
            storm.loss, restored_s = 0.1, time.monotonic()
            await until(lambda: room.presence(1).seen_s > restored_s, THERE_S + 8)
        await room.close()
