"""What a table may choose: one field an answer the source page leaves open. Durations in seconds."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from moderator.scoring import CLASSIC, MAX_MAFIA, Scoring

Majority = Literal["majority", "two_thirds", "unanimous"]
"""Of those who may vote: more than half; two thirds or more; all."""
Duration = Annotated[float, Field(ge=0, le=600, allow_inf_nan=False)]


class Signal(BaseModel):
    """A gesture that everybody hears (S23). `voice` knows its sound and its words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    forbidden: bool = False
    """Who gives it has a motion for a technical foul opened against him."""


class Rules(BaseModel):
    """Loaded from `configs/*.yaml`; the defaults are classic."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "classic"
    deal_s: Duration = 12
    """Time in which all ten roles are whispered; the same for every seat, or its length would tell."""
    meeting_s: Duration = 60
    """The mafia's meeting of the first night: always the full time (rule 2)."""
    greeting_s: Duration = 2
    """The Sheriff is greeted at the end of the first night; 0: not at all (rule 1)."""
    speech_s: Duration = 60
    """One speech a day each (60 s on the source page, 25 s turbo)."""
    split_s: Duration = 30
    """A second speech, of those who are tied (rule 7)."""
    farewell_s: Duration = 60
    """Who leaves has so long (rule 8)."""
    ballot_s: Duration = 10
    lift_s: Duration = 10
    ballot_closes_early: bool = True
    """A ballot ends when all living seats have voted."""
    ballots: Literal["secret", "open"] = "secret"
    """Whether who voted how is told only with the count, or at once (rule 30)."""
    lift_default: Literal["against", "for"] = "against"
    """Where the missing answer of a lift goes (rule 27)."""
    shot_s: Duration = 5
    """The window for the shots (rule 9)."""
    check_s: Duration = 10
    """... and for each check (rule 9)."""
    interpellation_s: Duration = 5
    """An open microphone for so long (rule 55)."""
    interpellation_pauses: bool = True
    """The interrupted speaker gets the time back: only one seat can be heard at once."""
    warn_s: Duration = 10
    """A speech is warned this long before its end; speeches shorter than twice this are not."""
    open_within_s: Duration = 30
    """A step whose call nobody confirmed as heard opens by itself after this."""
    day_zero: Literal["standard", "none", "lift_only", "talk"] = "standard"
    """The vote of the first day (rule 24). `none`: no vote. `lift_only`: a lone leader stays, a lift removes.
    `talk`: a lone leader has `farewell_s` to defend himself, nobody leaves."""
    checks_after_last_shot: bool = True
    """The checks of a night whose shot decides the game are still called (rule 12)."""
    final_speech: bool = False
    """A farewell for the player whose leaving ends the game (rule 13)."""
    withdrawal: Literal["none", "explicit", "replace"] = "explicit"
    """Taking back a nomination inside one's own speech (rule 19)."""
    lift_three_of_nine: bool = False
    """Whether three of nine may be lifted (rule 36)."""
    lift_two_of_four: bool = True
    """Whether two of four may be lifted (rule 37)."""
    lift_tests_win: Literal["after_all", "after_each"] = "after_all"
    """Several who leave together all go before the win is tested, or one by one in voting order, until it is (rule
    39)."""
    night_killed_nominates: bool = False
    """A player shot at night may nominate in his farewell (rule 20)."""
    shot_player_checks: bool = True
    """A Don or Sheriff shot this night still checks (rule 11)."""
    lost_speech_nominate_s: Duration = 10
    """What is left of a speech lost to a third foul: time for a nomination, nothing else (rule 52)."""
    lost_speech_short_s: Duration = 30
    """... and this much instead when three or four are alive (rule 52)."""
    suspects: Annotated[int, Field(ge=0, le=9)] = 3
    """How many names of a testament count (rule 43)."""
    suspects_may_be_out: bool = True
    """A testament may name players who have already left (rule 43)."""
    testaments_score: Literal["all", "first_killed"] = "all"
    """Whose testament is worth points: every town player's, or that of the first one killed at night (rule 44)."""
    best_move_void_after: Annotated[int, Field(ge=1, le=10)] = 2
    """No bonus for the best move when so many left on day 0 (rule 45)."""
    fouls_a_speech: Annotated[int, Field(ge=1, le=20)] = 3
    """Every so many fouls cost the next speech (rules 52, 53)."""
    fouls_remove_at: Annotated[int, Field(ge=1, le=20)] | None = None
    """The foul that removes; null: none does (rule 53)."""
    technical_fouls_remove_at: Annotated[int, Field(ge=1, le=20)] | None = 2
    """The technical foul that disqualifies; null: none does."""
    technical_foul_needs: Majority = "majority"
    """What carries a motion: of the living without the accused (rule 57)."""
    disqualification_needs: Majority = "two_thirds"
    """What carries a removal (rule 57)."""
    stop_needs: Majority = "two_thirds"
    """... and a stop of the game (rule 57)."""
    motion_s: Duration = 10
    """So long everybody may answer."""
    motions_a_day: Annotated[int, Field(ge=0, le=10)] = 1
    """How many motions one player may open on one day."""
    notices: bool = True
    """What is heard to break fair play is noticed, and the table offered a motion; false: never (S22)."""
    away_s: Duration = 15
    """Whose line is lost for this long is removed (rule 59)."""
    reconnection_pauses: Annotated[int, Field(ge=0, le=100)] = 1
    """So many lost lines a game suspend the table, until the player is back (rule 59)."""
    reconnection_pause_s: Duration = 15
    """... or this long at most (rule 59)."""
    say_nominees: bool = True
    """Whether the moderator answers who is nominated; where not, players have to remember it."""
    break_s: Duration = 300
    """A break that more than half of the living want lasts at most this long; 0: there is none."""
    signals: tuple[Signal, ...] = (
        Signal(name="agree"),
        Signal(name="disagree"),
        Signal(name="question"),
        Signal(name="listen"),
        Signal(name="mockery", forbidden=True),
    )
    """The gestures of this table; one of them is forbidden."""
    signal_every_s: Duration = 5
    """One player's signals come no faster than this."""
    scoring: dict[str, Scoring] = {"classic": CLASSIC, "max_mafia": MAX_MAFIA}
    """All of them are computed after every game."""
    stalemate: Literal["draw", "town_at_four"] = "draw"
    """What `quiet_rounds` lead to. `town_at_four`: with four alive, so many nights without a kill are the town's
    victory; more alive, a draw (rule 14)."""
    quiet_rounds: Annotated[int, Field(ge=1, le=10)] = 3
    """Nights and days in a row with nobody leaving that make a draw (rule 14)."""
