"""What both ends of a booth share: the topics of their messages, and sound by LiveKit's native library.

The SDK is made for one room: it wakes every joined room for every frame that any of them sends, runs two
coroutines for every frame received, and carries each line of the library's own debugging log into Python.
With ten rooms that costs more than the sound itself (figures in docs/rooms.md). Here the library's events pass
`on_event` first: a frame sent is a call or two into the library, a frame or message received is handed over in
the library's own thread, and the SDK gets the rest. This leans on inner parts of the SDK, whose version is
pinned therefore.
"""

from __future__ import annotations

import asyncio
import atexit
import ctypes
import logging
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import numpy as np
from livekit import rtc
from livekit.rtc import _ffi_client
from livekit.rtc._ffi_client import FfiClient, FfiHandle
from livekit.rtc._proto.audio_frame_pb2 import AudioStreamEvent, AudioStreamType
from livekit.rtc._proto.ffi_pb2 import FfiEvent, FfiRequest
from livekit.rtc.participant import PublishTrackError

from voice.ports import FRAME_MS, FRAME_S, FRAME_SAMPLES, RATE_HZ, Pcm

log = logging.getLogger(__name__)

FROM_MODERATOR_TOPIC = "moderator"
FROM_PLAYER_TOPIC = "player"

NATIVE_QUEUE_FRAMES = 10
"""Decoded sound waiting in the library, in its frames of 10 ms; the oldest are dropped beyond."""

BITRATE = 72_000
"""Opus leaves its speech model for the plain transform above 64 kbit/s: half the processor time, and better sound."""
MAX_BACKLOG_FRAMES = 5
"""A frame is lost while the library has not taken so many of each mouth: 100 ms."""

SOUND_LEAVES_S = 4.0
"""A published track lets its sound out after some 0.1 s. On a machine that is busy for seconds the library and the
server may miss each other while they agree on it, and nothing leaves, for ever."""
JOIN_TRIES = 4

REST_S = 2.0
"""The library has taken a connection down long before that."""
FRAME_BYTES = 2 * FRAME_SAMPLES
LONGEST_ANSWER = 16


def event_tag(field: str) -> bytes:
    """What the library's event of this kind begins with: its field number, as protobuf writes it."""
    event = FfiEvent()
    getattr(event, field).SetInParent()
    return event.SerializePartialToString()[:-1]


class Switchboard:
    """The library's event callback of this process. Everything in `on_event` runs in the library's threads."""

    def __init__(self) -> None:
        self.ears: dict[int, Callable[[AudioStreamEvent], None]] = {}
        self.readers: dict[int, Callable[[str, str, bytes], None]] = {}
        """Room handle -> what takes its data packets: identity of the sender, topic, body."""
        self.connecting = threading.Lock()
        """Held while a stream starts, so that its first frames wait until its ear is known."""
        self.given = self.taken = self.lost = self.mouths = 0
        """Pieces of sound given to the library, taken by it, lost; and the mouths that give them."""
        self.lib = FfiClient.instance._ffi_lib
        self._sent = event_tag("capture_audio_frame")
        self._heard = event_tag("audio_stream_event")
        self._room = event_tag("room_event")
        self._callback = _ffi_client.ffi_cb_fnc(self.on_event)
        # The same call by which the SDK announced its own callback, now without the debugging log.
        self.lib.livekit_ffi_initialize(self._callback, False, b"python", rtc.__version__.encode())
        atexit.register(_leave_the_library)

    def on_event(self, data: Any, size: int) -> None:
        tag = bytes(data[:2])
        if tag.startswith(self._sent):
            self.taken += 1
            # An error makes the event longer than a number can be; there is one kind: the queue was full.
            self.lost += size > LONGEST_ANSWER
        elif not (tag.startswith((self._heard, self._room)) and self._handed_over(ctypes.string_at(data, size))):
            _ffi_client.ffi_event_callback(data, size)

    def _handed_over(self, body: bytes) -> bool:
        event = FfiEvent.FromString(body)
        if event.HasField("audio_stream_event"):
            with self.connecting:
                ear = self.ears.get(event.audio_stream_event.stream_handle)
            if ear is not None:
                ear(event.audio_stream_event)
            return ear is not None
        packet = event.room_event.data_packet_received
        reader = self.readers.get(event.room_event.room_handle)
        if reader is None or not packet.HasField("user"):
            return False
        buffer = packet.user.data
        message = ctypes.string_at(buffer.data.data_ptr, buffer.data.data_len)
        self.lib.livekit_ffi_drop_handle(buffer.handle.id)
        reader(packet.participant_identity, packet.user.topic, message)
        return True


