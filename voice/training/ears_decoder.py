"""Low-rank changes to Whisper's decoder, learnt from encoder states and what should have been written.

The encoder stays as it is: its states are made once, and each step of training costs a decoder of 50 million
weights. Of what is learnt only the low-rank matrices are kept (`voice.weights_tuned` adds them to the weights).
"""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody knows
from torch import nn

from voice.hearing import prompt_for
from voice.ports import Task
from voice.training.ears_sound import Example

RANK = 16
KEPT = 0.75
"""Of what was learnt: with all of it more is taken for something else than was meant (docs/hearing.md)."""
BATCH, PEAK_RATE, WARM_STEPS = 16, 1e-3, 20
OTHER_PROMPT, NO_PROMPT = 0.1, 0.2
"""The prompt of the task mostly; of another one or none sometimes, so that words are not learnt by heart with it."""
IGNORED = -100
SILENT_FRAMES, MIXED_FRAMES = (25, 120), 40
"""Of 20 ms: kept after the longest clip of a batch; and how far apart the lengths in one batch may be."""
SPEECH_WEIGHT = 0.2
"""Of the loss at the place where Whisper says whether anybody speaks."""


class LowRank(nn.Module):  # type: ignore[misc]  # torch is an extra: mypy does not look into it
    """`base(x) + up(down(x))`: `down` is random, `up` zero, so that it begins as the base."""

    def __init__(self, base: nn.Linear) -> None:
        super().__init__()
        self.base = base.to(torch.bfloat16)
        self.down = nn.Parameter(torch.randn(RANK, base.in_features) / math.sqrt(base.in_features))
        self.up = nn.Parameter(torch.zeros(base.out_features, RANK))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.base(x) + (x @ self.down.to(x.dtype).T) @ self.up.to(x.dtype).T


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


class Batch(NamedTuple):
    """Examples of about the same length, all with a prompt or all without."""

    tokens: torch.Tensor
    """Examples x tokens: prompt, start and what is written, padded."""
    wanted: torch.Tensor
    """The token that should come after each of these; `IGNORED` where that does not matter."""
    speaks: torch.Tensor
    """The token after the start of each transcript: its language, or that nobody speaks."""
    starts: torch.Tensor
    """Where the start of each transcript stands."""
    states: torch.Tensor
    """Examples x frames x width."""


class Batches:
    """The training set again and again, in another order each time."""

    def __init__(self, folder: Path, examples: Sequence[Example], languages: int, seed: int) -> None:
        from whisper.tokenizer import get_tokenizer

        self._folder, self._examples, self._chance = folder, list(examples), Random(seed)
        self._tokenizers = {
            lang: get_tokenizer(multilingual=True, num_languages=languages, language=lang, task="transcribe")
            for lang in ("fr", "en", "ru")
        }

    def __iter__(self) -> Iterator[Batch]:
        while True:
            self._chance.shuffle(self._examples)
            batches = []
            for pool in (False, True):
                found = [example for example in self._examples if example.whole is pool]
                found.sort(key=lambda example: example.frames + self._chance.uniform(0, MIXED_FRAMES))
                batches += [found[start : start + BATCH] for start in range(0, len(found), BATCH)]
            self._chance.shuffle(batches)
            yield from map(self._batch, batches)

    def _batch(self, examples: Sequence[Example]) -> Batch:
        drawn = self._chance.random()
        rows = [self._row(example, drawn) for example in examples]
        longest = max(len(tokens) for tokens, _, _, _ in rows)
        states = [np.load(self._folder / example.file) for example in examples]
        frames = max(example.frames for example in examples) + self._chance.randint(*SILENT_FRAMES)
        if examples[0].whole:
            frames = max(len(each) for each in states)
        return Batch(
            torch.tensor([tokens + [0] * (longest - len(tokens)) for tokens, _, _, _ in rows]),
            torch.tensor([wanted + [IGNORED] * (longest - len(wanted)) for _, wanted, _, _ in rows]),
            torch.tensor([speaks for _, _, speaks, _ in rows]),
            torch.tensor([start for _, _, _, start in rows]),
            torch.from_numpy(np.stack([as_long(each, frames) for each in states])),
        )

    def _row(self, example: Example, drawn: float) -> tuple[list[int], list[int], int, int]:
        words = self._tokenizers[example.lang]
        prompt = self._prompt(example, drawn)
        before = [words.sot_prev, *words.encode(" " + prompt)] if prompt else []
        start = [*before, *words.sot_sequence, words.no_timestamps]
        said = [*words.encode(" " + example.written), words.eot] if example.written else [words.eot]
        wanted = [IGNORED] * (len(start) - 1) + said
        speaks = words.sot_sequence[1] if example.written else words.no_speech
        return start + said[:-1], wanted, speaks, len(before)

    def _prompt(self, example: Example, drawn: float) -> str:
        if drawn < NO_PROMPT:
            return ""
        other = drawn < NO_PROMPT + OTHER_PROMPT
        return prompt_for(self._chance.choice(list(Task)) if other else Task(example.task), example.lang)


