"""What the voices share: each speaks in processes of its own, and gives a line in the same form."""

import wave
from pathlib import Path

import numpy as np

from voice.ports import RATE_HZ, Pcm, SynthesisFailed, VoiceSpec
from voice.sound import Samples, fade, level, resample, to_pcm, trim
from voice.worker import Worker, WorkerFailed, WorkerPool

PITCH_STEP_HZ = 100
"""The pitch is changed by reading the sound at another rate, a multiple of this."""


class ProcessSynthesizer:
    """A `Synthesizer` over processes; each line has `deadline_s`, then its process is replaced."""

    name: str

    def __init__(self, workers: list[Worker], deadline_s: float) -> None:
        self._deadline_s = deadline_s
        self.pool = WorkerPool(workers)

    async def open(self) -> None:
        await self.pool.open()

    async def synthesize(self, text: str, voice: VoiceSpec) -> Pcm:
        """Raises `MissingPart` for a voice that is not there, or not for this language."""
        try:
            pcm: Pcm = await self.pool.call((text, voice), self._deadline_s)
        except WorkerFailed as failure:
            raise SynthesisFailed(str(failure)) from failure
        return pcm

    async def close(self) -> None:
        await self.pool.close()


# --- in the process -------------------------------------------------------------------------------


def taken(path: Path) -> tuple[Samples, int]:
    """The sound of a WAV file that was written for one line, and its rate; the file is gone then."""
    with wave.open(str(path), "rb") as file:
        rate_hz, raw = file.getframerate(), file.readframes(file.getnframes())
    path.unlink()
    return np.frombuffer(raw, dtype="<i2").astype(np.float64) / 32768, rate_hz


def pitched_hz(rate_hz: int, pitch: float) -> int:
    """At which rate a sound is read for a pitch of so many times its own."""
    return round(rate_hz * pitch / PITCH_STEP_HZ) * PITCH_STEP_HZ


def finished_line(samples: Samples, rate_hz: int) -> Pcm:
    """A line as loud as any other, at our own rate, without silence or clicks at its ends."""
    return to_pcm(level(fade(trim(resample(samples, rate_hz, RATE_HZ), RATE_HZ), RATE_HZ), RATE_HZ))
