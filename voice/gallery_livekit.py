"""The gallery: one LiveKit room in which spectators hear and read what is public, as late as the table wishes.

The moderator alone publishes there, one track. Who comes in may only subscribe and read, and does not see the others.
"""

import asyncio
import logging
from collections import deque
from typing import Any

from livekit import rtc

from voice.livekit_link import Mouth, Post, hang_up
from voice.livekit_ticket import MODERATOR
from voice.ports import FRAME_S, SILENCE, Pcm
from voice.wire import TO_CLIENT, Table

log = logging.getLogger(__name__)

SPECTATORS = 100
"""At most so many at a time."""
AGAIN_FRAMES = 100
"""Who comes late is told within two seconds how the table stands."""
UNSENT_MESSAGES = 64


class DelayLine:
    """Frames of sound come out so many frames after they went in, and each message with the frame it came before.

    It counts frames, not seconds, so that sound, captions and board cannot part; where the sound stalls, all wait.
    """

    def __init__(self, frames: int) -> None:
        self._frames = frames
        self._line: deque[tuple[Pcm, list[bytes]]] = deque()
        self._told: list[bytes] = []

    def tell(self, body: bytes) -> None:
        self._told.append(body)

    def push(self, pcm: Pcm) -> tuple[Pcm, list[bytes]] | None:
        """What comes out as this frame goes in; None as long as nothing is old enough."""
        self._line.append((pcm, self._told))
        self._told = []
        return self._line.popleft() if len(self._line) > self._frames else None

    def pop(self) -> tuple[Pcm, list[bytes]] | None:
        """The next that would come out, when nothing goes in any more; None: the line is empty."""
        return self._line.popleft() if self._line else None


class Gallery:
    """The moderator's side of it. `write` is called once every 20 ms."""

    def __init__(self, name: str, delay_s: float) -> None:
        self.name, self.most = name, SPECTATORS + 1
        self.lost, self.taken = True, False
        """As of `booth_livekit.Booth`: not in, so to be joined; or a newer process of this game is in."""
        self._line = DelayLine(round(delay_s / FRAME_S))
        self._room: rtc.Room | None = None
        self._mouth: Mouth | None = None
        self._shown: Table | None = None
        self._age_frames = 0
        """How long ago the table was shown last, and told to whoever was there."""
        self._post = Post(str(self), at_once=UNSENT_MESSAGES)

    def __str__(self) -> str:
        return "the gallery"

    @property
    def ours(self) -> bool:
        return self._room is not None and self._room.connection_state == rtc.ConnectionState.CONN_CONNECTED

    async def join(self, url: str, token: str) -> None:
        self.lost = True
        room = self._room = rtc.Room()
        room.on("disconnected", self._on_disconnected)
        await room.connect(url, token, rtc.RoomOptions(auto_subscribe=False))
        self._mouth = Mouth(MODERATOR)
        await self._mouth.publish(room)
        self.lost = False

    async def look(self) -> None:
        """Nobody in the gallery is looked after: spectators come and go."""

    async def leave(self) -> None:
        room, self._room = self._room, None
        mouth, self._mouth = self._mouth, None
        if room is not None:
            await hang_up(room, mouth)

    def _on_disconnected(self, reason: Any) -> None:
        if self._room is not None:
            self.taken = reason == rtc.DisconnectReason.DUPLICATE_IDENTITY
            self.lost = not self.taken
            log.warning("the gallery: the server ended the connection (%s)", reason)

    # --- what is public ---------------------------------------------------------------------------

    def write(self, pcm: Pcm) -> None:
        self._out(*(self._line.push(pcm) or (SILENCE, [])))

    def send(self, body: bytes) -> None:
        self._line.tell(body)

    async def hear_out(self) -> None:
        """After the last `write`: let the spectators hear what is still on its way, at its own pace."""
        loop = asyncio.get_running_loop()
        due_s = loop.time()
        while (out := self._line.pop()) is not None:
            self._out(*out)
            due_s += FRAME_S
            await asyncio.sleep(max(0.0, due_s - loop.time()))

    def _out(self, pcm: Pcm, told: list[bytes]) -> None:
        if self._mouth is not None:
            self._mouth.say(pcm)
        for body in told:
            message = TO_CLIENT.validate_json(body)
            if isinstance(message, Table):
                self._shown, self._age_frames = message, 0
            self._tell(body)
        self._age_frames += 1
        if self._shown is not None and self._age_frames % AGAIN_FRAMES == 0:
            self._tell(self._as_it_is_now(self._shown).model_dump_json().encode())

    def _as_it_is_now(self, shown: Table) -> Table:
        if shown.ends_in_s is None:
            return shown
        left_s = max(0.0, shown.ends_in_s - self._age_frames * FRAME_S)
        return shown.model_copy(update={"ends_in_s": round(left_s, 2)})

    def _tell(self, body: bytes) -> None:
        self._post.send(self._room, body)
