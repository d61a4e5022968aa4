"""How the narrator speaks in one booth: rate, voice, detail, and how loud his sounds are. Each player's own choice."""

from dataclasses import dataclass, replace
from statistics import median_high, median_low

from pydantic import BaseModel, ConfigDict

from voice.config import data_path, validated
from voice.phrasebook import DETAILS, Detail
from voice.ports import Lang, VoiceSpec

SLOWEST_WPM, FASTEST_WPM = 90, 450
RATE_STEP = 1.25
SOUND_LEVELS = (0.0, 0.5, 1.0, 2.0)
"""Times the sound as it was made; with 0 a sound that has words of its own is left out."""
ALONE_LEAST = 0.5
"""A sound that stands without words is never softer."""


@dataclass(frozen=True, slots=True)
class BoothSettings:
    """`voice` is for private lines; public ones are the same sound in every booth. `sounds`: for both kinds."""

    voice: VoiceSpec
    detail: Detail = "normal"
    sounds: float = 1.0

    def at_rate(self, rate_wpm: float) -> "BoothSettings":
        """As near to this rate as there is."""
        within = min(max(round(rate_wpm), SLOWEST_WPM), FASTEST_WPM)
        return replace(self, voice=replace(self.voice, rate_wpm=within))

    def with_detail(self, detail: Detail) -> "BoothSettings":
        return replace(self, detail=detail)

    def next_detail(self) -> "BoothSettings":
        return replace(self, detail=DETAILS[(DETAILS.index(self.detail) + 1) % len(DETAILS)])

    def next_voice(self, names: tuple[str, ...]) -> "BoothSettings":
        """`names` are all there are to choose among; the one after the current one, then from the first again."""
        place = names.index(self.voice.name) if self.voice.name in names else -1
        return replace(self, voice=replace(self.voice, name=names[(place + 1) % len(names)]))

    def louder(self, steps: int) -> "BoothSettings":
        place = SOUND_LEVELS.index(self.sounds) + steps
        return replace(self, sounds=SOUND_LEVELS[min(max(place, 0), len(SOUND_LEVELS) - 1)])


def table_rate(current_wpm: int, wanted_wpm: list[int]) -> int:
    """The rate of public lines: it moves as far as more than half of the wishes go, and stays where they do not."""
    return min(max(current_wpm, median_low(wanted_wpm)), median_high(wanted_wpm))


class NarratorFile(BaseModel):
    """`configs/narrator.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    voices: dict[str, dict[Lang, tuple[str, ...]]]


def other_voices(engine: str, lang: Lang) -> tuple[str, ...]:
    """Raises `ConfigError`."""
    return validated(data_path("configs", "narrator.yaml"), NarratorFile).voices.get(engine, {}).get(lang, ())
