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
    speech_s: Duration = 60
    split_s: Duration = 30
    farewell_s: Duration = 60
    ballot_s: Duration = 10
    lift_s: Duration = 10
    shot_s: Duration = 5
    check_s: Duration = 10
    interpellation_s: Duration = 5
    warn_s: Duration = 10
    """A speech is warned this long before its end."""
    open_within_s: Duration = 30
    """A step whose call nobody confirmed as heard opens by itself after this."""
    day_zero: Literal["standard", "none", "lift_only", "talk"] = "standard"
    final_speech: bool = False
    withdrawal: Literal["none", "explicit", "replace"] = "explicit"
    lost_speech_nominate_s: Duration = 10
    lost_speech_short_s: Duration = 30
