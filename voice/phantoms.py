"""Words that a recogniser invents in silence; what they leave is nothing."""

import functools
import re

from voice.config import read_yaml
from voice.ports import Lang

REPEATS = 3
"""One word said this often in a row, and nothing else, was not said."""


@functools.cache
def _known(lang: Lang) -> tuple[str, ...]:
    return tuple(read_yaml("prompts", "phantoms.yaml")[lang])


def is_phantom(text: str, lang: Lang) -> bool:
    plain = " ".join(re.findall(r"\w+", text.casefold()))
    words = plain.split()
    if len(words) >= REPEATS and len(set(words)) == 1:
        return True
    return any(known in plain for known in _known(lang))
