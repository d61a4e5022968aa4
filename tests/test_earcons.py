"""Five sounds that can be told apart, and a background that tells nothing."""

from itertools import combinations

import numpy as np
import pytest

from voice.earcons import Earcon, earcon, night_bed, signal_sound, sound_before
from voice.ports import RATE_HZ, Pcm


def contour(pcm: Pcm) -> np.ndarray:
    """Loudness and pitch every 30 ms, over 600 ms."""
    window = RATE_HZ * 3 // 100
    padded = np.pad(pcm.astype(float) / 32768, (0, 20 * window - len(pcm))).reshape(20, window)
    loud = np.sqrt(np.mean(padded**2, axis=1))
    pitch = np.fft.rfftfreq(window, 1 / RATE_HZ)[np.argmax(np.abs(np.fft.rfft(padded * np.hanning(window))), axis=1)]
    return np.concatenate([loud / loud.max(), np.where(loud > 0.01, np.log2(np.maximum(pitch, 50) / 50), 0) / 5])


@pytest.mark.parametrize("which", list(Earcon))
def test_each_is_short_soft_and_without_clicks(which: Earcon) -> None:
    pcm = earcon(which)
    assert pcm.dtype == np.int16
    assert 0.05 < len(pcm) / RATE_HZ < 0.6
    assert 2_000 < np.abs(pcm).max() < 12_000
    assert abs(int(pcm[0])) < 200
    assert abs(int(pcm[-1])) < 200


def test_no_two_are_alike() -> None:
    for one, other in combinations(Earcon, 2):
        assert np.linalg.norm(contour(earcon(one)) - contour(earcon(other))) > 1.0, (one, other)


def test_refusals_the_clock_and_the_night_have_their_sounds() -> None:
    assert sound_before("refused-not-now", {}) is earcon(Earcon.REFUSED)
    assert sound_before("time-warning", {}) is earcon(Earcon.TEN_SECONDS)
    assert sound_before("time-up", {}) is earcon(Earcon.END)
    assert sound_before("night", {}) is earcon(Earcon.NIGHT)
    assert sound_before("speech-call", {}) is None
    assert sound_before("signal", {"seat": 3, "signal": "agree"}) is signal_sound("agree")


def test_the_night_bed_is_soft_steady_and_loops_without_a_click() -> None:
    bed = night_bed().astype(float)
    assert len(bed) % 960 == 0
    assert 40 < np.sqrt(np.mean(bed**2)) < 100
    assert np.abs(bed).max() < 400
    seconds = np.sqrt(np.mean(bed.reshape(-1, RATE_HZ) ** 2, axis=1))
    assert seconds.max() / seconds.min() < 1.3
    assert abs(bed[0] - bed[-1]) <= np.abs(np.diff(bed)).max()
