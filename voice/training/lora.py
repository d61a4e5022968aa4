"""Low-rank adapters: small trained matrices beside the frozen ones of the base model. Needs the extra `torch`.

The base weights are those of the installed package, as they were quantised.
"""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from voice.llm_adapter import NAMES, write_adapter
from voice.llm_weights import transformers_folder
from voice.ports import MissingPart

WARM_STEPS, CLIP = 20, 1.0
SORTED_BATCHES = 20
"""Lines of like length go together, sorted over so many batches: less padding."""
REPORT_STEPS, SAVE_STEPS = 10, 50
"""A run that is stopped leaves what it had learnt so far."""
Adapters = dict[str, tuple[Any, Any]]
Example = TypeVar("Example")


def base(seed: int) -> tuple[Any, Any, Any]:
    """torch with this seed, the base model, its tokenizer. Raises `MissingPart`."""
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise MissingPart(f"{error.name} is not installed", "make setup EXTRAS=torch") from None
    torch.manual_seed(seed)
    folder = transformers_folder()
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16)
    return torch, model, AutoTokenizer.from_pretrained(folder)


def attach(model: Any, first_layer: int, rank: int, alpha: float) -> Adapters:
    """Freezes `model` and gives its layers from `first_layer` on their adapters: by GGUF name, A and B.

    A is (rank, in), B (out, rank), both float32; a layer adds `alpha / rank * B A x`. B starts at nothing.
    """
    model.requires_grad_(False)
    return {
        f"blk.{number}.{name}": _beside(layer.get_submodule(path), rank, alpha / rank)
        for number, layer in enumerate(model.model.layers)
        if number >= first_layer
        for name, path in NAMES.items()
    }


def _beside(linear: Any, rank: int, scale: float) -> tuple[Any, Any]:
    import torch

    down = torch.nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
    up = torch.nn.Parameter(torch.zeros(linear.out_features, rank))

    def add(_: Any, inputs: tuple[Any], output: Any) -> Any:
        (x,) = inputs
        return output + (x @ down.T.to(x.dtype)) @ up.T.to(x.dtype) * scale

    linear.register_forward_hook(add)
    return down, up


def batched(
    examples: Sequence[Example], length: Callable[[Example], int], size: int, chance: Random
) -> Iterator[list[Example]]:
    """Batches of like length, in the order of `examples` but for a shuffle within each window."""
    window = size * SORTED_BATCHES
    for start in range(0, len(examples), window):
        near = sorted(examples[start : start + window], key=length)
        part = [near[at : at + size] for at in range(0, len(near), size)]
        chance.shuffle(part)
        yield from part


def train(
    adapters: Adapters,
    batches: Sequence[list[Example]],
    loss_of: Callable[[list[Example]], Any],
    rate: float,
    alpha: float,
    out: Path,
) -> list[float]:
    """Once over the batches; writes the adapter to `out` now and then. Returns the loss of each step."""
    import torch

    weights = [weight for pair in adapters.values() for weight in pair]
    optimiser = torch.optim.AdamW(weights, lr=rate, weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _slope(step, len(batches)))
    losses: list[float] = []
    for step, batch in enumerate(batches):
        loss = loss_of(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, CLIP)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        schedule.step()
        losses.append(loss.item())
        last = step == len(batches) - 1
        if last or step % REPORT_STEPS == REPORT_STEPS - 1:
            mean = sum(losses[-REPORT_STEPS:]) / len(losses[-REPORT_STEPS:])
            print(f"train: step {step + 1} of {len(batches)}, loss {mean:.4f}", file=sys.stderr, flush=True)
        if last or step % SAVE_STEPS == SAVE_STEPS - 1:
            tensors = {name: (down.detach().numpy(), up.detach().numpy()) for name, (down, up) in adapters.items()}
            write_adapter(out, tensors, alpha)
    return losses


def _slope(step: int, steps: int) -> float:
    """Up from nothing, then down along a cosine to a twentieth."""
    warm = min(1.0, (step + 1) / WARM_STEPS)
    return warm * (0.05 + 0.95 * (1 + math.cos(math.pi * step / steps)) / 2)
