"""The voice through pyttsx3 and espeak-ng: every language, robotic, ten milliseconds a sentence.

espeak-ng crashes or hangs in threads, so each engine lives alone in a spawned process and speaks one sentence
at a time into a file. An unknown voice name is silently ignored by pyttsx3: the voice is read back.
"""

import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voice.ports import Lang, MissingPart, Pcm, VoiceSpec
from voice.tts_process import ProcessSynthesizer, finished_line, taken
from voice.worker import Worker

VOICES: dict[Lang, str] = {"fr": "roa/fr", "en": "gmw/en-us", "ru": "zle/ru"}
"""The plain voice of each language, by espeak-ng's own name. Any may carry a variant: `roa/fr+f3`."""
CURE = "apt-get install libespeak-ng1 espeak-ng-data && pip install pyttsx3"
LIST = "espeak-ng --voices; espeak-ng --voices=variant"
TRIES = 4
"""espeak-ng reports about one line in seventy as finished without having made a sound; asked again, it speaks."""
FINISHED = "finished-utterance"


class Pyttsx3Synthesizer(ProcessSynthesizer):
    name = "pyttsx3"

    def __init__(self, lang: Lang, *, workers: int = 1, deadline_s: float = 5.0) -> None:
        super().__init__([Worker("voice.tts_pyttsx3:speaker", lang) for _ in range(workers)], deadline_s)


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
            samples, rate_hz = taken(path)
            if len(samples):
                return finished_line(samples, rate_hz)
        raise RuntimeError("the line has no sound")

    return speak


def _say(engine: Any, text: str, voice: str, rate_wpm: int, path: Path) -> None:
    engine.setProperty("voice", voice)
    engine.setProperty("rate", rate_wpm)
    engine.save_to_file(text, str(path))
    engine.runAndWait()
