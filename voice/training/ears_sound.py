"""Lines of `ears_lines` as the recogniser gets them: spoken, spoilt, cut by the gate, through Whisper's encoder.

The ten voices of the robots, and every style that they are blended from but the French one, are kept out: the bench
hears with voices that were never trained on. Russian has one recorded man, here at other pitches and paces than there.
"""

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from voice.bench_noise import CONDITIONS
from voice.gate import HEARING_HZ, VoiceGate
from voice.hearing import prompt_for
from voice.ports import FRAME_SAMPLES, RATE_HZ, Clip, Lang, Pcm, Synthesizer, Task, VoiceSpec
from voice.robots.speech import RobotVoice
from voice.sound import from_pcm, to_pcm
from voice.sound_cache import CachedSynthesizer
from voice.stt_whisper import samples, windowed
from voice.training.ears_lines import FREE_TALK, Line, language, lines
from voice.tts_festival import VOICE, FestivalSynthesizer
from voice.tts_kokoro import KokoroSynthesizer
from voice.tts_pyttsx3 import Pyttsx3Synthesizer

VOICES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "fr": (
        ("kokoro", "ff_siwis:0.7+af_heart:0.3"),
        ("kokoro", "ff_siwis:0.8+pf_dora:0.2@1.05"),
        ("kokoro", "ff_siwis:0.6+am_fenrir:0.4@0.92"),
        ("kokoro", "ff_siwis:0.5+pm_alex:0.5"),
        ("kokoro", "ff_siwis:0.6+ef_dora:0.4"),
        ("kokoro", "ff_siwis:0.7+am_adam:0.3@0.86"),
        ("kokoro", "ff_siwis:0.5+em_santa:0.5@0.95"),
        ("kokoro", "ff_siwis:0.8+hf_alpha:0.2@1.1"),
        ("kokoro", "ff_siwis:0.6+bm_daniel:0.4"),
        ("kokoro", "pm_alex"),
        ("kokoro", "ef_dora"),
        ("kokoro", "ff_siwis:0.4+af_kore:0.6"),
        ("pyttsx3", "roa/fr+f5"),
        ("pyttsx3", "roa/fr+m7"),
    ),
    "en": (
        ("kokoro", "af_kore"),
        ("kokoro", "am_adam"),
        ("kokoro", "bf_isabella"),
        ("kokoro", "bm_daniel"),
        ("kokoro", "af_nova"),
        ("kokoro", "am_liam"),
        ("kokoro", "ff_siwis"),
    ),
    "ru": tuple(("festival", f"{VOICE}@{pitch}") for pitch in (0.78, 0.85, 0.97, 1.02, 1.09, 1.17, 1.28)),
    "fr-espeak": tuple(("pyttsx3", f"roa/fr+{variant}") for variant in ("f5", "m5", "m7", "m8")),
    "en-espeak": tuple(("pyttsx3", f"gmw/en-us+{variant}") for variant in ("f5", "m5", "m7", "m8")),
    "ru-espeak": tuple(("pyttsx3", f"zle/ru+{variant}") for variant in ("f5", "m5", "m7", "m8")),
}
"""By batch: its language, and "espeak" where its voices cost nothing. Free talk has the voices of its language."""
SYNTHESIZERS: Mapping[str, Callable[..., Synthesizer]] = {
    "kokoro": KokoroSynthesizer,
    "pyttsx3": Pyttsx3Synthesizer,
    "festival": FestivalSynthesizer,
}
DEADLINE_S = 120.0
"""Nobody waits for a sentence here, and other work may be going on."""
RATES_WPM = {"kokoro": (150, 230), "pyttsx3": (130, 170), "festival": (120, 170)}
SPOILT = ("clean", "clean", "noise", "noise", "opus", "loss5", "babble", "echo")
PACE = (0.92, 1.1)
GAIN_DB = (-14.0, 6.0)
SHORT_WINDOW, SHORT_AFTER = 400, 200
"""In mel frames of 10 ms. Most windows are of 4 s at least, 2 s longer than the clip: a quarter of the time."""
WHOLE = 0.2
"""... but not these, which get the window in use."""
STATES_A_SECOND = 50
LONGEST_TOKENS = 100
AS_BEFORE = frozenset({"ru-espeak"})
"""Batches of a voice that Whisper hardly understands: what it heard before it shall hear after."""
SILENCE_S = 0.6
PAUSE_S = (0.1, 0.35)
"""Between two sentences: the gate must not cut there."""


