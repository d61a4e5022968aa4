"""`moderator bars`: what the organiser does about conduct across games (S19)."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest
from engine_kit import given

from moderator import commands as c
from moderator.model import Cause
from voice import cli
from voice.admission import refusal
from voice.bars import Bars
from voice.ports import Lang
from voice.store_sql import export_log

NOW = datetime(2030, 1, 1, 20, 0, tzinfo=UTC)


class Organiser:
    """One store, and what each command said."""

    def __init__(self, db: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.db, self.capsys = db, capsys

    def run(self, *words: str) -> tuple[int, str, str]:
        code = cli.main(["bars", *words, "--db", str(self.db)])
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def rows(self, *words: str) -> list[dict[str, Any]]:
        code, out, err = self.run(*words)
        assert (code, err) == (0, "")
        return [json.loads(line) for line in out.splitlines()]


@pytest.fixture
def organiser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Organiser:
    return Organiser(tmp_path / "moderator.db", capsys)


def test_s19_a_player_is_barred_for_a_time_or_for_good_and_told_why(organiser: Organiser) -> None:
    assert organiser.run("check", "ann") == (0, "", "")
    (bar,) = organiser.rows("add", "ann", "--days", "30", "--reason", "threats", "--game", "g1")
    lasts = datetime.fromisoformat(bar["until"]) - datetime.fromisoformat(bar["barred_at"])
    assert (bar["person"], bar["game"], bar["reason"], lasts) == ("ann", "g1", "threats", timedelta(days=30))
    organiser.rows("add", "bob", "--for-good", "--reason", "exposure")
    code, out, _ = organiser.run("check", "bob", "--lang", "en")
    assert (code, "any more. Reason: exposure." in out, "the number 2 and your reasons" in out) == (1, True, True)
    assert [(row["person"], row["in_force"], row["appeal"]) for row in organiser.rows("list")] == [
        ("ann", True, None),
        ("bob", True, None),
    ]


def test_s19_an_appeal_is_private_and_is_ruled_on(organiser: Organiser) -> None:
    organiser.rows("add", "ann", "--for-good", "--reason", "threats")
    assert organiser.run("appeal", "1", "--person", "ann", "--text", "It was a joke.")[0] == 0
    (waiting,) = organiser.rows("appeals")
    assert (waiting["bar"], waiting["text"]) == (1, "It was a joke.")
    (listed,) = organiser.rows("list")
    assert (listed["appeal"], "joke" in json.dumps(listed)) == ("waiting", False)
    assert organiser.run("check", "ann")[0] == 1, "an appeal alone lifts nothing"
    organiser.run("refuse", "1", "--by", "judge")
    assert "rejetée" in organiser.run("check", "ann")[1]
    organiser.run("grant", "1", "--by", "judge")
    assert organiser.run("check", "ann")[0] == 0
    (listed,) = organiser.rows("list")
    assert (listed["appeal"], listed["in_force"]) == ("granted", False)


def test_the_reason_may_be_what_the_log_says_of_the_seat(organiser: Organiser, tmp_path: Path) -> None:
    game = given()
    game.give(c.Remove(at=game.now, seat=4, cause=Cause.DISQUALIFIED))
    log = tmp_path / "log.jsonl"
    export_log(log, game.log)
    (bar,) = organiser.rows("add", "ann", "--days", "7", "--game", str(log), "--seat", "4")
    assert (bar["game"], bar["reason"]) == (game.state.game, "disqualified")
    code, _, err = organiser.run("add", "bob", "--days", "7", "--game", str(log), "--seat", "5")
    assert (code, "seat 5 was neither removed" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (("add", "ann", "--days", "1"), "--reason: what is the player told?"),
        (("appeal", "7", "--person", "ann", "--text", "x"), "bar 7 is not one of this person's"),
        (("grant", "7", "--by", "judge"), "bar 7 has not been contested"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(organiser: Organiser, words: tuple[str, ...], cure: str) -> None:
    code, out, err = organiser.run(*words)
    assert (code, out) == (2, "")
    assert cure in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("lang", get_args(Lang))
def test_every_language_says_the_reason_the_time_and_the_way_to_contest(lang: Lang, tmp_path: Path) -> None:
    bars = Bars(tmp_path / "moderator.db")
    bar = bars.bar("ann", "g1", "threats", NOW, NOW + timedelta(days=7))
    told = refusal(bars, "ann", lang, NOW)
    assert told is not None
    assert "threats" in told
    assert "2030" in told
    bars.appeal(bar.id, "ann", "Please.", NOW)
    waiting = refusal(bars, "ann", lang, NOW)
    bars.rule(bar.id, False, "judge", NOW)
    refused = refusal(bars, "ann", lang, NOW)
    assert len({told, waiting, refused}) == 3
    assert refusal(bars, "bob", lang, NOW) is None
    bars.close()
