"""What somebody wants. The engine answers each command with events or a refusal.

Everything a player says becomes a command of his own seat, or nothing.
"""

from typing import Annotated, Literal

from pydantic import Field

from moderator.model import Cause, MotionKind, Offence, Role, Seat, Seconds, Value
from moderator.rules import Duration, Rules


class CommandBase(Value):
    """`at` is the moment the words were spoken (capture clock), not when they were understood."""

    at: Seconds


class Deal(CommandBase):
    """Start the game: the shell has drawn the roles, the engine records them.

    `salt`: of the seal (`moderator.seal`), hexadecimal; "": the deal is not sealed.
    """

    type: Literal["deal"] = "deal"
    game: str
    rules: Rules
    roles: dict[Seat, Role]
    salt: Annotated[str, Field(pattern=r"^([0-9a-f]{32,64})?$")] = ""


class Open(CommandBase):
    """The call of the current step has been heard to its end: its time starts now."""

    type: Literal["open"] = "open"


class Tick(CommandBase):
    """Time has passed. Late or double ticks change nothing."""

    type: Literal["tick"] = "tick"


class Credit(CommandBase):
    """The moderator took `seconds` of the open step for a question: they are given back."""

    type: Literal["credit"] = "credit"
    seconds: Duration


class Suspend(CommandBase):
    """The table stops (the service stalled, or died and came back): the clock stands still."""

    type: Literal["suspend"] = "suspend"


class Resume(CommandBase):
    type: Literal["resume"] = "resume"


class Warn(CommandBase):
    """A foul booked by the moderator (a club's custom; at our table only interpellations are fouls)."""

    type: Literal["warn"] = "warn"
    seat: Seat


class Remove(CommandBase):
    """The moderator removes a seat for an offence that no vote is needed for (S19)."""

    type: Literal["remove"] = "remove"
    seat: Seat
    cause: Literal[Cause.DISQUALIFIED, Cause.GAVE_UP, Cause.ABSENT, Cause.FOULS] = Cause.DISQUALIFIED


class Stop(CommandBase):
    """The organiser stops the game; with a culprit it is an Opponent Victory (S20)."""

    type: Literal["stop"] = "stop"
    culprit: Seat | None = None


class SetOrder(CommandBase):
    """Another order of speech than the rules' for the day that comes; who is not named speaks last."""

    type: Literal["set_order"] = "set_order"
    order: tuple[Seat, ...]


class Absent(CommandBase):
    """The line of a seat is lost. It was last there at `since`, from which its time runs; None: at `at`."""

    type: Literal["absent"] = "absent"
    seat: Seat
    since: Seconds | None = None


class Return(CommandBase):
    """The seat is on the line again."""

    type: Literal["return"] = "return"
    seat: Seat


class SeatCommand(CommandBase):
    """A wish of one seat, about itself only."""

    seat: Seat


class EndSpeech(SeatCommand):
    type: Literal["end_speech"] = "end_speech"


class Nominate(SeatCommand):
    type: Literal["nominate"] = "nominate"
    target: Seat


class Withdraw(SeatCommand):
    """Take back one's own nomination, inside the same speech."""

    type: Literal["withdraw"] = "withdraw"


class Notice(CommandBase):
    """What this seat said was heard to break fair play. The table is offered a motion, nobody is punished (S22)."""

    type: Literal["notice"] = "notice"
    seat: Seat
    offences: Annotated[tuple[Offence, ...], Field(min_length=1)]


class Vote(SeatCommand):
    type: Literal["vote"] = "vote"
    target: Seat


class LiftVote(SeatCommand):
    type: Literal["lift_vote"] = "lift_vote"
    lift: bool


class GiveTestament(SeatCommand):
    """The suspects named in a farewell, in the order named; the last testament given stands."""

    type: Literal["give_testament"] = "give_testament"
    suspects: tuple[Seat, ...]


class GiveCrown(SeatCommand):
    type: Literal["give_crown"] = "give_crown"
    to: Seat


class Shoot(SeatCommand):
    type: Literal["shoot"] = "shoot"
    target: Seat


class Check(SeatCommand):
    """The Don's or the Sheriff's check; which one follows from the step."""

    type: Literal["check"] = "check"
    target: Seat


class Interpellate(SeatCommand):
    type: Literal["interpellate"] = "interpellate"


class Move(SeatCommand):
    """Open a motion. A stop without `accused` has no result; with one it is an Opponent Victory."""

    type: Literal["move"] = "move"
    kind: MotionKind
    accused: Seat | None = None


class VoteMotion(SeatCommand):
    type: Literal["vote_motion"] = "vote_motion"
    yes: bool


class GiveSignal(SeatCommand):
    """A gesture; `signal` is a name out of `Rules.signals`."""

    type: Literal["give_signal"] = "give_signal"
    signal: str


class GiveUp(SeatCommand):
    """Leave the game for good."""

    type: Literal["give_up"] = "give_up"


Command = Annotated[
    Deal
    | Open
    | Tick
    | Credit
    | Suspend
    | Resume
    | Warn
    | Notice
    | Remove
    | Stop
    | SetOrder
    | Absent
    | Return
    | EndSpeech
    | Nominate
    | Withdraw
    | Vote
    | LiftVote
    | GiveTestament
    | GiveCrown
    | Shoot
    | Check
    | Interpellate
    | Move
    | VoteMotion
    | GiveSignal
    | GiveUp,
    Field(discriminator="type"),
]
