"""What must hold after every command of every game; a watch for `moderator.simulate.play`.

A broken one raises `Broken`, which names the event and the rule: it is a fault of the engine, never of a player.
"""

from pydantic import TypeAdapter

from moderator import engine
from moderator.commands import Command
from moderator.events import (
    BallotCast,
    BallotCounted,
    CrownGiven,
    Event,
    InterpellationOpened,
    LiftCast,
    LiftDecided,
    MotionVoteCast,
    Nominated,
    Scoreable,
    Scored,
    ShotFired,
    SignalGiven,
)
from moderator.integrity import misfit
from moderator.model import SEATS, Refusal, StepKind
from moderator.state import GameState

STORED: TypeAdapter[Event] = TypeAdapter(Event)


class Broken(AssertionError):
    """The engine contradicts itself."""


class Invariants:
    """Follows one game command by command, on a state of its own that it makes from the stored form of the events."""

    def __init__(self) -> None:
        self.state, self.again, self.log = GameState(), GameState(), list[Event]()

    def watch(self, command: Command, result: list[Event] | Refusal, state: GameState) -> None:
        if isinstance(result, Refusal):
            _hold(state is self.state, command.type, "a refusal changes nothing")
            return
        for event in result:
            self._see(event)
        _hold(self.again == state, command.type, "the stored log gives the same state")
        self.state = state
        stands_still = state.suspended_at is not None and state.pause is None
        _hold((engine.next_at(state) is None) == (state.over or stands_still), command.type, "never stuck")
        _hold((state.step is None) == state.over, command.type, "always in a step")
        _hold(set(state.alive) | set(state.left) == set(SEATS), command.type, "everybody is alive or has left")
        _hold(not set(state.alive) & set(state.left), command.type, "nobody is both")

    def _see(self, event: Event) -> None:
        stored = STORED.validate_json(STORED.dump_json(event))
        _hold(stored == event, event.type, "is the same when it is read back")
        fault = misfit(self.again, stored)
        _hold(fault is None, event.type, f"fits: {fault}")
        _hold(event.at >= self.again.at, event.type, "time never runs back")
        self._living(event)
        if isinstance(event, Scored):
            self._sums(event)
        self.again = engine.evolve(self.again, stored)
        self.log.append(event)

    def _living(self, event: Event) -> None:
        alive, step = set(self.again.alive), self.again.step
        match event:
            case BallotCounted(votes=votes, candidates=candidates):
                _hold(set(votes) == alive, event.type, "ballots sum to the living")
                _hold(set(votes.values()) <= set(candidates) <= alive, event.type, "ballots are for living candidates")
            case LiftDecided(votes=answers):
                _hold(set(answers) == alive, event.type, "ballots sum to the living")
            case CrownGiven(to=to):
                _hold(to in alive, event.type, "a crown is for the living")
            case Nominated(by=author):
                leaving = step is not None and step.kind is StepKind.FAREWELL and step.seat == author
                _hold(author in alive or leaving, event.type, "the dead only say farewell")
            case (
                BallotCast(seat=author)
                | LiftCast(seat=author)
                | MotionVoteCast(seat=author)
                | ShotFired(seat=author)
                | SignalGiven(seat=author)
                | InterpellationOpened(seat=author)
            ):
                _hold(author in alive, event.type, "the dead only say farewell")
            case _:
                pass

    def _sums(self, scored: Scored) -> None:
        for system, by_seat in scored.lines.items():
            for seat, lines in by_seat.items():
                total = sum(line.value for line in lines)
                _hold(
                    abs(total - scored.points[system][seat]) < 1e-3, scored.type, "points are the sum of their reasons"
                )
                known = all(isinstance(self.log[line.event], Scoreable) for line in lines)
                _hold(known, scored.type, "each reason names what earned it")


def _hold(what: bool, where: str, rule: str) -> None:
    if not what:
        raise Broken(f"{where}: {rule}")
