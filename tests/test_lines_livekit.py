"""Lines that break, on a real server: a frozen client, LiveKit's own reconnections, a server that is killed."""

import asyncio
import json
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path

import pytest
from booth_kit import WallClock, joined, until
from livekit.rtc._proto.room_pb2 import SimulateScenarioKind

from moderator.model import Seat
from voice import livekit_server
from voice.client_livekit import Player
from voice.lines import LOST_S, THERE_S
from voice.livekit_server import Server
from voice.room_livekit import LiveKitRoom

pytestmark = [pytest.mark.real, pytest.mark.livekit]


class Killable:
    """A server that can be killed and started again with the same address and keys."""

    def __init__(self, log: Path) -> None:
        port, tcp_port = (livekit_server.free_port(socket.SOCK_STREAM) for _ in range(2))
        udp_port, secret = livekit_server.free_port(socket.SOCK_DGRAM), "secret" * 6
        self.config, self.port, self.log = (
            livekit_server.loopback_config(port, tcp_port, udp_port, "k", secret),
            port,
            log,
        )
        self.server = Server(f"ws://127.0.0.1:{port}", "k", secret)

    async def start(self) -> None:
        self.process = await livekit_server.spawn(livekit_server.find(), self.config, self.log)
        assert await livekit_server.answers(self.port, self.process)

    async def kill(self) -> None:
        self.process.kill()
        await self.process.wait()


@pytest.fixture
async def killable(tmp_path: Path) -> AsyncIterator[Killable]:
    server = Killable(tmp_path / "livekit.log")
    await server.start()
    yield server
    await livekit_server.stop(server.process)


@pytest.fixture
async def room(killable: Killable) -> AsyncIterator[LiveKitRoom]:
    room = LiveKitRoom(killable.server, WallClock(), {1: "booth-one", 2: "booth-two"})
    await room.open()
    yield room
    await room.close()


def silent_s(room: LiveKitRoom, seat: Seat) -> float:
    return time.monotonic() - room.presence(seat).seen_s


async def test_a_killed_server_that_is_started_again_gets_its_booths_back(
    killable: Killable, room: LiveKitRoom
) -> None:
    async with joined(room, 1, 2):
        await killable.kill()
        await until(lambda: not (room.presence(1).ours or room.presence(2).ours), 10)
        await killable.start()
        await until(lambda: room.presence(1).ours and room.presence(2).ours and room.present() == {1, 2}, 30)
        await until(lambda: silent_s(room, 1) < 0.5, 10)


@pytest.mark.parametrize("scenario", ["SIMULATE_SIGNAL_RECONNECT", "SIMULATE_FULL_RECONNECT"])
async def test_a_client_that_reconnects_by_itself_is_not_lost(room: LiveKitRoom, scenario: str) -> None:
    async with joined(room, 1) as players:
        inside = players[1]._room
        assert inside is not None
        await inside.simulate_scenario(SimulateScenarioKind.Value(scenario))
        worst_s = 0.0
        for _ in range(30):
            await asyncio.sleep(0.1)
            worst_s = max(worst_s, silent_s(room, 1))
        assert worst_s < LOST_S
        assert room.present() == {1}


async def test_sound_is_a_sign_of_life_where_no_message_comes(room: LiveKitRoom) -> None:
    async with joined(room, 1) as players:
        players[1]._living.cancel()  # type: ignore[union-attr]
        await asyncio.sleep(4)
        assert silent_s(room, 1) < THERE_S + 1


async def test_a_frozen_client_gives_no_sign_and_one_that_thaws_does(room: LiveKitRoom, tmp_path: Path) -> None:
    tickets = tmp_path / "tickets.json"
    tickets.write_text(json.dumps([asdict(room.ticket(seat)) for seat in (1, 2)]), encoding="utf-8")
    script = Path(__file__).with_name("guests.py")
    environment = {**os.environ, "PYTHONPATH": str(script.parent.parent)}
    guests = await asyncio.create_subprocess_exec(sys.executable, str(script), str(tickets), env=environment)
    try:
        await until(lambda: room.present() == {1, 2}, 30)
        guests.send_signal(signal.SIGSTOP)
        await until(lambda: silent_s(room, 1) >= LOST_S and silent_s(room, 2) >= LOST_S, 3 * LOST_S)
        guests.send_signal(signal.SIGCONT)
        await until(lambda: silent_s(room, 1) < 1 and silent_s(room, 2) < 1, 10)
    finally:
        guests.kill()
        await guests.wait()


async def test_a_player_can_leave_twice(room: LiveKitRoom) -> None:
    player = Player()
    await player.join(room.ticket(1).url, room.ticket(1).token)
    await player.leave()
    await player.leave()
