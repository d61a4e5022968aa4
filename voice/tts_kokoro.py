"""A natural voice for French and English: Kokoro-82M on onnxruntime, about real time on one core.

A voice's name is a style of Kokoro or a blend of several, with an optional pitch: `ff_siwis`,
`ff_siwis:0.7+am_adam:0.3`, `ff_siwis:0.6+im_nicola:0.4@0.9` (a tenth lower). 180 words a minute is its own pace.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voice.ports import Lang, MissingPart, Pcm, VoiceSpec
from voice.tts_process import ProcessSynthesizer, finished_line, pitched_hz
from voice.weights_kokoro import MODEL, MODEL_CURE, VOICES, kokoro_folder
from voice.worker import Worker

DEFAULTS: dict[Lang, str] = {"fr": "ff_siwis", "en": "af_heart"}
OWN_RATE_HZ = 24_000
OWN_WPM = 180
SLOWEST, FASTEST = 0.5, 2.0
START_S = 240.0
"""The first start joins and fetches the weights."""

Style = npt.NDArray[np.float32]


class KokoroSynthesizer(ProcessSynthesizer):
    """Each process has one thread; `deadline_s` is for a line of some twenty words."""

    name = "kokoro"

    def __init__(self, lang: Lang, *, workers: int = 1, deadline_s: float = 40.0) -> None:
        self._lang = lang
        each = [Worker("voice.tts_kokoro:speaker", lang, start_s=START_S) for _ in range(workers)]
        super().__init__(each, deadline_s)

    async def open(self) -> None:
        if self._lang not in DEFAULTS:
            raise MissingPart(
                f"Kokoro has no voice for {self._lang!r}", "set tts.engine to pyttsx3 in configs/voice.yaml"
            )
        await super().open()


@dataclass(frozen=True, slots=True)
class Blend:
    """A voice's name, read. Weights sum to one; `pitch` 0.9 is a tenth lower."""

    weights: Mapping[str, float]
    pitch: float = 1.0


def parse_blend(name: str) -> Blend:
    """Raises ValueError with the reason."""
    styles, _, pitch = name.partition("@")
    weights: dict[str, float] = {}
    for part in styles.split("+"):
        style, _, weight = part.partition(":")
        weights[style.strip()] = float(weight or 1)
    if not math.isclose(sum(weights.values()), 1, abs_tol=0.001) or min(weights.values()) <= 0:
        raise ValueError(f"the weights of {name!r} must be positive and sum to one")
    blend = Blend(weights, float(pitch or 1))
    if not 0.7 <= blend.pitch <= 1.4:
        raise ValueError(f"the pitch of {name!r} must lie between 0.7 and 1.4")
    return blend


# --- in the process -------------------------------------------------------------------------------


def speaker(lang: Lang) -> Callable[[tuple[str, VoiceSpec]], Pcm]:
    """Raises `MissingPart` without the library or the weights."""
    try:
        import onnxruntime
        from kokoro_onnx import Kokoro
    except ImportError as error:
        raise MissingPart(f"the extra `natural` is not installed ({error})", MODEL_CURE) from error
    folder = kokoro_folder()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / MODEL), options, providers=["CPUExecutionProvider"])
    kokoro = Kokoro.from_session(session, str(folder / VOICES))

    def speak(request: tuple[str, VoiceSpec]) -> Pcm:
        text, voice = request
        name = voice.name or DEFAULTS[lang]
        style, pitch = _style(name, kokoro.voices)
        speed = min(max(voice.rate_wpm / OWN_WPM / pitch, SLOWEST), FASTEST)
        accent = "fr-fr" if voice.lang == "fr" else "en-gb" if name.startswith("b") else "en-us"
        samples, _ = kokoro.create(text, style, speed=speed, lang=accent)
        return finished_line(samples.astype(np.float64), pitched_hz(OWN_RATE_HZ, pitch))

    return speak


def _style(name: str, known: Mapping[str, Style]) -> tuple[Style, float]:
    """The blended style vectors (510 x 1 x 256) and the pitch."""
    try:
        blend = parse_blend(name)
        style: Style = np.sum([np.float32(weight) * known[each] for each, weight in blend.weights.items()], axis=0)
    except (KeyError, ValueError) as error:
        names = ", ".join(sorted(known))
        raise MissingPart(f"Kokoro has no voice {name!r} ({error})", f"choose among {names}") from error
    return style, blend.pitch
