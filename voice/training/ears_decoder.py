"""Low-rank changes to Whisper's decoder, learnt from encoder states and what should have been written.

The encoder stays as it is: its states are made once, and each step of training costs a decoder of 50 million
weights. Of what is learnt only the low-rank matrices are kept (`voice.weights_tuned` adds them to the weights).
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody knows
from torch import nn

from voice.hearing import prompt_for
from voice.ports import Task
from voice.training.ears_sound import Example

RANK, STRENGTH = 16, 1.0
BATCH, PEAK_RATE, WARM_STEPS = 16, 1e-3, 20
OTHER_PROMPT, NO_PROMPT = 0.1, 0.1
"""The prompt of the task mostly; of another one or none sometimes, so that words are not learnt by heart with it."""
SPEECH_WEIGHT = 0.2
"""Of the loss at the place where Whisper says whether anybody speaks."""


class LowRank(nn.Module):
    """`base(x) + up(down(x))`: `down` is random, `up` zero, so that it begins as the base."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(RANK, base.in_features) / math.sqrt(base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + STRENGTH * ((x @ self.down.to(x.dtype).T) @ self.up.to(x.dtype).T)


def adapt(decoder: nn.Module) -> dict[str, LowRank]:
    """Every linear map of the decoder, by its name; nothing else learns."""
    decoder.requires_grad_(False)
    found = [(name, module) for name, module in decoder.named_modules() if isinstance(module, nn.Linear)]
    adapters = {}
    for name, linear in found:
        parent, _, child = name.rpartition(".")
        adapters[name] = LowRank(linear)
        setattr(decoder.get_submodule(parent), child, adapters[name])
    return adapters


class Trainer:
    """Steps of `BATCH` examples, one after the other: their lengths differ too much for one tensor."""

    def __init__(self, model: Any, folder: Path, examples: Sequence[Example], steps: int, seed: int) -> None:
        from whisper.tokenizer import get_tokenizer

        torch.manual_seed(seed)
        self.decoder, self._folder, self._steps = model.decoder, folder, steps
        self._tokenizers = {
            lang: get_tokenizer(multilingual=True, num_languages=model.num_languages, language=lang, task="transcribe")
            for lang in ("fr", "en", "ru")
        }
        self._chance = Random(seed)
        self._examples = list(examples)
        self.adapters = adapt(self.decoder)
        weights = [weight for adapter in self.adapters.values() for weight in (adapter.down, adapter.up)]
        self._optimizer = torch.optim.AdamW(weights, lr=PEAK_RATE, weight_decay=0.01)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, self._rate)
        self._weights = weights

    def _rate(self, step: int) -> float:
        """Up in a line, down in half a cosine."""
        warm = min(1.0, (step + 1) / WARM_STEPS)
        return warm * 0.5 * (1 + math.cos(math.pi * min(1.0, step / self._steps)))

    def steps(self) -> Iterator[tuple[int, float]]:
        """(number, mean loss) of each step."""
        order = self._order()
        for step in range(self._steps):
            total = 0.0
            for _ in range(BATCH):
                loss = self.loss(next(order)) / BATCH
                loss.backward()  # type: ignore[no-untyped-call]
                total += loss.item()
            nn.utils.clip_grad_norm_(self._weights, 1.0)
            self._optimizer.step()
            self._schedule.step()
            self._optimizer.zero_grad()
            yield step, total

    def _order(self) -> Iterator[Example]:
        while True:
            self._chance.shuffle(self._examples)
            yield from self._examples

    def loss(self, example: Example) -> torch.Tensor:
        words = self._tokenizers[example.lang]
        prompt = self._prompt(example)
        before = [words.sot_prev, *words.encode(" " + prompt)] if prompt else []
        said = [*words.encode(" " + example.written), words.eot] if example.written else [words.eot]
        start = [*before, *words.sot_sequence, words.no_timestamps]
        states = torch.from_numpy(np.load(self._folder / example.file).astype(np.float32))[None]
        hidden = self._hidden(torch.tensor([start + said[:-1]]), states)
        table = self.decoder.token_embedding.weight
        logits = hidden[len(start) - 1 :] @ table.T
        speaks = words.sot_sequence[1] if example.written else words.no_speech
        at_sot = hidden[len(before)] @ table.T
        return F.cross_entropy(logits, torch.tensor(said)) + SPEECH_WEIGHT * F.cross_entropy(
            at_sot, torch.tensor(speaks)
        )

    def _prompt(self, example: Example) -> str:
        drawn = self._chance.random()
        if drawn < NO_PROMPT:
            return ""
        task = self._chance.choice(list(Task)) if drawn < NO_PROMPT + OTHER_PROMPT else Task(example.task)
        return prompt_for(task, example.lang)

    def _hidden(self, tokens: torch.Tensor, states: torch.Tensor) -> torch.Tensor:
        """The decoder's last layer, length x width."""
        decoder = self.decoder
        x = decoder.token_embedding(tokens) + decoder.positional_embedding[: tokens.shape[-1]]
        for block in decoder.blocks:
            x = block(x, states, mask=decoder.mask)
        hidden: torch.Tensor = decoder.ln(x)[0]
        return hidden


def save(adapters: dict[str, LowRank], path: Path) -> None:
    """float16; the names are those of openai-whisper's decoder."""
    arrays = {}
    for name, adapter in adapters.items():
        arrays[f"{name}.down"] = adapter.down.detach().numpy().astype(np.float16)
        arrays[f"{name}.up"] = (STRENGTH * adapter.up.detach()).numpy().astype(np.float16)
    np.savez(path, **arrays)
