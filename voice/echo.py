"""Tells when a microphone heard nothing but the narrator, out of the player's own loudspeaker.

Browsers take such an echo away, but not every client does, nor at once. An echo grows loud and soft, low and high, as
the narrator did a moment before; a player who talks into him does not. Words would not tell: a far voice is heard as
other words.
"""

from collections import deque

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from voice.gate import HEARING_HZ, LONGEST_S, PRE_ROLL, WINDOW_S
from voice.ports import FRAME_S, RATE_HZ, Clip, Pcm

EARLIEST_S, LATEST_S = -0.2, 1.0
"""An echo comes so much later than the narrator was sent; less than nothing, since clips are not dated to the frame."""
ALIKE = 0.68
"""Correlation of the two from which it is an echo (measured in docs/hearing.md)."""
BANDS_HZ = (300, 600, 1200, 2400, 4000)
"""Of the voice. What the room does to each stays the same from frame to frame."""
QUIET_DB = -35.0
"""Under the loudest frame of a band; what is below counts as this."""
SHORTEST = round(1.2 / FRAME_S)
"""0.6 s of words with what is kept around them: fewer frames tell nothing."""
MOSTLY = 0.5
"""Share of a clip through which the narrator spoke, under which it is not looked at: the audio loop stays quick."""

Levels = npt.NDArray[np.float64]


class Echo:
    """What the narrator said lately in one booth."""

    def __init__(self) -> None:
        self._played: deque[tuple[float, Pcm]] = deque(maxlen=round((LONGEST_S + LATEST_S + 2) / FRAME_S))

    def played(self, frame: Pcm, at_s: float) -> None:
        """`frame`: 20 ms of the narrator as sent at that moment; none where he is silent."""
        self._played.append((at_s, frame))

    def heard_in(self, clip: Clip) -> bool:
        """Whether there is nothing else in the clip."""
        frames = len(clip.pcm) // _samples(HEARING_HZ)
        from_s = clip.started_s - PRE_ROLL * WINDOW_S - LATEST_S
        length = frames + round((LATEST_S - EARLIEST_S) / FRAME_S)
        then = {round((at_s - from_s) / FRAME_S): frame for at_s, frame in self._played}
        then = {place: frame for place, frame in then.items() if 0 <= place < length}
        if frames < SHORTEST or len(then) < frames * MOSTLY:
            return False
        played = np.zeros((length, len(BANDS_HZ) - 1))
        played[list(then)] = _power(np.concatenate(list(then.values())), RATE_HZ)
        return bool(_likeness(_levels(_power(clip.pcm, HEARING_HZ)), _levels(played)).max() >= ALIKE)


def _samples(rate_hz: int) -> int:
    return round(rate_hz * FRAME_S)


def _power(pcm: Pcm, rate_hz: int) -> Levels:
    """By frame of 20 ms and band."""
    samples = _samples(rate_hz)
    frames = pcm[: len(pcm) // samples * samples].astype(np.float64).reshape(-1, samples)
    spectrum = np.abs(np.fft.rfft(frames * np.hanning(samples))) ** 2
    edges = [round(hz * FRAME_S) for hz in BANDS_HZ]
    bands: Levels = np.add.reduceat(spectrum[:, : edges[-1]], edges[:-1], axis=1)
    return bands


def _levels(power: Levels) -> Levels:
    """Decibels under the loudest frame of each band."""
    loudest = np.maximum(power.max(axis=0), 1.0)
    return np.asarray(np.maximum(10 * np.log10(np.maximum(power, 1e-9) / loudest), QUIET_DB))


def _likeness(heard: Levels, played: Levels) -> Levels:
    """Correlation of `heard` with each stretch of `played` that is as long, -1 to 1; 0 where one does not change."""
    stretches = sliding_window_view(played, len(heard), axis=0)  # lags, bands, frames
    stretches = stretches - stretches.mean(axis=2, keepdims=True)
    there = (heard - heard.mean(axis=0)).T
    size = np.linalg.norm(stretches, axis=(1, 2)) * np.linalg.norm(there)
    return np.asarray(np.sum(stretches * there, axis=(1, 2)) / np.where(size > 0, size, np.inf))
