"""Nothing comes from nothing: how it is counted, and a short cut of it through the real parts."""

import numpy as np
import pytest

from voice.bench_nothing import cut, outcome, sounds, television
from voice.echo import Echo
from voice.noises import NOISES, through_a_wall
from voice.ports import RATE_HZ, Clip, Hint, Lang, Task, Transcript


class Says:
    """A recogniser that always hears the same."""

    def __init__(self, text: str, confidence: float) -> None:
        self._heard = Transcript(text, confidence)

    async def open(self) -> None: ...

    async def transcribe(self, clip: Clip, hint: Hint) -> Transcript:
        return self._heard

    async def close(self) -> None: ...


@pytest.mark.parametrize(
    ("text", "confidence", "far", "became"),
    [
        ("", 0.0, False, "dropped"),
        ("Il va pleuvoir demain.", 0.9, True, "words"),
        ("Contre le 4.", 0.4, False, "asked"),
        ("Contre le 4 ou le 5.", 0.9, False, "asked"),
        ("Contre le 4.", 0.9, True, "asked"),
        ("Contre le 4.", 0.9, False, "events"),
    ],
)
async def test_what_a_reading_came_to(text: str, confidence: float, far: bool, became: str) -> None:
    clip = Clip(1, np.zeros(RATE_HZ, dtype=np.int16), 0.0, 1.0)
    assert await outcome(Says(text, confidence), "fr", clip, far, Task.VOTE) == became


@pytest.mark.parametrize("name", NOISES)
def test_a_noise_is_as_long_as_asked_and_repeatable(name: str) -> None:
    sound, again = (NOISES[name](3.0, np.random.default_rng(1)) for _ in range(2))
    assert len(sound) == 3 * RATE_HZ and np.array_equal(sound, again)
    assert name == "silence" or 20 < np.sqrt(np.mean(sound.astype(float) ** 2)) < 5000


def test_what_comes_through_a_wall_is_as_loud_as_asked() -> None:
    heard = through_a_wall(NOISES["laughter"](3.0, np.random.default_rng(1)), -40.0)
    assert 20 * np.log10(np.sqrt(np.mean((heard / 32768.0) ** 2))) == pytest.approx(-40, abs=0.5)


@pytest.mark.parametrize("lang", ["fr", "en", "ru"])
def test_the_television_speaks_every_language(lang: Lang) -> None:
    assert len(television(lang)) == len(television("fr"))


@pytest.mark.parametrize("name", [name for name in NOISES if name != "laughter"])
def test_nobody_breathes_hums_or_types_an_answer(name: str) -> None:
    """None of it passes the gate: no recogniser is asked to invent words for it."""
    assert list(cut(NOISES[name](6.0, np.random.default_rng(2)), None, Echo())) == []


@pytest.mark.real
@pytest.mark.tts
async def test_the_narrator_out_of_a_loudspeaker_is_no_player() -> None:
    async for name, heard, narrator in sounds("fr", 20.0):
        if name == "narrator":
            gated = list(cut(heard, narrator, Echo()))
            assert len(gated) >= 3 and all(echoed for _, echoed in gated)