@dataclass(frozen=True, slots=True)
class Example:
    """One clip of the training set. `file`: its encoder states, frames x width, float16."""

    file: str
    lang: Lang
    task: str
    kind: str
    written: str
    """Empty: nothing was said."""
    frames: int
    """States of the clip itself; after them comes the window's silence."""
    whole: bool
    """Whether the window is the one in use."""


def voices(batch: str, count: int, seed: int) -> Iterator[RobotVoice]:
    chance, lang = Random(f"voices {batch} {seed}"), language(batch)
    for _ in range(count):
        engine, name = chance.choice(VOICES[batch.removesuffix(f"-{FREE_TALK}")])
        yield RobotVoice(engine, VoiceSpec(lang, name, chance.randrange(*RATES_WPM[engine], 10)))


async def speak(lang: Lang, wanted: Sequence[tuple[Line, RobotVoice]], workers: int) -> list[list[Pcm]]:
    """The sentences of each line; what was said once is kept in the cache."""
    async with contextlib.AsyncExitStack() as stack:
        made = {}
        for engine in sorted({voice.engine for _, voice in wanted}):
            made[engine] = CachedSynthesizer(SYNTHESIZERS[engine](lang, workers=workers, deadline_s=DEADLINE_S), engine)
            await made[engine].open()
            stack.push_async_callback(made[engine].close)
        turns = asyncio.Semaphore(workers)

        async def one(line: Line, voice: RobotVoice) -> list[Pcm]:
            async with turns:
                return [await made[voice.engine].synthesize(said, voice.spec) for said in line.said]

        return await asyncio.gather(*(one(line, voice) for line, voice in wanted))


def clip(parts: Sequence[Pcm], others: Sequence[Pcm], chance: Random) -> Clip | None:
    """A line at another pace and loudness, through noise, cut by the gate; None where it was not cut to one clip."""
    silence = np.zeros(round(SILENCE_S * RATE_HZ), dtype=np.int16)
    said: list[Pcm] = [silence]
    for part in parts:
        said += [part, np.zeros(round(chance.uniform(*PAUSE_S) * RATE_HZ), dtype=np.int16)]
    joined = from_pcm(np.concatenate([*said, silence]))
    paced = np.interp(np.arange(0, len(joined), chance.uniform(*PACE)), np.arange(len(joined)), joined)
    loud = to_pcm(paced * 10 ** (chance.uniform(*GAIN_DB) / 20))
    cut = clips(CONDITIONS[chance.choice(SPOILT)](loud, others, chance))
    return cut[0] if len(cut) == 1 else None


def clips(pcm: Pcm) -> list[Clip]:
    gate, found = VoiceGate(1), list[Clip]()
    whole = np.pad(pcm, (0, -len(pcm) % FRAME_SAMPLES))
    for number, start in enumerate(range(0, len(whole), FRAME_SAMPLES)):
        found += gate.push(whole[start : start + FRAME_SAMPLES], number * FRAME_SAMPLES / RATE_HZ)
    return found + gate.flush(len(whole) / RATE_HZ)


