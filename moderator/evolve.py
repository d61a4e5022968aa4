"""What is so after an event. Exhaustive and without judgement: whatever was decided has happened."""

from typing import Any, assert_never, get_args

from moderator.discipline import remedy, said_at_once
from moderator.events import (
    BallotCast,
    BallotCounted,
    CameBack,
    CrownGiven,
    DayBegan,
    DealSealed,
    DonChecked,
    Event,
    FarewellLost,
    Fouled,
    GameEnded,
    GameOpened,
    InterpellationClosed,
    InterpellationOpened,
    LiftCast,
    LiftDecided,
    LiftSkipped,
    MotionDecided,
    MotionOpened,
    MotionVoteCast,
    NightBegan,
    NightEnded,
    Nominated,
    NominationWithdrawn,
    Noticed,
    OrderSet,
    PlayerLeft,
    Resumed,
    RoleDealt,
    RolesRevealed,
    Scoreable,
    Scored,
    SheriffChecked,
    ShotFired,
    SignalGiven,
    SpeechLost,
    StepCalled,
    StepClosed,
    StepOpened,
    Suspended,
    TechnicalFouled,
    TestamentGiven,
    TimeCredited,
    TimeWarned,
    VoteCancelled,
    VoteSkipped,
    WentAbsent,
)
from moderator.model import SEATS, Phase, Seat, Step, StepKind
from moderator.night import quiet_at_nightfall
from moderator.state import GameState

_SCOREABLE = frozenset(get_args(Scoreable))


def evolve(state: GameState, event: Event) -> GameState:
    changes = _changes(state, event)
    if type(event) in _SCOREABLE:
        changes["history"] = (*state.history, (state.events, event))
    return state.but(at=event.at, events=state.events + 1, **changes)


def _changes(state: GameState, event: Event) -> dict[str, Any]:
    match event:  # the most frequent first
        case StepCalled(step=step):
            return {"step": step, "warned": False, **_begin(state, step), **_offers(state, step)}
        case StepOpened(at=at, ends_at=ends_at):
            return {"step": _step(state, opened_at=at, ends_at=ends_at)}
        case StepClosed():
            return {"step": None}
        case BallotCast(seat=seat, target=target):
            return {"ballots": {**state.ballots, seat: target}}
        case GameOpened(game=game, rules=rules):
            return {"game": game, "rules": rules, "phase": Phase.DEAL, "alive": SEATS}
        case DealSealed(seal=seal):
            return {"seal": seal}
        case RoleDealt(seat=seat, role=role):
            return {"roles": {**state.roles, seat: role}}
        case TimeWarned():
            return {"warned": True}
        case TimeCredited(ends_at=ends_at):
            return {"step": _step(state, ends_at=ends_at)}
        case Suspended(at=at, waits_for=None):
            return {"suspended_at": at}
        case Suspended(at=at, waits_for=seat, ends_at=ends_at):
            return {"suspended_at": at, "pause": (seat, ends_at), "pauses": state.pauses + 1}
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
            return _chapter(state, event)


def _chapter(state: GameState, event: "DayEvent | ConductEvent | NightEvent") -> dict[str, Any]:
    if isinstance(event, DayEvent):
        return _day(state, event)
    return _conduct(state, event) if isinstance(event, ConductEvent) else _night(state, event)


DayEvent = (
    OrderSet
    | DayBegan
    | SpeechLost
    | Nominated
    | NominationWithdrawn
    | LiftCast
    | PlayerLeft
    | FarewellLost
    | VoteCancelled
)
ConductEvent = (
    Fouled
    | InterpellationOpened
    | InterpellationClosed
    | TechnicalFouled
    | Noticed
    | MotionOpened
    | MotionVoteCast
    | MotionDecided
    | SignalGiven
    | WentAbsent
    | CameBack
)
NightEvent = NightBegan | ShotFired | DonChecked | SheriffChecked | NightEnded


def _day(state: GameState, event: DayEvent) -> dict[str, Any]:
    match event:
        case OrderSet(order=order):
            return {"set_order": order}
        case DayBegan(day=day, order=order):
            new = {"day": day, "speeches": order, "opener": order[0], "nominations": (), "moved": False}
            return {"phase": Phase.DAY, "moves_today": {}, "set_order": (), **new}
        case SpeechLost(seat=seat):
            paid = state.owed.index(seat)
            return {"owed": state.owed[:paid] + state.owed[paid + 1 :]}
        case Nominated(by=by, target=target):
            return {"nominations": (*state.nominations, (by, target))}
        case NominationWithdrawn(by=by, target=target):
            return {"nominations": tuple(pair for pair in state.nominations if pair != (by, target))}
        case LiftCast(seat=seat, lift=lift):
            return {"lift_ballots": {**state.lift_ballots, seat: lift}}
        case PlayerLeft():
            return _left(state, event)
        case FarewellLost(seat=seat):
            return {"farewells": _without(state.farewells, seat)}
        case VoteCancelled():
            return {"cancels_vote": False, "ballots": {}, "lift_ballots": {}}
        case _:
            assert_never(event)


