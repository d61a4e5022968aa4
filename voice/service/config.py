"""`configs/serve.yaml`."""

from typing import Annotated

from limits import RateLimitItem, parse
from pydantic import AfterValidator, Field

from voice.config import Section, data_path, validated


def _is_rate(text: str) -> str:
    """Raises ValueError."""
    parse(text)
    return text


Rate = Annotated[str, AfterValidator(_is_rate)]
"""As `limits` reads it: "5/minute", "10/10 minute"."""


class Rates(Section):
    open: Rate = "10/10 minute"
    join: Rate = "30/minute"
    gallery: Rate = "600/minute"
    ticket: Rate = "1200/minute"
    unknown_code: Rate = "20/minute"
    wrong_pin: Rate = "5/minute"

    def item(self, name: str) -> RateLimitItem:
        return parse(getattr(self, name))


class Keep(Section):
    """Days from the end of a game; None: for good. `voices_days`: sound and words; `games_days`: all of it."""

    voices_days: Annotated[float, Field(gt=0)] | None = 30.0
    games_days: Annotated[float, Field(gt=0)] | None = None


class ServeConfig(Section):
    rates: Rates = Rates()
    keep: Keep = Keep()
    idle_s: Annotated[float, Field(gt=0)] = 600.0
    deaths: Annotated[int, Field(ge=1, le=100)] = 5
    deaths_within_s: Annotated[float, Field(gt=0)] = 60.0
    backoff_s: Annotated[float, Field(gt=0)] = 0.5
    backoff_most_s: Annotated[float, Field(gt=0)] = 8.0


def load_serve_config() -> ServeConfig:
    return validated(data_path("configs", "serve.yaml"), ServeConfig)
