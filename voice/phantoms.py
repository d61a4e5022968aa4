"""Words that a recogniser invents where nobody spoke; what they leave is nothing. Listed in prompts/phantoms.yaml."""

import functools
import re
from collections.abc import Mapping, Sequence

from voice.config import read_yaml
from voice.ports import Lang

ALL_LOOP = re.compile(r"(\w+(?: \w+){0,3})(?: \1){2,}")
"""One to four words, three times and nothing else."""
IN_A_LOOP = re.compile(r"\b(\w+(?: \w+){0,3})(?: \1){5,}\b")
"""Six times in a row, whatever stands around: the engine was caught."""


def is_phantom(text: str, lang: Lang) -> bool:
    """True as well for a text without a word in it."""
    plain = " ".join(re.findall(r"\w+", text.casefold()))
    known = _known(lang)
    if not plain or plain in known["alone"]:
        return True
    if any(f" {phrase} " in f" {plain} " for phrase in known["anywhere"]):
        return True
    loop = ALL_LOOP.fullmatch(plain) or IN_A_LOOP.search(plain)
    return loop is not None and loop[1] not in known["repeated"]


@functools.cache
def _known(lang: Lang) -> Mapping[str, Sequence[str]]:
    known: Mapping[str, Sequence[str]] = read_yaml("prompts", "phantoms.yaml")[lang]
    return known
