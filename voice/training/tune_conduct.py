"""`python -m voice.training.tune_conduct`: makes the adapter with which the model reads conduct.

It learns from `conduct.<lang>.yaml` beside this file and from the `dev` half of the conduct bench, and that the game's
own talk (the lines of the reading and hearing benches, made-up lines of `voice.training.corpus`) is none of it. Every
sixth line is kept out, and tells at which likelihood a verdict may be believed. Needs the extra `torch`; 40 minutes on
one core.
"""

import argparse
import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from moderator.model import Offence
from voice.bench_conduct import CLEAN
from voice.conduct import PIECE
from voice.llm_conduct import SHIPPED, VERDICTS, prompt
from voice.ports import Lang
from voice.training.conduct_lines import conduct_lines
from voice.training.corpus import LANGS, lines
from voice.training.lora import attach, base, batched, train

BENCH = Path("tests/bench")
MADE_UP, GAME_TALK, SEED = 1200, 2500, 5
FIRST_LAYER, RANK, ALPHA = 0, 16, 32.0
BATCH, RATE, ROUNDS = 16, 5e-4, 2
CLEAN_WEIGHT = 1.5
"""A false notice weighs more than a missed one."""
KEPT_OUT_OF = 6
PASS_AT_MOST = (1, 2, 4, 8)
"""Of the clean lines that were kept out, for the figures that are printed."""


class Sample(NamedTuple):
    lang: Lang
    text: str
    broken: frozenset[Offence]


def main() -> int:
    """Prints one JSON object; by kind, for each of `PASS_AT_MOST`, the bar and the share found from there on."""
    wish = argparse.ArgumentParser(prog="python -m voice.training.tune_conduct", description=__doc__)
    wish.add_argument("--out", type=Path, default=Path("prompts") / SHIPPED)
    out: Path = wish.parse_args().out
    written, chance = list(written_for_it()), Random(SEED)
    kept_out = [sample for sample in written if _is_kept_out(sample)]
    learnt = [*(sample for sample in written if not _is_kept_out(sample)), *game_talk(chance)]
    torch, model, tokenizer = base(SEED)
    adapters = attach(model, FIRST_LAYER, RANK, ALPHA)
    verdicts = torch.tensor([_token(tokenizer, word) for word in VERDICTS.values()])

    def scores(samples: Sequence[Sample]) -> Any:
        """One row a sample: the logarithm of how likely each verdict is."""
        prompts = [tokenizer(prompt(sample.lang, sample.text))["input_ids"] for sample in samples]
        tokens = torch.zeros(len(prompts), max(map(len, prompts)), dtype=torch.long)
        for row, each in enumerate(prompts):
            tokens[row, : len(each)] = torch.tensor(each)
        states = model.model(input_ids=tokens, use_cache=False).last_hidden_state
        ends = states[torch.arange(len(prompts)), torch.tensor([len(each) - 1 for each in prompts])]
        return (ends @ model.lm_head.weight[verdicts].T).float().log_softmax(-1)

    def loss(samples: Sequence[Sample]) -> Any:
        wanted = torch.tensor([_wanted(sample) for sample in samples])
        weight = torch.tensor([1.0 if sample.broken else CLEAN_WEIGHT for sample in samples])
        return (-(wanted * scores(samples)).sum(-1) * weight).mean()

    batches: list[list[Sample]] = []
    for _ in range(ROUNDS):
        chance.shuffle(learnt)
        batches += batched(learnt, lambda sample: len(sample.text), BATCH, chance)
    train(adapters, batches, loss, RATE, ALPHA, out)
    with torch.inference_mode():
        judged = [row for batch in batched(kept_out, lambda _: 0, BATCH, chance) for row in _judged(batch, scores)]
    print(json.dumps({"lines": len(learnt), "kept_out": len(kept_out), **bars(judged), "file": str(out)}))
    return 0


def written_for_it() -> Iterator[Sample]:
    """What somebody wrote for this: our own file, and the half of the bench that is tuned on."""
    for lang in LANGS:
        rows = [
            (text, [] if kind == CLEAN else [kind]) for kind, texts in conduct_lines(lang).items() for text in texts
        ]
        rows += [(row["text"], row["gold"]["kinds"]) for row in _rows(f"conduct.{lang}") if row["half"] == "dev"]
        for text, kinds in rows:
            broken = frozenset(kind for kind in map(Offence, kinds) if kind in VERDICTS)
            if broken:
                yield Sample(lang, text, broken)
            elif not kinds:
                yield from (Sample(lang, sentence, frozenset()) for sentence in sorted({text, *_sentences(text)}))


def game_talk(chance: Random) -> list[Sample]:
    """Sentences of the game in which nobody thought of fair play."""
    talk = {(line.lang, line.said) for line in lines(MADE_UP, SEED)}
    for lang in LANGS:
        talk |= {(lang, row["text"]) for name in (f"reading.{lang}", f"hearing.{lang}.dev") for row in _rows(name)}
    said = sorted({(lang, sentence) for lang, text in talk for sentence in _sentences(text)})
    return [Sample(lang, text, frozenset()) for lang, text in chance.sample(said, min(GAME_TALK, len(said)))]


def bars(judged: Sequence[tuple[Sample, dict[Offence, float]]]) -> dict[str, list[tuple[float, float]]]:
    found = {}
    for kind in filter(None, VERDICTS):
        clean = sorted((likely[kind] for sample, likely in judged if not sample.broken), reverse=True)
        guilty = [likely[kind] for sample, likely in judged if kind in sample.broken]
        at = [clean[number] for number in PASS_AT_MOST]
        found[str(kind)] = [(round(bar, 4), round(sum(one > bar for one in guilty) / len(guilty), 3)) for bar in at]
    return found


def _judged(batch: list[Sample], scores: Any) -> Iterator[tuple[Sample, dict[Offence, float]]]:
    for sample, row in zip(batch, scores(batch).exp().tolist(), strict=True):
        yield sample, {kind: one for kind, one in zip(VERDICTS, row, strict=True) if kind is not None}


def _wanted(sample: Sample) -> list[float]:
    if not sample.broken:
        return [float(kind is None) for kind in VERDICTS]
    return [(kind in sample.broken) / len(sample.broken) for kind in VERDICTS]


def _is_kept_out(sample: Sample) -> bool:
    return zlib.crc32(sample.text.encode()) % KEPT_OUT_OF == 0


def _token(tokenizer: Any, word: str) -> int:
    (token,) = tokenizer(word, add_special_tokens=False)["input_ids"]
    return int(token)


def _sentences(text: str) -> set[str]:
    return {piece.strip() for piece in PIECE.findall(text)}


def _rows(name: str) -> Iterator[dict[str, Any]]:
    return map(json.loads, (BENCH / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    raise SystemExit(main())
