"""Sounds in which nobody speaks to the table, made here: the same for the same seed. 48 kHz mono 16-bit."""

from collections.abc import Callable

import numpy as np

from voice.ports import RATE_HZ, Pcm
from voice.sound import Samples, to_pcm

Chance = np.random.Generator
CHORDS_HZ = ((220, 277, 330), (247, 311, 370), (196, 247, 294), (262, 330, 392))
STROKE_SAMPLES = 384


def silence(seconds: float, chance: Chance) -> Pcm:
    return np.zeros(round(seconds * RATE_HZ), dtype=np.int16)


def breath(seconds: float, chance: Chance) -> Pcm:
    """Right before the microphone: hiss that comes and goes, 18 times a minute, -32 dBFS at its height."""
    at_s = _times(seconds)
    return to_pcm(_between(chance.normal(size=len(at_s)), 300, 2500) * np.sin(np.pi * 0.3 * at_s) ** 4 * 0.025)


def keyboard(seconds: float, chance: Chance) -> Pcm:
    """Ten strokes a second, each 8 ms of decaying noise."""
    sound = np.zeros(round(seconds * RATE_HZ))
    stroke = np.exp(-np.arange(STROKE_SAMPLES) / 60)
    for start in chance.integers(0, len(sound) - STROKE_SAMPLES, round(10 * seconds)):
        sound[start : start + STROKE_SAMPLES] += chance.normal(0, 0.18, STROKE_SAMPLES) * stroke
    return to_pcm(sound)


def hum(seconds: float, chance: Chance) -> Pcm:
    """The mains: 50 Hz and its overtones."""
    at_s = _times(seconds)
    return to_pcm(np.sum([0.09 / n * np.sin(2 * np.pi * 50 * n * at_s) for n in (1, 2, 3, 5)], axis=0))


def music(seconds: float, chance: Chance) -> Pcm:
    """Chords of three notes with overtones, four a second."""
    at_s = _times(0.25)
    decay = np.exp(-np.arange(len(at_s)) / 8000)
    bars = [
        np.sum([np.sin(2 * np.pi * hz * n * at_s) / n for hz in chord for n in (1, 2, 3)], axis=0) * decay * 0.045
        for chord in CHORDS_HZ
    ]
    return to_pcm(np.resize(np.concatenate(bars), round(seconds * RATE_HZ)))


def laughter(seconds: float, chance: Chance) -> Pcm:
    """Bursts of a falling voice, five a second, in fits with pauses between: "ha ha ha"."""
    at_s = _times(seconds)
    pitch_hz = 260 - 70 * (at_s % 1.8) / 1.8 + 12 * np.sin(2 * np.pi * 5 * at_s)
    turns = 2 * np.pi * np.cumsum(pitch_hz) / RATE_HZ
    voice = np.sum([np.sin(n * turns) * _formant(260 * n) for n in range(1, 14)], axis=0)
    aspirated = voice + 0.4 * _between(chance.normal(size=len(at_s)), 600, 4000)
    bursts = np.clip(np.sin(2 * np.pi * 5 * at_s), 0, 1) ** 0.7
    return to_pcm(aspirated * bursts * (at_s % 4 < 1.8) * 0.06)


NOISES: dict[str, Callable[[float, Chance], Pcm]] = {
    "silence": silence,
    "breath": breath,
    "keyboard": keyboard,
    "hum": hum,
    "music": music,
    "laughter": laughter,
}
"""Name -> so many seconds of it."""


def through_a_wall(pcm: Pcm, level_db: float) -> Pcm:
    """Other voices out of a loudspeaker in the next room: no bass, no treble, a hall, so loud on the whole."""
    sound = _between(pcm.astype(np.float64), 300, 2800)
    for late_s, left in ((0.031, 0.5), (0.067, 0.35), (0.113, 0.25)):
        late = round(late_s * RATE_HZ)
        sound[late:] += left * sound[:-late]
    loud = float(np.sqrt(np.mean(sound**2))) or 1.0
    return to_pcm(sound * (10 ** (level_db / 20) / loud))


def _times(seconds: float) -> Samples:
    return np.arange(round(seconds * RATE_HZ)) / RATE_HZ


def _between(samples: Samples, low_hz: float, high_hz: float) -> Samples:
    """What lies between two frequencies, with the loudness of the whole."""
    spectrum = np.fft.rfft(samples)
    at_hz = np.fft.rfftfreq(len(samples), 1 / RATE_HZ)
    spectrum[(at_hz < low_hz) | (at_hz > high_hz)] = 0
    kept: Samples = np.fft.irfft(spectrum, len(samples))
    return kept * float(np.std(samples) / (np.std(kept) or 1.0))


def _formant(hz: float) -> float:
    """How loud an overtone is in an open "ah"."""
    return float(np.exp(-(((hz - 800) / 350) ** 2)) + 0.5 * np.exp(-(((hz - 1250) / 300) ** 2)) + 0.03)
