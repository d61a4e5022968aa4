"""The narrator's queues, frame by frame: nothing overlaps, whispers delay nobody else, nothing gets stuck."""

import asyncio
import zlib
from collections import defaultdict

import numpy as np
import pytest

from moderator.model import SEATS, Seat
from moderator.narration import Cue, Priority
from voice.narrator import GAP, Handle, Narrator
from voice.ports import FRAME_SAMPLES, RATE_HZ, Pcm, SynthesisFailed, VoiceSpec
from voice.routing import LISTENERS
from voice.wire import Line

ACCEPTED = "nominated"
WHISPER = "echo-ballot"
LINE_S = 0.2
GAP_S = len(GAP) / RATE_HZ


class ToneVoice:
    """Each text becomes 200 ms of a constant, so that what sounds in a frame can be told by its value."""

    def __init__(self) -> None:
        self.held: dict[str, asyncio.Event] = {}
        self.fails = False

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    async def synthesize(self, text: str, voice: VoiceSpec) -> Pcm:
        assert voice == VoiceSpec("fr")
        if text in self.held:
            await self.held[text].wait()
        if self.fails:
            raise SynthesisFailed("no voice today")
        return np.full(int(LINE_S * RATE_HZ), constant(text), dtype=np.int16)


def constant(text: str) -> int:
    return 1 + zlib.crc32(text.encode()) % 30_000


class Booths:
    """A narrator and what was heard of him, frame by frame and seat by seat (0: the table's timeline)."""

    def __init__(self) -> None:
        self.voice = ToneVoice()
        self.lines: dict[Seat, list[Line]] = defaultdict(list)
        self.narrator = Narrator(self.voice, VoiceSpec("fr"), lambda seat, line: self.lines[seat].append(line))
        self.heard: dict[int, list[int]] = {place: [] for place in range(11)}

    async def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 50)):
            await asyncio.sleep(0)
            frames = self.narrator.frames()
            for place in range(11):
                frame = frames.get(place)
                assert frame is None or frame.shape == (FRAME_SAMPLES,)
                self.heard[place].append(0 if frame is None else int(frame[0]))

    async def ready(self) -> None:
        """Give the synthesis of what was said so far time to end."""
        for _ in range(5):
            await asyncio.sleep(0)

    def say(
        self, key: str, seat: Seat, *to: Seat, priority: Priority = Priority.NORMAL, expires_s: float | None = None
    ) -> Handle:
        return self.narrator.say(Cue(key, {"seat": seat}, frozenset(to) or None, priority, expires_s))

    def text(self, handle: Handle) -> int:
        """The constant that stands for a line's sound."""
        return constant(handle.text)

    def first(self, handle: Handle, place: int) -> int:
        """The frame in which the line began there."""
        return self.heard[place].index(self.text(handle))


@pytest.fixture
async def booths() -> Booths:
    return Booths()


async def test_a_public_line_is_the_same_in_every_booth_at_the_same_moment(booths: Booths) -> None:
    handle = booths.say(ACCEPTED, 4)
    await booths.ready()
    await booths.run(0.5)
    assert booths.heard[0].count(booths.text(handle)) == round(LINE_S * 50)
    assert all(booths.heard[seat] == booths.heard[0] for seat in SEATS)
    assert handle.over.is_set()
    assert not handle.dropped


async def test_a_line_is_heard_only_at_its_very_end(booths: Booths) -> None:
    handle = booths.say(ACCEPTED, 4)
    await booths.ready()
    await booths.run(LINE_S + GAP_S - 0.02)
    assert not handle.over.is_set()
    assert booths.narrator.speaking
    await booths.run(0.02)
    assert handle.over.is_set()
    assert not booths.narrator.speaking
    assert booths.narrator.idle


async def test_lines_follow_one_another_and_never_overlap(booths: Booths) -> None:
    first, second = booths.say(ACCEPTED, 4), booths.say(ACCEPTED, 5)
    await booths.ready()
    await booths.run(1)
    values = [value for value in booths.heard[3] if value]
    assert values == [booths.text(first)] * 10 + [booths.text(second)] * 10
    assert booths.first(second, 3) - booths.first(first, 3) == round((LINE_S + GAP_S) * 50)


