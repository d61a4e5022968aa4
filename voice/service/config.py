"""`configs/serve.yaml`."""

import os
from collections.abc import Mapping
from typing import Annotated

from limits import RateLimitItem, parse
from pydantic import AfterValidator, Field

from voice.config import ConfigError, Section, data_path, validated
from voice.database import address
from voice.ports_store import BadStore


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


def _opens_without_password(url: str) -> str:
    """Raises ValueError."""
    try:
        password = address(url).password if url else None
    except BadStore as error:
        raise ValueError(error) from error
    if password is not None:
        raise ValueError("holds a password, which lists of processes would show; put it into PGPASSWORD or ~/.pgpass")
    return url


class Fleet(Section):
    """`store` empty: games are played on this machine, and the rest means nothing."""

    store: Annotated[str, AfterValidator(_opens_without_password)] = ""
    agent: Annotated[str, Field(min_length=1)] = "moderator"
    patience_s: Annotated[float, Field(gt=0)] = 10.0
    drain_s: Annotated[float, Field(ge=0)] = 5400.0


class ServeConfig(Section):
    rates: Rates = Rates()
    keep: Keep = Keep()
    fleet: Fleet = Fleet()
    idle_s: Annotated[float, Field(gt=0)] = 600.0
    left_s: Annotated[float, Field(gt=0)] = 120.0
    deaths: Annotated[int, Field(ge=1, le=100)] = 5
    deaths_within_s: Annotated[float, Field(gt=0)] = 60.0
    backoff_s: Annotated[float, Field(gt=0)] = 0.5
    backoff_most_s: Annotated[float, Field(gt=0)] = 8.0


def load_serve_config(environ: Mapping[str, str] = os.environ) -> ServeConfig:
    """`MODERATOR_STORE` wins over `fleet.store`. Raises `ConfigError`."""
    config = validated(data_path("configs", "serve.yaml"), ServeConfig)
    if not (store := environ.get("MODERATOR_STORE")):
        return config
    try:
        fleet = config.fleet.model_copy(update={"store": _opens_without_password(store)})
    except ValueError as error:
        raise ConfigError(f"MODERATOR_STORE: {error}") from error
    return config.model_copy(update={"fleet": fleet})
