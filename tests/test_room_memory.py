"""The booths in memory behave as a room must."""

import numpy as np
import pytest

from moderator.model import SEATS
from voice import wire
from voice.ports import FRAME_SAMPLES, Pcm
from voice.room_memory import MemoryRoom


class StillClock:
    """Moves when it is told to."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def now(self) -> float:
        return self.now_s

    async def sleep_until(self, at_s: float) -> None:
        self.now_s = max(self.now_s, at_s)


def tone(frames: float, level: int = 1000) -> Pcm:
    return np.full(int(frames * FRAME_SAMPLES), level, dtype=np.int16)


@pytest.fixture
async def room() -> MemoryRoom:
    room = MemoryRoom(StillClock())
    await room.open()
    return room


def clock_of(room: MemoryRoom) -> StillClock:
    clock = room.seats[1]._clock
    assert isinstance(clock, StillClock)
    return clock


async def test_everybody_is_present_until_the_room_closes(room: MemoryRoom) -> None:
    assert room.present() == frozenset(SEATS)
    room.seats[4].leave()
    assert room.present() == frozenset(SEATS) - {4}
    await room.close()
    assert room.present() == frozenset()


async def test_speech_arrives_at_the_pace_of_the_clock(room: MemoryRoom) -> None:
    room.seats[2].say(tone(2.5))
    assert room.read(2) == []
    clock_of(room).now_s = 0.04
    first = room.read(2)
    assert [frame.captured_s for frame in first] == pytest.approx([0.0, 0.02])
    assert all((frame.pcm == 1000).all() for frame in first)
    clock_of(room).now_s = 0.08
    half, silence = room.read(2)
    assert half.pcm[: FRAME_SAMPLES // 2].all()
    assert not half.pcm[FRAME_SAMPLES // 2 :].any()
    assert not silence.pcm.any()
    assert not room.read(2)


async def test_no_frame_is_skipped_over_a_long_time(room: MemoryRoom) -> None:
    count = 0
    for tick in range(1, 3001):
        clock_of(room).now_s = tick * 0.02
        count += len(room.read(1))
    assert count == 3000


async def test_what_is_not_read_for_a_second_is_lost_and_counted(room: MemoryRoom) -> None:
    clock_of(room).now_s = 3.0
    frames = room.read(5)
    assert len(frames) == 50
    assert frames[-1].captured_s == pytest.approx(2.98)
    assert room.seats[5].frames_unread == 100


async def test_a_frame_reaches_its_own_booth_only(room: MemoryRoom) -> None:
    room.write(3, tone(1, 77))
    assert [int(frame.pcm[0]) for frame in room.seats[3].heard] == [77]
    assert all(not room.seats[seat].heard for seat in SEATS if seat != 3)


async def test_messages_pass_in_order_and_large_ones_do_not(room: MemoryRoom) -> None:
    room.seats[9].press(wire.Do(what="yes"))
    clock_of(room).now_s = 0.5
    room.seats[1].send_bytes(b"{" * 5000)
    room.seats[1].send_bytes(b"{broken")
    received = room.receive()
    assert [(message.seat, message.at_s) for message in received] == [(9, 0.0), (1, 0.5)]
    assert wire.FROM_CLIENT.validate_json(received[0].body).what == "yes"
    assert room.receive() == []


async def test_a_seat_reads_what_was_sent_to_it(room: MemoryRoom) -> None:
    heard: list[bytes] = []
    room.seats[6].on_message = heard.append
    room.send(6, wire.Closed(what="speech").model_dump_json().encode())
    assert room.seats[6].received() == [wire.Closed(what="speech")]
    assert len(heard) == 1


async def test_who_left_says_and_hears_nothing(room: MemoryRoom) -> None:
    room.seats[8].leave()
    clock_of(room).now_s = 1.0
    room.write(8, tone(1))
    room.send(8, b"{}")
    room.seats[8].press(wire.Do(what="no"))
    assert (room.read(8), room.receive(), list(room.seats[8].heard), room.seats[8].messages) == ([], [], [], [])
    room.seats[8].join()
    clock_of(room).now_s = 1.02
    assert [frame.captured_s for frame in room.read(8)] == pytest.approx([1.0])


async def test_every_ticket_is_its_own(room: MemoryRoom) -> None:
    assert len({room.ticket(seat).token for seat in SEATS}) == 10