async def test_ten_whispers_sound_at_once_each_in_its_own_booth(booths: Booths) -> None:
    handles = {seat: booths.say(WHISPER, seat, seat) for seat in SEATS}
    await booths.ready()
    await booths.run(0.5)
    for seat, handle in handles.items():
        assert set(booths.heard[seat]) == {0, booths.text(handle)}
        assert handle.over.is_set()
    assert set(booths.heard[0]) == {0}, "no whisper reaches the recording of the table"


async def test_a_whisper_delays_the_public_line_in_its_own_booth_alone(booths: Booths) -> None:
    whispers = [booths.say(WHISPER, seat, 3) for seat in (6, 7)]
    public = booths.say(ACCEPTED, 4)
    await booths.ready()
    await booths.run(1)
    assert booths.first(public, 0) == 0
    assert all(booths.first(public, seat) == 0 for seat in SEATS if seat != 3)
    assert booths.first(public, 3) == round(2 * (LINE_S + GAP_S) * 50)
    assert all(whisper.over.is_set() for whisper in whispers)


async def test_who_was_whispered_to_cannot_be_told_from_the_public_timeline() -> None:
    times = []
    for whispered in ((), (3,), (2, 9)):
        booths = Booths()
        for seat in whispered:
            booths.say(WHISPER, 5, seat)
        handle = booths.say(ACCEPTED, 4)
        await booths.ready()
        ticks = 0
        while not handle.over.is_set():
            await booths.run(0.02)
            ticks += 1
        times.append((ticks, booths.heard[0], booths.heard[1]))
    assert times[0] == times[1] == times[2]


async def test_a_whisper_goes_to_all_its_seats_and_counts_when_the_last_has_heard_it(booths: Booths) -> None:
    booths.say(WHISPER, 6, 2)
    both = booths.say(WHISPER, 7, 1, 2)
    await booths.ready()
    await booths.run(LINE_S + GAP_S)
    assert booths.text(both) in booths.heard[1]
    assert not both.over.is_set()
    await booths.run(LINE_S + GAP_S)
    assert both.over.is_set()


async def test_now_goes_before_what_waits_but_cuts_no_normal_line(booths: Booths) -> None:
    playing, waiting = booths.say(ACCEPTED, 4), booths.say(ACCEPTED, 5)
    await booths.ready()
    await booths.run(0.1)
    foul = booths.say("foul", 6, priority=Priority.NOW)
    await booths.ready()
    await booths.run(1)
    order = sorted((playing, waiting, foul), key=lambda handle: booths.first(handle, 8))
    assert order == [playing, foul, waiting]
    assert booths.heard[8].count(booths.text(playing)) == 10
    assert not playing.dropped


async def test_now_cuts_a_low_line(booths: Booths) -> None:
    low = booths.say(ACCEPTED, 4, priority=Priority.LOW)
    await booths.ready()
    await booths.run(0.1)
    foul = booths.say("foul", 6, priority=Priority.NOW)
    await booths.ready()
    await booths.run(0.5)
    assert low.dropped
    assert low.over.is_set()
    assert booths.heard[8].count(booths.text(low)) == 5
    assert not foul.dropped


async def test_a_stale_line_is_dropped_and_whoever_waits_for_it_goes_on(booths: Booths) -> None:
    booths.say(ACCEPTED, 4)
    stale = booths.say(ACCEPTED, 5, expires_s=0.1)
    await booths.ready()
    await booths.run(1)
    assert stale.dropped
    assert stale.over.is_set()
    assert booths.text(stale) not in booths.heard[0]
    assert [line.args["seat"] for line in booths.lines[1]] == [4]


async def test_a_started_line_does_not_go_stale(booths: Booths) -> None:
    handle = booths.say(ACCEPTED, 5, expires_s=0.1)
    await booths.ready()
    await booths.run(1)
    assert not handle.dropped
    assert booths.heard[0].count(booths.text(handle)) == 10


