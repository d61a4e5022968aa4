"""Ten booths in memory: the same port as the LiveKit rooms, for tests and rehearsals, on any clock.

The player's side of a booth is a `MemorySeat`: what it says arrives in 20 ms frames at the pace of the clock,
with silence in between as from a real microphone, and it keeps what its booth played and sent.
"""

import secrets
from collections import deque
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from moderator.model import SEATS, Seat
from voice.ports import FRAME_S, FRAME_SAMPLES, SILENCE, Clock, Frame, Message, Pcm, Presence, Ticket
from voice.wire import TO_CLIENT, Do, Said

UNREAD_FRAMES = 50
HEARD_FRAMES = 3000
"""A minute of sound is kept a seat; silence is not kept."""
MESSAGE_BYTES = 4096


class MemorySeat:
    """One player. `on_message` and `on_frame`, where set, are called with what arrives."""

    def __init__(self, seat: Seat, clock: Clock) -> None:
        self.seat = seat
        self.heard: deque[Frame] = deque(maxlen=HEARD_FRAMES)
        """Frames that were not silent; `captured_s` is when the moderator wrote them."""
        self.messages: list[bytes] = []
        self.on_message: Callable[[bytes], None] | None = None
        self.on_frame: Callable[[Pcm], None] | None = None
        self.frames_unread = 0
        self.joined = False
        self.joins, self.left_s = 0, 0.0
        self._clock = clock
        self._unsaid: deque[Pcm] = deque()
        self._next_s = 0.0
        self._sent: list[Message] = []

    # --- what a player does -----------------------------------------------------------------------

    def join(self) -> None:
        if not self.joined:
            self.joined, self._next_s = True, self._clock.now()
            self.joins += 1

    def leave(self) -> None:
        self.joined, self.left_s = False, self._clock.now()
        self._unsaid.clear()

    def say(self, pcm: Pcm) -> None:
        """Speak, after what is already being said: mono int16 at 48 kHz, any length."""
        padded = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES))
        self._unsaid.extend(padded.reshape(-1, FRAME_SAMPLES))

    @property
    def speaking(self) -> bool:
        return bool(self._unsaid)

    def press(self, do: Do) -> None:
        self.send_bytes(do.model_dump_json().encode())

    def send_bytes(self, body: bytes) -> None:
        if self.joined and len(body) <= MESSAGE_BYTES:
            self._sent.append(Message(self.seat, body, self._clock.now()))

    def received(self) -> list[Said]:
        """All messages so far, read."""
        return [TO_CLIENT.validate_json(body) for body in self.messages]

    # --- what the room does -----------------------------------------------------------------------

    def captured(self) -> list[Frame]:
        """The frames whose 20 ms are over, at most a second of them; the older ones are lost."""
        frames: deque[Frame] = deque(maxlen=UNREAD_FRAMES)
        # A hair of tolerance: the sum of many floats of 0.02 must not skip a frame.
        while self.joined and self._next_s + FRAME_S <= self._clock.now() + 1e-6:
            self.frames_unread += len(frames) == UNREAD_FRAMES
            frames.append(Frame(self._unsaid.popleft() if self._unsaid else SILENCE, self._next_s))
            self._next_s += FRAME_S
        return list(frames)

    def sent(self) -> list[Message]:
        messages, self._sent = self._sent, []
        return messages

    def play(self, pcm: Pcm) -> None:
        if not self.joined:
            return
        if pcm.any():
            self.heard.append(Frame(pcm.copy(), self._clock.now()))
        if self.on_frame is not None:
            self.on_frame(pcm)

    def deliver(self, body: bytes) -> None:
        if not self.joined:
            return
        self.messages.append(body)
        if self.on_message is not None:
            self.on_message(body)


class MemoryRoom:
    """`voice.ports.Room` without a server and without a gallery. `room.seats[3]` is the player of seat 3; all have
    joined at `open`."""

    def __init__(self, clock: Clock, seats: Iterable[Seat] = SEATS) -> None:
        self._clock = clock
        self.seats = {seat: MemorySeat(seat, clock) for seat in seats}
        self._tokens = {seat: secrets.token_urlsafe(16) for seat in self.seats}

    async def open(self) -> None:
        for seat in self.seats.values():
            seat.join()

    def ticket(self, seat: Seat) -> Ticket:
        return Ticket(seat, "memory:", self._tokens[seat])

    def read(self, seat: Seat) -> Sequence[Frame]:
        return self.seats[seat].captured()

    def write(self, listener: int, pcm: Pcm) -> None:
        if listener in self.seats:
            self.seats[listener].play(pcm)

    def send(self, listener: int, body: bytes) -> None:
        if listener in self.seats:
            self.seats[listener].deliver(body)

    def receive(self) -> Sequence[Message]:
        messages = [message for seat in self.seats.values() for message in seat.sent()]
        return sorted(messages, key=lambda message: message.at_s)

    def present(self) -> frozenset[Seat]:
        return frozenset(seat for seat, player in self.seats.items() if player.joined)

    def presence(self, seat: Seat) -> Presence:
        player = self.seats[seat]
        return Presence(self._clock.now() if player.joined else player.left_s, player.joins)

    async def hear_out(self) -> None: ...
    async def close(self) -> None:
        for seat in self.seats.values():
            seat.leave()
