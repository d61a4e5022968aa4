"""The golden playthroughs are as they were; a change of them is a change of the rules or of what a seat may know."""

import golden
import pytest


@pytest.mark.parametrize("name", golden.GAMES)
def test_a_playthrough_is_as_it_was(name: str) -> None:
    seed, rules = golden.GAMES[name]
    written = (golden.HERE / f"{name}.txt").read_text(encoding="utf-8")
    assert golden.playthrough(seed, rules) == written, "python tests/golden.py writes them anew"


def test_the_three_games_show_both_winners_and_a_lift_or_a_miss() -> None:
    texts = [(golden.HERE / f"{name}.txt").read_text(encoding="utf-8") for name in golden.GAMES]
    assert any("won-town" in text for text in texts) and any("won-mafia" in text for text in texts)
