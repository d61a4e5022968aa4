"""Which wish a sentence is: `prompts/commands.<lang>.yaml`, every sentence of its templates written out.

A wish is a whole utterance, or what follows the narrator's name; words among other words are never one. Each
sentence belongs to one intent: a file in which one belongs to two is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from moderator.model import MotionKind
from voice.config import ConfigError, data_path, validated
from voice.grammar.language import fold
from voice.ports import Lang


class Intent(StrEnum):
    """What a player may want of the narrator in his own booth. Values are the names on the wire."""

    REPEAT = "repeat"
    TIME = "time"
    SPEAKER = "speaker"
    ALIVE = "alive"
    NOMINATED = "nominated"
    ROLE = "role"
    WHERE = "where"
    RULES = "rules"
    HELP = "help"
    SLOWER = "slower"
    FASTER = "faster"
    USUAL_RATE = "usual_rate"
    NOVICE = "novice"
    NORMAL = "normal"
    EXPERT = "expert"
    DETAIL = "detail"
    VOICE = "voice"
    LOUDER = "louder"
    SOFTER = "softer"
    SOUNDS = "sounds"
    PAUSE = "pause"
    RESUME = "resume"


Templates = Annotated[tuple[str, ...], Field(min_length=1)]
GIVE_UP: Literal["give_up"] = "give_up"
Moved = MotionKind | Literal["give_up"]
"""What is asked back before it is done: a motion, or leaving the game for good."""


class CommandsFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    address: Templates
    politeness: tuple[str, ...]
    anytime: dict[Intent, Templates]
    """Taken even from who is heard by others."""
    quiet: dict[Intent, Templates]
    """Taken from who is heard by nobody, or says the narrator's name."""
    motions: dict[Moved, Templates]
    """Each with `#` for the accused, or without; read by `voice.motions`."""
    gestures: dict[str, Templates]
    """By the name of the signal (`configs/signals.yaml`); a whole utterance."""


@dataclass(frozen=True, slots=True)
class Wish:
    """`rest`: what was said beside it, for whoever else listens; empty: nothing."""

    intent: Intent
    rest: str = ""


WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*'?")
SENTENCE = re.compile(r"[^.?!…]+[.?!…]*")
MAX_SENTENCES = 2000
"""More than that out of one template is a slip of the pen."""
MAX_WORDS = 20
"""A wish with its politeness is shorter."""


