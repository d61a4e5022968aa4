"""Players in booths on a real LiveKit server: who joins, listens, and is waited for."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable

from moderator.model import Seat
from voice.client_livekit import Player
from voice.ports import Pcm
from voice.room_livekit import LiveKitRoom


class WallClock:
    def now(self) -> float:
        return time.monotonic()

    async def sleep_until(self, at_s: float) -> None:
        await asyncio.sleep(max(0.0, at_s - time.monotonic()))


@contextlib.asynccontextmanager
async def joined(room: LiveKitRoom, *seats: Seat) -> AsyncIterator[dict[Seat, Player]]:
    """Players of these seats, present, keeping what they hear in `heard` and `read`."""
    players = {seat: listener() for seat in seats}
    try:
        for seat, player in players.items():
            await player.join(room.ticket(seat).url, room.ticket(seat).token)
        await until(
            lambda: room.present() >= set(seats) and all(player.hears.is_set() for player in players.values()),
            seconds=30,
        )
        yield players
    finally:
        for player in players.values():
            await player.leave()


class Listener(Player):
    def __init__(self) -> None:
        super().__init__(on_frame=lambda pcm: self.heard.append(pcm), on_message=lambda body: self.read.append(body))
        self.heard: list[Pcm] = []
        self.read: list[bytes] = []


def listener() -> Player:
    return Listener()


async def until(condition: Callable[[], bool], seconds: float = 8.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        await asyncio.sleep(0.02)
