"""Whose voice it is, as far as its level tells: what is far is asked about, and never counted by itself."""

import numpy as np
import pytest
from kit import Kit

from moderator.events import BallotCounted
from voice.dialogue import Heard
from voice.gate import HEARING_HZ
from voice.nearness import FAR_DB, REMEMBER_S, Nearness, level_db
from voice.ports import Clip
from voice.wire import Asked, Caption, Closed, Line


def said(db: float, at_s: float = 1.0, silence_s: float = 0.3) -> Clip:
    tone = np.sin(2 * np.pi * 200 * np.arange(HEARING_HZ) / HEARING_HZ) * np.sqrt(2) * 10 ** (db / 20) * 32768
    around = np.zeros(round(silence_s * HEARING_HZ))
    return Clip(4, np.concatenate([around, tone, around]).astype(np.int16), at_s, at_s + 1.0)


def accustomed(db: float = -20.0) -> Nearness:
    near = Nearness()
    assert not any(near.far(said(db + change)) for change in (0, -5, 2, -3))
    return near


def test_a_level_is_that_of_the_words_and_not_of_the_silence_around() -> None:
    assert level_db(said(-20, silence_s=0.1)) == pytest.approx(level_db(said(-20, silence_s=0.4)), abs=0.2)
    assert level_db(said(-20)) == pytest.approx(-20, abs=0.5)
    assert level_db(Clip(4, np.zeros(10, dtype=np.int16), 0, 0)) < -100, "shorter than a frame"


def test_a_television_is_far_however_long_it_plays() -> None:
    near = accustomed()
    assert all(near.far(said(-20 - FAR_DB - 6, at_s=n)) for n in range(100))
    assert not near.far(said(-20, at_s=101.0))


def test_who_speaks_softer_is_near() -> None:
    near = accustomed()
    assert not near.far(said(-20 - FAR_DB + 5))


def test_nothing_is_far_before_a_level_is_known_or_when_it_is_long_ago() -> None:
    near = Nearness()
    assert not near.far(said(-20)) and not near.far(said(-20)) and not near.far(said(-50))
    near = accustomed()
    assert near.far(said(-50, at_s=REMEMBER_S))
    assert not near.far(said(-50, at_s=1.5 + REMEMBER_S)), "a new microphone is not asked about for ever"


def test_what_is_far_is_doubtful_but_its_words_are_not() -> None:
    heard = Heard(4, "Contre le 4.", 1.0, 2.0, confidence=0.9, far=True)
    assert heard.doubtful and not heard.unsure


async def test_a_far_ballot_is_asked_about_and_may_be_confirmed_as_low() -> None:
    """Seat 3 whispers, seat 2 has a television: both are asked, and only who answers has voted."""

    def player(seat: int, message: Line | Caption | Asked | Closed) -> str | None:
        match message:
            case Asked(what="speech") if seat < 4:
                for number in range(3):
                    kit.say(seat, "Bonsoir.", after_s=2.0 * number)
                kit.say(seat, f"Je nomine le {seat + 3}. Je passe.", after_s=6.0)
                return None
            case Asked(what="speech"):
                return "Je passe."
            case Asked(what="split_speech" | "farewell"):
                return "Je passe."
            case Asked(what="ballot") if seat in (2, 3):
                return "Contre le quatre."
            case Asked(what="question") if seat == 3:
                return "Oui."
        return None

    kit = Kit(player)
    kit.transcriber.soft = {"Contre le quatre.", "Oui."}
    await kit.play(150)
    counted = kit.of(BallotCounted)[0]
    assert counted.votes[3] == 4 and 3 not in counted.defaults
    assert 2 in counted.defaults
