"""The mixed recording of the table: what a spectator would have heard, as Opus in an Ogg file.

While the game runs the sound is only written down, which costs nothing; it is encoded when the game is over.
A process that dies leaves the raw sound (`.pcm`: mono, 16 bit, 48 kHz); the one that ends the game encodes it too.
"""

import contextlib
import logging
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from voice.ports import FRAME_MS, FRAME_SAMPLES, RATE_HZ, Pcm

log = logging.getLogger(__name__)

BIT_RATE = 32_000
BUFFER_BYTES = 96_000
"""A second of sound."""
BEGAN = ".began"
"""Beside raw sound: the game second of its first sample. A process that was killed has left none."""
STARTED = "started_s"
"""The tag of the file that holds the game second of its first sample."""


class Recorder:
    """Takes 20 ms frames (960 samples at 48 kHz) in order; `close` makes the recording at `path`.

    A disk that is full ends the recording, not the game; then the raw sound stays as it is.
    """

    def __init__(self, path: Path, now: Callable[[], float] | None = None) -> None:
        """`now`: the game's clock. It is read at the end: a game that was taken up sets it while players come back."""
        self._path, self._raw_path, self._now, self._frames = path, path.with_suffix(".pcm"), now, 0
        self._raw = self._raw_path.open("wb", buffering=BUFFER_BYTES)
        self._ended = False

    def write(self, pcm: Pcm) -> None:
        if not self._ended:
            with self._recording():
                self._raw.write(pcm.tobytes())
                self._frames += 1

    def close(self) -> None:
        started_s = self._started_s()
        with self._recording():
            self._raw.close()
        if not self._ended:
            with self._recording():
                encode(self._raw_path, self._path, started_s)
                self._raw_path.unlink()

    @contextlib.contextmanager
    def _recording(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not self._ended:
                log.warning("%s: the recording ends here: %s", self._path, error.strerror)
            self._ended = True

    def interrupt(self) -> None:
        """Keep the sound raw: there is no time now."""
        with self._recording():
            self._raw.close()
            if (started_s := self._started_s()) is not None and not self._ended:
                self._raw_path.with_suffix(BEGAN).write_text(str(started_s))

    def _started_s(self) -> float | None:
        return None if self._now is None else self._now() - self._frames * FRAME_MS / 1000


def encode_leftovers(folder: Path) -> None:
    """What processes that died have left."""
    for raw in sorted(folder.glob("*.pcm")):
        began = raw.with_suffix(BEGAN)
        encode(raw, raw.with_suffix(".ogg"), float(began.read_text()) if began.exists() else None)
        raw.unlink()
        began.unlink(missing_ok=True)


def encode(raw: Path, path: Path, started_s: float | None = None) -> None:
    """`started_s`: the game second of the first sample, where it is known."""
    import av

    sound = np.memmap(raw, dtype=np.int16, mode="r") if raw.stat().st_size else np.zeros(0, dtype=np.int16)
    with av.open(str(path), "w", format="ogg") as file:
        if started_s is not None:
            file.metadata[STARTED] = f"{started_s:.3f}"
        stream = file.add_stream("libopus", rate=RATE_HZ, layout="mono")
        stream.bit_rate = BIT_RATE
        for start in range(0, len(sound) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
            pcm = np.ascontiguousarray(sound[start : start + FRAME_SAMPLES]).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(pcm, format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = RATE_HZ, start, Fraction(1, RATE_HZ)
            file.mux(stream.encode(frame))
        file.mux(stream.encode(None))
