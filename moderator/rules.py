"""What a table may choose: one field an answer the source page leaves open. Durations in seconds."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Duration = Annotated[float, Field(ge=0, le=600, allow_inf_nan=False)]


class Rules(BaseModel):
    """Loaded from `configs/*.yaml`; the defaults are classic."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = "classic"
    deal_s: Duration = 12
    """Time in which all ten roles are whispered; the same for every seat, or its length would tell."""
    meeting_s: Duration = 60
    """The mafia's meeting of the first night: always the full time (rule 2)."""
    greeting_s: Duration = 2
    speech_s: Duration = 60
    split_s: Duration = 30
    farewell_s: Duration = 60
    ballot_s: Duration = 10
    lift_s: Duration = 10
    ballot_closes_early: bool = True
    """A ballot ends when all living seats have voted."""
    shot_s: Duration = 5
    check_s: Duration = 10
    interpellation_s: Duration = 5
    interpellation_pauses: bool = True
    """The interrupted speaker gets the time back: only one seat can be heard at once."""
    warn_s: Duration = 10
    """A speech is warned this long before its end; speeches shorter than twice this are not."""
    open_within_s: Duration = 30
    """A step whose call nobody confirmed as heard opens by itself after this."""
    day_zero: Literal["standard", "none", "lift_only", "talk"] = "standard"
    """The vote of the first day (rule 24). `none`: no vote. `lift_only`: a lone leader stays, a lift removes.
    `talk`: a lone leader has `farewell_s` to defend himself, nobody leaves."""
    final_speech: bool = False
    """A farewell for the player whose leaving ends the game (rule 13)."""
    withdrawal: Literal["none", "explicit", "replace"] = "explicit"
    """Taking back a nomination inside one's own speech (rule 19)."""
    lift_three_of_nine: bool = False
    lift_two_of_four: bool = True
    night_killed_nominates: bool = False
    """A player shot at night may nominate in his farewell (rule 20)."""
    shot_player_checks: bool = True
    """A Don or Sheriff shot this night still checks (rule 11)."""
    lost_speech_nominate_s: Duration = 10
    """What is left of a speech lost to a third foul: time for a nomination, nothing else (rule 52)."""
    lost_speech_short_s: Duration = 30
    """... and this much instead when three or four are alive."""
    suspects: Annotated[int, Field(ge=0, le=9)] = 3
    """How many names of a testament count (rule 43)."""
    quiet_rounds: Annotated[int, Field(ge=1, le=10)] = 3
    """Nights and days in a row with nobody leaving that make a draw (rule 14)."""
