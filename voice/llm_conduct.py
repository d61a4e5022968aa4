"""The tuned model as a reader of conduct: how likely a sentence breaks which rule of fair play (S22).

A second adapter of the same small model, made by `voice.training.tune_conduct`, goes on from a sentence with one word,
its verdict; what counts is how likely each of the verdicts is. llama.cpp keeps it loaded beside the first adapter, and
each request tells which of them is to read.
"""

from pathlib import Path
from typing import Any

from moderator.model import Offence
from voice.config import data_path
from voice.ports import Lang, Likely

SHIPPED = "conduct.gguf"
VERDICTS: dict[Offence | None, str] = {
    None: " clean",
    Offence.INSULT: " insult",
    Offence.VULGAR: " dirty",
    Offence.THREAT: " threat",
    Offence.BET: " bet",
    Offence.RELIGION: " oath",
    Offence.OUTGAME: " outside",
}
"""A piece of a word each, in the model's own cutting."""
FORCED = 100.0
"""Added to the verdicts' logits: nothing else is likely then."""
LONGEST_CHARS = 400


def adapter_file(weights: str = "") -> Path | None:
    """The shipped adapter, which fits the shipped weights alone."""
    return None if weights else data_path("prompts", SHIPPED)


def prompt(lang: Lang, sentence: str) -> str:
    """What is said is data: it stands in one line, whatever is in it."""
    return f"{lang}: {' '.join(sentence[:LONGEST_CHARS].split())}\nrule:"


def request(lang: Lang, sentence: str, adapter: int, slot: int) -> dict[str, Any]:
    """For llama.cpp's `/completion`. `adapter`: its place among those loaded, of which no other is to read."""
    return {
        "prompt": prompt(lang, sentence),
        "n_predict": 1,
        "n_probs": len(VERDICTS),
        "post_sampling_probs": True,
        "samplers": ["temperature"],
        "temperature": 1.0,
        "logit_bias": [[verdict, FORCED] for verdict in VERDICTS.values()],
        "lora": [{"id": place, "scale": float(place == adapter)} for place in range(adapter + 1)],
        "id_slot": slot,
    }


def likely(answer: Any) -> Likely:
    """Of llama.cpp's answer. Raises `KeyError`, `IndexError`, `TypeError` or `ValueError` where it is none."""
    found = {each["token"]: float(each["prob"]) for each in answer["completion_probabilities"][0]["top_probs"]}
    return {offence: found.get(verdict, 0.0) for offence, verdict in VERDICTS.items() if offence is not None}
