"""Drives a game forward without a clock and without voices: commands in, silent steps passed."""

from moderator import commands as c
from moderator import engine
from moderator.commands import Command
from moderator.events import Event
from moderator.model import Refusal, Seat, Step, StepKind
from moderator.state import GameState


class Driver:
    """A game and its log. Time goes as fast as the deadlines of the rules let it."""

    def __init__(self) -> None:
        self.state, self.log = GameState(), list[Event]()

    @property
    def now(self) -> float:
        return self.state.at

    @property
    def step_kind(self) -> StepKind | None:
        return None if self.state.step is None else self.state.step.kind

    @property
    def speaker(self) -> Seat | None:
        return None if self.state.step is None else self.state.step.seat

    def give(self, command: Command) -> Refusal | None:
        result = engine.advance(self.state, command)
        if isinstance(result, Refusal):
            return result
        self.state = result.state
        self.log += result.events
        return None

    def open(self) -> None:
        if self.state.step is not None and self.state.step.opened_at is None:
            self.give(c.Open(at=self.now + 1))

    def pass_step(self) -> None:
        self.open()
        step = self.state.step
        while self.state.step is not None and step is not None and self.still(step):
            due_at = engine.next_at(self.state)
            assert due_at is not None
            self.give(c.Tick(at=due_at))

    def still(self, step: Step) -> bool:
        now = self.state.step
        return now is not None and (now.kind, now.seat, now.called_at) == (step.kind, step.seat, step.called_at)
