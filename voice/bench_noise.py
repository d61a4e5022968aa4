"""What comes between a mouth and the moderator's ear, for `moderator bench hearing`. 48 kHz mono 16-bit throughout."""

from collections.abc import Callable, Sequence
from random import Random

import numpy as np

from voice.ports import FRAME_SAMPLES, RATE_HZ, Pcm
from voice.sound import Samples, from_pcm, to_pcm

SPEECH_DB = -20.0
"""Where our voices lie, full scale."""
OPUS_BIT_S = 24_000


def clean(pcm: Pcm, others: Sequence[Pcm], chance: Random) -> Pcm:
    return pcm


def room_noise(pcm: Pcm, others: Sequence[Pcm], chance: Random) -> Pcm:
    """Brown noise, 25 dB under the voice: a fan, a street."""
    white = np.random.default_rng(chance.randrange(2**32)).normal(size=len(pcm))
    brown = np.cumsum(white - white.mean())
    brown -= np.convolve(brown, np.full(4800, 1 / 4800), mode="same")
    return to_pcm(from_pcm(pcm) + _at(brown, SPEECH_DB - 25))


def babble(pcm: Pcm, others: Sequence[Pcm], chance: Random) -> Pcm:
    """Three other voices talking at once, 20 dB under this one."""
    return to_pcm(from_pcm(pcm) + sum(_at(_as_long(other, len(pcm)), SPEECH_DB - 20) for other in others[:3]))


def echo(pcm: Pcm, others: Sequence[Pcm], chance: Random) -> Pcm:
    """The narrator out of the player's own loudspeakers, 20 dB under his voice and 150 ms late."""
    line = np.concatenate((np.zeros(RATE_HZ * 15 // 100), _as_long(others[0], len(pcm))))[: len(pcm)]
    return to_pcm(from_pcm(pcm) + _at(line, SPEECH_DB - 20))


def opus(loss: float) -> Callable[[Pcm, Sequence[Pcm], Random], Pcm]:
    """Opus at 24 kbit/s, with so many of its packets of 20 ms lost."""

    def through(pcm: Pcm, others: Sequence[Pcm], chance: Random) -> Pcm:
        import av

        encoder: av.AudioCodecContext = av.AudioCodecContext.create("libopus", "w")
        encoder.sample_rate, encoder.layout, encoder.format, encoder.bit_rate = RATE_HZ, "mono", "s16", OPUS_BIT_S
        decoder: av.AudioCodecContext = av.AudioCodecContext.create("libopus", "r")
        decoder.sample_rate, decoder.layout = RATE_HZ, "mono"
        padded = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES))
        packets = []
        for start in range(0, len(padded), FRAME_SAMPLES):
            frame = av.AudioFrame.from_ndarray(padded[None, start : start + FRAME_SAMPLES], "s16", "mono")
            frame.sample_rate = RATE_HZ
            packets += encoder.encode(frame)
        heard: list[Pcm] = []
        for packet in packets:
            lost = chance.random() < loss
            sound: Pcm = np.zeros(0, dtype=np.int16)
            for frame in decoder.decode(packet):
                part = frame.to_ndarray().reshape(-1)
                sound = np.append(sound, part if part.dtype == np.int16 else to_pcm(part.astype(np.float64)))
            # A client conceals what is lost by fading out what came before it.
            heard.append((heard[-1] // 2 if heard and len(heard[-1]) == len(sound) else sound * 0) if lost else sound)
        return np.concatenate(heard) if heard else pcm

    return through


CONDITIONS: dict[str, Callable[[Pcm, Sequence[Pcm], Random], Pcm]] = {
    "clean": clean,
    "noise": room_noise,
    "babble": babble,
    "echo": echo,
    "opus": opus(0.0),
    "loss5": opus(0.05),
    "loss10": opus(0.10),
}
"""Name -> what it does to a voice; `others` are three lines of other speakers."""


def _at(samples: Samples, level_db: float) -> Samples:
    loud = float(np.sqrt(np.mean(samples**2))) or 1.0
    out: Samples = samples * (10 ** (level_db / 20) / loud)
    return out


def _as_long(pcm: Pcm, samples: int) -> Samples:
    return np.resize(from_pcm(pcm), samples)
