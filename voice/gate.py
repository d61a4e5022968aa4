"""Cuts one microphone into utterances: silero-vad decides what is speech, before anything is recognised.

Silence, breath, keys and music never reach the recogniser, which would invent words for them.
"""

import functools
from collections import deque
from typing import Any

import numpy as np

from moderator.model import Seat
from voice.ports import FRAME_MS, RATE_HZ, Clip, Pcm

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
PRE_ROLL_S = 0.3
TAIL_S = 0.3
MIN_SPEECH_S = 0.12
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
        self._past = samples[-(_TAPS - 1) :]
        out = np.convolve(samples, LOW_PASS, mode="valid")[::DECIMATION]
        return np.clip(np.round(out), -32768, 32767).astype(np.int16)


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
        self.reset()

    def reset(self) -> None:
        self._h = self._c = np.zeros((1, 1, 128), dtype=np.float32)
        self._context = np.zeros(CONTEXT, dtype=np.float32)

    def __call__(self, window: Pcm) -> float:
        samples = window.astype(np.float32) / 32768
        chunk = np.concatenate((self._context, samples)).reshape(1, -1)
        self._context = samples[-CONTEXT:]
        out, self._h, self._c = _session().run(None, {"input": chunk, "h": self._h, "c": self._c})
        return float(np.asarray(out).reshape(-1)[-1])


class VoiceGate:
    """Frames of one seat in, utterances out. A clip holds 300 ms before its first word and 300 ms after its last."""

    def __init__(self, seat: Seat, detector: Detector | None = None) -> None:
        self.seat = seat
        self._detect = detector or Detector()
        self._decimate = Decimator()
        self._rest: Pcm = np.zeros(0, dtype=np.int16)
        self._before: deque[Pcm] = deque(maxlen=round(PRE_ROLL_S / WINDOW_S))
        self._windows: list[Pcm] = []
        self._started_s = self._spoken_until_s = 0.0
        self._spoken = self._last = 0
        self.speaking = False

    def push(self, pcm: Pcm, captured_s: float) -> list[Clip]:
        """`pcm`: 960 samples at 48 kHz whose first was captured at `captured_s`."""
        self._rest = np.concatenate((self._rest, self._decimate(pcm)))
        ready_s = captured_s + FRAME_MS / 1000
        clips: list[Clip] = []
        while len(self._rest) >= WINDOW:
            window, self._rest = self._rest[:WINDOW], self._rest[WINDOW:]
            end_s = ready_s - len(self._rest) / HEARING_HZ
            clip = self._window(window, end_s)
            if clip is not None:
                clips.append(clip)
        return clips

    def flush(self, at_s: float) -> list[Clip]:
        """End the running utterance with what was captured so far; `at_s` bounds its end."""
        if not self.speaking:
            return []
        self._spoken_until_s = min(self._spoken_until_s, at_s)
        clip = self._finish()
        return [] if clip is None else [clip]

    def _window(self, window: Pcm, end_s: float) -> Clip | None:
        quiet = not self.speaking and int(np.abs(window).max()) < SILENT_PEAK
        probability = 0.0 if quiet else self._detect(window)
        if not self.speaking:
            if probability < SPEECH:
                self._before.append(window)
                return None
            self.speaking, self._started_s = True, end_s - WINDOW_S
            self._windows, self._spoken = list(self._before), 0
            self._before.clear()
        self._windows.append(window)
        if probability >= NO_SPEECH:
            self._spoken += probability >= SPEECH
            self._spoken_until_s, self._last = end_s, len(self._windows)
        silent_s = (len(self._windows) - self._last) * WINDOW_S
        long_s = end_s - self._started_s
        if silent_s >= SILENCE_S or long_s >= LONGEST_S or (long_s >= SPLIT_S and silent_s > 0):
            return self._finish()
        return None

    def _finish(self) -> Clip | None:
        """Close the utterance; too short a noise is none."""
        kept = self._windows[: self._last + round(TAIL_S / WINDOW_S)]
        self._before.extend(self._windows[len(kept) :])
        spoken_s = self._spoken * WINDOW_S
        self.speaking, self._windows = False, []
        if spoken_s < MIN_SPEECH_S:
            return None
        return Clip(self.seat, np.concatenate(kept), self._started_s, self._spoken_until_s)
