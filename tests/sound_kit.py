"""Recordings for tests: tones instead of voices, told apart by their pitch."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from voice import ogg
from voice.clock import VirtualClock
from voice.ports import FRAME_S, FRAME_SAMPLES, RATE_HZ, Pcm
from voice.recorder import Recorder
from voice.takes import new_take

Turn = tuple[float, float]
"""From when to when somebody is heard, in game seconds."""


def tone(hz: float, seconds: float, start_s: float = 0.0) -> Pcm:
    """Of any length without a click: `start_s` is where in its wave it begins."""
    at = np.arange(round(seconds * RATE_HZ)) + round(start_s * RATE_HZ)
    return (8000 * np.sin(2 * np.pi * hz * at / RATE_HZ)).astype(np.int16)


def pitch(seat: int) -> float:
    """0 is the narrator."""
    return 300.0 + 100 * seat


def recorder(folder: Path, turns: Mapping[int, Sequence[Turn]], began_s: float, length_s: float) -> Recorder:
    """What a process has recorded in which these seats (0: the narrator) were heard; it is not closed."""
    clock = VirtualClock(began_s)
    made = Recorder(new_take(folder), clock.now)
    for number in range(round(length_s / FRAME_S)):
        at_s = began_s + number * FRAME_S
        clock.start_at(at_s)
        heard = {
            who: tone(pitch(who), FRAME_SAMPLES / RATE_HZ, at_s)
            for who, spans in turns.items()
            if any(start <= at_s < end for start, end in spans)
        }
        narrator = heard.pop(0, None)
        made.write(heard, narrator)
    return made


def heard(path: Path, from_s: float, to_s: float, among: Sequence[int]) -> set[int]:
    """Which of these voices sound between two seconds of the file."""
    sound = np.concatenate(list(ogg.read(path)))[round(from_s * RATE_HZ) : round(to_s * RATE_HZ)].astype(float)
    waves = {who: np.exp(-2j * np.pi * pitch(who) * np.arange(len(sound)) / RATE_HZ) for who in among}
    return {who for who, wave in waves.items() if 2 * abs(np.dot(sound, wave)) / len(sound) > 2000}
