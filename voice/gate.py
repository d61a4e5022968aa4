"""Cuts one microphone into utterances: silero-vad decides what is speech, before anything is recognised.

Silence, breath, keys and music never reach the recogniser, which would invent words for them.
"""

import functools
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from moderator.model import Seat
from voice.ports import FRAME_S, RATE_HZ, Clip, Pcm

HEARING_HZ = 16_000
DECIMATION = RATE_HZ // HEARING_HZ
WINDOW = 512
WINDOW_S = WINDOW / HEARING_HZ
CONTEXT = 64

SPEECH, NO_SPEECH = 0.5, 0.35
"""Probability at which speech begins, and under which it may end."""
SILENT_PEAK = 120
"""A window that stays under this (of 32768) is not worth asking the model about."""
SILENCE_S = 0.5
PRE_ROLL, TAIL, MIN_SPEECH = 9, 9, 4
"""In windows: 0.29 s kept before the first word and after the last; 0.13 s of speech make an utterance."""
SPLIT_S, LONGEST_S = 12.0, 16.0
"""A long speech is cut at the first quiet window after the former, anyhow at the latter."""

_TAPS = 61
_SINC = np.sinc((np.arange(_TAPS) - _TAPS // 2) / DECIMATION * 0.92) * np.hamming(_TAPS)
LOW_PASS = (_SINC / _SINC.sum()).astype(np.float32)


class Decimator:
    """48 kHz to 16 kHz, a stream: 960 samples in, 320 out."""

    def __init__(self) -> None:
        self._past = np.zeros(_TAPS - 1, dtype=np.float32)

    def __call__(self, pcm: Pcm) -> Pcm:
        samples = np.concatenate((self._past, pcm.astype(np.float32)))
        self._past = samples[1 - _TAPS :]
        step = samples.itemsize  # only every third output is computed
        heard = as_strided(samples, (len(pcm) // DECIMATION, _TAPS), (DECIMATION * step, step)) @ LOW_PASS
        out: Pcm = np.clip(np.rint(heard), -32768, 32767).astype(np.int16)
        return out


@functools.cache
def _session() -> Any:
    """The one model of the process; it keeps no state of its own."""
    import onnxruntime
    from faster_whisper.utils import get_assets_path

    options = onnxruntime.SessionOptions()
    options.inter_op_num_threads = options.intra_op_num_threads = 1
    options.log_severity_level = 4
    path = f"{get_assets_path()}/silero_vad_v6.onnx"
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"], sess_options=options)


class Detector:
    """Speech probability of one stream, 512 samples at 16 kHz after the other."""

    def __init__(self) -> None:
        self._h: Any = np.zeros((1, 1, 128), dtype=np.float32)
        self._c: Any = self._h
        self._context: npt.NDArray[np.float32] = np.zeros(CONTEXT, dtype=np.float32)

    def __call__(self, window: Pcm) -> float:
        samples: npt.NDArray[np.float32] = window.astype(np.float32) / np.float32(32768)
        chunk = np.concatenate((self._context, samples)).reshape(1, -1)
        self._context = samples[-CONTEXT:]  # the model hears 4 ms of the window before
        out, self._h, self._c = _session().run(None, {"input": chunk, "h": self._h, "c": self._c})
        return float(np.asarray(out).reshape(-1)[-1])


class VoiceGate:
    """Frames of one seat in, utterances out.

    A clip starts `PRE_ROLL_S` before its first word and holds up to `TAIL_S` after its last; its times are those of
    the words. Not for two threads.
    """

    def __init__(self, seat: Seat, detector: Callable[[Pcm], float] | None = None, *, silence_s: float = SILENCE_S):
        self.seat = seat
        self._detect = detector or Detector()
        self._silence_s = silence_s
        self._decimate = Decimator()
        self._rest: Pcm = np.zeros(0, dtype=np.int16)
        self._before: deque[Pcm] = deque(maxlen=PRE_ROLL)
        self._windows: list[Pcm] = []
        """The running utterance, from its pre-roll to now."""
        self._started_s = self._spoken_until_s = self._heard_until_s = 0.0
        self._spoken = self._last = self._told = 0
        """Windows of speech in it; up to which of `_windows` they go; and up to which they went when last told."""
        self.speaking = False

    @property
    def speaking_since_s(self) -> float | None:
        """When the running utterance began, capture clock."""
        return self._started_s if self.speaking else None

    def running(self) -> Clip | None:
        """The running utterance so far; None: the seat is silent, or has hardly begun."""
        if not self.speaking or self._spoken < MIN_SPEECH:
            return None
        return self._clip(self._windows)

    def ending(self) -> Clip | None:
        """The running utterance as it will be if its seat says no more: once for each pause."""
        quiet = len(self._windows) - self._last
        if quiet < TAIL or self._last == self._told or self._spoken < MIN_SPEECH:
            return None
        self._told = self._last
        return self._clip(self._windows[: self._last + TAIL])

    def push(self, pcm: Pcm, captured_s: float) -> list[Clip]:
        """`pcm`: 960 samples at 48 kHz whose first was captured at `captured_s`. Returns what ended with them."""
        clips = self._lost(captured_s)
        self._rest = np.concatenate((self._rest, self._decimate(pcm)))
        self._heard_until_s = captured_s + FRAME_S
        while len(self._rest) >= WINDOW:
            window, self._rest = self._rest[:WINDOW], self._rest[WINDOW:]
            clips += self._window(window, self._heard_until_s - len(self._rest) / HEARING_HZ)
        return clips

    def flush(self, at_s: float) -> list[Clip]:
        """End the running utterance now, as of `at_s`: the floor has closed. One that began later goes on."""
        if not self.speaking or at_s <= self._started_s:
            return []
        self._spoken_until_s = min(self._spoken_until_s, at_s)
        return self._finish()

    def _lost(self, captured_s: float) -> list[Clip]:
        """Where frames are missing for as long as a pause, what came before has ended."""
        lost_s = captured_s - self._heard_until_s
        if lost_s < self._silence_s or not self.speaking:
            return []
        return self._finish()

    def _window(self, window: Pcm, end_s: float) -> list[Clip]:
        if not self.speaking and int(window.max()) < SILENT_PEAK and int(window.min()) > -SILENT_PEAK:
            probability = 0.0
        else:
            probability = self._detect(window)
        if not self.speaking:
            if probability < SPEECH:
                self._before.append(window)
                return []
            self._begin(end_s - WINDOW_S)
        self._windows.append(window)
        if probability >= NO_SPEECH:
            self._spoken += probability >= SPEECH
            self._spoken_until_s, self._last = end_s, len(self._windows)
        silent_s = (len(self._windows) - self._last) * WINDOW_S
        long_s = end_s - self._started_s
        ended = silent_s >= self._silence_s or long_s >= LONGEST_S or (long_s >= SPLIT_S and silent_s > 0)
        return self._finish() if ended else []

    def _begin(self, at_s: float) -> None:
        silence: Pcm = np.zeros(WINDOW, dtype=np.int16)
        self.speaking, self._started_s, self._spoken, self._told = True, at_s, 0, 0
        self._windows = [silence] * (PRE_ROLL - len(self._before)) + list(self._before)
        self._before.clear()

    def _finish(self) -> list[Clip]:
        """Close the utterance; too short a noise is none."""
        kept = self._windows[: self._last + TAIL]
        self._before.extend(self._windows[len(kept) :])
        self.speaking, self._windows = False, []
        if self._spoken < MIN_SPEECH:
            return []
        return [self._clip(kept)]

    def _clip(self, windows: list[Pcm]) -> Clip:
        return Clip(self.seat, np.concatenate(windows), self._started_s, self._spoken_until_s)
