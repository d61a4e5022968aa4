"""Sound files of a game: mono Opus in Ogg, written and read a second at a time, so that their length costs no memory.

A file says in a tag (`started_s`) at which game second it begins.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path

import numpy as np

from voice.ports import RATE_HZ, Pcm

BIT_RATE = 32_000
CODING: dict[str, object] = {"application": "lowdelay", "frame_duration": "60"}
"""Opus without its speech coder, to which silence after speech costs five times the time and ten times the bytes."""
STARTED = "started_s"
NOTHING: Pcm = np.zeros(0, dtype=np.int16)


def write(path: Path, sound: Iterable[Pcm], started_s: float | None = None) -> None:
    """`sound`: parts of any length, mono, 16 bit, 48 kHz. The file is there when it is whole."""
    import av

    scratch = path.with_suffix(".part")
    with av.open(str(scratch), "w", format="ogg") as file:
        if started_s is not None:
            file.metadata[STARTED] = f"{started_s:.3f}"
        stream = file.add_stream("libopus", rate=RATE_HZ, layout="mono")
        stream.bit_rate, stream.options = BIT_RATE, CODING
        at = 0
        for part in sound:
            frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(part).reshape(1, -1), format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, at, Fraction(1, RATE_HZ)
            at += len(part)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
    scratch.replace(path)


def read(path: Path) -> Iterator[Pcm]:
    """Second by second, the last one as long as it is. Raises `av.FFmpegError` where there is no sound."""
    import av

    def samples(frame: av.AudioFrame) -> Pcm:
        return frame.to_ndarray().reshape(-1).astype(np.int16)

    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE_HZ, frame_size=RATE_HZ)
    with av.open(str(path)) as file:
        for frame in file.decode(audio=0):
            yield from map(samples, resampler.resample(frame))
        yield from map(samples, resampler.resample(None))


def head(path: Path) -> tuple[float | None, float]:
    """The game second at which it begins, if it says so, and its length in seconds. Raises as `read`."""
    import av

    with av.open(str(path)) as file:
        tags = {key.lower(): value for key, value in (file.streams.audio[0].metadata | file.metadata).items()}
        started_s = float(tags[STARTED]) if STARTED in tags else None
        return started_s, float(file.duration or 0) / av.time_base


def raw(path: Path) -> Iterator[Pcm]:
    """The same of samples without a head."""
    with path.open("rb") as file:
        while samples := file.read(2 * RATE_HZ):
            yield np.frombuffer(samples[: len(samples) // 2 * 2], dtype=np.int16)


def mixed(sounds: Iterable[Iterator[Pcm]]) -> Iterator[Pcm]:
    """The sum of sounds that begin together, as long as the longest, clipped to 16 bits."""
    for parts in zip_longest(*sounds, fillvalue=NOTHING):
        total = np.zeros(max(map(len, parts)), dtype=np.int32)
        for part in parts:
            total[: len(part)] += part
        yield np.clip(total, -32768, 32767).astype(np.int16)
