"""Golden playthroughs: a whole game as each of the ten seats may know it, step by step.

`python tests/golden.py` writes `tests/golden/*.txt` anew; look at the difference before you commit it.
"""

from pathlib import Path
from random import Random
from typing import Any

from moderator import engine
from moderator.commands import Command
from moderator.events import Event
from moderator.model import SEATS, Refusal, Seat
from moderator.narration import cues
from moderator.rules import Rules
from moderator.simulate import deal, play
from moderator.state import GameState
from moderator.view import SeatView, view

HERE = Path(__file__).parent / "golden"
GAMES = {
    "classic": (3, Rules()),
    "club": (4, Rules(name="club", day_zero="talk", night_killed_nominates=True, fouls_remove_at=4)),
    "open": (6, Rules(name="open", ballots="open", final_speech=True)),
}


def playthrough(seed: int, rules: Rules) -> str:
    """Each stored event with the lines it calls for, then what has changed in each seat's view."""
    lines: list[str] = []
    before = GameState()
    views: dict[Seat, SeatView] = {}

    def watch(command: Command, result: list[Event] | Refusal, after: GameState) -> None:
        nonlocal before, views
        if isinstance(result, Refusal):
            lines.append(f"{command.at:9.2f} {command.type} refused: {result.code}")
            return
        state = before
        for event in result:
            following = engine.evolve(state, event)
            lines.append(f"{event.at:9.2f} {event.type} {_facts(event)}")
            lines.extend(f"{'':10}> {_to(cue.audience)}: {cue.key} {cue.args}" for cue in cues(event, state, following))
            state = following
        seen = {seat: view(after, seat) for seat in SEATS}
        for change, seats in _changes(views, seen).items():
            lines.append(f"{'':10}{_to(frozenset(seats) if len(seats) < len(SEATS) else None)} see {change}")
        before, views = after, seen

    chance = Random(seed)
    play(chance, rules, deal(chance), watch)
    return "\n".join(lines) + "\n"


def _facts(event: Event) -> str:
    hidden = {"at", "type", "rules", "lines"}
    facts = event.model_dump(mode="json", exclude=hidden).items()
    return " ".join(f"{key}={_short(value)}" for key, value in facts if value not in (None, [], {}, False))


def _short(value: Any) -> Any:
    """Of a step and other nested values only what is set."""
    if isinstance(value, dict):
        return " ".join(f"{key}:{_short(one)}" for key, one in value.items() if one not in (None, [], {}, False))
    return value


def _to(audience: frozenset[Seat] | None) -> str:
    return "all" if audience is None else ",".join(map(str, sorted(audience)))


def _changes(before: dict[Seat, SeatView], after: dict[Seat, SeatView]) -> dict[str, list[Seat]]:
    """What is new in the views, and for which seats alike."""
    found: dict[str, list[Seat]] = {}
    for seat in SEATS:
        old = before[seat].model_dump(mode="json") if before else {}
        for key, value in after[seat].model_dump(mode="json").items():
            if key != "seat" and old.get(key, None) != value:
                found.setdefault(f"{key}={_short(value)}", []).append(seat)
    return found


if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, (seed, rules) in GAMES.items():
        (HERE / f"{name}.txt").write_text(playthrough(seed, rules), encoding="utf-8")
