"""Nothing comes from nothing: `moderator bench nothing`.

Ten minutes in which no player speaks (silence, breath, keys, hum, music, laughter, a neighbour's television, the
narrator's own voice out of the loudspeakers) go through gate, recogniser and grammar, as if each question of the game
were open to a player who has said a few sentences before. By sound:

* gated: utterances that the gate cut out of it;
* echoes: those that were known as the narrator's, and went no further;
* far: those that were too soft to be the player's own voice, and so can only be asked about;
* dropped: readings of them that came to nothing (silence, a known invention), one for each question;
* words: readings that left words, of which the table would make nothing, but that it asks once for an answer anew;
* asked: readings after which the player would be asked;
* events: readings that would have done something. There should be none.
"""

import argparse
import asyncio
import contextlib
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from moderator.model import SEATS
from voice import bench_narrator, engines
from voice.config import load_voice_config
from voice.dialogue import SURE
from voice.echo import Echo
from voice.gate import VoiceGate
from voice.hearing import WEIGHED_TASKS, awaited, certainty, prompt_for
from voice.nearness import Nearness
from voice.noises import NOISES, through_a_wall
from voice.ports import FRAME_SAMPLES, RATE_HZ, Clip, Context, Hint, Lang, MissingPart, Pcm, Task, Transcriber
from voice.robots.speech import sentences, spare_voices
from voice.sound_cache import CachedSynthesizer
from voice.understanding import Understanding

LINES = Path(__file__).resolve().parent.parent / "tests" / "bench" / "television.yaml"
TASKS = (Task.NOMINATION, Task.TESTAMENT, Task.VOTE, Task.LIFT, Task.SHOT, Task.CHECK, Task.CONFIRM, Task.OUT_OF_TURN)
TELEVISION_DB, ECHO_DB = -45.0, -40.0
"""Full scale: 25 dB and 20 dB under a player's own voice, as every voice is made."""
PAUSE: Pcm = np.zeros(RATE_HZ, dtype=np.int16)
LATE_S = 0.25
"""The echo, after the narrator was sent."""
SECONDS = 600
COUNTED = ("gated", "echoes", "far", "dropped", "words", "asked", "events")


async def run(lang: Lang, seconds: float, show: bool) -> dict[str, Any]:
    """Figures by sound, each an equal share of `seconds`. Raises `MissingPart`."""
    each_s = seconds / (len(NOISES) + 2)
    async with engines.transcriber(load_voice_config().stt) as transcriber:
        figures, near = {}, Nearness()
        for clip in await player(lang):
            near.far(clip)
        async for name, pcm, narrator in sounds(lang, each_s):
            figures[name] = await counted(transcriber, lang, pcm, narrator, near, name if show else "")
    total = sum((Counter(one) for one in figures.values()), Counter[str]())
    return {"lang": lang, "seconds": round(seconds), "all": _shown(total), **{k: _shown(v) for k, v in figures.items()}}


async def sounds(lang: Lang, seconds: float) -> AsyncIterator[tuple[str, Pcm, Pcm | None]]:
    """A name, what the microphone hears, and what the narrator said meanwhile."""
    for name, noise in NOISES.items():
        yield name, noise(seconds, np.random.default_rng(1)), None
    async with synthesizer(lang) as speaks:
        voices = spare_voices(lang)
        for name, texts, level_db in (
            ("television", television(lang), TELEVISION_DB),
            ("narrator", [line.text for line in bench_narrator.lines(lang)], ECHO_DB),
        ):
            said: list[Pcm] = []
            for number, text in enumerate(texts):
                voice = voices[number % 2] if name == "television" else voices[0]
                said += [*[await speaks.synthesize(part, voice) for part in sentences(text)], PAUSE]
                if sum(map(len, said)) >= seconds * RATE_HZ:
                    break
            loud: Pcm = np.resize(np.concatenate(said), round(seconds * RATE_HZ))
            heard = np.roll(through_a_wall(loud, level_db), round(LATE_S * RATE_HZ))
            yield name, heard, loud if name == "narrator" else None


async def player(lang: Lang) -> list[Clip]:
    """What he has said before, at his usual level."""
    async with synthesizer(lang) as speaks:
        texts = [line.text for line in bench_narrator.lines(lang)][:6]
        said = [await speaks.synthesize(text, spare_voices(lang)[1]) for text in texts]
    here: Pcm = np.concatenate([part for pcm in said for part in (pcm, PAUSE)])
    return [clip for clip, _ in cut(here, None, Echo())]


@contextlib.asynccontextmanager
async def synthesizer(lang: Lang) -> AsyncIterator[CachedSynthesizer]:
    speaks = CachedSynthesizer(engines.make_synthesizer("pyttsx3", lang), "pyttsx3")
    async with engines.opening(speaks) as opened:
        await opened
        yield speaks


def television(lang: Lang) -> Sequence[str]:
    if not LINES.is_file():
        raise MissingPart(f"{LINES}", "run the bench in a checkout of the project, where its lines are")
    lines: dict[str, list[str]] = yaml.safe_load(LINES.read_text(encoding="utf-8"))
    return lines[lang]


async def counted(
    transcriber: Transcriber, lang: Lang, pcm: Pcm, narrator: Pcm | None, near: Nearness, show: str = ""
) -> Counter[str]:
    """What became of the sound. `show`: its name; what was understood goes to standard error."""
    echo, counts = Echo(), Counter(dict.fromkeys(COUNTED, 0))
    gated = list(cut(pcm, narrator, echo))
    clips = [clip for clip, echoed in gated if not echoed]
    counts.update(gated=len(gated), echoes=len(gated) - len(clips))
    far = [near.far(clip) for clip in clips]
    counts.update(far=sum(far))
    readings = (outcome(transcriber, lang, *one, task, show) for one in zip(clips, far, strict=True) for task in TASKS)
    outcomes = await asyncio.gather(*readings)
    counts.update(outcomes)
    return counts


async def outcome(transcriber: Transcriber, lang: Lang, clip: Clip, far: bool, task: Task, show: str = "") -> str:
    hint = Hint(lang, prompt_for(task, lang), closed=task in WEIGHED_TASKS)
    found = awaited(task, await transcriber.transcribe(clip, hint))
    if not found.text:
        return "dropped"
    proposal = await Understanding().read(task, lang, found.text, Context(1, SEATS, asked=4))
    asked = proposal.ask or (bool(proposal.acts) and (far or certainty(task, found, lang) < SURE))
    became = "asked" if asked else "events" if proposal.acts else "words"
    if show and became != "words":
        print(f"{show} {task} {became}: {found.text!r}", file=sys.stderr)
    return became


def cut(pcm: Pcm, narrator: Pcm | None, echo: Echo) -> Iterator[tuple[Clip, bool]]:
    """The utterances, and whether each is the narrator's echo, as `voice.floor` has them."""
    gate = VoiceGate(1)
    for start in range(0, len(pcm) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        at_s = start / RATE_HZ
        if narrator is not None:
            echo.played(narrator[start : start + FRAME_SAMPLES], at_s)
        yield from ((clip, echo.heard_in(clip)) for clip in gate.push(pcm[start : start + FRAME_SAMPLES], at_s))
    yield from ((clip, echo.heard_in(clip)) for clip in gate.flush(len(pcm) / RATE_HZ))


def _shown(counts: Counter[str]) -> dict[str, int]:
    return {name: counts[name] for name in COUNTED}


def main(args: argparse.Namespace) -> dict[str, Any]:
    return asyncio.run(run(args.lang, args.seconds or SECONDS, args.show))
