"""What the ears are trained on: lines of table talk, as they are said and as they should be written.

Templates lie in `ears.LANG.yaml`. The same seed gives the same lines, and more of them the same first ones. A third
of them name no seat, however much they sound like it. Free talk, which no template gives, is what people wrote in
`conduct.LANG.yaml`, fair or not.
"""

import functools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, cast

import yaml

from moderator.model import SEATS
from voice.grammar import seat_spans
from voice.grammar.language import fold
from voice.grammar.language import language as grammar_of
from voice.ports import Lang, Task
from voice.training.conduct_lines import conduct_lines

SHARES: Mapping[str, int] = {
    "vote": 15,
    "shot": 6,
    "check": 6,
    "lift": 4,
    "confirm": 8,
    "nomination": 9,
    "testament": 11,
    "command": 4,
    "none_short": 12,
    "none": 6,
    "general": 6,
    "speech": 13,
}
"""Of 100 lines. The first seven carry the names of their templates and of their tasks."""
DIGITS = tuple(map(str, SEATS))
CLOSED = (Task.VOTE, Task.SHOT, Task.CHECK, Task.LIFT, Task.CONFIRM)
SEATED = frozenset({"vote", "shot", "check", "nomination", "none"})
"""Where people begin with a "well" and end with a "please"."""
FREE_TALK = "talk"
"""At the end of the name of a batch of what people say freely."""
FREE_TASKS = (Task.NOMINATION, Task.NOMINATION, Task.TESTAMENT)
FREE_SENTENCES = (1, 1, 2)
IN_A_SPEECH = ("talk", "talk", "none", "none", "nomination")
SLOT = re.compile(r"\{([a-z]+)([23]?)\}")


@dataclass(frozen=True, slots=True)
class Line:
    """`said`: for a synthesizer; `written`: the transcript, seats as Whisper writes them; `task` picks the prompt."""

    lang: Lang
    task: Task
    kind: str
    said: tuple[str, ...]
    written: str


def lines(batch: str, count: int, seed: int) -> Iterator[Line]:
    """A batch's name begins with its language; other batches of a language have other lines."""
    chance, lang = Random(f"{batch} {seed}"), language(batch)
    one = _free_talk if batch.endswith(FREE_TALK) else _line
    for _ in range(count):
        yield one(lang, chance)


def language(batch: str) -> Lang:
    return cast("Lang", batch[:2])


def _line(lang: Lang, chance: Random) -> Line:
    (kind,) = chance.choices(list(SHARES), list(SHARES.values()))
    if kind != "speech":
        said, written = _sentence(lang, kind, chance)
        return Line(lang, _task(kind, chance), kind, (said,), written)
    kinds = [chance.choice(IN_A_SPEECH) for _ in range(chance.choice((2, 2, 3)))]
    if chance.random() < 0.3:
        kinds.append("command")
    pairs = [_sentence(lang, each, chance) for each in kinds]
    return Line(
        lang, Task.NOMINATION, kind, tuple(said for said, _ in pairs), " ".join(written for _, written in pairs)
    )


def _free_talk(lang: Lang, chance: Random) -> Line:
    said = tuple(chance.sample(_talk(lang), chance.choice(FREE_SENTENCES)))
    return Line(lang, chance.choice(FREE_TASKS), FREE_TALK, said, " ".join(_written(lang, text) for text in said))


def _written(lang: Lang, text: str) -> str:
    """With digits for the numbers of seats, where this language is written with digits."""
    if templates(lang)["written"] == "digits":
        numbers = grammar_of(lang).numbers
        for seat, (start, end) in reversed(seat_spans(lang, text, {})):
            if fold(text[start:end]) in numbers:
                text = f"{text[:start]}{seat}{text[end:]}"
    return text


@functools.cache
def _talk(lang: Lang) -> Sequence[str]:
    return [text for texts in conduct_lines(lang).values() for text in texts]


def _task(kind: str, chance: Random) -> Task:
    if kind == "none_short":
        return chance.choice(CLOSED)
    if kind == "command":
        return Task.OUT_OF_TURN
    if kind == "none":
        return Task.NOMINATION
    return chance.choice(list(Task)) if kind == "general" else Task(kind)


def _sentence(lang: Lang, kind: str, chance: Random) -> tuple[str, str]:
    known = templates(lang)
    text = chance.choice(known[kind])
    if kind in SEATED:
        text = chance.choice(known["before"]) + text
        if text.endswith("."):
            text = text[:-1] + chance.choice(known["after"]) + "."
    seats = dict(zip(("", "2", "3"), chance.sample(range(len(SEATS)), 3), strict=True))
    forms = {slot: _form(known, slot[0], chance) for slot in sorted(set(SLOT.findall(text)))}

    def fill(words: Mapping[str, Sequence[str]]) -> str:
        def one(slot: re.Match[str]) -> str:
            return forms[slot[1], slot[2]].format(**{name: ten[seats[slot[2]]] for name, ten in words.items()})

        filled = SLOT.sub(one, text)
        return filled[0].upper() + filled[1:]

    said = fill(known["words"])
    return said, fill({**known["words"], "n": DIGITS}) if known["written"] == "digits" else said


def _form(known: Mapping[str, Any], name: str, chance: Random) -> str:
    if name in known["words"]:
        return f"{{{name}}}"
    forms, weights = zip(*known[name], strict=True)
    return str(chance.choices(forms, weights)[0])


@functools.cache
def templates(lang: Lang) -> Mapping[str, Any]:
    path = Path(__file__).with_name(f"ears.{lang}.yaml")
    read: Mapping[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return read
