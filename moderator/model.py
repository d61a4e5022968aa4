"""The nouns of the game: seats, roles, teams, phases, steps, refusals and the state.

Times are game seconds (float, 0 at the deal); durations carry `_s`. Seats are 1..10.
"""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from moderator.rules import Rules

SEATS: tuple[int, ...] = tuple(range(1, 11))
Seat = Annotated[int, Field(ge=1, le=10)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Value(BaseModel):
    """An immutable value; unknown fields are an error, never dropped in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def but(self, **changes: Any) -> Self:
        """A copy with these fields changed, not validated: `model_copy` for values without extras, at half its cost.

        The engine makes several copies an event, of facts that were validated when they came in.
        """
        copy = object.__new__(type(self))
        object.__setattr__(copy, "__dict__", {**self.__dict__, **changes})
        object.__setattr__(copy, "__pydantic_fields_set__", self.__pydantic_fields_set__ | changes.keys())
        object.__setattr__(copy, "__pydantic_extra__", None)
        object.__setattr__(copy, "__pydantic_private__", None)
        return copy


class Role(StrEnum):
    CIVILIAN = "civ"
    SHERIFF = "sheriff"
    MAFIOSO = "maf"
    DON = "don"

    @property
    def team(self) -> "Team":
        return Team.MAFIA if self in (Role.MAFIOSO, Role.DON) else Team.TOWN


class Team(StrEnum):
    TOWN = "town"
    MAFIA = "mafia"


class Phase(StrEnum):
    NEW = "new"
    DEAL = "deal"
    NIGHT = "night"
    DAY = "day"
    OVER = "over"


class StepKind(StrEnum):
    """One step has the table's attention at a time: first called aloud, then opened, then closed."""

    DEAL = "deal"
    MEETING = "meeting"
    GREETING = "greeting"
    SPEECH = "speech"
    SPLIT_SPEECH = "split_speech"
    FAREWELL = "farewell"
    BALLOT = "ballot"
    LIFT = "lift"
    SHOTS = "shots"
    DON_CHECK = "don_check"
    SHERIFF_CHECK = "sheriff_check"

    @property
    def spoken(self) -> bool:
        """One seat has the floor; it may give it back early and is warned before the end."""
        return self in (StepKind.SPEECH, StepKind.SPLIT_SPEECH, StepKind.FAREWELL)


class Cause(StrEnum):
    """Why a seat left the game."""

    VOTE = "vote"
    LIFT = "lift"
    SHOT = "shot"


class Step(Value):
    """What is going on now. `seat` is the speaker of a speech; `candidates` those of a ballot or lift."""

    kind: StepKind
    seat: Seat | None = None
    candidates: tuple[Seat, ...] = ()
    round: int = 0
    lost: bool = False
    """A speech lost to a third foul: a nomination is all that counts."""
    duration_s: Seconds = 0.0
    called_at: Seconds = 0.0
    opened_at: Seconds | None = None
    ends_at: Seconds | None = None


class RefusalCode(StrEnum):
    NOT_STARTED = "not_started"
    ALREADY_STARTED = "already_started"
    BAD_DEAL = "bad_deal"
    OVER = "over"
    SUSPENDED = "suspended"
    NOT_ALIVE = "not_alive"
    TARGET_NOT_ALIVE = "target_not_alive"
    NOT_NOW = "not_now"
    NOT_YOUR_TURN = "not_your_turn"
    NOT_YOUR_ROLE = "not_your_role"
    TOO_EARLY = "too_early"
    TOO_LATE = "too_late"
    ALREADY_DONE = "already_done"
    ALREADY_NOMINATED = "already_nominated"
    NOTHING_TO_WITHDRAW = "nothing_to_withdraw"
    NOT_A_CANDIDATE = "not_a_candidate"
    NOT_ONESELF = "not_oneself"
    FLOOR_TAKEN = "floor_taken"


class Refusal(Value):
    """Why a command changes nothing. A value, never an exception."""

    code: RefusalCode
    seat: Seat | None = None


class GameState(Value):
    """Everything the rules know. Only `moderator.view` may show any of it to a player."""

    game: str = ""
    rules: Rules = Rules()
    at: Seconds = 0.0
    phase: Phase = Phase.NEW
    day: int = 0
    night: int = 0
    roles: dict[Seat, Role] = {}
    alive: tuple[Seat, ...] = ()
    """Living seats in ascending order; a player shot tonight is among them until the morning."""
    step: Step | None = None
    warned: bool = False
    opener: Seat | None = None
    speeches: tuple[Seat, ...] = ()
    """Who has still to speak today, in order."""
    farewells: tuple[Seat, ...] = ()
    """Who left and has still to say farewell, in order."""
    nominations: tuple[tuple[Seat, Seat], ...] = ()
    """Today's (by, target), in order."""
    ballots: dict[Seat, Seat] = {}
    """Those of the running round, not yet counted; so are `lift_ballots`."""
    lift_ballots: dict[Seat, bool] = {}
    shots: dict[Seat, Seat] = {}
    checked: bool = False
    """The check of the current step has been made."""
    checks: tuple[tuple[Seat, Seat, bool], ...] = ()
    """All checks so far: (by, target, found what was asked: the Sheriff, or a mafioso)."""
    left: dict[Seat, Cause] = {}
    fouls: dict[Seat, int] = {}
    owed: tuple[Seat, ...] = ()
    """Seats that lose their next speech, once for each third foul."""
    interpellation: tuple[Seat, Seconds] | None = None
    """Who interrupts, and until when."""
    suspended_at: Seconds | None = None
    quiet: int = 0
    """Nights and days in a row in which nobody left."""
    moved: bool = False
    """Somebody left since the day (or the night) began."""
    winner: Team | None = None

    @property
    def candidates(self) -> tuple[Seat, ...]:
        """Today's candidates in order of nomination."""
        return tuple(target for _, target in self.nominations)

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER
