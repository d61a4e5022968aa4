"""Events in the making: each one is applied as it is added, so that the next can follow from it."""

from moderator.events import Event
from moderator.evolve import evolve
from moderator.state import GameState


class Draft:
    """`at` is the time of all its events: that of the command, but never before the last event of the log."""

    def __init__(self, state: GameState, at: float) -> None:
        self.state, self.at = state, max(state.at, at)
        self.events: list[Event] = []

    def add(self, event: Event) -> None:
        self.state = evolve(self.state, event)
        self.events.append(event)
