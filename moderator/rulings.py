"""What was done on somebody's word: each event of a log that answers a wish, with the moment that wish was spoken."""

from moderator import events as ev
from moderator.events import Event
from moderator.model import Seat, Seconds, Value


class Ruling(Value):
    """`event`: its place in the log. `at`: when the words that asked for it ended, or later where others came between.

    `seats`: whom it concerns. `answer`: of a lift or a motion, for it or not. `default`: nobody spoke, the rules did.
    """

    event: int
    at: Seconds
    kind: str
    by: Seat
    seats: tuple[Seat, ...] = ()
    answer: bool | None = None
    default: bool = False


def ruling(place: int, event: Event) -> Ruling | None:
    """None: the event follows from the rules alone."""
    match event:
        case ev.Nominated(by=by, target=target) | ev.NominationWithdrawn(by=by, target=target):
            said: dict[str, object] = {"by": by, "seats": (target,)}
        case ev.BallotCast(seat=by, target=target, default=default):
            said = {"by": by, "seats": (target,), "default": default}
        case ev.LiftCast(seat=by, lift=lift, default=default):
            said = {"by": by, "answer": lift, "default": default}
        case ev.ShotFired(seat=by, target=target):
            said = {"by": by, "seats": (target,)}
        case (
            ev.DonChecked(seat=by, target=target, sheriff=found)
            | ev.SheriffChecked(seat=by, target=target, mafia=found)
        ):
            said = {"by": by, "seats": (target,), "answer": found}
        case ev.TestamentGiven(by=by, suspects=suspects):
            said = {"by": by, "seats": suspects}
        case ev.CrownGiven(by=by, to=to):
            said = {"by": by, "seats": (to,)}
        case ev.InterpellationOpened(seat=by) | ev.SignalGiven(seat=by):
            said = {"by": by}
        case ev.MotionOpened(motion=motion) if motion.by is not None:
            said = {"by": motion.by, "seats": () if motion.accused is None else (motion.accused,)}
        case ev.MotionVoteCast(seat=by, yes=yes):
            said = {"by": by, "answer": yes}
        case _:
            return None
    return Ruling.model_validate({"event": place, "at": event.at, "kind": event.type, **said})