class Sentences:
    """All sentences of one language."""

    def __init__(self, lang: Lang) -> None:
        path = data_path("prompts", f"commands.{lang}.yaml")
        file = validated(path, CommandsFile)
        self._motions = {
            tuple(fold(text).split()): kind
            for kind, lines in file.motions.items()
            for line in lines
            for text in written_out(line, str(path))
        }
        self._gestures = {
            _words(text): name
            for name, lines in file.gestures.items()
            for line in lines
            for text in written_out(line, str(path))
        }
        self._address = {_words(text) for text in file.address}
        self._politeness = {_words(text) for text in file.politeness}
        self._anytime: dict[tuple[str, ...], Intent] = {}
        self._quiet: dict[tuple[str, ...], Intent] = {}
        self._learn(file.anytime, self._anytime, str(path))
        self._learn(file.quiet, self._quiet, str(path))
        missing = set(Intent) - set(self._anytime.values()) - set(self._quiet.values())
        if missing:
            raise ConfigError(f"{path}: no sentence for {', '.join(sorted(missing))}")

    def _learn(self, templates: dict[Intent, Templates], meant: dict[tuple[str, ...], Intent], where: str) -> None:
        for intent, lines in templates.items():
            for sentence in (_words(text) for line in lines for text in written_out(line, where)):
                other = self._anytime.get(sentence, self._quiet.get(sentence, intent))
                if other is not intent:
                    raise ConfigError(f"{where}: {' '.join(sentence)!r} means both {other} and {intent}: take one away")
                meant[sentence] = intent

    def __iter__(self) -> Iterator[tuple[str, Intent, bool]]:
        """Each sentence, what it means, and whether it is taken from who is heard by others."""
        yield from ((" ".join(words), intent, True) for words, intent in self._anytime.items())
        yield from ((" ".join(words), intent, False) for words, intent in self._quiet.items())

    def read(self, text: str, *, aloud: bool) -> Wish | None:
        """The wish in an utterance, or None. `aloud`: others hear the speaker, so talk must not be taken for one."""
        whole, addressed = self._stripped(_words(text))
        intent = self._intent(whole, aloud=aloud and not addressed)
        if intent is not None:
            return Wish(intent)
        for sentence in SENTENCE.finditer(text):
            for start in self._addresses(sentence[0]):
                intent = self._intent(self._stripped(_words(sentence[0][start:]))[0], aloud=False)
                if intent is not None:
                    before, after = text[: sentence.start() + start], text[sentence.end() :]
                    return Wish(intent, f"{before.rstrip(' ,;')} {after.lstrip()}".strip())
        return None

    def gesture(self, text: str) -> str | None:
        """The name of the signal that an utterance is; None: it is none."""
        words = _words(text)
        return self._gestures.get(words) or self._gestures.get(self._stripped(words)[0])

    def motion(self, clause: str) -> Moved | None:
        """What a clause in normal form (`voice.grammar.speech`) moves; None: nothing."""
        words = tuple(clause.split())
        return self._motions.get(words) or self._motions.get(self._stripped(words)[0])

    def is_around(self, clause: str) -> bool:
        """The narrator's name or politeness alone."""
        return tuple(clause.split()) in self._address | self._politeness

    def _intent(self, words: tuple[str, ...], *, aloud: bool) -> Intent | None:
        intent = self._anytime.get(words)
        return intent if intent is not None or aloud else self._quiet.get(words)

    def _stripped(self, words: tuple[str, ...]) -> tuple[tuple[str, ...], bool]:
        """Without name and politeness at both ends; whether the name was among them."""
        addressed = False
        words = words if len(words) <= MAX_WORDS else ()
        around = sorted(self._address | self._politeness, key=len, reverse=True)
        while words and words not in self._anytime and words not in self._quiet:
            for phrase in around:
                if len(phrase) < len(words) and phrase in (words[: len(phrase)], words[-len(phrase) :]):
                    words = words[len(phrase) :] if words[: len(phrase)] == phrase else words[: -len(phrase)]
                    addressed = addressed or phrase in self._address
                    break
            else:
                break
        return words, addressed

    def _addresses(self, sentence: str) -> Iterator[int]:
        """Where the narrator is called inside a sentence; the sentence's beginning too, for a name at its end."""
        spans = [match.span() for match in WORD.finditer(fold(sentence))]
        words = _words(sentence)
        for index in range(len(words)):
            if any(words[index : index + len(name)] == name for name in self._address):
                yield spans[index][0]
        if any(words[-len(name) :] == name for name in self._address):
            yield 0


@cache
def sentences(lang: Lang) -> Sentences:
    """Raises `ConfigError`, which names the file and the sentence."""
    return Sentences(lang)


def _words(text: str) -> tuple[str, ...]:
    return tuple(WORD.findall(fold(text)))


def written_out(template: str, where: str) -> list[str]:
    """Every sentence of a template: `(a|b)` is one of several, `(a)?` may be missing, one inside another too."""
    texts, at = _alternatives(template, 0)
    if at != len(template) or len(texts) > MAX_SENTENCES:
        raise ConfigError(f"{where}: {template!r}: brackets must match, and give at most {MAX_SENTENCES} sentences")
    return texts


def _alternatives(template: str, at: int) -> tuple[list[str], int]:
    """Texts up to the closing bracket or the end, and where that is."""
    done: list[str] = []
    texts = [""]
    while at < len(template) and template[at] != ")":
        if template[at] == "|":
            done, texts, at = done + texts, [""], at + 1
        elif template[at] == "(":
            inner, at = _alternatives(template, at + 1)
            at += 1
            if template[at : at + 1] == "?":
                inner, at = [*inner, ""], at + 1
            texts = [text + piece for text in texts for piece in inner]
        else:
            texts, at = [text + template[at] for text in texts], at + 1
    return done + texts, at