async def test_the_client_is_told_each_line_when_its_sound_starts(booths: Booths) -> None:
    booths.narrator.say(Cue("ballot-list", {"seats": (4, 7, 2)}))
    booths.say(WHISPER, 9, 5)
    await booths.ready()
    await booths.run(0.02)
    assert booths.lines[5] == booths.lines[1]
    assert not booths.lines[1][0].private
    assert booths.lines[1][0].text == "Sont au vote, dans l'ordre : le quatre, le sept et le deux."
    assert booths.lines[1][0].args == {"seats": "4 7 2"}
    assert booths.lines[1][0].duration_ms == 300
    await booths.run(0.4)
    assert [line.text for line in booths.lines[5][1:]] == ["Contre le numéro neuf."]
    assert booths.lines[5][1].private
    assert len(booths.lines[1]) == 1


async def test_a_line_not_yet_synthesised_holds_back_its_own_kind_only(booths: Booths) -> None:
    released = booths.voice.held["Numéro quatre, accepté."] = asyncio.Event()
    slow, behind = booths.say(ACCEPTED, 4), booths.say(ACCEPTED, 5)
    whisper = booths.say(WHISPER, 9, 3)
    await booths.ready()
    await booths.run(0.5)
    assert whisper.over.is_set()
    assert not any(booths.heard[1])
    released.set()
    await booths.ready()
    await booths.run(1)
    assert booths.first(slow, 3) == booths.first(slow, 1) < booths.first(behind, 1)


async def test_without_a_voice_a_sound_plays_and_the_words_go_out_as_text(booths: Booths) -> None:
    booths.voice.fails = True
    handle = booths.say(ACCEPTED, 4)
    await booths.ready()
    await booths.run(1)
    assert handle.over.is_set()
    assert not handle.dropped
    assert any(booths.heard[2])
    assert [line.text for line in booths.lines[2]] == ["Numéro quatre, accepté."]


async def test_repeat_says_the_last_line_again_to_that_seat_alone(booths: Booths) -> None:
    assert booths.narrator.repeat(3) is None
    handle = booths.say(ACCEPTED, 4)
    await booths.ready()
    await booths.run(0.4)
    again = booths.narrator.repeat(3)
    assert again is not None
    await booths.ready()
    await booths.run(0.4)
    assert booths.heard[3].count(booths.text(handle)) == 20
    assert booths.heard[1].count(booths.text(handle)) == 10


async def test_interrupt_frees_a_booth_of_whispers_and_keeps_public_lines(booths: Booths) -> None:
    whisper = booths.say(WHISPER, 6, 3)
    public = booths.say(ACCEPTED, 4)
    await booths.ready()
    await booths.run(0.1)
    booths.narrator.interrupt(3)
    await booths.run(0.6)
    assert whisper.dropped
    assert whisper.over.is_set()
    assert booths.heard[3].count(booths.text(public)) == 10
    booths.say(ACCEPTED, 5)
    booths.narrator.interrupt()
    assert booths.narrator.idle


async def test_expected_time_shrinks_to_nothing(booths: Booths) -> None:
    booths.say(ACCEPTED, 4)
    assert booths.narrator.expected_s > 0.5, "estimated from the words"
    booths.say(ACCEPTED, 5)
    await booths.ready()
    assert booths.narrator.expected_s == pytest.approx(2 * (LINE_S + GAP_S))
    await booths.run(0.1)
    assert booths.narrator.expected_s == pytest.approx(2 * (LINE_S + GAP_S) - 0.1)
    await booths.run(1)
    assert booths.narrator.expected_s == 0


async def test_the_night_sounds_in_every_booth_until_the_morning(booths: Booths) -> None:
    booths.narrator.say(Cue("night", {}))
    await booths.ready()
    await booths.run(3)
    frames = booths.narrator.frames()
    assert set(frames) == set(LISTENERS)
    assert all(np.array_equal(frames[place], frames[1]) and frames[place].any() for place in LISTENERS)
    booths.narrator.say(Cue("morning-miss", {}))
    await booths.ready()
    await booths.run(3)
    assert not booths.narrator.frames()


async def test_the_same_calls_give_the_same_frames() -> None:
    runs = []
    for _ in range(2):
        booths = Booths()
        for seat in (2, 5, 9):
            booths.say(WHISPER, 4, seat)
            booths.say(ACCEPTED, seat)
        await booths.ready()
        await booths.run(2)
        runs.append(booths.heard)
    assert runs[0] == runs[1]
