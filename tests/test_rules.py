"""The tables that ship in `configs/`."""

import pytest
from pydantic import ValidationError

from moderator.rules import Rules
from voice.config import load_rules


def test_classic_is_the_default() -> None:
    assert load_rules("classic") == Rules()


def test_turbo_is_quicker_in_everything_said_and_keeps_the_meeting() -> None:
    classic, turbo = load_rules("classic"), load_rules("turbo")
    assert (turbo.speech_s, turbo.split_s, turbo.farewell_s) == (25, 12, 25)
    assert turbo.meeting_s == classic.meeting_s == 60
    assert turbo.lost_speech_short_s < turbo.speech_s


def test_club_plays_the_older_custom() -> None:
    club = load_rules("club")
    assert (club.day_zero, club.night_killed_nominates) == ("talk", True)


@pytest.mark.parametrize(
    "wrong", [{"speech_s": -1}, {"speech_s": float("nan")}, {"day_zero": "maybe"}, {"speach_s": 1}]
)
def test_a_wrong_field_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Rules.model_validate(wrong)
