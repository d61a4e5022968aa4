"""What a player may know: the only door from the state and the log to a seat."""

from collections.abc import Iterable

from moderator import events as ev
from moderator.events import Event
from moderator.model import Cause, GameState, Phase, Role, Seat, Seconds, Step, Team, Value

Audience = frozenset[Seat] | None
"""None is everybody."""

_PRIVATE = ev.RoleDealt | ev.BallotCast | ev.LiftCast | ev.ShotFired | ev.DonChecked | ev.SheriffChecked
"""To their own seat only. An event's audience never changes; what becomes public later is a new event."""


def audience(event: Event) -> Audience:
    """Who may learn of the event, now and for ever."""
    return frozenset({event.seat}) if isinstance(event, _PRIVATE) else None


def redact(events: Iterable[Event], seat: Seat) -> list[Event]:
    """The log as the seat may read it while the game runs."""
    return [event for event in events if (to := audience(event)) is None or seat in to]


class SeatView(Value):
    """The game as one seat knows it. Own role, mates and ballot; public facts of everybody else."""

    seat: Seat
    role: Role | None
    mates: dict[Seat, Role]
    alive: tuple[Seat, ...]
    left: dict[Seat, Cause]
    phase: Phase
    day: int
    night: int
    step: Step | None
    nominations: tuple[tuple[Seat, Seat], ...]
    fouls: dict[Seat, int]
    ballot: Seat | None
    time_ends_at: Seconds | None


def view(state: GameState, seat: Seat) -> SeatView:
    role = state.roles.get(seat)
    mafia = role is not None and role.team is Team.MAFIA
    mates = {mate: other for mate, other in state.roles.items() if mafia and mate != seat and other.team is Team.MAFIA}
    return SeatView.model_construct(
        seat=seat,
        role=role,
        mates=mates,
        alive=state.alive,
        left=state.left,
        phase=state.phase,
        day=state.day,
        night=state.night,
        step=state.step,
        nominations=state.nominations,
        fouls=state.fouls,
        ballot=state.ballots.get(seat),
        time_ends_at=None if state.step is None else state.step.ends_at,
    )
