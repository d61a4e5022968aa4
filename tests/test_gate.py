"""The voice gate: with a made-up detector what is cut where, with the real one what counts as speech."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from voice.gate import HEARING_HZ, LONGEST_S, PRE_ROLL, SPLIT_S, WINDOW, WINDOW_S, Decimator, VoiceGate
from voice.noises import NOISES
from voice.ports import FRAME_SAMPLES, RATE_HZ, Clip, Pcm

FRAME_S = 0.02
PRE_ROLL_S = PRE_ROLL * WINDOW_S
NEAR_S = WINDOW_S + FRAME_S
"""A window and a frame: what the gate may be off by."""


def loud(window: Pcm) -> float:
    """A detector for tones: whatever is loud is speech."""
    return 0.9 if np.abs(window).max() > 1000 else 0.1


def tone(seconds: float, level: int = 8000, hz: float = 300.0, rate_hz: int = RATE_HZ) -> Pcm:
    at_s = np.arange(round(seconds * rate_hz)) / rate_hz
    return (level * np.sin(2 * np.pi * hz * at_s)).astype(np.int16)


def quiet(seconds: float, level: int = 20) -> Pcm:
    return np.random.default_rng(1).normal(0, level, round(seconds * RATE_HZ)).astype(np.int16)


def frames(*parts: Pcm) -> Iterator[Pcm]:
    sound = np.concatenate(parts)
    for start in range(0, len(sound) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        yield sound[start : start + FRAME_SAMPLES]


def cut(*parts: Pcm, detector: Callable[[Pcm], float] | None = loud) -> list[Clip]:
    gate = VoiceGate(3, detector)
    return [clip for number, frame in enumerate(frames(*parts)) for clip in gate.push(frame, number * FRAME_S)]


def test_an_utterance_carries_the_times_of_its_words_and_the_sound_around_them() -> None:
    (clip,) = cut(quiet(1.0), tone(0.8), quiet(1.0))
    assert clip.seat == 3
    assert clip.started_s == pytest.approx(1.0, abs=NEAR_S)
    assert clip.ended_s == pytest.approx(1.8, abs=NEAR_S)
    assert clip.pcm.dtype == np.int16
    heard_s = len(clip.pcm) / HEARING_HZ
    assert heard_s == pytest.approx(clip.ended_s - clip.started_s + 2 * PRE_ROLL_S, abs=0.001)
    first_word = np.flatnonzero(np.abs(clip.pcm) > 1000)[0] / HEARING_HZ
    assert first_word == pytest.approx(PRE_ROLL_S, abs=WINDOW_S)


def test_a_clip_starts_at_the_same_place_before_its_words_even_without_a_past() -> None:
    (clip,) = cut(tone(0.5), quiet(1.0))
    first_word = np.flatnonzero(np.abs(clip.pcm) > 1000)[0] / HEARING_HZ
    assert first_word == pytest.approx(PRE_ROLL_S, abs=0.002)


def test_an_utterance_ends_half_a_second_after_its_last_word() -> None:
    gate = VoiceGate(1, loud)
    ended_at_s = next(
        number * FRAME_S
        for number, frame in enumerate(frames(quiet(0.2), tone(0.5), quiet(2.0)))
        if gate.push(frame, number * FRAME_S)
    )
    assert ended_at_s == pytest.approx(1.2, abs=NEAR_S)


def test_a_short_pause_does_not_end_an_utterance() -> None:
    (clip,) = cut(quiet(0.5), tone(0.4), quiet(0.35), tone(0.4), quiet(1.0))
    assert clip.ended_s - clip.started_s == pytest.approx(1.15, abs=NEAR_S)


def test_a_long_pause_makes_two() -> None:
    first, second = cut(quiet(0.5), tone(0.4), quiet(0.7), tone(0.4), quiet(1.0))
    assert second.started_s - first.ended_s == pytest.approx(0.7, abs=NEAR_S)


def test_a_click_is_no_utterance_and_a_short_word_is() -> None:
    assert cut(quiet(0.5), tone(0.06), quiet(1.0)) == []
    (clip,) = cut(quiet(0.5), tone(0.18), quiet(1.0))
    assert clip.ended_s - clip.started_s == pytest.approx(0.18, abs=2 * WINDOW_S)


def test_a_speech_without_end_is_cut_at_its_next_pause() -> None:
    parts = [tone(4.0), quiet(0.2)] * 5
    first, *_ = cut(*parts, quiet(1.0))
    assert first.ended_s == pytest.approx(3 * 4.2 - 0.2, abs=NEAR_S)
    assert SPLIT_S <= first.ended_s <= LONGEST_S


def test_a_speech_without_a_pause_is_cut_anyhow_and_loses_nothing() -> None:
    clips = cut(tone(40.0), quiet(1.0))
    assert all(clip.ended_s - clip.started_s <= LONGEST_S + NEAR_S for clip in clips)
    assert [later.started_s for later in clips[1:]] == pytest.approx([clip.ended_s for clip in clips[:-1]])
    assert sum(clip.ended_s - clip.started_s for clip in clips) == pytest.approx(40.0, abs=NEAR_S)


def test_closing_the_floor_ends_the_utterance_at_once() -> None:
    gate = VoiceGate(2, loud)
    for number, frame in enumerate(frames(quiet(0.2), tone(1.0))):
        assert gate.push(frame, number * FRAME_S) == []
    assert gate.speaking
    (clip,) = gate.flush(1.0)
    assert clip.ended_s == 1.0
    assert not gate.speaking
    assert gate.flush(2.0) == []


def test_an_utterance_that_began_after_the_floor_closed_goes_on() -> None:
    gate = VoiceGate(2, loud)
    for number, frame in enumerate(frames(quiet(1.0), tone(1.0))):
        gate.push(frame, number * FRAME_S)
    assert gate.flush(0.9) == []
    assert gate.speaking


def test_it_says_who_speaks_and_since_when() -> None:
    gate = VoiceGate(2, loud)
    assert (gate.speaking, gate.speaking_since_s) == (False, None)
    for number, frame in enumerate(frames(quiet(1.0), tone(0.5))):
        gate.push(frame, number * FRAME_S)
    assert gate.speaking
    assert gate.speaking_since_s == pytest.approx(1.0, abs=NEAR_S)


def test_sound_that_stops_coming_ends_the_utterance_before_the_gap() -> None:
    gate = VoiceGate(2, loud)
    sound = list(frames(tone(1.0)))
    for number, frame in enumerate(sound):
        gate.push(frame, number * FRAME_S)
    (clip,) = gate.push(sound[0], 6.0)
    assert clip.ended_s == pytest.approx(1.0, abs=NEAR_S)
    assert gate.speaking_since_s is None or gate.speaking_since_s >= 5.9


def test_silence_costs_no_detection() -> None:
    def detector(window: Pcm) -> float:
        raise AssertionError("asked about silence")

    assert cut(np.zeros(RATE_HZ, dtype=np.int16), quiet(1.0), detector=detector) == []


def test_times_do_not_drift_from_the_capture_clock() -> None:
    gate = VoiceGate(2, loud)
    clips = []
    for number, frame in enumerate(frames(*([quiet(4.0), tone(1.0)] * 20), quiet(1.0))):
        clips += gate.push(frame, 100.0 + number * FRAME_S)
    starts = [clip.started_s for clip in clips]
    assert starts == pytest.approx([100.0 + 4.0 + 5.0 * n for n in range(20)], abs=NEAR_S)


def test_the_decimator_keeps_speech_and_removes_what_would_fold_into_it() -> None:
    kept, removed = Decimator(), Decimator()
    low = np.concatenate([kept(frame) for frame in frames(tone(0.5, hz=3000.0))])[200:]
    high = np.concatenate([removed(frame) for frame in frames(tone(0.5, hz=11_000.0))])[200:]
    assert np.abs(low).max() == pytest.approx(8000, rel=0.02)
    assert np.abs(high).max() < 80


def test_the_decimator_is_one_stream_whatever_the_pieces() -> None:
    sound = tone(0.2, hz=700.0)
    whole, pieces = Decimator()(sound), Decimator()
    assert np.array_equal(whole, np.concatenate([pieces(frame) for frame in frames(sound)]))


# --- the real detector ----------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.whisper
@pytest.mark.parametrize("name", sorted(NOISES.keys() - {"laughter"}))
def test_no_speech_in(name: str) -> None:
    assert cut(NOISES[name](10.0, np.random.default_rng(2)), detector=None) == []


@pytest.mark.real
@pytest.mark.whisper
@pytest.mark.parametrize("level", [300, 3000])
def test_no_speech_in_hiss(level: int) -> None:
    assert cut(quiet(10, level), detector=None) == []


@pytest.mark.real
@pytest.mark.whisper
def test_a_window_is_judged_in_real_time_ten_seats_over() -> None:
    """Ten talking seats are 313 windows a second; one core must hold them with room to spare."""
    import time

    from voice.gate import Detector

    detect = Detector()
    window = quiet(1.0, 3000)[:WINDOW]
    detect(window)
    started_s = time.process_time()
    for _ in range(100):
        detect(window)
    assert (time.process_time() - started_s) / 100 < WINDOW_S / 10 / 2


def test_what_was_said_is_known_before_it_is_sure_that_no_more_comes() -> None:
    gate, told, cut_s = VoiceGate(3, loud), list[tuple[float, Clip]](), 0.0
    clips = list[Clip]()
    for number, frame in enumerate(frames(quiet(0.2), tone(0.4), quiet(0.35), tone(0.4), quiet(1.0))):
        ended = gate.push(frame, number * FRAME_S)
        clips, cut_s = clips + ended, number * FRAME_S if ended else cut_s
        if (clip := gate.ending()) is not None:
            told.append((number * FRAME_S, clip))
    (_, first), (told_s, second) = told
    (whole,) = clips
    assert first.ended_s == pytest.approx(0.6, abs=NEAR_S), "a short pause is told as well, once"
    assert cut_s - told_s == pytest.approx(0.2, abs=NEAR_S)
    assert (second.started_s, second.ended_s) == (whole.started_s, whole.ended_s)
    assert np.array_equal(second.pcm, whole.pcm), "what is heard early is what would be heard"


def test_a_click_is_not_told() -> None:
    gate = VoiceGate(3, loud)
    for number, frame in enumerate(frames(quiet(0.5), tone(0.06), quiet(1.0))):
        gate.push(frame, number * FRAME_S)
        assert gate.ending() is None
