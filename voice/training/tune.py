"""`moderator train`: tunes the small model to read speech, and writes the adapter that the engines load.

Loss is taken on the answers alone, over the pieces of words that an answer can consist of: decoding is bound to these
anyway. The base weights are those of the installed package, as they were quantised. Needs the extra `torch`.
"""

import argparse
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from voice.llm_answers import SEATLESS, UNSURE_LINE, tuned_answer, tuned_question
from voice.ports import ActKind
from voice.training.corpus import Line, lines, normal_form
from voice.training.lora import REPORT_STEPS, attach, base, batched, train

FIRST_LAYER, RANK, ALPHA = 8, 16, 32.0
BATCH, RATE = 16, 8e-4


@dataclass(frozen=True, slots=True)
class Example:
    prompt: list[int]
    answer: list[int]


def main(args: argparse.Namespace) -> int:
    """Prints one JSON object: lines, lines left out, steps, loss at the end, seconds, file."""
    started = time.monotonic()
    kept, left_out = apart(lines(args.lines, args.seed), args.apart_from)
    losses = tune(kept, args.seed, args.out)
    print(
        json.dumps(
            {
                "lines": len(kept),
                "left_out": left_out,
                "steps": len(losses),
                "loss": round(sum(losses[-REPORT_STEPS:]) / len(losses[-REPORT_STEPS:]), 4),
                "seconds": round(time.monotonic() - started),
                "file": str(args.out),
            }
        )
    )
    return 0


def apart(made: Iterable[Line], judged_by: Iterable[Path]) -> tuple[list[Line], int]:
    """The lines that stand in none of these files of extraction rows, and how many were left out."""
    known = set()
    for path in judged_by:
        for row in path.read_text(encoding="utf-8").splitlines():
            known |= {normal_form(json.loads(row)["text"])} if row.strip() else set()
    made = list(made)
    kept = [line for line in made if normal_form(line.said) not in known and normal_form(line.text) not in known]
    return kept, len(made) - len(kept)


def tune(kept: list[Line], seed: int, out: Path) -> list[float]:
    """Trains once over the lines and writes the adapter; the loss of each step."""
    torch, model, tokenizer = base(seed)
    adapters = attach(model, FIRST_LAYER, RANK, ALPHA)
    examples = [_example(tokenizer, line) for line in kept]
    batches = list(batched(examples, lambda each: len(each.prompt) + len(each.answer), BATCH, Random(seed)))
    vocabulary = torch.tensor(answer_tokens(tokenizer))
    return train(adapters, batches, lambda batch: _loss(model, vocabulary, batch), RATE, ALPHA, out)


def _example(tokenizer: Any, line: Line) -> Example:
    prompt = tokenizer(tuned_question(line.task, line.lang, line.text).lines)["input_ids"]
    answer = tokenizer(tuned_answer(line.acts, unsure=line.unsure), add_special_tokens=False)["input_ids"]
    return Example(prompt, answer)


def answer_tokens(tokenizer: Any) -> list[int]:
    """Every token that is a piece of some answer, in order."""
    kinds = [kind for kind in ActKind if kind not in SEATLESS]
    words = [f"{kind} {seat}" for kind in kinds for seat in range(13)] + [*SEATLESS, UNSURE_LINE]
    answers = "".join(f'["{word}"] ["{word}","{word}","' for word in words) + "[]"
    return sorted(at for token, at in tokenizer.get_vocab().items() if token.replace("▁", " ") in answers)


def _loss(model: Any, vocabulary: Any, batch: list[Example]) -> Any:
    import torch

    length = max(len(each.prompt) + len(each.answer) for each in batch)
    tokens = torch.zeros(len(batch), length, dtype=torch.long)
    expected = torch.full((len(batch), length), -1)
    for row, each in enumerate(batch):
        whole = each.prompt + each.answer
        tokens[row, : len(whole)] = torch.tensor(whole)
        places = torch.searchsorted(vocabulary, torch.tensor(each.answer))
        expected[row, len(each.prompt) - 1 : len(whole) - 1] = places
    # What follows a line is never looked at by what stands in it: no mask is needed.
    states = model.model(input_ids=tokens, use_cache=False).last_hidden_state
    asked = expected >= 0
    scores = states[asked] @ model.lm_head.weight[vocabulary].T
    return torch.nn.functional.cross_entropy(scores.float(), expected[asked])
