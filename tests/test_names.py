"""Names at the table: what may be one, where it is kept, who reads it, and that a copy to give away has none."""

import asyncio
import json
from pathlib import Path

import pytest
from test_games import GAME, fill

from moderator.review import facts
from voice import stored
from voice.cli import main
from voice.names import BadName, display_name, key
from voice.ports import Utterance
from voice.store_sql import SqlStore

NAMES = {2: "Zoé", 7: "Jean-Paul d'Été"}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("  Zoe\u0301 ", "Zoé"),
        ("Jean   Paul", "Jean Paul"),
        ("\tЁжик\n", "Ёжик"),
        ("A", "A"),
        ("x" * 24, "x" * 24),
        ("e\u0301" * 24, "é" * 24),
        ("小明", "小明"),
    ],
)
def test_a_name_is_trimmed_and_composed(written: str, shown: str) -> None:
    assert display_name(written) == shown


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("", "name_length"),
        ("   ", "name_length"),
        ("x" * 25, "name_length"),
        ("7", "name_characters"),
        ("№ 7 !", "name_characters"),
        ("Zo\x00é", "name_characters"),
        ("Zo\té", "name_characters"),
        ("Zoé\u202egnp", "name_characters"),
        ("Z\u200boé", "name_characters"),
        ("Zoé\u2028Ann", "name_characters"),
        ("ZOÉ", "name_taken"),
        ("zoe\u0301", "name_taken"),
        ("Ｚｏé", "name_taken"),
        ("STRASSE", "name_taken"),
    ],
)
def test_what_is_no_name_is_refused_for_its_reason(written: str, code: str) -> None:
    with pytest.raises(BadName) as refused:
        display_name(written, ["Zoé", "Straße"])
    assert refused.value.code == code


def test_a_name_may_be_taken_where_nobody_has_it() -> None:
    assert display_name("Zoé", ["Zoë"]) == "Zoé" and key("Zoé") != key("Zoë")


# --- the store ------------------------------------------------------------------------------------


async def name(where: Path | str, game: str, names: dict[int, str]) -> None:
    store = SqlStore(where)
    await store.set_names(game, names)
    await store.close()


async def named(where: Path | str, game: str) -> dict[int, str]:
    store = SqlStore(where)
    found = await store.names(game)
    await store.close()
    return found


def test_names_are_kept_with_their_game_and_deleted_with_it(where: Path | str) -> None:
    asyncio.run(fill(where, "friday", "monday"))
    asyncio.run(name(where, "friday", {1: "Ann", 2: "Bob"}))
    asyncio.run(name(where, "friday", NAMES))
    asyncio.run(name(where, "monday", {1: "Zoé"}))
    assert asyncio.run(named(where, "friday")) == NAMES, "the last word stands"
    assert main(["games", "delete", "friday", "--db", str(where)]) == 0
    assert asyncio.run(named(where, "friday")) == {} and asyncio.run(named(where, "monday")) == {1: "Zoé"}


def test_names_are_exported_and_restored(where: Path | str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(fill(where, "friday"))
    asyncio.run(name(where, "friday", NAMES))
    assert main(["games", "export", "friday", "--db", str(where)]) == 0
    export = tmp_path / "friday.jsonl"
    export.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["games", "restore", str(export), "--db", str(tmp_path / "new.db")]) == 0
    assert asyncio.run(named(tmp_path / "new.db", "friday")) == NAMES
    capsys.readouterr()
    assert main(["games", "export", "friday", "--db", str(tmp_path / "new.db")]) == 0
    assert capsys.readouterr().out == export.read_text(encoding="utf-8"), "to the byte"
    assert stored.find(str(export)).names == NAMES


def test_a_review_shows_names_and_a_copy_to_give_away_has_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    floor = facts(GAME).floors[0]
    called = Utterance(floor.seat, floor.from_s, floor.to_s, "Je soupçonne Jean-Paul d'Été.", 0.9)

    async def play() -> None:
        store = SqlStore(tmp_path / "moderator.db")
        await store.append("friday", 0, GAME)
        await store.set_names("friday", NAMES)
        await store.append_utterance("friday", called)
        await store.close()

    asyncio.run(play())
    for form in ("md", "html", "json", "vtt"):
        assert main(["review", str(tmp_path), "--format", form]) == 0
        assert "Jean-Paul" in capsys.readouterr().out
        assert main(["review", str(tmp_path), "--format", form, "--share"]) == 0
        shared = capsys.readouterr().out
        assert "Jean-Paul" not in shared and "Zoé" not in shared
    assert main(["review", str(tmp_path), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["names"] == {str(seat): name for seat, name in NAMES.items()}
