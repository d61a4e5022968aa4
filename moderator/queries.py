"""What a player may ask the moderator at any time, and the sentences that answer him, in his own booth alone.

Pure, and made from the seat's own view: nobody learns by asking what he could not have known.
"""

import math
from enum import StrEnum

from moderator.events import DonChecked, RoleDealt, SheriffChecked
from moderator.model import Phase, Role, Seat, StepKind, Team
from moderator.narration import Arg, Cue, Priority, cues
from moderator.rules import Rules
from moderator.state import GameState
from moderator.view import SeatView

ANSWER_EXPIRES_S = 20.0
"""A recap is several lines, one after the other."""
TIME_EXPIRES_S = 5.0
"""Later it would be wrong."""


class Query(StrEnum):
    TIME = "time"
    SPEAKER = "speaker"
    ALIVE = "alive"
    NOMINATED = "nominated"
    ROLE = "role"
    WHERE = "where"
    RULES = "rules"
    HELP = "help"


def answer(query: Query, view: SeatView, rules: Rules, now: float) -> tuple[Cue, ...]:
    """To `view.seat` alone. Each gives way to whatever else is said there."""
    match query:
        case Query.TIME:
            return _time(view, now)
        case Query.SPEAKER:
            return _speaker(view, now)
        case Query.ALIVE:
            return _to(view, "answer-alive", count=len(view.alive), seats=view.alive)
        case Query.NOMINATED:
            return _nominated(view, rules)
        case Query.ROLE:
            return _role(view)
        case Query.WHERE:
            return _where(view, rules, now)
        case Query.RULES:
            return _rules(view, rules)
        case Query.HELP:
            return how(view, rules) + _to(view, "help-questions") + _to(view, "help-settings")


def how(view: SeatView, rules: Rules) -> tuple[Cue, ...]:
    """How to answer what is asked of the seat now, and how long there is; to who only listens, how to interrupt."""
    asked = _asked(view)
    if view.motion is not None and view.seat in view.alive and view.motion.accused != view.seat:
        return _to(view, "how-motion", seconds=round(rules.motion_s))
    if asked is None:
        speech = view.step is not None and view.step.kind in (StepKind.SPEECH, StepKind.SPLIT_SPEECH)
        return _to(view, "how-interrupt") if speech and view.seat in view.alive else _to(view, "how-listen")
    assert view.step is not None
    name = "check" if asked in (StepKind.DON_CHECK, StepKind.SHERIFF_CHECK) else str(asked).replace("_", "-")
    return _to(view, f"how-{name}", seconds=round(view.step.duration_s))


def recap(view: SeatView, rules: Rules, now: float) -> tuple[Cue, ...]:
    """Where the game stands, for the whole table: public facts only, whosever view it is."""
    said = _where(view, rules, now)
    return tuple(Cue(cue.key, cue.args) for cue in said)


# --- single answers -------------------------------------------------------------------------------


def _time(view: SeatView, now: float) -> tuple[Cue, ...]:
    """Of the motion, the interpellation or the step that runs; while the table is suspended, of that which waits."""
    now = now if view.suspended_at is None else view.suspended_at
    if view.motion is not None:
        ends_at: float | None = view.motion.ends_at
    elif view.interpellation is not None:
        ends_at = view.interpellation[1]
    else:
        ends_at = None if view.step is None else view.step.ends_at
    if ends_at is None or ends_at <= now:
        return _to(view, "answer-no-time")
    left: dict[str, Arg] = {"seconds": math.ceil(ends_at - now)}
    return (Cue("answer-time", left, frozenset({view.seat}), Priority.LOW, TIME_EXPIRES_S),)


def _speaker(view: SeatView, now: float) -> tuple[Cue, ...]:
    seat = _floor(view, now)
    if view.suspended_at is not None:
        return _to(view, "answer-suspended")
    if seat is None:
        return _to(view, "answer-speaker-none")
    return _to(view, "answer-speaker-you") if seat == view.seat else _to(view, "answer-speaker", seat=seat)


def _floor(view: SeatView, now: float) -> Seat | None:
    if view.interpellation is not None and now < view.interpellation[1]:
        return view.interpellation[0]
    return view.step.seat if view.step is not None and view.step.kind.spoken else None


