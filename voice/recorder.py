"""The mixed recording of the table: what a spectator would have heard, as Opus in an Ogg file."""

from fractions import Fraction
from pathlib import Path

import av

from voice.ports import RATE_HZ, Pcm

BIT_RATE = 32_000


class Recorder:
    """Takes 20 ms frames (960 samples at 48 kHz) in order; playable up to the last page if the process dies."""

    def __init__(self, path: Path) -> None:
        self._file = av.open(str(path), "w", format="ogg")
        self._stream = self._file.add_stream("libopus", rate=RATE_HZ, layout="mono")
        self._stream.bit_rate = BIT_RATE
        self._samples = 0

    def write(self, pcm: Pcm) -> None:
        frame = av.AudioFrame.from_ndarray(pcm.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, self._samples, Fraction(1, RATE_HZ)
        self._samples += pcm.size
        self._file.mux(self._stream.encode(frame))

    def close(self) -> None:
        self._file.mux(self._stream.encode(None))
        self._file.close()
