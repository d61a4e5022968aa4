"""The voice through pyttsx3 and espeak-ng: every language, robotic, ten milliseconds a sentence.

espeak-ng crashes or hangs in threads, so each engine lives alone in a spawned process and speaks one sentence
at a time into a file. An unknown voice name is silently ignored by pyttsx3: the voice is read back.
"""

import tempfile
import threading
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from voice.ports import RATE_HZ, Lang, MissingPart, Pcm, SynthesisFailed, VoiceSpec
from voice.sound import Samples, fade, level, resample, to_pcm, trim
from voice.worker import Worker, WorkerFailed, WorkerPool

VOICES: dict[Lang, str] = {"fr": "roa/fr", "en": "gmw/en-us", "ru": "zle/ru"}
"""The plain voice of each language, by espeak-ng's own name. Any may carry a variant: `roa/fr+f3`."""
CURE = "apt-get install libespeak-ng1 espeak-ng-data && pip install pyttsx3"
LIST = "espeak-ng --voices; espeak-ng --voices=variant"
TRIES = 4
"""espeak-ng reports about one line in seventy as finished without having made a sound; asked again, it speaks."""
FINISHED = "finished-utterance"


class Pyttsx3Synthesizer:
    """A `Synthesizer` over `workers` processes; each line has `deadline_s`, then its process is replaced."""

    name = "pyttsx3"

    def __init__(self, lang: Lang, *, workers: int = 1, deadline_s: float = 5.0) -> None:
        self._deadline_s = deadline_s
        self.pool = WorkerPool([Worker("voice.tts_pyttsx3:speaker", lang) for _ in range(workers)])

    async def open(self) -> None:
        await self.pool.open()

    async def synthesize(self, text: str, voice: VoiceSpec) -> Pcm:
        """Raises `MissingPart` for a voice that espeak-ng does not have, or not for this language."""
        try:
            pcm: Pcm = await self.pool.call((text, voice), self._deadline_s)
        except WorkerFailed as failure:
            raise SynthesisFailed(str(failure)) from failure
        return pcm

    async def close(self) -> None:
        await self.pool.close()


# --- in the process -------------------------------------------------------------------------------


def speaker(lang: Lang) -> Callable[[tuple[str, VoiceSpec]], Pcm]:
    """Raises `MissingPart` without the library or without a voice of the language."""
    try:
        import pyttsx3

        engine = pyttsx3.init("espeak")
    except (ImportError, OSError, RuntimeError) as error:
        raise MissingPart(f"pyttsx3 with espeak-ng does not start ({error})", CURE) from error
    known = {voice.id: voice.languages for voice in engine.getProperty("voices")}
    if VOICES[lang] not in known:
        raise MissingPart(f"espeak-ng has no voice {VOICES[lang]!r} for {lang!r}", CURE)
    finished = threading.Event()
    engine.connect(FINISHED, lambda **_: finished.set())
    folder = tempfile.TemporaryDirectory(prefix="moderator-voice-")

    def speak(request: tuple[str, VoiceSpec]) -> Pcm:
        text, voice = request
        path = Path(folder.name) / "line.wav"
        name = voice.name or VOICES[voice.lang]
        if not any(language.startswith(voice.lang) for language in known.get(name.partition("+")[0], ())):
            raise MissingPart(f"espeak-ng has no voice {name!r} for {voice.lang!r}", LIST)
        for _ in range(TRIES):
            finished.clear()
            _say(engine, text, name, voice.rate_wpm, path)
            finished.wait()  # runAndWait may come back first; a hang is ended from outside, by the deadline
            if engine.getProperty("voice") != name:
                raise MissingPart(f"espeak-ng has no voice {name!r}", LIST)
            samples, rate_hz = _read(path)
            if len(samples):
                return _finished(samples, rate_hz)
        raise RuntimeError("the line has no sound")

    return speak


def _say(engine: Any, text: str, voice: str, rate_wpm: int, path: Path) -> None:
    engine.setProperty("voice", voice)
    engine.setProperty("rate", rate_wpm)
    engine.save_to_file(text, str(path))
    engine.runAndWait()


def _read(path: Path) -> tuple[Samples, int]:
    with wave.open(str(path), "rb") as file:
        rate_hz, raw = file.getframerate(), file.readframes(file.getnframes())
    path.unlink()
    return np.frombuffer(raw, dtype="<i2").astype(np.float64) / 32768, rate_hz


def _finished(samples: Samples, rate_hz: int) -> Pcm:
    return to_pcm(level(fade(trim(resample(samples, rate_hz, RATE_HZ), RATE_HZ), RATE_HZ), RATE_HZ))
