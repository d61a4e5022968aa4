"""The lines that the small model learns from, made up by chance out of `prompts/training.<lang>.yaml`.

A template says with its gaps what it means ("nominate a"); seats, quantities, filling words and what is said of one
seat are drawn, talk is put around it, and some of it is spoiled the way a recogniser spoils it. The model sees what it
will see in a game: the text after `mask`, with digits in the place of seats. One seed gives the same lines everywhere.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict

from voice.config import data_path, read_yaml, validated
from voice.grammar import fold, seats_in
from voice.llm_answers import mask
from voice.ports import ActKind, Lang, Task

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")
TASK_WEIGHTS = {Task.NOMINATION: 34, Task.TESTAMENT: 42, Task.VOTE: 14, Task.CLAIMS: 10}
GAP = re.compile(r"\{(?:(\w+):)?(\w+)\}")
SENTENCE_START = re.compile(r"(?:^|(?<!\.)[.!?] )\w")
WORD_SHARE, TALK_SHARE, LONG_SHARE = 0.3, 0.35, 0.15
"""How many seats are said in words; how many lines have talk around them, and how many of those a lot of it."""
BARE_SHARE, MISHEARD_SHARE = 0.25, 0.06
"""How many lines come without capitals and marks; how many of the words that can be misheard are."""


Forms = Annotated[list[str], BeforeValidator(lambda forms: forms.split(" | "))]


class Template(BaseModel):
    """Sentences that mean the same: "nominate a", "suspect a suspect b crown c", "nothing", "unsure"."""

    model_config = ConfigDict(extra="forbid")
    means: str
    talk: bool = False
    said: Annotated[list[str], BeforeValidator(str.splitlines)]


class Phrases(BaseModel):
    model_config = ConfigDict(extra="forbid")
    seats: dict[str, Forms]
    counts: Forms
    words: dict[str, Forms]
    about: dict[str, Annotated[list[str], BeforeValidator(str.splitlines)]]
    nomination: list[Template]
    testament: list[Template]
    vote: list[Template]
    claims: list[Template]
    heard_as: dict[str, Forms]

    def of(self, task: Task) -> list[Template]:
        return {
            Task.NOMINATION: self.nomination, Task.TESTAMENT: self.testament, Task.VOTE: self.vote,
            Task.CLAIMS: self.claims,
        }[task]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """What was `said`, the same masked (`text`), and what is to be answered: (kind, seat) in order, seat 0 for none."""

    task: Task
    lang: Lang
    said: str
    text: str
    acts: tuple[tuple[ActKind, int], ...]
    unsure: bool


def lines(count: int, seed: int) -> Iterator[Line]:
    """`count` lines, the languages in turn. The same text may come twice."""
    chance = Random(seed)
    makers = [_Maker(lang, chance) for lang in LANGS]
    for number in range(count):
        yield makers[number % len(makers)].line()


def normal_form(text: str) -> str:
    """What two texts are compared by: letters and digits alone."""
    return " ".join(re.findall(r"\w+", fold(text)))


class _Maker:
    def __init__(self, lang: Lang, chance: Random) -> None:
        self.lang, self.chance = lang, chance
        self.phrases = validated(data_path("prompts", f"training.{lang}.yaml"), Phrases)
        self.number_words: list[str] = read_yaml("prompts", f"numbers.{lang}.yaml")["seat"]["bare"]
        self.choices = {
            task: [(template, said) for template in self.phrases.of(task) for said in template.said]
            for task in TASK_WEIGHTS
        }

    def line(self) -> Line:
        """Drawn again where the grammar of numbers does not find every seat that is meant ("un" is also an article)."""
        while True:
            task = self.chance.choices([*TASK_WEIGHTS], [*TASK_WEIGHTS.values()])[0]
            template, said = self.chance.choice(self.choices[task])
            seats = dict(zip("abcd", self.chance.sample(range(1, 11), 4), strict=True))
            text = self._spoiled(self._amid_talk(task, template, self._filled(said, seats), set(seats.values())))
            masked = mask(self.lang, text, {}).text
            acts = meaning(template.means, seats)
            if {seat for _, seat in acts} - {0} <= seats_in(self.lang, masked, {}):
                return Line(task, self.lang, text, masked, acts, template.means == "unsure")

    def _filled(self, said: str, seats: dict[str, int]) -> str:
        def gap(match: re.Match[str]) -> str:
            form, name = match.groups()
            if form in self.phrases.about:
                return GAP.sub(gap, self.chance.choice(self.phrases.about[form]).replace(":_}", f":{name}}}"))
            if form:
                return self.chance.choice(self.phrases.seats[form]).replace("_", self._number(seats[name]))
            return self.chance.choice(self.phrases.counts if name == "n" else self.phrases.words[name])

        filled = GAP.sub(gap, said).replace(" ,", ",").replace(" .", ".")
        return SENTENCE_START.sub(lambda start: start[0].upper(), filled)

    def _number(self, seat: int) -> str:
        return self.number_words[seat - 1] if self.chance.random() < WORD_SHARE else str(seat)

    def _amid_talk(self, task: Task, template: Template, sentence: str, taken: set[int]) -> str:
        """Talk about others. What is doubtful is so because nothing follows."""
        talk = [said for other in self.phrases.of(task) if other.talk for said in other.said]
        if not talk or self.chance.random() > TALK_SHARE:
            return sentence
        before, after = self.chance.randint(0, 2), self.chance.randint(0, 1)
        if self.chance.random() < LONG_SHARE:
            before, after = self.chance.randint(3, 7), self.chance.randint(0, 2)
        if template.means == "unsure":
            after = 0
        return " ".join([*self._talk(talk, before, taken), sentence, *self._talk(talk, after, taken)])

    def _talk(self, talk: list[str], count: int, taken: set[int]) -> list[str]:
        others = [seat for seat in range(1, 11) if seat not in taken]
        return [
            self._filled(self.chance.choice(talk), dict(zip("abcd", self.chance.sample(others, 4), strict=True)))
            for _ in range(count)
        ]

    def _spoiled(self, text: str) -> str:
        for word, heard in self.phrases.heard_as.items():
            if self.chance.random() < MISHEARD_SHARE:
                text = re.sub(rf"\b{word}\b", self.chance.choice(heard), text, count=1, flags=re.IGNORECASE)
        if self.chance.random() < BARE_SHARE:
            text = re.sub(r"[,.:;!?…]+", "", text).lower()
        return text


def meaning(means: str, seats: dict[str, int]) -> tuple[tuple[ActKind, int], ...]:
    """ "suspect a crown b" with the seats in the place of the letters."""
    if means in ("nothing", "unsure"):
        return ()
    found = re.findall(r"([a-z_]{2,})(?: ([a-d])\b)?", means)
    return tuple((ActKind(kind), seats[name] if name else 0) for kind, name in found)
