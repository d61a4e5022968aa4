"""The nouns of the game: seats, roles, teams, phases, steps, motions and refusals.

Times are game seconds (float, 0 at the deal); durations carry `_s`. Seats are 1..10.
"""

from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field

SEATS: tuple[int, ...] = tuple(range(1, 11))
Seat = Annotated[int, Field(ge=1, le=10)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Value(BaseModel):
    """An immutable value; unknown fields are an error, never dropped in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def but(self, **changes: Any) -> Self:
        """A copy with these fields changed, not validated: `model_copy` for values without extras, at a third of its
        cost. Which fields were set explicitly is not kept: no value here asks.

        The engine makes several copies an event, of facts that were validated when they came in.
        """
        copy = object.__new__(type(self))
        put = object.__setattr__
        put(copy, "__dict__", {**self.__dict__, **changes})
        put(copy, "__pydantic_fields_set__", self.__pydantic_fields_set__)
        put(copy, "__pydantic_extra__", None)
        put(copy, "__pydantic_private__", None)
        return copy


class Role(StrEnum):
    CIVILIAN = "civ"
    SHERIFF = "sheriff"
    MAFIOSO = "maf"
    DON = "don"

    team: "Team"


class Team(StrEnum):
    TOWN = "town"
    MAFIA = "mafia"

    @property
    def other(self) -> "Team":
        return Team.TOWN if self is Team.MAFIA else Team.MAFIA


for _role in Role:
    _role.team = Team.MAFIA if _role in (Role.MAFIOSO, Role.DON) else Team.TOWN


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
    """Why a seat left the game: eliminated (with a farewell) or removed (without)."""

    VOTE = "vote"
    LIFT = "lift"
    SHOT = "shot"
    FOULS = "fouls"
    TECHNICAL_FOULS = "technical_fouls"
    DISQUALIFIED = "disqualified"
    ABSENT = "absent"
    GAVE_UP = "gave_up"

    @property
    def removal(self) -> bool:
        return self not in (Cause.VOTE, Cause.LIFT, Cause.SHOT)


class MotionKind(StrEnum):
    """What the participants may vote (S18)."""

    TECHNICAL_FOUL = "technical_foul"
    DISQUALIFICATION = "disqualification"
    STOP = "stop"


class Offence(StrEnum):
    """What breaks fair play and can be heard (S22)."""

    THREAT = "threat"
    INSULT = "insult"
    VULGAR = "vulgar"
    BET = "bet"
    RELIGION = "religion"
    OUTGAME = "outgame"
    LANGUAGE = "language"


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


class Motion(Value):
    """The running motion. `accused` None: a stop that blames nobody. `by` None: the moderator himself opened it."""

    kind: MotionKind
    by: Seat | None
    accused: Seat | None
    opened_at: Seconds
    ends_at: Seconds
    votes: dict[Seat, bool] = Field(default_factory=dict)


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
    MOTION_RUNNING = "motion_running"
    NO_MOTION = "no_motion"
    NO_ACCUSED = "no_accused"
    MOVED_TODAY = "moved_today"
    UNKNOWN_SIGNAL = "unknown_signal"
    TOO_SOON = "too_soon"


class Refusal(Value):
    """Why a command changes nothing. A value, never an exception."""

    code: RefusalCode
    seat: Seat | None = None
