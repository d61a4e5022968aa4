"""Facts. Only events are stored, before anything is said aloud; replaying them gives the state."""

from typing import Annotated, Literal

from pydantic import Field

from moderator.model import Cause, Motion, MotionKind, Offence, Role, Seat, Seconds, Step, StepKind, Team, Value
from moderator.rules import Rules


class EventBase(Value):
    """A fact. `at` never decreases along a log."""

    at: Seconds


class GameOpened(EventBase):
    type: Literal["game_opened"] = "game_opened"
    game: str
    rules: Rules


class DealSealed(EventBase):
    """The roles stand under `seal`, which all may see; the event is for nobody before the end: it tells the salt."""

    type: Literal["deal_sealed"] = "deal_sealed"
    seal: str
    salt: str


class RoleDealt(EventBase):
    """Private to `seat`; `mates` are the other mafiosi, for a mafioso only."""

    type: Literal["role_dealt"] = "role_dealt"
    seat: Seat
    role: Role
    mates: dict[Seat, Role] = Field(default_factory=dict)


class StepCalled(EventBase):
    """The step is announced; nobody's time runs yet."""

    type: Literal["step_called"] = "step_called"
    step: Step


class StepOpened(EventBase):
    type: Literal["step_opened"] = "step_opened"
    kind: StepKind
    seat: Seat | None = None
    ends_at: Seconds


class TimeWarned(EventBase):
    type: Literal["time_warned"] = "time_warned"
    seat: Seat
    left_s: Seconds


class TimeCredited(EventBase):
    type: Literal["time_credited"] = "time_credited"
    seconds: Seconds
    ends_at: Seconds


class StepClosed(EventBase):
    """`by`: "time" (it ran out), "player" (he gave the floor back), "complete" (all have answered), "removal"."""

    type: Literal["step_closed"] = "step_closed"
    kind: StepKind
    seat: Seat | None = None
    by: Literal["time", "player", "complete", "removal"]


class OrderSet(EventBase):
    """The order of speech of the day that comes, whatever the rules say."""

    type: Literal["order_set"] = "order_set"
    order: tuple[Seat, ...]


class DayBegan(EventBase):
    """Day 0 is the first, with all ten. `order` is today's order of speech."""

    type: Literal["day_began"] = "day_began"
    day: int
    order: tuple[Seat, ...]


class SpeechLost(EventBase):
    """The seat's speech of today is lost to its third foul."""

    type: Literal["speech_lost"] = "speech_lost"
    seat: Seat


class Nominated(EventBase):
    type: Literal["nominated"] = "nominated"
    by: Seat
    target: Seat


class NominationWithdrawn(EventBase):
    type: Literal["nomination_withdrawn"] = "nomination_withdrawn"
    by: Seat
    target: Seat


class VoteSkipped(EventBase):
    """No ballot today. `reason`: nobody nominated; one candidate on day 0; the rules of day 0."""

    type: Literal["vote_skipped"] = "vote_skipped"
    reason: Literal["no_candidates", "one_candidate_day_zero", "day_zero_rule"]


class VoteCancelled(EventBase):
    """Nobody leaves today, because somebody was removed (rule 40)."""

    type: Literal["vote_cancelled"] = "vote_cancelled"


class BallotCast(EventBase):
    """Private to `seat` until the count, unless the table votes openly."""

    type: Literal["ballot_cast"] = "ballot_cast"
    seat: Seat
    target: Seat
    default: bool = False
    public: bool = False


class BallotCounted(EventBase):
    """Who voted against whom, by voter; `defaults` did not answer and count against the last candidate.

    `sole` marks the one candidate of a later day, against whom every vote falls without a ballot.
    """

    type: Literal["ballot_counted"] = "ballot_counted"
    round: int
    candidates: tuple[Seat, ...]
    votes: dict[Seat, Seat]
    defaults: tuple[Seat, ...] = ()
    leaders: tuple[Seat, ...]
    sole: bool = False


class LiftCast(EventBase):
    """Private to `seat` until the count, unless the table votes openly."""

    type: Literal["lift_cast"] = "lift_cast"
    seat: Seat
    lift: bool
    default: bool = False
    public: bool = False


class LiftDecided(EventBase):
    type: Literal["lift_decided"] = "lift_decided"
    candidates: tuple[Seat, ...]
    votes: dict[Seat, bool]
    defaults: tuple[Seat, ...] = ()
    lifted: bool


class LiftSkipped(EventBase):
    """A second tie without a lift: everybody tied with everybody, or a lift the rules forbid."""

    type: Literal["lift_skipped"] = "lift_skipped"
    candidates: tuple[Seat, ...]
    reason: Literal["everybody_tied", "three_of_nine", "two_of_four"]


class PlayerLeft(EventBase):
    """The role stays hidden. Who is removed says no farewell."""

    type: Literal["player_left"] = "player_left"
    seat: Seat
    cause: Cause
    day: int
    cancels_vote: bool = False
    """The running vote, or else the next, will not take place."""


class FarewellLost(EventBase):
    """Removed after having left: what is left of the farewell is not said."""

    type: Literal["farewell_lost"] = "farewell_lost"
    seat: Seat
    cause: Cause


class TestamentGiven(EventBase):
    type: Literal["testament_given"] = "testament_given"
    by: Seat
    suspects: tuple[Seat, ...]


class CrownGiven(EventBase):
    type: Literal["crown_given"] = "crown_given"
    by: Seat
    to: Seat


class NightBegan(EventBase):
    """Night 0 is the mafia's meeting, night 1 the first with shots."""

    type: Literal["night_began"] = "night_began"
    night: int


