"""An ordinary player in a LiveKit room: a microphone, two ears, keys. What the robots and the tests join with.

Knows nothing of the moderator but what any client knows: his identity, the topics and the messages of `voice.wire`.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
from livekit import rtc

from voice.livekit_link import FROM_MODERATOR_TOPIC, FROM_PLAYER_TOPIC, Ear, Mouth, NoSound, hang_up, until_sound_leaves
from voice.ports import FRAME_S, FRAME_SAMPLES, Pcm
from voice.wire import Do

log = logging.getLogger(__name__)

QUEUE_MS = 60
HERE_EVERY_S = 1.0
LEAD_MS = 40
"""Speech runs this far ahead of real time, so that a late wake-up leaves no hole in it."""


class Player:
    """One participant. `on_frame` gets each 20 ms heard (960 samples, 48 kHz), `on_message` each message's bytes.

    Both are called in the event loop. Between two utterances the microphone goes on sending silence by itself.
    """

    def __init__(
        self,
        on_frame: Callable[[Pcm], None] | None = None,
        on_message: Callable[[bytes], None] | None = None,
        dtx: bool = False,
    ) -> None:
        """`dtx`: send next to nothing in silence, as browsers do; speech then arrives some 40 ms later. Who has no
        `on_frame` when he joins is sent no sound."""
        self._on_frame, self._on_message, self._dtx = on_frame, on_message, dtx
        self._room: rtc.Room | None = None
        self._mouth: Mouth | None = None
        self._ear: Ear | None = None
        self._unsaid: deque[Pcm] = deque()
        self._speaking: asyncio.Task[None] | None = None
        self._living: asyncio.Task[None] | None = None
        self.hears = asyncio.Event()
        """Set while the moderator's sound arrives."""
        self.left = asyncio.Event()
        """Set when the room was left, by either side."""

    def listen(self, on_frame: Callable[[Pcm], None], on_message: Callable[[bytes], None]) -> None:
        """Set who takes what arrives; before `join`."""
        self._on_frame, self._on_message = on_frame, on_message

    async def join(self, url: str, token: str) -> None:
        """Connect and publish the microphone. Raises `ConnectionError` when refused, or when no sound leaves after
        several tries. Must not be cancelled."""
        self._loop = asyncio.get_running_loop()
        try:
            await until_sound_leaves(lambda: self._connect(url, token), self._hang_up)
        except (rtc.ConnectError, NoSound) as refused:
            await self.leave()
            raise ConnectionError(str(refused)) from refused
        self._living = asyncio.create_task(self._live())

    async def _connect(self, url: str, token: str) -> None:
        room = self._room = rtc.Room()
        room.on("track_subscribed", self._on_subscribed)
        room.on("track_unsubscribed", self._on_unsubscribed)
        room.on("data_received", self._on_data)
        room.on("disconnected", lambda _reason: self.left.set() if room is self._room else None)
        self._mouth = Mouth("microphone", QUEUE_MS, dtx=self._dtx)
        await room.connect(url, token, rtc.RoomOptions(auto_subscribe=self._on_frame is not None))
        await self._mouth.publish(room)

    async def _live(self) -> None:
        """The sign of life that a client owes."""
        while not self.left.is_set():
            with contextlib.suppress(Exception):  # between two connections
                await self.send(Do(what="here"))
            await asyncio.sleep(HERE_EVERY_S)

    async def leave(self) -> None:
        self.hush()
        if self._living is not None:
            self._living.cancel()
        await self._hang_up()
        self.left.set()

    async def _hang_up(self) -> None:
        self._close_ear()
        room, self._room = self._room, None
        mouth, self._mouth = self._mouth, None
        if room is not None:
            await hang_up(room, mouth)

    # --- microphone -------------------------------------------------------------------------------

    def say(self, pcm: Pcm) -> None:
        """Queue speech of any length (mono int16, 48 kHz); it leaves in real time, after what is already queued."""
        padded = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES))
        self._unsaid.extend(padded.reshape(-1, FRAME_SAMPLES))
        if self._speaking is None or self._speaking.done():
            self._speaking = asyncio.create_task(self._speak())

    async def said(self) -> None:
        """Returns when everything queued has left the microphone."""
        while self._speaking is not None and not self._speaking.done():
            await asyncio.wait({self._speaking})

    def hush(self) -> None:
        """Stop speaking at once (within `LEAD_MS`)."""
        self._unsaid.clear()

    async def _speak(self) -> None:
        due_s = self._loop.time() - LEAD_MS / 1000
        while self._unsaid and self._mouth is not None:
            self._mouth.say(self._unsaid.popleft())
            due_s += FRAME_S
            await asyncio.sleep(max(0.0, due_s - self._loop.time()))
        await asyncio.sleep(LEAD_MS / 1000)

    # --- ears -------------------------------------------------------------------------------------

    def _on_subscribed(self, track: Any, *_of: Any) -> None:
        self._close_ear()
        if self._on_frame is not None and isinstance(track, rtc.RemoteAudioTrack):
            self._ear = Ear(track, self._hand_over)
        self.hears.set()

    def _on_unsubscribed(self, *_of: Any) -> None:
        self._close_ear()

    def _hand_over(self, pcm: Pcm) -> None:
        """In the library's thread."""
        assert self._on_frame is not None
        with contextlib.suppress(RuntimeError):  # the loop has closed
            self._loop.call_soon_threadsafe(self._on_frame, pcm)

    def _close_ear(self) -> None:
        self.hears.clear()
        ear, self._ear = self._ear, None
        if ear is not None:
            ear.close()

    # --- messages ---------------------------------------------------------------------------------

    async def send(self, do: Do) -> None:
        """Press a key."""
        await self.send_bytes(do.model_dump_json().encode())

    async def send_bytes(self, body: bytes, topic: str = FROM_PLAYER_TOPIC) -> None:
        """What a client may send and an honest one does not."""
        if self._room is None:
            raise ConnectionError("not in a room")
        await self._room.local_participant.publish_data(body, topic=topic)

    def _on_data(self, packet: rtc.DataPacket) -> None:
        if packet.topic == FROM_MODERATOR_TOPIC and self._on_message is not None:
            self._on_message(packet.data)
