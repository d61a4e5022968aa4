"""`moderator games`: what a store holds is listed, exported, restored, deleted. In both databases."""

import asyncio
import json
import random
import sqlite3
from pathlib import Path

import pytest
from engine_kit import ROLES

from moderator.events import Event
from moderator.rules import Rules
from moderator.simulate import play
from voice.cli import main
from voice.ports import Utterance
from voice.store_sql import SqlStore

GAME = play(random.Random(3), Rules(), ROLES)
SECRET = "Je nomine le sept, et personne d'autre."
SPOKEN = [
    Utterance(4, 65.0, 67.5, SECRET, 0.8),
    Utterance(7, 70.25, 71.5, "Я пас.\u2028", 0.61),
    Utterance(4, 80, 81, "…", 1),
]


async def fill(where: Path | str, *games: str) -> None:
    store = SqlStore(where)
    for game in games:
        await store.append(game, 0, GAME)
        for utterance in SPOKEN:
            await store.append_utterance(game, utterance)
    await store.close()


async def content(where: Path | str, game: str) -> tuple[list[Event], list[Utterance]]:
    store = SqlStore(where)
    found = await store.events(game), await store.utterances(game)
    await store.close()
    return found


@pytest.fixture
def filled(where: Path | str) -> str:
    asyncio.run(fill(where, "friday", "monday"))
    return str(where)


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_without_a_store_those_are_named_that_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MODERATOR_HOME", raising=False)
    assert main(["games", "list"]) == 2
    nothing = "games/moderator.db: no such store; name the folder in which the game was played, or set MODERATOR_HOME"
    assert capsys.readouterr().err == f"moderator games: {nothing}\n"
    for game in ("friday", "monday"):
        (tmp_path / "games" / game).mkdir(parents=True)
        asyncio.run(fill(tmp_path / "games" / game / "moderator.db", game))
    assert main(["games", "list"]) == 2
    assert (
        "no such store; there are stores in games/friday, games/monday: name one with --db" in capsys.readouterr().err
    )


def test_an_empty_store_says_so(where: Path | str, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(fill(where))
    assert main(["games", "list", "--db", str(where)]) == 0
    said = capsys.readouterr()
    assert said.out == "" and "holds no game yet" in said.err


def test_a_home_that_is_no_folder_is_named_with_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    for home in (tmp_path / "file", tmp_path / "file" / "games"):
        monkeypatch.setenv("MODERATOR_HOME", str(home))
        assert main(["games", "list"]) == 2
        assert f"MODERATOR_HOME={home}: {tmp_path}/file is no folder that can be written in" in capsys.readouterr().err


def test_games_are_listed_one_a_line(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "list", "--db", filled]) == 0
    first, second = lines(capsys)
    assert (first["game"], second["game"]) == ("friday", "monday")
    assert (first["events"], first["utterances"], first["held_by"]) == (len(GAME), 3, None)
    assert str(first["begun_at"]).startswith("20")