class ShotFired(EventBase):
    """Private to the shooter."""

    type: Literal["shot_fired"] = "shot_fired"
    seat: Seat
    target: Seat


class DonChecked(EventBase):
    """Private to the Don."""

    type: Literal["don_checked"] = "don_checked"
    seat: Seat
    target: Seat
    sheriff: bool


class SheriffChecked(EventBase):
    """Private to the Sheriff."""

    type: Literal["sheriff_checked"] = "sheriff_checked"
    seat: Seat
    target: Seat
    mafia: bool


class NightEnded(EventBase):
    """`killed` is None after a miss; nothing more is ever said of a miss."""

    type: Literal["night_ended"] = "night_ended"
    night: int
    killed: Seat | None


class Fouled(EventBase):
    """`costs_speech`: his next speech in turn."""

    type: Literal["fouled"] = "fouled"
    seat: Seat
    count: int
    reason: Literal["interpellation", "warning"] = "interpellation"
    costs_speech: bool = False


class TechnicalFouled(EventBase):
    type: Literal["technical_fouled"] = "technical_fouled"
    seat: Seat
    count: int


class Noticed(EventBase):
    """Heard to break fair play, maybe wrongly: no more than an offer to the table. The words are in the transcript."""

    type: Literal["noticed"] = "noticed"
    seat: Seat
    offences: tuple[Offence, ...]


class MotionOpened(EventBase):
    """The table votes on it at once; whoever has the floor gets the time back."""

    type: Literal["motion_opened"] = "motion_opened"
    motion: Motion


class MotionVoteCast(EventBase):
    """Private to `seat` until it is decided."""

    type: Literal["motion_vote_cast"] = "motion_vote_cast"
    seat: Seat
    yes: bool


class MotionDecided(EventBase):
    """`votes` holds who answered; who did not is against. `electorate`: who might have.

    `void`: somebody was removed meanwhile; it was not decided and may be moved again.
    """

    type: Literal["motion_decided"] = "motion_decided"
    kind: MotionKind
    by: Seat | None
    accused: Seat | None
    votes: dict[Seat, bool]
    electorate: tuple[Seat, ...]
    carried: bool
    void: bool = False


class SignalGiven(EventBase):
    """A gesture that everybody hears (S23)."""

    type: Literal["signal_given"] = "signal_given"
    seat: Seat
    signal: str


class WentAbsent(EventBase):
    """The line is lost; removed at `removed_at` unless back by then."""

    type: Literal["went_absent"] = "went_absent"
    seat: Seat
    removed_at: Seconds


class CameBack(EventBase):
    type: Literal["came_back"] = "came_back"
    seat: Seat


class InterpellationOpened(EventBase):
    type: Literal["interpellation_opened"] = "interpellation_opened"
    seat: Seat
    ends_at: Seconds


class InterpellationClosed(EventBase):
    type: Literal["interpellation_closed"] = "interpellation_closed"
    seat: Seat


class Suspended(EventBase):
    """The clock stands still. `waits_for`: until this seat is back, at `ends_at` at the latest; None: the service."""

    type: Literal["suspended"] = "suspended"
    waits_for: Seat | None = None
    ends_at: Seconds | None = None


class Resumed(EventBase):
    """All running deadlines move by `pause_s`."""

    type: Literal["resumed"] = "resumed"
    pause_s: Seconds


class GameEnded(EventBase):
    """`winner` None is a draw, or a game stopped without a result. `culprit`: whose team loses by the stop."""

    type: Literal["game_ended"] = "game_ended"
    winner: Team | None
    reason: Literal["mafia_gone", "parity", "quiet_draw", "stalemate", "opponent_victory", "stopped"]
    culprit: Seat | None = None


class RolesRevealed(EventBase):
    type: Literal["roles_revealed"] = "roles_revealed"
    roles: dict[Seat, Role]


class Line(Value):
    """One reason for points: `event` is the place in the log (from 0) of what earned them."""

    reason: str
    event: int
    value: float


class Scored(EventBase):
    """By scoring system and seat: the points, and the lines that sum to them."""

    type: Literal["scored"] = "scored"
    points: dict[str, dict[Seat, float]]
    lines: dict[str, dict[Seat, tuple[Line, ...]]] = Field(default_factory=dict)


Scoreable = (
    DayBegan
    | BallotCounted
    | LiftDecided
    | PlayerLeft
    | FarewellLost
    | TestamentGiven
    | CrownGiven
    | ShotFired
    | NightEnded
    | DonChecked
    | SheriffChecked
    | Fouled
    | TechnicalFouled
    | GameEnded
)
"""What points come from."""

Event = Annotated[
    GameOpened
    | DealSealed
    | RoleDealt
    | StepCalled
    | StepOpened
    | TimeWarned
    | TimeCredited
    | StepClosed
    | OrderSet
    | DayBegan
    | SpeechLost
    | Nominated
    | NominationWithdrawn
    | VoteSkipped
    | VoteCancelled
    | BallotCast
    | BallotCounted
    | LiftCast
    | LiftDecided
    | LiftSkipped
    | PlayerLeft
    | FarewellLost
    | TestamentGiven
    | CrownGiven
    | NightBegan
    | ShotFired
    | DonChecked
    | SheriffChecked
    | NightEnded
    | Fouled
    | TechnicalFouled
    | Noticed
    | MotionOpened
    | MotionVoteCast
    | MotionDecided
    | SignalGiven
    | WentAbsent
    | CameBack
    | InterpellationOpened
    | InterpellationClosed
    | Suspended
    | Resumed
    | GameEnded
    | RolesRevealed
    | Scored,
    Field(discriminator="type"),
]