def _leave_the_library() -> None:
    """At the end of the process the library is left as it is, for the system to clear away.

    The SDK would free all its parts, and those of a connection that the server has just ended are still in use in the
    library's threads: one process in ten crashed on a busy machine.
    """
    FfiClient._ffi_disposed = True


_switchboard: Switchboard | None = None


def switchboard() -> Switchboard:
    global _switchboard
    if _switchboard is None:
        _switchboard = Switchboard()
    return _switchboard


def read_packets(room: rtc.Room, on_packet: Callable[[str, str, bytes], None]) -> Callable[[], None]:
    """Hand over the messages of a joined room (identity, topic, body), in the library's thread; returns its end."""
    assert room._ffi_handle is not None
    handle, readers = room._ffi_handle.handle, switchboard().readers
    readers[handle] = on_packet
    return lambda: readers.pop(handle, None) and None


class Post:
    """Sends the moderator's messages into one room after another, without waiting; `unsent` counts the lost ones."""

    def __init__(self, whose: str, to: Sequence[str] = (), at_once: int = 256) -> None:
        """`to`: identities; none: everybody in the room. `at_once`: more than so many under way are not taken."""
        self.unsent = 0
        self._whose, self._to, self._at_once = whose, list(to), at_once
        self._under_way: set[asyncio.Task[None]] = set()

    def send(self, room: rtc.Room | None, body: bytes) -> None:
        """While the line to the server is down nothing is kept: it would come later than its sound."""
        if room is None or not room.isconnected() or len(self._under_way) >= self._at_once:
            self.unsent += 1
            return
        task = asyncio.create_task(self._publish(room, body))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _publish(self, room: rtc.Room, body: bytes) -> None:
        try:
            await room.local_participant.publish_data(body, topic=FROM_MODERATOR_TOPIC, destination_identities=self._to)
        except Exception:
            self.unsent += 1
            log.exception("%s: a message was not sent", self._whose)


class Ear:
    """Hears one remote track: `on_frame(pcm)`, 960 samples, called in the library's thread; quick, never raising."""

    def __init__(self, track: rtc.RemoteAudioTrack, on_frame: Callable[[Pcm], None]) -> None:
        self._board, self._on_frame = switchboard(), on_frame
        request = FfiRequest()
        stream = request.new_audio_stream
        stream.track_handle = track._ffi_handle.handle
        stream.type = AudioStreamType.AUDIO_STREAM_NATIVE
        stream.sample_rate, stream.num_channels, stream.frame_size_ms = RATE_HZ, 1, FRAME_MS
        stream.queue_size_frames = NATIVE_QUEUE_FRAMES
        with self._board.connecting:
            self._handle = FfiHandle(FfiClient.instance.request(request).new_audio_stream.stream.handle.id)
            self._board.ears[self._handle.handle] = self._take

    def _take(self, event: AudioStreamEvent) -> None:
        if event.HasField("frame_received"):
            frame = event.frame_received.frame
            whole = frame.info.samples_per_channel == FRAME_SAMPLES
            body = ctypes.string_at(frame.info.data_ptr, FRAME_BYTES) if whole else b""
            self._board.lib.livekit_ffi_drop_handle(frame.handle.id)
            if whole:
                self._on_frame(np.frombuffer(body, dtype=np.int16))

    def close(self) -> None:
        self._handle.dispose()
        self._board.ears.pop(self._handle.handle, None)