def as_long(states: npt.NDArray[np.float16], frames: int) -> npt.NDArray[np.float32]:
    """The window's silent end is cut, or drawn out."""
    return np.pad(states[:frames], ((0, max(0, frames - len(states))), (0, 0)), mode="edge").astype(np.float32)


class Trainer:
    """Steps of one batch each, in bfloat16 but for the low-rank matrices."""

    def __init__(self, model: Any, folder: Path, examples: Sequence[Example], steps: int, seed: int) -> None:
        torch.manual_seed(seed)
        self.decoder, self._steps = model.decoder, steps
        self._batches = Batches(folder, examples, model.num_languages, seed)
        self.adapters = adapt(self.decoder)
        self._words = self.decoder.token_embedding.weight.to(torch.bfloat16)
        self._weights = [weight for adapter in self.adapters.values() for weight in (adapter.down, adapter.up)]
        self._optimizer = torch.optim.AdamW(self._weights, lr=PEAK_RATE, weight_decay=0.01)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(self._optimizer, self._rate)

    def _rate(self, step: int) -> float:
        """Up in a line, down in half a cosine."""
        warm = min(1.0, (step + 1) / WARM_STEPS)
        return warm * 0.5 * (1 + math.cos(math.pi * min(1.0, step / self._steps)))

    def steps(self) -> Iterator[tuple[int, float]]:
        """(number, loss) of each step."""
        for step, batch in zip(range(self._steps), self._batches, strict=False):
            loss = self.loss(batch)
            loss.backward()
            nn.utils.clip_grad_norm_(self._weights, 1.0)
            self._optimizer.step()
            self._schedule.step()
            self._optimizer.zero_grad()
            yield step, loss.item()

    def loss(self, batch: Batch) -> torch.Tensor:
        decoder = self.decoder
        x = (decoder.token_embedding(batch.tokens) + decoder.positional_embedding[: batch.tokens.shape[1]]).bfloat16()
        for block in decoder.blocks:
            x = block(x, batch.states.bfloat16(), mask=decoder.mask)
        hidden = decoder.ln(x)
        counts = batch.wanted != IGNORED
        written = F.cross_entropy((hidden[counts] @ self._words.T).float(), batch.wanted[counts])
        at_start = hidden[torch.arange(len(hidden)), batch.starts]
        return written + SPEECH_WEIGHT * F.cross_entropy((at_start @ self._words.T).float(), batch.speaks)


def save(adapters: dict[str, LowRank], path: Path) -> None:
    """float16; the names are those of openai-whisper's decoder."""
    arrays = {}
    for name, adapter in adapters.items():
        arrays[f"{name}.down"] = adapter.down.detach().numpy().astype(np.float16)
        arrays[f"{name}.up"] = (KEPT * adapter.up.detach()).numpy().astype(np.float16)
    np.savez(path, **arrays)
