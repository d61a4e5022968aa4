"""A natural voice for Russian: a man's recorded speech in pieces (festvox-ru), joined by Festival in 0.1 s a line.

A voice's name is `msu_ru_nsh_clunits`, with an optional pitch: `msu_ru_nsh_clunits@0.9` is a tenth lower. Recorded
pieces have one pace, some 140 words a minute: another is made by ffmpeg's `atempo`, which keeps the pitch.
"""

import re
import shutil
import subprocess
import tempfile
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np

from voice.ports import SILENCE, Lang, MissingPart, Pcm, VoiceSpec
from voice.sound import Samples
from voice.tts_process import ProcessSynthesizer, finished_line, pitched_hz, taken
from voice.worker import Worker

VOICE = "msu_ru_nsh_clunits"
CURE = "apt-get install festival festvox-ru"
ELSEWHERE = "set tts.engine to kokoro or pyttsx3 in configs/voice.yaml"
OWN_WPM = 140
SLOWEST, FASTEST = 0.5, 3.0
LOWEST, HIGHEST = 0.7, 1.4
NAME = re.compile(rf"(?:{VOICE})?(?:@(\d+(?:\.\d+)?))?")
KNOWN = re.compile(r"[0-9A-Za-zА-Яа-яЁё.,?:; ]")
"""One sign that the voice does not know would silence its whole line ..."""
PAUSES = {"!": ".", "…": ".", "—": ",", "–": ",", "\n": "."}
PAUSE = re.compile(r"\s*([.,?:;])[\s.,?:;]*")
"""... and so would a pause that does not stand at the end of a word."""
WORD = re.compile(r"[^\W_]")
SAID = "moderator-said"


class FestivalSynthesizer(ProcessSynthesizer):
    name = "festival"

    def __init__(self, lang: Lang, *, workers: int = 1, deadline_s: float = 10.0) -> None:
        self._lang = lang
        super().__init__([Worker("voice.tts_festival:speaker", lang) for _ in range(workers)], deadline_s)

    async def open(self) -> None:
        if self._lang != "ru":
            raise MissingPart(f"Festival's voice speaks Russian, not {self._lang!r}", ELSEWHERE)
        await super().open()


def pitch_of(name: str) -> float:
    """1 unless the name tells another. Raises `MissingPart` for a voice that is not there."""
    found = NAME.fullmatch(name)
    pitch = float(found[1] or 1) if found else 0.0
    if not LOWEST <= pitch <= HIGHEST:
        cure = f"take {VOICE}, or {VOICE}@PITCH with a pitch of {LOWEST} to {HIGHEST}"
        raise MissingPart(f"Festival has no voice {name!r}", cure)
    return pitch


def speakable(text: str) -> str:
    """What the voice can say of a text, and nothing that means anything to Festival: words, and pauses after them."""
    known = "".join(char if KNOWN.match(char) else unicodedata.normalize("NFKD", char)[0] for char in text)
    words = "".join(char if KNOWN.match(char) else PAUSES.get(char, " ") for char in known)
    return PAUSE.sub(r"\1 ", words).lstrip(".,?:; ").rstrip()


# --- in the process -------------------------------------------------------------------------------


def speaker(lang: Lang) -> Callable[[tuple[str, VoiceSpec]], Pcm]:
    """Raises `MissingPart` without the program or its Russian voice."""
    program = shutil.which("festival")
    if program is None:
        raise MissingPart("Festival is not installed", CURE)
    folder = tempfile.TemporaryDirectory(prefix="moderator-voice-")
    festival = Festival(program)

    def speak(request: tuple[str, VoiceSpec]) -> Pcm:
        text, voice = request
        path = Path(folder.name) / "line.wav"
        pitch, words = pitch_of(voice.name), speakable(text)
        if not WORD.search(words):
            return SILENCE
        answer = festival.ask(f'(utt.save.wave (utt.synth (Utterance Text "{words}")) "{path}" \'riff)')
        if not path.exists():
            raise RuntimeError(f"the line has no sound ({' '.join(answer)[:200]})")
        samples, rate_hz = taken(path)
        speed = min(max(voice.rate_wpm / OWN_WPM / pitch, SLOWEST), FASTEST)
        return finished_line(_paced(samples, rate_hz, speed), pitched_hz(rate_hz, pitch))

    return speak


class Festival:
    """The running program: one command after another. It ends with its input, so never after this process."""

    def __init__(self, program: str) -> None:
        self._program = program
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [self._program, "--pipe"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        if complaints := self._ask(f"(voice_{VOICE})"):
            raise MissingPart(f"Festival has no Russian voice ({complaints[0]})", CURE)

    def ask(self, command: str) -> list[str]:
        """What it prints meanwhile: complaints, if anything. One that has died is started again, once: raises
        `RuntimeError` when it dies of this. A hang is ended from outside, by the deadline."""
        try:
            return self._ask(command)
        except (BrokenPipeError, EOFError):
            self._start()
        try:
            return self._ask(command)
        except (BrokenPipeError, EOFError) as error:
            raise RuntimeError(f"Festival dies of {command!r}") from error

    def _ask(self, command: str) -> list[str]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f'{command}\n(format t "%s\\n" "{SAID}")\n(fflush nil)\n')
        self._process.stdin.flush()
        printed: list[str] = []
        for line in self._process.stdout:
            if SAID in line:
                return printed
            printed.append(line.strip())
        raise EOFError


def _paced(samples: Samples, rate_hz: int, speed: float) -> Samples:
    """The same voice, `speed` times as fast."""
    if abs(speed - 1) < 0.01:
        return samples
    import av
    from av.filter import Graph

    graph = Graph()
    source = graph.add_abuffer(format="dbl", sample_rate=rate_hz, layout="mono", time_base=Fraction(1, rate_hz))
    tempo, sink = graph.add("atempo", f"{speed:.3f}"), graph.add("abuffersink")
    source.link_to(tempo)
    tempo.link_to(sink)
    graph.configure()
    frame = av.AudioFrame.from_ndarray(samples[None, :], format="dbl", layout="mono")
    frame.sample_rate = rate_hz
    graph.push(frame)
    graph.push(None)
    pieces: list[Samples] = []
    while True:
        try:
            pieces.append(graph.pull().to_ndarray()[0])
        except av.error.EOFError:
            return np.concatenate(pieces)
