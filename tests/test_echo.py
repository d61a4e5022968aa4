"""An utterance that is the narrator's echo and nothing else is known as one."""

import numpy as np
import pytest

from voice.echo import Echo
from voice.gate import DECIMATION, PRE_ROLL, WINDOW_S
from voice.noises import through_a_wall
from voice.ports import FRAME_SAMPLES, RATE_HZ, Clip, Pcm
from voice.sound import Samples

SECONDS = 3


def speech(seed: int) -> Pcm:
    """Syllables of changing pitch and colour, as of somebody who speaks."""
    chance = np.random.default_rng(seed)
    parts: list[Samples] = []
    while sum(len(part) for part in parts) < (SECONDS + 1) * RATE_HZ:
        at_s = np.arange(round(chance.uniform(0.08, 0.3) * RATE_HZ)) / RATE_HZ
        pitch_hz, formant_hz = chance.uniform(90, 220), chance.uniform(400, 2500)
        tones = [
            np.exp(-(((n * pitch_hz - formant_hz) / 500) ** 2)) * np.sin(2 * np.pi * n * pitch_hz * at_s)
            for n in range(2, 30)
        ]
        parts += [
            np.sum(tones, axis=0) * np.hanning(len(at_s)) * 5000,
            np.zeros(round(chance.uniform(0, 0.15) * RATE_HZ)),
        ]
    return np.concatenate(parts).clip(-32768, 32767).astype(np.int16)


def sent(narrator: Pcm) -> Echo:
    echo = Echo()
    for start in range(0, len(narrator) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        echo.played(narrator[start : start + FRAME_SAMPLES], start / RATE_HZ)
    return echo


def clip(microphone: Pcm, from_s: float, seconds: float) -> Clip:
    """As the gate cuts it: at 16 kHz, a little of what was before the first word."""
    cut = microphone[round(from_s * RATE_HZ) : round((from_s + seconds) * RATE_HZ)][::DECIMATION]
    first_s = from_s + PRE_ROLL * WINDOW_S
    return Clip(1, cut, first_s, from_s + seconds)


def late(pcm: Pcm, seconds: float) -> Pcm:
    return np.concatenate([np.zeros(round(seconds * RATE_HZ), dtype=np.int16), pcm])


@pytest.mark.parametrize("late_s", [0.05, 0.3, 0.8])
def test_the_narrator_out_of_a_loudspeaker_is_an_echo(late_s: float) -> None:
    narrator = speech(1)
    assert sent(narrator).heard_in(clip(late(through_a_wall(narrator, -40), late_s), 0.9, 2.0))


def test_a_player_who_talks_into_the_narrator_is_heard_with_and_without_his_echo() -> None:
    narrator, player = speech(1), speech(2)
    both = player[: SECONDS * RATE_HZ] + late(through_a_wall(narrator, -40), 0.2)[: SECONDS * RATE_HZ]
    assert not sent(narrator).heard_in(clip(player, 0.5, 2.0))
    assert not sent(narrator).heard_in(clip(both, 0.5, 2.0))


def test_nothing_is_an_echo_of_silence_or_of_what_was_said_long_ago() -> None:
    narrator = speech(1)
    assert not Echo().heard_in(clip(narrator, 0.5, 2.0))
    assert not sent(narrator).heard_in(clip(late(narrator, 2.5), 3.4, 2.0))


def test_a_short_word_is_never_taken_for_an_echo() -> None:
    narrator = speech(1)
    assert not sent(narrator).heard_in(clip(narrator, 0.5, 0.6))
