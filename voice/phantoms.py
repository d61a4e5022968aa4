"""Words that a recogniser invents where nobody spoke; what they leave is nothing. Listed in prompts/phantoms.yaml."""

import functools
import re
from collections.abc import Mapping, Sequence

from voice.config import read_yaml
from voice.ports import Lang

LONGEST_CYCLE, REPEATS, NUMBER_REPEATS = 4, 3, 4
"""One to four words, three times and nothing else, are a loop; a number alone is said up to four times."""
IN_A_LOOP = re.compile(r"\b(\w+(?: \w+){0,3})(?: \1){5,}\b")
"""So are six times in a row, whatever stands around."""


def is_phantom(text: str, lang: Lang) -> bool:
    """True as well for a text without a word in it."""
    plain = " ".join(re.findall(r"\w+", text.casefold()))
    known = _known(lang)
    if not plain or plain in known["alone"]:
        return True
    if any(f" {phrase} " in f" {plain} " for phrase in known["anywhere"]):
        return True
    caught = IN_A_LOOP.search(plain)
    loop = caught[1] if caught else _cycle(plain.split())
    said = loop in known["repeated"] or (loop.isdigit() and len(plain.split()) <= NUMBER_REPEATS)
    return bool(loop) and not said


def _cycle(words: list[str]) -> str:
    """What the words repeat from the first to the last, which may stop in the middle; "" for none."""
    for length in range(1, LONGEST_CYCLE + 1):
        if len(words) >= REPEATS * length and all(word == words[at % length] for at, word in enumerate(words)):
            return " ".join(words[:length])
    return ""


@functools.cache
def _known(lang: Lang) -> Mapping[str, Sequence[str]]:
    known: Mapping[str, Sequence[str]] = read_yaml("prompts", "phantoms.yaml")[lang]
    return known
