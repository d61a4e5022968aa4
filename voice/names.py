"""What a player calls himself at the table. A seat stays a number: the name only stands beside it.

A name is told to who has the table's code and to who reads the game afterwards. It is in the table's file until the
game is over and in the game's store from its first moment on, and nowhere else: not in LiveKit, not in a log.
"""

import unicodedata
from collections.abc import Iterable

LONGEST = 24
"""Characters, as Unicode counts them after composition (NFC)."""

UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
"""Unicode's classes of what cannot be seen, or what moves what is seen."""


class BadName(ValueError):
    """`code`: `name_length`, `name_characters` or `name_taken`, as in `prompts/service.<lang>.yaml`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def display_name(written: str, taken: Iterable[str] = ()) -> str:
    """As it is shown: trimmed and composed, its blanks single. `taken`: the others' at the table. Raises `BadName`.

    It holds a letter, so that nobody is taken for another seat, and nothing that cannot be seen or that turns the
    direction of what stands beside it.
    """
    if any(unicodedata.category(each) in UNSEEN for each in written.strip()):
        raise BadName("name_characters")
    name = unicodedata.normalize("NFC", " ".join(written.split()))
    if not 1 <= len(name) <= LONGEST:
        raise BadName("name_length")
    if not any(each.isalpha() for each in name):
        raise BadName("name_characters")
    if key(name) in map(key, taken):
        raise BadName("name_taken")
    return name


def key(name: str) -> str:
    """What two names have in common that are one and the same to people: however they are cased, spaced or encoded."""
    folded = unicodedata.normalize("NFKC", " ".join(name.split())).casefold()
    return unicodedata.normalize("NFKC", folded)
