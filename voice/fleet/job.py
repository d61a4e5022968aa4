"""What travels through LiveKit: which game, and which attempt at it. Everything else is fetched from the store."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Job(BaseModel):
    """May be read by every node of LiveKit, its Redis, its logs: no code, name, booth, token, role or word."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: Annotated[str, Field(pattern=r"^[0-9]{8}-[0-9a-f]{8}$")]
    """As `service.tables` makes them; also the name of a folder."""
    attempt: Annotated[int, Field(ge=1)]
