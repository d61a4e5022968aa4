"""Tells a voice that is far from the microphone, a neighbour's or a television's, from the player's own by its level.

What a far voice seems to say is asked about, never counted: a player may also speak low, and a question loses nothing.
"""

from collections import deque

import numpy as np

from voice.gate import HEARING_HZ
from voice.ports import FRAME_S, Clip

FAR_DB = 15.0
"""So far under the player's usual level nobody speaks to the table without meaning to be low."""
USUAL = 0.75
"""Quantile of his last levels that is his usual one: most of what is softer was a voice that dropped."""
ENOUGH = 3
"""Utterances without which his level is not known."""
REMEMBER_S = 600.0
"""Longer ago he may have had another microphone, and been asked about everything since."""
LOUD = 0.9
"""Quantile of its frames that is an utterance's level: its vowels."""
FRAME = round(FRAME_S * HEARING_HZ)


class Nearness:
    """How loud one seat has lately been."""

    def __init__(self) -> None:
        self._levels: deque[tuple[float, float]] = deque(maxlen=32)

    def far(self, clip: Clip) -> bool:
        """Whether somebody else is likely to have spoken. What is near is remembered. Clips come in their order."""
        while self._levels and clip.started_s - self._levels[0][0] > REMEMBER_S:
            self._levels.popleft()
        here_db = level_db(clip)
        known = [level for _, level in self._levels]
        if len(known) >= ENOUGH and here_db < np.quantile(known, USUAL) - FAR_DB:
            return True
        self._levels.append((clip.started_s, here_db))
        return False


def level_db(clip: Clip) -> float:
    """Of the louder part of the clip, full scale."""
    frames = clip.pcm[: len(clip.pcm) // FRAME * FRAME].astype(np.float64).reshape(-1, FRAME) / 32768
    power = np.mean(frames**2, axis=1) if len(frames) else np.zeros(1)
    return float(10 * np.log10(np.quantile(power, LOUD) + 1e-12))