def _nominated(view: SeatView, rules: Rules) -> tuple[Cue, ...]:
    """In a ballot its own candidates: a revote has fewer."""
    if not rules.say_nominees:
        return _to(view, "answer-nominated-secret")
    seats = tuple(target for _, target in view.nominations) if view.phase is Phase.DAY else ()
    if view.step is not None and view.step.candidates:
        seats = view.step.candidates
    return _to(view, "answer-nominated", seats=seats) if seats else _to(view, "answer-nominated-none")


def _role(view: SeatView) -> tuple[Cue, ...]:
    """In the words in which it was told, and what one's checks have found."""
    if view.role is None:
        return _to(view, "answer-no-role")
    found: list[RoleDealt | DonChecked | SheriffChecked] = [
        RoleDealt(at=0, seat=view.seat, role=view.role, mates=view.mates)
    ]
    for target, yes in view.checks.items():
        if view.role is Role.DON:
            found.append(DonChecked(at=0, seat=view.seat, target=target, sheriff=yes))
        else:
            found.append(SheriffChecked(at=0, seat=view.seat, target=target, mafia=yes))
    nothing = GameState()
    told = [cue for event in found for cue in cues(event, nothing, nothing)]
    return tuple(one for cue in told for one in _to(view, cue.key, **cue.args))


def _where(view: SeatView, rules: Rules, now: float) -> tuple[Cue, ...]:
    """The day or night, what is going on, who is in the game, who is nominated."""
    if view.phase is Phase.OVER:
        return _to(view, "answer-over")
    if view.phase in (Phase.NEW, Phase.DEAL):
        return _to(view, "answer-deal")
    alive = _to(view, "answer-alive", count=len(view.alive), seats=view.alive)
    if view.phase is Phase.NIGHT:
        return _to(view, "answer-night", count=view.night + 1) + alive
    said = _to(view, "answer-day", count=view.day + 1)
    if view.step is not None and view.step.kind.spoken:
        assert view.step.seat is not None
        said += _to(view, "answer-floor", seat=view.step.seat) + _time(view, now)
    elif view.step is not None:
        said += _to(view, "answer-voting")
    return said + alive + (_nominated(view, rules) if rules.say_nominees else ())


def _rules(view: SeatView, rules: Rules) -> tuple[Cue, ...]:
    """Those of what is going on."""
    kind = None if view.step is None else view.step.kind
    match kind:
        case StepKind.SPEECH:
            return _to(view, "rules-speech", seconds=round(rules.speech_s)) + _to(view, "rules-floor")
        case StepKind.SPLIT_SPEECH:
            return _to(view, "rules-split-speech", seconds=round(rules.split_s)) + _to(view, "rules-floor")
        case StepKind.FAREWELL:
            return _to(view, "rules-farewell", count=rules.suspects)
        case StepKind.BALLOT:
            return _to(view, "rules-ballot") + _to(view, "rules-ballot-default")
        case StepKind.LIFT:
            return _to(view, "rules-lift") + _to(view, f"rules-lift-default-{rules.lift_default}")
        case StepKind.SHOTS | StepKind.DON_CHECK | StepKind.SHERIFF_CHECK:
            return _to(view, "rules-night") + _to(view, "rules-night-silence")
        case _:
            return _to(view, "rules-town") + _to(view, "rules-mafia")


def _asked(view: SeatView) -> StepKind | None:
    """What the open step wants of this seat; None: nothing."""
    step = view.step
    if step is None or step.opened_at is None:
        return None
    if step.kind.spoken:
        return step.kind if step.seat == view.seat else None
    if view.seat not in view.alive or view.role is None:
        return None
    wanted = {
        StepKind.BALLOT: True,
        StepKind.LIFT: True,
        StepKind.SHOTS: view.role.team is Team.MAFIA,
        StepKind.DON_CHECK: view.role is Role.DON,
        StepKind.SHERIFF_CHECK: view.role is Role.SHERIFF,
    }
    return step.kind if wanted.get(step.kind, False) else None


def _to(view: SeatView, key: str, **args: Arg) -> tuple[Cue, ...]:
    return (Cue(key, args, frozenset({view.seat}), Priority.LOW, ANSWER_EXPIRES_S),)
