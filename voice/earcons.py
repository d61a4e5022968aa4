"""Five short sounds and the night's background, made of sines, each told apart by its contour, not by pitch alone."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache

import numpy as np

from moderator.narration import Arg
from voice.ports import RATE_HZ, Pcm
from voice.signals import signals
from voice.sound import Samples, fade, to_pcm

LEVEL = 0.25
BED_LEVEL = 0.002
"""-54 dBFS: under every voice, and no peak that could be taken for one."""
BED_S = 4.0


class Earcon(StrEnum):
    """Under 600 ms each. Values name the sentence `sound-<value>` that puts it into words for a caption."""

    HEARD = "heard"
    REFUSED = "refused"
    TEN_SECONDS = "ten-seconds"
    END = "end"
    NIGHT = "night"


BEFORE: dict[str, Earcon] = {
    "time-warning": Earcon.TEN_SECONDS,
    "time-up": Earcon.END,
    "night": Earcon.NIGHT,
    "morning": Earcon.NIGHT,
    "morning-miss": Earcon.NIGHT,
    "say-the-number": Earcon.REFUSED,
    "say-yes-or-no": Earcon.REFUSED,
}
"""Sentences that a sound goes before; so it does before every `refused-...`."""
ALONE = frozenset({"time-up"})
"""Sentences of which only the sound is heard; the words go out as text."""


def sound_before(key: str, args: Mapping[str, Arg]) -> Pcm | None:
    """What goes before the words of a sentence: a sound of the moderator's, the one it names, or a signal."""
    if key == "signal":
        return signal_sound(str(args["signal"]))
    if key.startswith("sound-"):
        return earcon(Earcon(key.removeprefix("sound-")))
    which = Earcon.REFUSED if key.startswith("refused-") else BEFORE.get(key)
    return None if which is None else earcon(which)


@cache
def signal_sound(name: str) -> Pcm:
    """Read-only 48 kHz sound of one gesture of `configs/signals.yaml`."""
    return _finished(_row(*signals()[name].notes))


@cache
def earcon(which: Earcon) -> Pcm:
    """Read-only 48 kHz sound, less than 600 ms."""
    match which:
        case Earcon.HEARD:  # one short high blip
            samples = _tone(880, 0.09)
        case Earcon.REFUSED:  # two low notes, falling
            samples = _row((262, 0.14), (196, 0.22))
        case Earcon.TEN_SECONDS:  # three even ticks
            samples = _row((1046, 0.06), (0, 0.07), (1046, 0.06), (0, 0.07), (1046, 0.06))
        case Earcon.END:  # a gong: inharmonic partials that die away
            samples = _gong(0.58)
        case Earcon.NIGHT:  # one slow glide downwards
            samples = _glide(660, 330, 0.5)
    return _finished(samples)


def _finished(samples: Samples) -> Pcm:
    pcm = to_pcm(fade(LEVEL * samples / np.max(np.abs(samples)), RATE_HZ))
    pcm.flags.writeable = False
    return pcm


@cache
def night_bed() -> Pcm:
    """Soft noise to be looped while the table sleeps, the same for every seat; its ends meet without a click."""
    count = int(BED_S * RATE_HZ)
    frequency_hz = np.fft.rfftfreq(count, 1 / RATE_HZ)
    shape = np.where((frequency_hz > 60) & (frequency_hz < 800), 1 / np.sqrt(np.maximum(frequency_hz, 60)), 0.0)
    phases = np.random.default_rng(0).uniform(0, 2 * np.pi, len(frequency_hz))
    samples = np.fft.irfft(shape * np.exp(1j * phases), count)
    pcm = to_pcm(BED_LEVEL * samples / np.sqrt(np.mean(samples**2)))
    pcm.flags.writeable = False
    return pcm


def _time(seconds: float) -> Samples:
    return np.arange(int(seconds * RATE_HZ)) / RATE_HZ


def _tone(hz: float, seconds: float) -> Samples:
    t = _time(seconds)
    out: Samples = (np.sin(2 * np.pi * hz * t) + 0.3 * np.sin(4 * np.pi * hz * t)) if hz else np.zeros(len(t))
    return fade(out, RATE_HZ, seconds=0.01)


def _row(*notes: tuple[float, float]) -> Samples:
    return np.concatenate([_tone(hz, seconds) for hz, seconds in notes])


def _gong(seconds: float) -> Samples:
    t = _time(seconds)
    partials = ((196, 1.0, 5), (294, 0.6, 7), (437, 0.5, 9), (623, 0.3, 14))
    ringing = [size * np.exp(-decay * t) * np.sin(2 * np.pi * hz * t) for hz, size, decay in partials]
    out: Samples = np.sum(ringing, axis=0)
    return out


def _glide(from_hz: float, to_hz: float, seconds: float) -> Samples:
    t = _time(seconds)
    hz = from_hz * (to_hz / from_hz) ** (t / seconds)
    out: Samples = np.sin(2 * np.pi * np.cumsum(hz) / RATE_HZ) * np.sin(np.pi * t / seconds)
    return out
