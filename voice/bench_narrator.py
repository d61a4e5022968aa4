"""Are the moderator's lines heard right? `moderator bench narrator`.

Every sentence of the language, in both settings and all levels of detail, is spoken by the narrator's voice and heard
back by plain Whisper (base), which is told nothing and whose every word counts: the game's own recogniser is tuned to
such voices, and leaves out what it is not sure of. Seats and counts go round: each number is heard in many sentences.

* numbers: the lines whose numbers came back, all of them and in their order;
* words: of the words that carry a line, the share that came back (a word counts when it is nearly the same);
* right: the lines with their numbers and most of their words.
"""

import argparse
import asyncio
import difflib
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from fluent.syntax import FluentParser, ast

from moderator.model import SEATS, Offence
from moderator.narration import Arg
from voice import engines
from voice.config import data_path, load_voice_config
from voice.earcons import ALONE
from voice.gate import Decimator
from voice.grammar import seat_spans
from voice.grammar.language import fold
from voice.phrasebook import DETAILS, Phrasebook
from voice.ports import FRAME_SAMPLES, Lang, Pcm, Setting, Synthesizer, VoiceSpec
from voice.signals import signals
from voice.weights_tuned import hearing_folder

if TYPE_CHECKING:
    from faster_whisper import WhisperModel

SETTINGS: tuple[Setting, ...] = ("mafia", "loup-garou")
AROUND: Pcm = np.zeros(FRAME_SAMPLES * 20, dtype=np.int16)
"""Silence before and after a line."""
LEAST_LETTERS = 4
"""Shorter words carry nothing."""
ALIKE, MOST = 0.7, 0.6
"""How near a heard word must be to the spoken one; and what share of its words makes a line right."""
AT_ONCE = 4
WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Spoken:
    """One line as it is said; `setting`: in whose words."""

    key: str
    setting: Setting
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    line: Spoken
    heard: str
    numbers: bool
    words: float

    @property
    def right(self) -> bool:
        return self.numbers and self.words >= MOST


def lines(lang: Lang) -> list[Spoken]:
    """Every sentence that is spoken, once in each of its wordings."""
    found: dict[str, Spoken] = {}
    books = {setting: Phrasebook(lang, setting) for setting in SETTINGS}
    for number, (key, names) in enumerate(parameters(lang).items()):
        args = {name: value(name, number) for name in names}
        for setting in SETTINGS if key not in ALONE else ():
            for detail in DETAILS:
                text = books[setting].render(key, args, detail)
                if setting == "mafia" or text != books["mafia"].render(key, args, detail):
                    found.setdefault(text, Spoken(key, setting, text))
    return list(found.values())


def parameters(lang: Lang) -> dict[str, set[str]]:
    """Key -> what its sentence is about."""
    body = FluentParser().parse(data_path("prompts", f"narration.{lang}.ftl").read_text(encoding="utf-8")).body
    return {entry.id.name: set(_variables(entry)) for entry in body if isinstance(entry, ast.Message)}


def _variables(node: Any) -> Iterator[str]:
    if isinstance(node, ast.VariableReference):
        yield node.id.name
    elif isinstance(node, ast.BaseNode):
        yield from _variables(list(vars(node).values()))
    elif isinstance(node, list):
        for item in node:
            yield from _variables(item)


def value(name: str, number: int) -> Arg:
    """Of the parameter `name` in the sentence of this number: another seat in the next."""
    seat = SEATS[number % len(SEATS)]
    given: dict[str, Arg] = {
        "target": SEATS[(number + 3) % len(SEATS)],
        "seconds": 10,
        "signal": list(signals())[number % len(signals())],
        "offence": list(Offence)[number % len(Offence)],
        "motion": "technical_foul",
        "don": seat,
    }
    several = tuple(sorted({seat, SEATS[(number + 4) % len(SEATS)], SEATS[(number + 7) % len(SEATS)]}))
    lists: dict[str, Arg] = dict.fromkeys(("seats", "mates", "mafia", "sheriff"), several)
    counts: dict[str, Arg] = dict.fromkeys(("votes", "count", "needed"), 2 + number % 4)
    return {**given, **lists, **counts}.get(name, seat)