class Encoder:
    """The recogniser in use: its encoder with the window in use, and what it hears before the training."""

    def __init__(self, folder: Path, threads: int) -> None:
        from faster_whisper import WhisperModel

        self._model = WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads)

    def __call__(self, pcm: Pcm, *, whole: bool) -> Any:
        """States of 20 ms each, 1 x frames x width, in CTranslate2's own form."""
        from faster_whisper.audio import pad_or_trim

        features = self._model.feature_extractor(samples(pcm.tobytes()))
        short = max(SHORT_WINDOW, features.shape[-1] + SHORT_AFTER) // 2 * 2
        return self._model.encode(windowed(features) if whole else pad_or_trim(features, short))

    def heard(self, states: Any, lang: Lang, prompt: str) -> str:
        from faster_whisper.tokenizer import Tokenizer

        words = Tokenizer(self._model.hf_tokenizer, multilingual=True, task="transcribe", language=lang)
        before = [words.sot_prev, *words.encode(" " + prompt)] if prompt else []
        start = [*before, *words.sot_sequence, words.no_timestamps]
        (found,) = self._model.model.generate(states, [start], beam_size=1, max_length=len(start) + LONGEST_TOKENS)
        return str(words.decode([token for token in found.sequences_ids[0] if token < words.eot])).strip()


def examples(batch: str, count: int, copies: int, seed: int, folder: Path, encoder: Encoder) -> Iterator[Example]:
    """Writes encoder states into `folder`; `copies` of each line differ in pace, loudness and noise."""
    lang = language(batch)
    wanted = list(zip(lines(batch, count, seed), voices(batch, count, seed), strict=True))
    spoken = asyncio.run(speak(lang, wanted, workers=2))
    for number, ((line, _), parts) in enumerate(zip(wanted, spoken, strict=True)):
        for copy in range(copies):
            chance = Random(f"sound {batch} {seed} {number} {copy}")
            others, whole = [chance.choice(spoken)[0] for _ in range(3)], chance.random() < WHOLE
            found = clip(parts, others, chance)
            if found is None:
                continue
            states, written = encoder(found.pcm, whole=whole), line.written
            if batch in AS_BEFORE:
                written = encoder.heard(states, lang, prompt_for(line.task, lang))
            file = f"{batch}-{number:05}-{copy}.npy"
            np.save(folder / file, np.asarray(states)[0].astype(np.float16))
            yield Example(file, lang, line.task.value, line.kind, written, frames(found.pcm), whole)


def nothings(batch: str, count: int, seed: int, folder: Path, encoder: Encoder) -> Iterator[Example]:
    """Noise that the gate might let through one day: nothing is to be written."""
    chance, lang = Random(f"nothing {batch} {seed}"), language(batch)
    for number in range(count):
        sound, whole = nothing(chance), number % 5 == 0
        file = f"{batch}-nothing-{number:03}.npy"
        np.save(folder / file, np.asarray(encoder(sound, whole=whole))[0].astype(np.float16))
        yield Example(file, lang, chance.choice(list(Task)).value, "nothing", "", frames(sound), whole)


def nothing(chance: Random) -> Pcm:
    """Hiss, hum, taps or chords of one to four seconds, at 16 kHz."""
    at_s = np.arange(round(chance.uniform(1.0, 4.0) * HEARING_HZ)) / HEARING_HZ
    hiss = np.random.default_rng(chance.randrange(2**32)).normal(size=len(at_s))
    match chance.choice(("hiss", "hum", "taps", "chord")):
        case "hiss":
            sound = hiss
        case "hum":
            sound = sum(np.sin(2 * np.pi * 50 * part * at_s) / part for part in (1, 2, 3, 5)) + 0.1 * hiss
        case "taps":
            sound = hiss * np.exp(-60 * (at_s % chance.uniform(0.15, 0.5)))
        case _:
            tones = [chance.choice((220, 262, 330, 392, 440)) * step for step in (1, 1.25, 1.5)]
            sound = sum(np.sin(2 * np.pi * tone * at_s) for tone in tones) + 0.05 * hiss
    loud = 10 ** (chance.uniform(-50, -20) / 20)
    return to_pcm(sound / float(np.sqrt(np.mean(sound**2))) * loud)


def frames(pcm: Pcm) -> int:
    return round(len(pcm) / HEARING_HZ * STATES_A_SECOND)


def save(made: Sequence[Example], folder: Path) -> None:
    rows = (json.dumps(asdict(example), ensure_ascii=False) for example in made)
    (folder / "examples.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def load(folder: Path) -> list[Example]:
    rows = (folder / "examples.jsonl").read_text(encoding="utf-8").splitlines()
    return [Example(**json.loads(row)) for row in rows]
