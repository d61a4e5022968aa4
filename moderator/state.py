"""The state of a game: what all its events so far have made."""

from pydantic import Field

from moderator.events import Scoreable
from moderator.model import Cause, Motion, MotionKind, Offence, Phase, Role, Seat, Seconds, Step, Team, Value
from moderator.rules import Rules

CLASSIC = Rules()
"""One for all: making them anew costs more than a state."""


class GameState(Value):
    """Everything the rules know. Only `moderator.view` may show any of it to a player."""

    game: str = ""
    rules: Rules = Field(default_factory=lambda: CLASSIC)
    at: Seconds = 0.0
    phase: Phase = Phase.NEW
    day: int = 0
    night: int = 0
    roles: dict[Seat, Role] = Field(default_factory=dict)
    seal: str = ""
    """Of the deal: what everybody may keep as a proof (`moderator.seal`)."""
    alive: tuple[Seat, ...] = ()
    """Living seats in ascending order; a player shot tonight is among them until the morning."""
    step: Step | None = None
    warned: bool = False
    opener: Seat | None = None
    set_order: tuple[Seat, ...] = ()
    """The order of speech that was set for the next day."""
    speeches: tuple[Seat, ...] = ()
    """Who has still to speak today, in order."""
    farewells: tuple[Seat, ...] = ()
    """Who left and has still to say farewell, in order."""
    nominations: tuple[tuple[Seat, Seat], ...] = ()
    """Today's (by, target), in order."""
    ballots: dict[Seat, Seat] = Field(default_factory=dict)
    """Those of the running round, not yet counted; so are `lift_ballots`."""
    lift_ballots: dict[Seat, bool] = Field(default_factory=dict)
    shots: dict[Seat, Seat] = Field(default_factory=dict)
    checked: bool = False
    """The check of the current step has been made."""
    checks: tuple[tuple[Seat, Seat, bool], ...] = ()
    """All checks so far: (by, target, found what was asked: the Sheriff, or a mafioso)."""
    left: dict[Seat, Cause] = Field(default_factory=dict)
    fouls: dict[Seat, int] = Field(default_factory=dict)
    owed: tuple[Seat, ...] = ()
    """Seats that lose their next speech, once for each third foul."""
    interpellation: tuple[Seat, Seconds] | None = None
    """Who interrupts, and until when."""
    suspended_at: Seconds | None = None
    absent: dict[Seat, Seconds] = Field(default_factory=dict)
    """Whose line is lost, and when he is removed for it."""
    pause: tuple[Seat, Seconds] | None = None
    """The table is suspended for this seat to come back, until then at the latest."""
    pauses: int = 0
    """How many such pauses there have been."""
    motion: Motion | None = None
    moves_today: dict[Seat, int] = Field(default_factory=dict)
    """How many motions each seat has opened today."""
    noticed: dict[Seat, tuple[Offence, ...]] = Field(default_factory=dict)
    """What was heard to break fair play today, as long as the table has not been told."""
    offered: dict[Seat, MotionKind] = Field(default_factory=dict)
    """The motion against each seat that the table was offered today, oldest first."""
    technical_fouls: dict[Seat, int] = Field(default_factory=dict)
    signals: dict[Seat, Seconds] = Field(default_factory=dict)
    """When each seat gave its last signal."""
    cancels_vote: bool = False
    """Somebody was removed: the running vote, or else the next, does not take place (rule 40)."""
    quiet: int = 0
    """Nights and days in a row in which nobody left."""
    moved: bool = False
    """Somebody left since the day (or the night) began."""
    winner: Team | None = None
    events: int = 0
    """How many events made this state: the place of the next one in the log."""
    history: tuple[tuple[int, Scoreable], ...] = ()
    """What the scoring looks at afterwards, each event with its place in the log."""

    @property
    def candidates(self) -> tuple[Seat, ...]:
        """Today's candidates in order of nomination."""
        return tuple(target for _, target in self.nominations)

    @property
    def over(self) -> bool:
        return self.phase is Phase.OVER
