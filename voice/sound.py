"""Arithmetic on sound: resampling, silence at the ends, loudness. Mono; float samples lie in -1..1."""

from math import gcd

import numpy as np
import numpy.typing as npt

from voice.ports import Pcm

Samples = npt.NDArray[np.float64]

SPEECH_RMS = 0.1
"""-20 dBFS over the voiced parts."""
PEAK = 0.89
"""-1 dBFS."""
SILENT_DB = -45
"""Below this, against the loudest 10 ms, nothing is said."""
WINDOW_S = 0.01
FADE_S = 0.005


def resample(samples: Samples, from_hz: int, to_hz: int) -> Samples:
    """Exact band-limited resampling through the spectrum; for whole sounds, not for streams."""
    if from_hz == to_hz or not len(samples):
        return samples
    step = gcd(from_hz, to_hz)
    up, down = to_hz // step, from_hz // step
    margin = down * -(-from_hz // (50 * down))  # 20 ms of silence, so that the ends do not ring into each other
    padded = np.pad(samples, (margin, margin + -len(samples) % down))
    longer = len(padded) // down * up
    out: Samples = np.fft.irfft(_limited(np.fft.rfft(padded), longer), longer) * (up / down)
    start = margin // down * up
    return out[start : start + -(-len(samples) * up // down)]


def _limited(spectrum: npt.NDArray[np.complex128], samples: int) -> npt.NDArray[np.complex128]:
    """The spectrum of a sound of that many samples: cut where it holds less, padded where it holds more."""
    bins = samples // 2 + 1
    return spectrum[:bins] if len(spectrum) >= bins else np.pad(spectrum, (0, bins - len(spectrum)))


def trim(samples: Samples, rate_hz: int, *, keep_s: float = 0.03) -> Samples:
    """Without the silence at both ends, but for `keep_s` of it."""
    loud = np.flatnonzero(_levels(samples, rate_hz) > _floor(samples, rate_hz))
    if not len(loud):
        return samples[:0]
    window, keep = int(WINDOW_S * rate_hz), int(keep_s * rate_hz)
    return samples[max(0, loud[0] * window - keep) : (loud[-1] + 1) * window + keep]


def level(samples: Samples, rate_hz: int) -> Samples:
    """Every line equally loud: the voiced parts at -20 dBFS, never a peak over -1 dBFS."""
    levels = _levels(samples, rate_hz)
    voiced = levels[levels > _floor(samples, rate_hz)]
    if not len(voiced):
        return samples
    gain = SPEECH_RMS / np.sqrt(np.mean(voiced**2))
    return samples * float(min(gain, PEAK / np.max(np.abs(samples))))


def fade(samples: Samples, rate_hz: int, *, seconds: float = FADE_S) -> Samples:
    """Without a click at the ends."""
    ramp = np.minimum(1.0, np.arange(len(samples)) / (seconds * rate_hz))
    out: Samples = samples * ramp * ramp[::-1]
    return out


def to_pcm(samples: Samples) -> Pcm:
    return np.clip(np.round(samples * 32767), -32768, 32767).astype(np.int16)


def from_pcm(pcm: Pcm) -> Samples:
    return pcm.astype(np.float64) / 32768


def _levels(samples: Samples, rate_hz: int) -> Samples:
    """Root mean square of each full 10 ms."""
    window = int(WINDOW_S * rate_hz)
    blocks = samples[: len(samples) // window * window].reshape(-1, window)
    out: Samples = np.sqrt(np.mean(blocks**2, axis=1))
    return out


def _floor(samples: Samples, rate_hz: int) -> float:
    levels = _levels(samples, rate_hz)
    return float(np.max(levels)) * 10 ** (SILENT_DB / 20) if len(levels) else 0.0
