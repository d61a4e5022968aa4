"""A spectator in the gallery of a LiveKit server, as any client may be one."""

import asyncio
import time
from typing import Any

import numpy as np
from livekit import rtc

from voice.livekit_link import Ear, hang_up
from voice.ports import Pcm


class Spectator:
    """What arrives, and when: loud frames and messages."""

    def __init__(self) -> None:
        self.room = rtc.Room()
        self.heard: list[float] = []
        self.read: list[tuple[float, bytes]] = []
        self.left = asyncio.Event()
        self._ear: Ear | None = None

    async def join(self, url: str, token: str) -> None:
        self.room.on("track_subscribed", self._on_track)
        self.room.on("data_received", lambda packet: self.read.append((time.monotonic(), packet.data)))
        self.room.on("disconnected", lambda _: self.left.set())
        await self.room.connect(url, token, rtc.RoomOptions(auto_subscribe=True))

    def _on_track(self, track: Any, *_of: Any) -> None:
        self._ear = Ear(track, self._on_frame)

    def _on_frame(self, pcm: Pcm) -> None:
        if int(np.abs(pcm.astype(int)).max()) > 1000:
            self.heard.append(time.monotonic())

    @property
    def hears(self) -> bool:
        return self._ear is not None

    async def leave(self) -> None:
        if self._ear is not None:
            self._ear.close()
        await hang_up(self.room, None)
