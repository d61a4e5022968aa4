"""What a player may know: the only door from the state and the log to a seat."""

from collections.abc import Callable, Iterable
from typing import Annotated

from pydantic import Field

from moderator import commands, engine
from moderator import events as ev
from moderator.commands import Command
from moderator.events import Event
from moderator.model import SEATS, Cause, Motion, Phase, Refusal, Role, Seat, Seconds, Step, StepKind, Team, Value
from moderator.state import GameState

Audience = frozenset[Seat] | None
"""None is everybody."""

_PRIVATE = (
    ev.RoleDealt | ev.BallotCast | ev.LiftCast | ev.MotionVoteCast | ev.ShotFired | ev.DonChecked | ev.SheriffChecked
)
"""To their own seat only. An event's audience never changes; what becomes public later is a new event."""


def audience(event: Event) -> Audience:
    """Who may learn of the event, now and for ever."""
    if isinstance(event, ev.DealSealed):
        return frozenset()
    if not isinstance(event, _PRIVATE) or (isinstance(event, ev.BallotCast | ev.LiftCast) and event.public):
        return None
    return frozenset({event.seat})


def redact(events: Iterable[Event], seat: Seat) -> list[Event]:
    """The log as the seat may read it while the game runs."""
    return [event for event in events if (to := audience(event)) is None or seat in to]


class SeatView(Value):
    """The game as one seat knows it: the public facts, and of the hidden ones its own. A spectator has none."""

    seat: Annotated[int, Field(ge=0, le=10)]
    """0: a spectator."""
    role: Role | None
    """None before the deal."""
    mates: dict[Seat, Role]
    """The other mafiosi, for a mafioso only."""
    seal: str
    """Of the deal, "" for none (`moderator.seal`)."""
    alive: tuple[Seat, ...]
    left: dict[Seat, Cause]
    phase: Phase
    day: int
    night: int
    step: Step | None
    nominations: tuple[tuple[Seat, Seat], ...]
    fouls: dict[Seat, int]
    technical_fouls: dict[Seat, int]
    absent: tuple[Seat, ...]
    interpellation: tuple[Seat, Seconds] | None
    """Who has interrupted the speech, and until when."""
    suspended_at: Seconds | None
    motion: Motion | None
    """The running motion, with one's own answer alone."""
    ballot: Seat | None
    """One's own ballot of the current round."""
    lift_ballot: bool | None
    shot: Seat | None
    """One's own shot of this night."""
    checks: dict[Seat, bool]
    """What one's own checks found: the Sheriff (for the Don), a mafioso (for the Sheriff)."""


def view(state: GameState, seat: int) -> SeatView:
    role = state.roles.get(seat)
    others = {mate: other for mate, other in state.roles.items() if mate != seat and other.team is Team.MAFIA}
    return SeatView(
        seat=seat,
        role=role,
        mates=others if role is not None and role.team is Team.MAFIA else {},
        seal=state.seal,
        alive=state.alive,
        left=state.left,
        phase=state.phase,
        day=state.day,
        night=state.night,
        step=state.step,
        nominations=state.nominations,
        fouls=state.fouls,
        technical_fouls=state.technical_fouls,
        absent=tuple(sorted(state.absent)),
        interpellation=state.interpellation,
        suspended_at=state.suspended_at,
        motion=None if state.motion is None else _own_part(state.motion, seat),
        ballot=state.ballots.get(seat),
        lift_ballot=state.lift_ballots.get(seat),
        shot=state.shots.get(seat),
        checks={target: found for by, target, found in state.checks if by == seat},
    )


def _own_part(motion: Motion, seat: Seat) -> Motion:
    return motion.but(votes={voter: yes for voter, yes in motion.votes.items() if voter in (seat, motion.by)})


_NAMING: dict[StepKind, Callable[..., Command]] = {
    StepKind.SPEECH: commands.Nominate,
    StepKind.BALLOT: commands.Vote,
    StepKind.SHOTS: commands.Shoot,
    StepKind.DON_CHECK: commands.Check,
    StepKind.SHERIFF_CHECK: commands.Check,
}


def targets(state: GameState, seat: Seat) -> tuple[Seat, ...]:
    """Whom the seat may name now: nominate, vote for, shoot at or check. Empty when it is not asked.

    It is for this seat's ears alone. Before a step is open nobody is asked.
    """
    step = state.step
    command = None if step is None else _NAMING.get(step.kind)
    if step is None or step.opened_at is None or command is None:
        return ()
    named = ((target, command(at=step.opened_at, seat=seat, target=target)) for target in SEATS)
    return tuple(target for target, wish in named if not isinstance(engine.decide(state, wish), Refusal))
