"""`moderator replay`: game records through the rules engine, one JSON line a file."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic_core import from_json

from moderator.record_replay import replay_record
from moderator.records import Divergence, Replayed
from voice.config import load_rules
from voice.stored import RECORD_RULES


def main(files: Sequence[Path]) -> int:
    """0: all of them agree with the rules; 1: one does not; 2: a file cannot be read."""
    worst = 0
    for path in files:
        try:
            body = path.read_bytes()
        except OSError as error:
            print(f"moderator replay: {path}: {(error.strerror or 'cannot be read').lower()}", file=sys.stderr)
            worst = 2
            continue
        answer = of_bytes(body, path.stem)
        print(answer.model_dump_json(), flush=True)
        worst = max(worst, 0 if answer.ok else 1)
    return worst


def of_bytes(body: bytes, name: str) -> Replayed:
    """Of a file that is cut off the part before the cut is replayed."""
    try:
        return replay_record(from_json(body), name, load_rules(RECORD_RULES))[0]
    except ValueError as broken:
        fault = str(broken)
    try:
        answer, _ = replay_record(from_json(body, allow_partial=True), name, load_rules(RECORD_RULES))
    except ValueError:
        return Replayed(id=name, ok=False, divergence=Divergence(event_index=0, expected="JSON", got=fault))
    divergence = answer.divergence or Divergence(event_index=0, expected="JSON", got=fault)
    return answer.model_copy(
        update={"ok": False, "divergence": divergence.model_copy(update={"expected": "JSON", "got": fault})}
    )