def plain_ear() -> "WhisperModel":
    """Whisper as it came."""
    from faster_whisper import WhisperModel

    folder = hearing_folder(load_voice_config().stt.weights, tuned=False)
    return WhisperModel(str(folder), device="cpu", compute_type="int8")


async def heard_back(said: Sequence[Spoken], lang: Lang, engine: str, ear: "WhisperModel") -> list[Outcome]:
    voice = VoiceSpec(lang, "", load_voice_config().tts.rate_wpm, kept=False)
    synthesizer = engines.make_synthesizer(engine, lang)
    await synthesizer.open()
    try:
        return await hear(said, lang, voice, synthesizer, ear)
    finally:
        await synthesizer.close()


async def hear(
    said: Sequence[Spoken], lang: Lang, voice: VoiceSpec, synthesizer: Synthesizer, ear: "WhisperModel"
) -> list[Outcome]:
    async def one(line: Spoken) -> Outcome:
        async with slots:
            pcm = await synthesizer.synthesize(line.text, voice)
            heard = await asyncio.to_thread(words_in, pcm, lang, ear)
        return judge(line, heard, lang)

    slots = asyncio.Semaphore(AT_ONCE)
    return list(await asyncio.gather(*(one(line) for line in said)))


def words_in(pcm: Pcm, lang: Lang, ear: "WhisperModel") -> str:
    whole = np.concatenate([AROUND, pcm, AROUND])
    whole = whole[: len(whole) // FRAME_SAMPLES * FRAME_SAMPLES]
    narrow = Decimator()(whole).astype(np.float32) / 32768
    pieces, _ = ear.transcribe(narrow, lang, without_timestamps=True, no_speech_threshold=None, log_prob_threshold=None)
    return "".join(piece.text for piece in pieces)


def judge(line: Spoken, heard: str, lang: Lang) -> Outcome:
    wanted, found = (numbers(lang, text) for text in (line.text, heard))
    spoken, came = (words(text, lang) for text in (line.text, heard))
    back = [any(difflib.SequenceMatcher(None, word, other).ratio() >= ALIKE for other in came) for word in spoken]
    return Outcome(line, heard, wanted == found, statistics.mean(back) if back else 1.0)


def numbers(lang: Lang, text: str) -> list[int]:
    return [seat for seat, _ in seat_spans(lang, text, {})]


def words(text: str, lang: Lang) -> list[str]:
    """Those that carry something and are no numbers."""
    spans = [span for _, span in seat_spans(lang, text, {})]
    found = [match for match in WORD.finditer(text) if not any(a <= match.start() < b for a, b in spans)]
    return [fold(match[0]) for match in found if len(match[0]) >= LEAST_LETTERS]


def main(args: argparse.Namespace) -> dict[str, object]:
    return asyncio.run(run(args))


async def run(args: argparse.Namespace) -> dict[str, object]:
    engine = "pyttsx3" if args.voices == "espeak" else engines.NATURAL[args.lang]
    outcomes = await heard_back(lines(args.lang)[:: args.every], args.lang, engine, plain_ear())
    if args.show:
        for outcome in outcomes:
            if not outcome.right:
                print(f"{outcome.line.key}\t{outcome.line.text}\t{outcome.heard}", file=sys.stderr)
    return {"lang": args.lang, "engine": engine, **figures(outcomes)}


def figures(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Shares of the lines, but `words`: the mean over them."""
    return {
        "lines": len(outcomes),
        "right": round(sum(one.right for one in outcomes) / len(outcomes), 3),
        "numbers": round(sum(one.numbers for one in outcomes) / len(outcomes), 3),
        "words": round(statistics.mean(one.words for one in outcomes), 3),
    }
