"""What breaks fair play in a text (S22), by the phrases of `prompts/conduct.<lang>.yaml`.

The phrases stand over the normal form of `voice.grammar.speech`, in which swear words are written in capitals.
First what does not count is taken out (told of others, denied, said of oneself, a mere curse); then each kind takes
what is its own, in the order of `KINDS`, so that "I'll break your face" is a threat and no vulgarity. The tuned model
has the second word: it finds what no phrase foresaw, and a phrase counts only where it does not find the sentence quite
harmless.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationInfo

from moderator.model import Offence
from voice.config import data_path, parse_yaml
from voice.grammar.language import alternation, language
from voice.grammar.speech import Speech, normalise
from voice.ports import Breach, Lang

KINDS = (Offence.THREAT, Offence.INSULT, Offence.VULGAR, Offence.BET, Offence.RELIGION, Offence.OUTGAME)
TAKEN = "~"
"""Stands for each letter of what is taken out."""
BUILT_IN = {
    "start": r"(?<![^,.:?]\s)",
    "end": r"(?= ?(?:[,.?]|$))",
    "swear": r"(?-i:[A-ZА-Я][A-ZА-Я']+)",
}


def _compile(value: str, info: ValidationInfo) -> re.Pattern[str]:
    """Whole words only; {part} stands for one of the parts."""
    pattern = alternation(value)
    for name, part in (info.context or {}).items():
        pattern = pattern.replace(f"{{{name}}}", f"(?:{part})")
    return re.compile(rf"(?<!\S)(?:{pattern})(?!\S)", re.IGNORECASE)


Pattern = Annotated[re.Pattern[str], BeforeValidator(_compile)]


class Phrases(BaseModel):
    """One language's file. `..._likely`: may be meant so; it is asked, and nothing is done."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    innocent: Pattern
    threat: Pattern
    insult: Pattern
    vulgar: Pattern
    bet: Pattern
    bet_likely: Pattern
    religion: Pattern
    religion_likely: Pattern
    outgame: Pattern
    accept: Pattern
    """The whole of what a player says to open the motion that was offered."""


@cache
def phrases(lang: Lang) -> Phrases:
    found: dict[str, Any] = parse_yaml(data_path("prompts", f"conduct.{lang}.yaml"), yaml.BaseLoader)
    parts: dict[str, str] = {}
    for name, value in found.pop("parts").items():
        part = alternation(value)
        for known, other in parts.items():
            part = part.replace(f"{{{known}}}", f"(?:{other})")
        parts[name] = part
    return Phrases.model_validate(found, context=parts | BUILT_IN)


def breaches(
    lang: Lang,
    text: str,
    names: dict[int, str],
    swears: Callable[[str], bool],
    means: Callable[[Offence, bool], bool],
) -> tuple[Breach, ...]:
    """Each kind at most once, with the literal words it rests on.

    `swears` knows single folded words. `means`, the model: whether the text as a whole is of that kind, told whether a
    phrase says so. Without a phrase it isn't asked where something was taken out: it would read that too.
    """
    known, speech = phrases(lang), normalise(text, language(lang), names)
    heard = _marked(speech.normal, swears)
    said = _take_out(known.innocent, heard)
    excused = said != heard
    found = []
    for kind in KINDS:
        pattern: re.Pattern[str] = getattr(known, kind)
        likely: re.Pattern[str] | None = getattr(known, f"{kind}_likely", None)
        if (match := pattern.search(said)) is not None and means(kind, True):
            found.append(Breach(kind, _quote(speech, match), sure=True))
        elif not excused and means(kind, False):
            found.append(Breach(kind, text.strip(), sure=True, source="model"))
        elif likely is not None and (match := likely.search(said)) is not None:
            found.append(Breach(kind, _quote(speech, match), sure=False))
        said = _take_out(pattern, said)
    return tuple(found)


def accepts(lang: Lang, text: str) -> bool:
    """A player opens the motion that was offered, and says nothing else."""
    return phrases(lang).accept.fullmatch(normalise(text, language(lang), {}).normal) is not None


def _marked(normal: str, swears: Callable[[str], bool]) -> str:
    """Swear words in capitals; of an elided word ("d'idiot") the part behind the apostrophe is looked at too."""
    return re.sub(r"[^\W\d_][^\s]+", lambda word: _capitals(word[0], swears), normal)


def _capitals(word: str, swears: Callable[[str], bool]) -> str:
    if not (swears(word) or swears(word.rpartition("'")[2])):
        return word
    return word.upper() if len(word.upper()) == len(word) else word


def _take_out(pattern: re.Pattern[str], said: str) -> str:
    return pattern.sub(lambda match: re.sub(r"\S", TAKEN, match[0]), said)


def _quote(speech: Speech, match: re.Match[str]) -> str:
    start, end = match.span()
    return speech.quote(start, max(end, start + 1))