def _left(state: GameState, event: PlayerLeft) -> dict[str, Any]:
    seat = event.seat
    farewells = state.farewells if event.cause.removal else (*state.farewells, seat)
    return {
        "alive": _without(state.alive, seat),
        "left": {**state.left, seat: event.cause},
        "farewells": farewells,
        "speeches": _without(state.speeches, seat),
        "owed": _without(state.owed, seat),
        "absent": {other: at for other, at in state.absent.items() if other != seat},
        **_forgotten(state, seat),
        "moved": True,
        "quiet": 0,
        "cancels_vote": state.cancels_vote or event.cancels_vote,
    }


def _without(seats: tuple[Seat, ...], seat: Seat) -> tuple[Seat, ...]:
    return tuple(other for other in seats if other != seat)


def _conduct(state: GameState, event: ConductEvent) -> dict[str, Any]:
    match event:
        case Fouled(seat=seat, count=count, costs_speech=costs):
            owed = (*state.owed, seat) if costs else state.owed
            return {"fouls": {**state.fouls, seat: count}, "owed": owed}
        case InterpellationOpened(at=at, seat=seat, ends_at=ends_at):
            return {"interpellation": (seat, ends_at), **_paused(state, ends_at - at)}
        case InterpellationClosed(at=at):
            planned_end = at if state.interpellation is None else state.interpellation[1]
            return {"interpellation": None, **_paused(state, at - planned_end)}
        case TechnicalFouled(seat=seat, count=count):
            return {"technical_fouls": {**state.technical_fouls, seat: count}}
        case Noticed(seat=seat, offences=offences):
            if said_at_once(state, seat):
                return {"offered": {**state.offered, seat: remedy(offences)}}
            return {"noticed": {**state.noticed, seat: offences}}
        case MotionOpened(motion=motion):
            moves = state.moves_today
            if motion.by is not None:
                moves = {**moves, motion.by: moves.get(motion.by, 0) + 1}
            ends_later = _moved(state, motion.ends_at - motion.opened_at)
            return {"motion": motion, "moves_today": moves, **_forgotten(state, motion.accused), **ends_later}
        case MotionVoteCast(seat=seat, yes=yes):
            assert state.motion is not None
            return {"motion": state.motion.but(votes={**state.motion.votes, seat: yes})}
        case MotionDecided(at=at, by=by, void=void):
            assert state.motion is not None
            moves = state.moves_today
            if void and by is not None:
                moves = {**moves, by: moves[by] - 1}
            return {"motion": None, "moves_today": moves, **_moved(state, at - state.motion.ends_at)}
        case SignalGiven(at=at, seat=seat):
            return {"signals": {**state.signals, seat: at}}
        case WentAbsent(seat=seat, removed_at=removed_at):
            return {"absent": {**state.absent, seat: removed_at}}
        case CameBack(seat=seat):
            return {"absent": {other: at for other, at in state.absent.items() if other != seat}}
        case _:
            assert_never(event)


def _night(state: GameState, event: NightEvent) -> dict[str, Any]:
    match event:
        case NightBegan(night=night):
            quiet = quiet_at_nightfall(state) if night > 0 else 0
            new = {"shots": {}, "moved": False, "noticed": {}, "offered": {}}
            return {"phase": Phase.NIGHT, "night": night, "quiet": quiet, **new}
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


def _offers(state: GameState, step: Step) -> dict[str, Any]:
    """What was noticed is said before the next speech; from then on the table may take it up."""
    if not state.noticed or not step.kind.spoken:
        return {}
    said = {seat: remedy(offences) for seat, offences in state.noticed.items()}
    return {"noticed": {}, "offered": {**state.offered, **said}}


def _forgotten(state: GameState, seat: Seat | None) -> dict[str, Any]:
    """No more is offered against this seat: the table has taken it up, or the player is gone."""
    if seat not in state.noticed and seat not in state.offered:
        return {}
    return {
        "noticed": {other: offences for other, offences in state.noticed.items() if other != seat},
        "offered": {other: kind for other, kind in state.offered.items() if other != seat},
    }


def _step(state: GameState, **changes: float) -> Step | None:
    return None if state.step is None else state.step.but(**changes)


def _paused(state: GameState, seconds: float) -> dict[str, Any]:
    """The interrupted speaker's deadline moves with an interpellation, where the rules say so."""
    return _moved(state, seconds) if state.rules.interpellation_pauses else {}


def _moved(state: GameState, seconds: float) -> dict[str, Any]:
    """The running step ends later by so much."""
    step = state.step
    if step is None or step.ends_at is None:
        return {}
    return {"step": _step(state, ends_at=step.ends_at + seconds)}


def _shift(state: GameState, pause_s: float) -> dict[str, Any]:
    """Deadlines move; the openings stay, so that words spoken before the pause still count after it.

    Who was away is so all the same, unless it was the service that stood still.
    """
    step, interpellation, motion = state.step, state.interpellation, state.motion
    if step is not None:
        moments = {"called_at": step.called_at, "ends_at": step.ends_at}
        step = _step(state, **{name: at + pause_s for name, at in moments.items() if at is not None})
    served = 0.0 if state.pause is not None else pause_s
    return {
        "suspended_at": None,
        "pause": None,
        "step": step,
        "interpellation": None if interpellation is None else (interpellation[0], interpellation[1] + pause_s),
        "motion": None if motion is None else motion.but(ends_at=motion.ends_at + pause_s),
        "absent": {seat: removed_at + served for seat, removed_at in state.absent.items()},
    }
