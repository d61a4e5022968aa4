"""The tables that ship in `configs/`."""

import pytest
import rules_table
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
    assert (club.day_zero, club.night_killed_nominates, club.fouls_remove_at) == ("talk", True, 4)


@pytest.mark.parametrize(
    "wrong", [{"speech_s": -1}, {"speech_s": float("nan")}, {"day_zero": "maybe"}, {"speach_s": 1}]
)
def test_a_wrong_field_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Rules.model_validate(wrong)


def test_every_row_of_the_law_has_a_test_that_names_it() -> None:
    found = rules_table.tested()
    assert [row for row in rules_table.TITLES if not found[row]] == []
    assert set(found) <= set(rules_table.TITLES)


def test_the_table_of_the_rules_is_up_to_date() -> None:
    written = (rules_table.ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert written == rules_table.table(), "python tests/rules_table.py > docs/rules.md"
