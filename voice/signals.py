"""The gestures of the table as data: `configs/signals.yaml` (S23)."""

from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from voice.config import data_path, validated
from voice.ports import Lang

Hertz = Annotated[float, Field(ge=0, le=8000)]
Seconds = Annotated[float, Field(gt=0, le=0.6)]


class SignalData(BaseModel):
    """`notes`: (hertz, seconds) one after the other, 0 hertz is a pause; `words`: by language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    forbidden: bool = False
    notes: tuple[tuple[Hertz, Seconds], ...]
    words: dict[Lang, str]


class SignalFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    signals: tuple[SignalData, ...]


@cache
def signals() -> dict[str, SignalData]:
    """By name. Raises `ConfigError`."""
    return {row.name: row for row in validated(data_path("configs", "signals.yaml"), SignalFile).signals}
