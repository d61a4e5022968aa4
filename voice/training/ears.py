"""Make the ears' adapter: `python -m voice.training.ears --work FOLDER --out FILE` (docs/hearing.md).

Speaks lines of table talk with synthetic voices, keeps what Whisper's encoder makes of them in FOLDER, and learns
low-rank changes of the decoder. The same seed on the same machine gives the same adapter.
"""

import argparse
import json
import logging
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from voice.training import ears_sound
from voice.weights import cache, whisper_folder

log = logging.getLogger(__name__)

BATCHES: Mapping[str, tuple[int, int]] = {
    "fr": (1400, 2),
    "en": (500, 1),
    "ru": (700, 1),
    "fr-espeak": (60, 1),
    "en-espeak": (60, 1),
    "ru-espeak": (40, 1),
    "en-talk": (250, 1),
    "fr-talk": (400, 1),
    "ru-talk": (400, 1),
}
"""Lines, and copies of each; by batch."""
NOTHINGS = 8
"""Clips of noise a batch."""
STEPS = 600


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m voice.training.ears", description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="a folder for sound and states, some gigabytes")
    parser.add_argument("--out", type=Path, required=True, help="the adapter, a file .npz")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    args.work.mkdir(parents=True, exist_ok=True)
    if not (args.work / "examples.jsonl").is_file():
        listen(args.work, args.seed, args.threads)
    print(json.dumps(learn(args.work, args.out, args.seed, args.steps, args.threads)))


def listen(work: Path, seed: int, threads: int) -> None:
    """Speak all lines and keep their encoder states."""
    encoder = ears_sound.Encoder(whisper_folder(), threads)
    made: list[ears_sound.Example] = []
    for batch, (count, copies) in BATCHES.items():
        made += ears_sound.examples(batch, count, copies, seed, work, encoder)
        made += ears_sound.nothings(batch, NOTHINGS, seed, work, encoder)
        log.info("%s: %d examples so far", batch, len(made))
    ears_sound.save(made, work)


def learn(work: Path, out: Path, seed: int, steps: int, threads: int) -> dict[str, Any]:
    import torch
    import whisper

    from voice.training import ears_decoder
    from voice.weights_openai import checkpoint

    torch.set_num_threads(threads)
    model = whisper.load_model(str(checkpoint(whisper_folder(), cache())), device="cpu")
    trainer = ears_decoder.Trainer(model, work, ears_sound.load(work), steps, seed)
    losses = []
    for step, loss in trainer.steps():
        losses.append(loss)
        if step % 10 == 9:
            log.info("step %d of %d: loss %.3f", step + 1, steps, float(np.mean(losses[-10:])))
    ears_decoder.save(trainer.adapters, out)
    return {"steps": steps, "loss": round(float(np.mean(losses[-20:])), 4), "bytes": out.stat().st_size}


if __name__ == "__main__":
    main()
