"""How fast the rules are: `moderator bench engine`. One process, no sound.

Machines are noisy: a rate is that of the quickest of many short runs, which is what the code itself can do.
"""

import time
from collections.abc import Callable
from random import Random

from moderator import engine
from moderator.commands import Resume, Suspend
from moderator.events import Event
from moderator.rules import Rules
from moderator.simulate import deal, play, simulate

GAMES_A_RUN = 20
RUNS = 15
REPLAY_EVENTS = 300


def run() -> dict[str, object]:
    """Games a second without and with all invariants, milliseconds to replay 300 events, and 1, 10, 100 times those."""
    log = long_log(100 * REPLAY_EVENTS)
    once_ms, ten_ms, hundred_ms = (replay_ms(log[: factor * REPLAY_EVENTS]) for factor in (1, 10, 100))
    return {
        "games_per_s": round(GAMES_A_RUN / quickest(lambda: simulate(GAMES_A_RUN, 1)), 1),
        "checked_games_per_s": round(GAMES_A_RUN / quickest(lambda: simulate(GAMES_A_RUN, 1, check=True)), 1),
        "replay_300_events_ms": round(once_ms, 2),
        "replay_3000_events_ms": round(ten_ms, 2),
        "replay_30000_events_ms": round(hundred_ms, 2),
    }


def replay_ms(log: list[Event]) -> float:
    return 1000 * quickest(lambda: engine.replay(log))


def quickest(work: Callable[[], object]) -> float:
    """Seconds of the quickest run."""
    best_s = float("inf")
    for _ in range(RUNS):
        started_s = time.perf_counter()
        work()
        best_s = min(best_s, time.perf_counter() - started_s)
    return best_s


def long_log(events: int) -> list[Event]:
    """A game that goes on and on: the table is suspended and goes on, again and again."""
    log = play(Random(7), Rules(), deal(Random(7)))
    cut = next(n for n, event in enumerate(log) if event.type == "step_opened" and event.kind == "speech") + 1
    made, state = log[:cut], engine.replay(log[:cut]).state
    while len(made) < events:
        at = state.at + 1
        for command in (Suspend(at=at), Resume(at=at)):
            advanced = engine.advance(state, command)
            assert isinstance(advanced, engine.Advanced)
            made += advanced.events
            state = advanced.state
    return made
