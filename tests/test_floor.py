"""The audio loop moves each frame to whom it may reach, and to nobody else."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from test_echo import clip, late, speech

from moderator.model import SEATS, Seat
from voice.clock import VirtualClock
from voice.floor import Floor, mix
from voice.noises import through_a_wall
from voice.ports import FRAME_S, FRAME_SAMPLES, Clip, Frame, Message, Pcm, Presence, Ticket
from voice.routing import GALLERY, LISTENERS


def tone(level: int) -> Pcm:
    return np.full(FRAME_SAMPLES, level, dtype=np.int16)


class FakeRoom:
    def __init__(self) -> None:
        self.spoken: dict[Seat, list[Frame]] = {seat: [] for seat in SEATS}
        self.heard: dict[int, list[Pcm]] = {listener: [] for listener in LISTENERS}

    def read(self, seat: Seat) -> Sequence[Frame]:
        frames, self.spoken[seat] = self.spoken[seat], []
        return frames

    def write(self, listener: int, pcm: Pcm) -> None:
        self.heard[listener].append(pcm)

    async def open(self) -> None: ...
    async def hear_out(self) -> None: ...
    async def close(self) -> None: ...
    def ticket(self, seat: Seat) -> Ticket:
        return Ticket(seat, "", "")

    def send(self, listener: int, body: bytes) -> None: ...
    def receive(self) -> Sequence[Message]:
        return ()

    def present(self) -> frozenset[Seat]:
        return frozenset(SEATS)

    def presence(self, seat: Seat) -> Presence:
        return Presence(0.0, 1)


class StoppedClock:
    def now(self) -> float:
        return 5.0

    async def sleep_until(self, at_s: float) -> None: ...


class SilentVoice:
    def __init__(self, private: Mapping[Seat, Pcm] | None = None, public: Pcm | None = None) -> None:
        self.private, self.public = private or {}, public

    def frames(self) -> Mapping[int, Pcm]:
        return {**(dict.fromkeys(LISTENERS, self.public) if self.public is not None else {}), **self.private}


class OneClipGate:
    """Every frame is an utterance: shows which microphones are cut."""

    speaking = False

    def __init__(self, seat: Seat) -> None:
        self.seat = seat

    def push(self, pcm: Pcm, captured_s: float) -> list[Clip]:
        return [Clip(self.seat, pcm, captured_s, captured_s)]

    def flush(self, at_s: float) -> list[Clip]:
        return []

    def running(self) -> Clip | None:
        return None

    def ending(self) -> Clip | None:
        return None


def make_floor(
    room: FakeRoom, hears: Mapping[int, frozenset[Seat]], voice: SilentVoice, clips: list[Clip], tape: list[Pcm]
) -> Floor:
    gates = {seat: OneClipGate(seat) for seat in SEATS}

    def keep(voices: Mapping[Seat, Pcm], narrator: Pcm | None) -> None:
        tape.append(mix([*voices.values(), *([] if narrator is None else [narrator])]))

    return Floor(room, StoppedClock(), voice, gates, lambda _: hears, clips.append, keep)


def test_a_frame_reaches_its_listeners_and_nobody_else() -> None:
    room, clips, tape = FakeRoom(), list[Clip](), list[Pcm]()
    for seat in SEATS:
        room.spoken[seat].append(Frame(tone(100 * seat), 4.98))
    hears = {seat: frozenset({7}) if seat in (1, 2) else frozenset[Seat]() for seat in SEATS}
    make_floor(room, hears, SilentVoice(), clips, tape).tick()
    assert [room.heard[seat][0][0] for seat in SEATS] == [700, 700, 0, 0, 0, 0, 0, 0, 0, 0]
    assert [clip.seat for clip in clips] == list(SEATS), "every microphone runs through its gate, floor or not"


def test_typed_words_go_where_the_microphone_would_and_wait_where_it_may_not() -> None:
    room, tape, hears = FakeRoom(), list[Pcm](), dict.fromkeys(LISTENERS, frozenset[Seat]())
    floor = make_floor(room, hears, SilentVoice(), [], tape)
    floor.say_for(7, np.concatenate([tone(700), tone(710)]))
    room.spoken[7].append(Frame(tone(50), 4.98))
    floor.tick()
    assert not any(frames[0].any() for frames in room.heard.values()) and floor.speaking(7)
    hears |= {seat: frozenset({7}) for seat in LISTENERS if seat != 7}
    floor.tick()
    hears |= dict.fromkeys(LISTENERS, frozenset[Seat]())
    floor.tick()
    hears |= {seat: frozenset({7}) for seat in LISTENERS if seat != 7}
    floor.tick()
    assert [int(pcm[0]) for pcm in room.heard[1]] == [0, 700, 0, 710]
    assert not any(pcm.any() for pcm in room.heard[7]) and not floor.speaking(7)
    assert [int(pcm[0]) for pcm in tape] == [0, 700, 0, 710], "the recording holds them like any voice"


def test_a_private_line_sounds_in_its_booth_only_and_is_not_recorded() -> None:
    room, tape = FakeRoom(), list[Pcm]()
    hears = dict.fromkeys(LISTENERS, frozenset[Seat]())
    make_floor(room, hears, SilentVoice({4: tone(900)}), [], tape).tick()
    assert [int(room.heard[seat][0].max()) for seat in SEATS] == [0, 0, 0, 900, 0, 0, 0, 0, 0, 0]
    assert not tape[0].any()


def test_the_gallery_and_the_recording_hold_the_narrator_and_the_floor_but_no_meeting() -> None:
    room, tape = FakeRoom(), list[Pcm]()
    room.spoken[7].append(Frame(tone(50), 4.98))
    floor = {listener: frozenset({7}) if listener != 7 else frozenset[Seat]() for listener in LISTENERS}
    make_floor(room, floor, SilentVoice(public=tone(1000)), [], tape).tick()
    assert tape[0][0] == room.heard[GALLERY][0][0] == 1050
    room.spoken[1].append(Frame(tone(60), 4.98))
    meeting = {listener: frozenset({1}) if listener in (2, 3) else frozenset[Seat]() for listener in LISTENERS}
    make_floor(room, meeting, SilentVoice(), [], tape).tick()
    assert not tape[1].any() and not room.heard[GALLERY][1].any()


def test_the_recording_has_each_voice_apart() -> None:
    kept: list[tuple[dict[Seat, Pcm], Pcm | None]] = []
    room, gates = FakeRoom(), {seat: OneClipGate(seat) for seat in SEATS}
    hears = {listener: frozenset({7}) if listener != 7 else frozenset[Seat]() for listener in LISTENERS}
    floor = Floor(
        *(room, StoppedClock(), SilentVoice(public=tone(1000)), gates, lambda _: hears, list[Clip]().append),
        lambda voices, narrator: kept.append((dict(voices), narrator)),
    )
    room.spoken[7].append(Frame(tone(50), 4.98))
    room.spoken[4].append(Frame(tone(60), 4.98))
    floor.tick()
    ((voices, narrator),) = kept
    assert {seat: int(pcm[0]) for seat, pcm in voices.items()} == {7: 50}, "who is not heard is not recorded"
    assert narrator is not None and narrator[0] == 1000


def test_a_microphone_that_bursts_is_played_frame_by_frame_and_bounded() -> None:
    room = FakeRoom()
    hears = {seat: frozenset({7}) if seat == 1 else frozenset[Seat]() for seat in SEATS}
    floor = make_floor(room, hears, SilentVoice(), [], [])
    room.spoken[7] = [Frame(tone(level), 4.9) for level in range(1, 8)]
    for _ in range(6):
        floor.tick()
    assert [int(pcm[0]) for pcm in room.heard[1]] == [4, 5, 6, 7, 0, 0], "80 ms are kept, older sound is dropped"


def test_mixing_clips_instead_of_wrapping() -> None:
    assert mix([tone(30000), tone(30000)])[0] == 32767
    assert mix([tone(-30000), tone(-30000)])[0] == -32768


class SlowClock(StoppedClock):
    """Each sleep ends so much later than it should; the loop is stopped after ten."""

    def __init__(self, late_s: float) -> None:
        self._now_s, self._late_s, self._sleeps = 0.0, late_s, 0

    def now(self) -> float:
        return self._now_s

    async def sleep_until(self, at_s: float) -> None:
        self._sleeps += 1
        if self._sleeps > 10:
            raise asyncio.CancelledError
        self._now_s = at_s + self._late_s


@pytest.mark.parametrize(("late_s", "late"), [(0.0, 0), (0.015, 0), (0.025, 10)])
async def test_a_frame_that_leaves_a_frame_late_is_counted(late_s: float, late: int) -> None:
    gates = {seat: OneClipGate(seat) for seat in SEATS}
    nobody = dict.fromkeys(SEATS, frozenset[Seat]())
    floor = Floor(FakeRoom(), SlowClock(late_s), SilentVoice(), gates, lambda _: nobody, lambda _clip: None)
    with pytest.raises(asyncio.CancelledError):
        await floor.run()
    assert floor.counts["frames_late"] == late
    assert floor.counts["stalls"] == 0


class GateThatHeard(OneClipGate):
    """One utterance, cut when the floor closes."""

    def __init__(self, clip: Clip) -> None:
        super().__init__(clip.seat)
        self._clip = clip

    def flush(self, at_s: float) -> list[Clip]:
        return [self._clip]


def test_an_echo_is_dropped_in_the_booth_where_the_narrator_spoke_and_nowhere_else() -> None:
    """The same sound from three microphones; the narrator spoke to 3 and 4, of whom 4 talked into him."""
    narrator, clock, clips = speech(1), VirtualClock(), list[Clip]()
    echo = clip(late(through_a_wall(narrator, -40), 0.3), 0.9, 2.0)
    heard = {3: echo, 4: clip(speech(2), 0.9, 2.0), 5: echo}
    gates = {seat: GateThatHeard(replace(heard.get(seat, echo), seat=seat)) for seat in SEATS}
    voice, silent = SilentVoice(), dict.fromkeys(SEATS, frozenset[Seat]())
    floor = Floor(FakeRoom(), clock, voice, gates, lambda _: silent, clips.append)
    for number, frame in enumerate(
        narrator[: len(narrator) // FRAME_SAMPLES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
    ):
        clock.start_at(number * FRAME_S)
        voice.private = {3: frame, 4: frame}
        floor.tick()
    for seat in heard:
        floor.flush(seat, clock.now())
    assert [one.seat for one in clips] == [4, 5]
    assert floor.counts["echoes"] == 1