class Mouth:
    """Speaks into one local track. `say` never blocks."""

    def __init__(self, name: str, queue_ms: int = 0, dtx: bool = False) -> None:
        """`queue_ms`: the library keeps time by itself, out of a queue of that length, and fills gaps with silence.
        0: the sound leaves as it is said, which is earlier, but somebody must speak or be silent every 20 ms.

        `dtx`: in silence hardly a packet is sent, as browsers do. Who must not tell by his packets whether somebody
        speaks leaves it off."""
        self._board = switchboard()
        self._source = rtc.AudioSource(RATE_HZ, 1, queue_size_ms=queue_ms)
        self.track = rtc.LocalAudioTrack.create_audio_track(name, self._source)
        self._buffer = np.zeros(FRAME_SAMPLES, dtype=np.int16)
        self._answer, self._size = ctypes.POINTER(ctypes.c_ubyte)(), ctypes.c_size_t()
        piece = FRAME_SAMPLES if queue_ms else RATE_HZ // 100  # without a queue it takes 10 ms at a time
        self._requests = [self._request(start, piece) for start in range(0, FRAME_SAMPLES, piece)]
        self._dtx = dtx
        self._board.mouths += 1

    def _request(self, start: int, samples: int) -> tuple[Any, ...]:
        """The arguments to take a piece out of the buffer: always the same, since the buffer never moves."""
        request = FfiRequest()
        capture = request.capture_audio_frame
        capture.source_handle = self._source._ffi_handle.handle
        capture.buffer.data_ptr = self._buffer[start:].ctypes.data
        capture.buffer.sample_rate, capture.buffer.num_channels = RATE_HZ, 1
        capture.buffer.samples_per_channel = samples
        body = request.SerializeToString()
        data = (ctypes.c_ubyte * len(body)).from_buffer_copy(body)
        return data, len(body), ctypes.byref(self._answer), ctypes.byref(self._size)

    async def publish(self, room: rtc.Room) -> None:
        """Returns when sound leaves. Raises `NoSound` when it does not: this connection will never carry any."""
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE, dtx=self._dtx, red=False)
        options.audio_encoding.max_bitrate = BITRATE
        try:
            async with asyncio.timeout(SOUND_LEAVES_S):
                await room.local_participant.publish_track(self.track, options)
                while not sum(one.outbound_rtp.sent.packets_sent for one in await self.track.get_stats()):
                    self.say(np.zeros(FRAME_SAMPLES, dtype=np.int16))
                    await asyncio.sleep(2 * FRAME_S)
        except (TimeoutError, PublishTrackError) as error:
            raise NoSound("no sound leaves for the server") from error

    def say(self, pcm: Pcm) -> None:
        """One frame: 960 samples of int16, copied by the library before this returns; lost while it is behind."""
        board = self._board
        if board.given - board.taken >= MAX_BACKLOG_FRAMES * len(self._requests) * board.mouths:
            board.lost += 1
            return
        self._buffer[:] = pcm
        for request in self._requests:
            board.lib.livekit_ffi_drop_handle(board.lib.livekit_ffi_request(*request))
            board.given += 1

    def close(self) -> None:
        """After the room was left. The library may still be taking the connection down: it keeps the sound a while."""
        self._board.mouths -= 1
        asyncio.get_running_loop().call_later(REST_S, self._free)

    def _free(self) -> None:
        self._source._ffi_handle.dispose()


class NoSound(ConnectionError):
    """The connection stands, and the sound that was published does not leave."""


async def until_sound_leaves(join: Callable[[], Awaitable[None]], leave: Callable[[], Awaitable[None]]) -> None:
    """Join; where no sound leaves, leave and join anew. Raises `NoSound` after `JOIN_TRIES`, and what `join` raises."""
    for tries_left in reversed(range(JOIN_TRIES)):
        try:
            await join()
            return
        except NoSound as silent:
            log.warning("%s: %s", silent, "joined anew" if tries_left else "given up")
            await leave()
            if not tries_left:
                raise


async def hang_up(room: rtc.Room, mouth: Mouth | None) -> None:
    """Leave the room and let go of the microphone, in this order.

    Where the server has ended the connection, the library takes it down in the background once the room is
    dropped; a source that is freed before that takes the process with it.
    """
    await room.disconnect()
    if room._ffi_handle is not None:
        room._ffi_handle.dispose()
    if mouth is not None:
        mouth.close()
