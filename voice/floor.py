"""The audio loop: every 20 ms it reads ten microphones and fills ten pairs of ears, and the gallery's.

It gates nothing by itself: `routes` says who hears whom, the narrator adds his own voice, and each
microphone runs through a voice gate that cuts it into utterances, whoever holds the floor.
"""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from moderator.model import SEATS, Seat
from voice.echo import Echo
from voice.ports import FRAME_S, FRAME_SAMPLES, SILENCE, Clip, Clock, Pcm, Room
from voice.routing import GALLERY

log = logging.getLogger(__name__)

MAX_QUEUED_FRAMES = 4
"""A microphone that arrives in bursts is smoothed over 80 ms at most; older sound is dropped."""
TRIM_TICKS = 50
"""A queue that never ran empty for this long (1 s) only adds delay: it loses a frame."""
LATE_S = 0.5
"""After a stall longer than this the loop does not catch up: it starts counting anew."""


class Gate(Protocol):
    """Cuts one microphone into utterances; `voice.gate.VoiceGate` is the real one."""

    speaking: bool

    def push(self, pcm: Pcm, captured_s: float) -> list[Clip]: ...

    def flush(self, at_s: float) -> list[Clip]: ...

    def running(self) -> Clip | None: ...

    def ending(self) -> Clip | None: ...


class Voice(Protocol):
    """The narrator as the audio loop sees him."""

    def frames(self) -> Mapping[int, Pcm]:
        """The next 20 ms of each listener to whom he speaks."""
        ...


class Floor:
    """Moves the sound. Owns no rule: `hears` is asked anew for every frame."""

    def __init__(
        self,
        room: Room,
        clock: Clock,
        voice: Voice,
        gates: Mapping[Seat, Gate],
        hears: Callable[[float], Mapping[int, frozenset[Seat]]],
        on_clip: Callable[[Clip], None],
        record: Callable[[Mapping[Seat, Pcm], Pcm | None], None] | None = None,
        on_ending: Callable[[Clip], None] = lambda _: None,
    ) -> None:
        """`record` takes what the gallery hears, whether there is one or not: the seats, and the narrator.

        `on_ending` takes an utterance that has ended if its seat does not go on at once; `on_clip` the same one then.
        """
        self._room, self._clock, self._voice = room, clock, voice
        self._gates, self._hears, self._on_clip, self._record = gates, hears, on_clip, record
        self._on_ending = on_ending
        self._queued: dict[Seat, deque[Pcm]] = {seat: deque(maxlen=MAX_QUEUED_FRAMES) for seat in SEATS}
        self._typed: dict[Seat, deque[Pcm]] = {seat: deque() for seat in SEATS}
        """Typed words as sound: they take the microphone's place for as long as somebody hears the seat."""
        self._spare: dict[Seat, int] = dict.fromkeys(SEATS, MAX_QUEUED_FRAMES)
        """The least that was left in each queue since it was last looked at."""
        self._echoes = {seat: Echo() for seat in SEATS}
        self._ticks = self._late = self._stalls = self._echoed = 0

    @property
    def counts(self) -> dict[str, int]:
        """Frames since the start; those of them that left more than a frame after they were due; the stalls;
        and the utterances that were the narrator's echo."""
        return {
            "frames": self._ticks,
            "frames_late": self._late,
            "stalls": self._stalls,
            "echoes": self._echoed,
        }

    async def run(self) -> None:
        due_s = self._clock.now()
        while True:
            self._late += self._clock.now() - due_s > FRAME_S
            self.tick()
            due_s += FRAME_S
            now_s = self._clock.now()
            if now_s - due_s > LATE_S:
                self._stalls += 1
                log.warning("the audio loop stalled for %.0f ms", 1000 * (now_s - due_s))
                due_s = now_s
            if due_s > now_s:
                await self._clock.sleep_until(due_s)
            else:
                await asyncio.sleep(0)

    def tick(self) -> None:
        for seat in SEATS:
            for frame in self._room.read(seat):
                self._queued[seat].append(frame.pcm)
                for clip in self._gates[seat].push(frame.pcm, frame.captured_s):
                    self._cut(clip)
                if (said := self._gates[seat].ending()) is not None and not self._echoes[seat].heard_in(said):
                    self._on_ending(said)
        now = {seat: queue.popleft() for seat, queue in self._queued.items() if queue}
        self._trim()
        spoken = self._voice.frames()
        hears = self._hears(self._clock.now())
        for seat in frozenset().union(*hears.values()):
            if self._typed[seat]:
                now[seat] = self._typed[seat].popleft()
        mixed: dict[tuple[int, ...], Pcm] = {}  # most listeners hear the same
        for listener, sources in hears.items():
            voices = {source: now[source] for source in sources if source in now}
            narrator = spoken.get(listener)
            if narrator is not None and listener in self._echoes:
                self._echoes[listener].played(narrator, self._clock.now())
            parts = [*voices.values(), *([] if narrator is None else [narrator])]
            same = tuple(map(id, parts))
            if same not in mixed:
                mixed[same] = mix(parts)
            self._room.write(listener, mixed[same])
            if listener == GALLERY and self._record is not None:
                self._record(voices, narrator)

    def _trim(self) -> None:
        """Late frames make a queue longer for good; what is never needed is given up, a frame a second."""
        for seat, queue in self._queued.items():
            self._spare[seat] = min(self._spare[seat], len(queue))
        self._ticks += 1
        if self._ticks % TRIM_TICKS == 0:
            for seat, spare in self._spare.items():
                if spare > 0:
                    self._queued[seat].popleft()
                self._spare[seat] = MAX_QUEUED_FRAMES

    def speaking(self, seat: Seat) -> bool:
        return self._gates[seat].speaking or bool(self._typed[seat])

    def running(self, seat: Seat) -> Clip | None:
        return self._gates[seat].running()

    def say_for(self, seat: Seat, pcm: Pcm) -> None:
        padded = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES))
        self._typed[seat].extend(padded.reshape(-1, FRAME_SAMPLES))

    def unsaid_s(self, seat: Seat) -> float:
        return len(self._typed[seat]) * FRAME_S

    def hush(self, seat: Seat) -> None:
        self._typed[seat].clear()

    def flush(self, seat: Seat, at_s: float) -> None:
        """End the seat's running utterance now: the floor has closed."""
        for clip in self._gates[seat].flush(at_s):
            self._cut(clip)

    def _cut(self, clip: Clip) -> None:
        if self._echoes[clip.seat].heard_in(clip):
            self._echoed += 1
        else:
            self._on_clip(clip)


def mix(parts: list[Pcm]) -> Pcm:
    """The sum of frames of 960 samples, clipped to 16 bits; silence for none."""
    if not parts:
        return SILENCE
    if len(parts) == 1:
        return parts[0]
    return np.clip(np.sum(parts, axis=0, dtype=np.int32), -32768, 32767).astype(np.int16)
