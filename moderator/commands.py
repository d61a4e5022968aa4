"""What somebody wants. The engine answers each command with events or a refusal.

Everything a player says becomes a command of his own seat, or nothing.
"""

from typing import Annotated, Literal

from pydantic import Field

from moderator.model import Role, Seat, Seconds, Value
from moderator.rules import Duration, Rules


class CommandBase(Value):
    """`at` is the moment the words were spoken (capture clock), not when they were understood."""

    at: Seconds


class Deal(CommandBase):
    """Start the game: the shell has drawn the roles, the engine records them."""

    type: Literal["deal"] = "deal"
    game: str
    rules: Rules
    roles: dict[Seat, Role]


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


Command = Annotated[
    Deal
    | Open
    | Tick
    | Credit
    | Suspend
    | Resume
    | EndSpeech
    | Nominate
    | Withdraw
    | Vote
    | LiftVote
    | GiveTestament
    | GiveCrown
    | Shoot
    | Check
    | Interpellate,
    Field(discriminator="type"),
]
