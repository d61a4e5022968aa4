"""What is so after an event. Exhaustive and without judgement: whatever was decided has happened."""

from typing import Any, assert_never

from moderator.discipline import costs_a_speech
from moderator.events import (
    BallotCast,
    BallotCounted,
    CrownGiven,
    DayBegan,
    DonChecked,
    Event,
    Fouled,
    GameEnded,
    GameOpened,
    InterpellationClosed,
    InterpellationOpened,
    LiftCast,
    LiftDecided,
    LiftSkipped,
    NightBegan,
    NightEnded,
    Nominated,
    NominationWithdrawn,
    PlayerLeft,
    Resumed,
    RoleDealt,
    RolesRevealed,
    Scored,
    SheriffChecked,
    ShotFired,
    SpeechLost,
    StepCalled,
    StepClosed,
    StepOpened,
    Suspended,
    TestamentGiven,
    TimeCredited,
    TimeWarned,
    VoteSkipped,
)
from moderator.model import SEATS, GameState, Phase, Step, StepKind
from moderator.night import quiet_at_nightfall


def evolve(state: GameState, event: Event) -> GameState:
    return state.but(at=event.at, **_changes(state, event))


def _changes(state: GameState, event: Event) -> dict[str, Any]:
    match event:  # the most frequent first
        case StepCalled(step=step):
            return {"step": step, "warned": False, **_begin(state, step)}
        case StepOpened(at=at, ends_at=ends_at):
            return {"step": _step(state, opened_at=at, ends_at=ends_at)}
        case StepClosed():
            return {"step": None}
        case BallotCast(seat=seat, target=target):
            return {"ballots": {**state.ballots, seat: target}}
        case GameOpened(game=game, rules=rules):
            return {"game": game, "rules": rules, "phase": Phase.DEAL, "alive": SEATS}
        case RoleDealt(seat=seat, role=role):
            return {"roles": {**state.roles, seat: role}}
        case TimeWarned():
            return {"warned": True}
        case TimeCredited(ends_at=ends_at):
            return {"step": _step(state, ends_at=ends_at)}
        case Suspended(at=at):
            return {"suspended_at": at}
        case Resumed(pause_s=pause_s):
            return _shift(state, pause_s)
        case GameEnded(winner=winner):
            return {"phase": Phase.OVER, "winner": winner, "step": None}
        case BallotCounted():
            return {"ballots": {}}
        case LiftDecided():
            return {"lift_ballots": {}}
        case TestamentGiven() | CrownGiven() | VoteSkipped() | LiftSkipped() | RolesRevealed() | Scored():
            return {}
        case _:
            return _day(state, event) if isinstance(event, DayEvent) else _night(state, event)


DayEvent = (
    DayBegan
    | SpeechLost
    | Nominated
    | NominationWithdrawn
    | LiftCast
    | PlayerLeft
    | Fouled
    | InterpellationOpened
    | InterpellationClosed
)
NightEvent = NightBegan | ShotFired | DonChecked | SheriffChecked | NightEnded


def _day(state: GameState, event: DayEvent) -> dict[str, Any]:
    match event:
        case DayBegan(day=day, order=order):
            new = {"day": day, "speeches": order, "opener": order[0], "nominations": (), "moved": False}
            return {"phase": Phase.DAY, **new}
        case SpeechLost(seat=seat):
            paid = state.owed.index(seat)
            return {"owed": state.owed[:paid] + state.owed[paid + 1 :]}
        case Nominated(by=by, target=target):
            return {"nominations": (*state.nominations, (by, target))}
        case NominationWithdrawn(by=by, target=target):
            return {"nominations": tuple(pair for pair in state.nominations if pair != (by, target))}
        case LiftCast(seat=seat, lift=lift):
            return {"lift_ballots": {**state.lift_ballots, seat: lift}}
        case PlayerLeft(seat=seat, cause=cause):
            alive = tuple(other for other in state.alive if other != seat)
            gone = {"alive": alive, "left": {**state.left, seat: cause}, "farewells": (*state.farewells, seat)}
            return {**gone, "moved": True, "quiet": 0, "owed": tuple(other for other in state.owed if other != seat)}
        case Fouled(seat=seat, count=count):
            owed = (*state.owed, seat) if costs_a_speech(count) else state.owed
            return {"fouls": {**state.fouls, seat: count}, "owed": owed}
        case InterpellationOpened(at=at, seat=seat, ends_at=ends_at):
            return {"interpellation": (seat, ends_at), **_paused(state, ends_at - at)}
        case InterpellationClosed(at=at):
            planned_end = at if state.interpellation is None else state.interpellation[1]
            return {"interpellation": None, **_paused(state, at - planned_end)}
        case _:
            assert_never(event)


def _night(state: GameState, event: NightEvent) -> dict[str, Any]:
    match event:
        case NightBegan(night=night):
            quiet = quiet_at_nightfall(state) if night > 0 else 0
            return {"phase": Phase.NIGHT, "night": night, "shots": {}, "moved": False, "quiet": quiet}
        case ShotFired(seat=seat, target=target):
            return {"shots": {**state.shots, seat: target}}
        case DonChecked(seat=seat, target=target, sheriff=found):
            return {"checked": True, "checks": (*state.checks, (seat, target, found))}
        case SheriffChecked(seat=seat, target=target, mafia=found):
            return {"checked": True, "checks": (*state.checks, (seat, target, found))}
        case NightEnded(killed=killed):
            return {"phase": Phase.DAY, "quiet": state.quiet if killed else state.quiet + 1}
        case _:
            assert_never(event)


def _begin(state: GameState, step: Step) -> dict[str, Any]:
    """What a called step takes from the queues, and what it starts from."""
    match step.kind:
        case StepKind.SPEECH:
            return {"speeches": tuple(seat for seat in state.speeches if seat != step.seat)}
        case StepKind.FAREWELL:
            return {"farewells": tuple(seat for seat in state.farewells if seat != step.seat)}
        case StepKind.BALLOT:
            return {"ballots": {}}
        case StepKind.LIFT:
            return {"lift_ballots": {}}
        case StepKind.DON_CHECK | StepKind.SHERIFF_CHECK:
            return {"checked": False}
        case _:
            return {}


def _step(state: GameState, **changes: float) -> Step | None:
    return None if state.step is None else state.step.but(**changes)


def _paused(state: GameState, seconds: float) -> dict[str, Any]:
    """The interrupted speaker's deadline moves with an interpellation, where the rules say so."""
    step = state.step
    if step is None or step.ends_at is None or not state.rules.interpellation_pauses:
        return {}
    return {"step": _step(state, ends_at=step.ends_at + seconds)}


def _shift(state: GameState, pause_s: float) -> dict[str, Any]:
    """Deadlines move; the opening stays, so that words spoken before the pause still count after it."""
    step = state.step
    if step is not None:
        moments = {"called_at": step.called_at, "ends_at": step.ends_at}
        step = _step(state, **{name: at + pause_s for name, at in moments.items() if at is not None})
    running = state.interpellation
    return {
        "suspended_at": None,
        "step": step,
        "interpellation": None if running is None else (running[0], running[1] + pause_s),
    }