def test_an_exported_game_is_restored_as_it_was(
    filled: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games", "export", "friday", "--db", filled]) == 0
    exported = capsys.readouterr().out
    (tmp_path / "friday.jsonl").write_text(exported, encoding="utf-8")
    restore = ["games", "restore", str(tmp_path / "friday.jsonl"), "--db"]
    assert main([*restore, str(tmp_path / "new.db")]) == 0
    assert lines(capsys) == [{"game": "friday", "events": len(GAME), "utterances": 3}]
    assert asyncio.run(content(tmp_path / "new.db", "friday")) == (GAME, SPOKEN)
    assert main(["games", "export", "friday", "--db", str(tmp_path / "new.db")]) == 0
    assert capsys.readouterr().out == exported, "to the byte, with the moment it began"

    assert main([*restore, filled]) == 1
    said = capsys.readouterr().err
    assert "holds a game friday already; delete that one first" in said and said.count("\n") == 1
    assert main(["games", "delete", "friday", "--db", filled]) == 0
    assert main([*restore, filled]) == 0
    assert asyncio.run(content(filled, "friday")) == (GAME, SPOKEN)


def test_a_transcript_alone_may_stand_in_the_way_of_a_restore(where: Path | str, tmp_path: Path) -> None:
    asyncio.run(fill(tmp_path / "source.db", "friday"))
    store = SqlStore(where)
    asyncio.run(store.append_utterance("friday", SPOKEN[0]))
    asyncio.run(store.close())
    export = tmp_path / "friday.jsonl"
    export.write_text(exported(tmp_path / "source.db", "friday"), encoding="utf-8")
    assert main(["games", "restore", str(export), "--db", str(where)]) == 1
    assert asyncio.run(content(where, "friday")) == ([], SPOKEN[:1])


def exported(where: Path, game: str) -> str:
    from contextlib import redirect_stdout
    from io import StringIO

    with redirect_stdout(StringIO()) as out:
        assert main(["games", "export", game, "--db", str(where)]) == 0
    return out.getvalue()


def test_a_game_is_deleted_and_the_others_stay(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games", "delete", "friday", "--db", filled]) == 0
    assert lines(capsys) == [{"game": "friday", "deleted": {"events": len(GAME), "utterances": 3}}]
    assert asyncio.run(content(filled, "friday")) == ([], [])
    assert asyncio.run(content(filled, "monday")) == (GAME, SPOKEN)


@pytest.mark.parametrize(
    ("seat", "stay"), [("4", [SPOKEN[1]]), ("7", [SPOKEN[0], SPOKEN[2]]), ("9", SPOKEN), ("all", [])]
)
def test_what_a_seat_said_is_deleted_apart_from_the_events(
    filled: str, seat: str, stay: list[Utterance], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games", "delete", "friday", "--voice-of", seat, "--db", filled]) == 0
    assert lines(capsys) == [{"game": "friday", "deleted": {"events": 0, "utterances": 3 - len(stay)}}]
    assert asyncio.run(content(filled, "friday")) == (GAME, stay)
    assert asyncio.run(content(filled, "monday")) == (GAME, SPOKEN)


def test_of_what_was_deleted_no_word_stays_in_the_file(tmp_path: Path) -> None:
    asyncio.run(fill(tmp_path / "m.db", "friday"))
    reader = sqlite3.connect(tmp_path / "m.db")  # keeps the journal from being removed with the last connection
    reader.execute("select count(*) from events").fetchone()
    files = [tmp_path / "m.db", tmp_path / "m.db-wal"]
    assert any(SECRET.encode() in path.read_bytes() for path in files)
    assert main(["games", "delete", "friday", "--voice-of", "4", "--db", str(tmp_path / "m.db")]) == 0
    assert not any(SECRET.encode() in path.read_bytes() for path in files)
    reader.close()


def test_a_game_that_is_being_played_is_not_deleted(filled: str, capsys: pytest.CaptureFixture[str]) -> None:
    store = SqlStore(filled)
    asyncio.run(store.take_lease("friday", "77 on here", 60))
    assert main(["games", "delete", "friday", "--db", filled]) == 1
    said = capsys.readouterr().err
    assert "game friday is being played by process 77 on here" in said and said.count("\n") == 1
    assert asyncio.run(content(filled, "friday")) == (GAME, SPOKEN)
    asyncio.run(store.close())


def test_of_a_damaged_game_the_part_before_is_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(fill(tmp_path / "m.db", "friday"))
    with sqlite3.connect(tmp_path / "m.db") as db:
        db.execute("update events set body = 'noise' where seq = 50")
    db.close()
    assert main(["games", "export", "friday", "--db", str(tmp_path / "m.db")]) == 2
    said = capsys.readouterr()
    assert "event 50 is damaged" in said.err and said.err.count("\n") == 1
    assert sum('"event"' in line for line in said.out.splitlines()) == 50


def test_a_whole_export_is_reviewed_with_its_transcript(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(fill(tmp_path / "m.db", "friday"))
    (tmp_path / "friday.jsonl").write_text(exported(tmp_path / "m.db", "friday"), encoding="utf-8")
    assert main(["review", str(tmp_path / "friday.jsonl")]) == 0
    assert f"**4** {SECRET}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda all_: all_[1:], "line 1 is out of order"),
        (lambda all_: [*all_[:5], "noise", *all_[5:]], "line 6 is none of an export; export the game again"),
        (lambda all_: [*all_[:5], *all_[6:]], "the events do not follow one another"),
        (lambda all_: [all_[0], *all_[-3:]], "line 2 is out of order"),
        (lambda all_: all_[:1], "holds no game"),
        (lambda all_: [], "line 1 is none of an export"),
    ],
)
def test_what_is_no_export_is_refused_whole(
    spoil: object, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(fill(tmp_path / "m.db", "friday"))
    good = exported(tmp_path / "m.db", "friday").removesuffix("\n").split("\n")
    (tmp_path / "bad.jsonl").write_text("\n".join(spoil(good)), encoding="utf-8")  # type: ignore[operator]
    assert main(["games", "restore", str(tmp_path / "bad.jsonl"), "--db", str(tmp_path / "new.db")]) == 2
    said = capsys.readouterr().err
    assert says in said and "bad.jsonl" in said and said.count("\n") == 1
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["list"], "nowhere.db: no such store"),
        (["export", "friday"], "nowhere.db: no such store"),
        (["delete", "friday"], "nowhere.db: no such store"),
        (["restore", "nothing.jsonl"], "nothing.jsonl: no such file"),
    ],
)
def test_bad_input_is_one_line_and_2(
    arguments: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games", *arguments, "--db", str(tmp_path / "nowhere.db")]) == 2
    said = capsys.readouterr().err
    assert says in said and said.count("\n") == 1
    assert not (tmp_path / "nowhere.db").exists()


def test_a_game_that_is_not_there_is_named_with_those_that_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(fill(tmp_path / "moderator.db", "friday"))
    assert main(["games", "delete", "monday", "--db", str(tmp_path)]) == 2
    assert "has no game monday (there: friday)" in capsys.readouterr().err


@pytest.mark.parametrize("what", ["list", "export", "restore", "delete"])
def test_every_part_helps(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["games", what, "--help"])
    assert end.value.code == 0 and "--db" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["delete", "g", "--voice-of", "11"], ["delete"], ["show"], []])
def test_bad_usage_is_2(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["games", *arguments])
    assert end.value.code == 2
