"""What a player may have forgotten, what he may take along, and how long the rest is kept."""

import asyncio
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sound_kit import heard, recorder
from test_review_exports import friday, log

from moderator.review import facts
from voice import ogg
from voice.cli import main
from voice.home import LOCK, sole
from voice.ports import RATE_HZ, Utterance
from voice.privacy import AROUND_S, spoken
from voice.recordings import recordings
from voice.service.config import Keep
from voice.service.pins import new_pin, seal
from voice.service.retention import DAY_S, clear
from voice.service.tables import FILE, Options, State, Tables
from voice.store_sql import SqlStore
from voice.stored import find

__all__ = ["friday"]
FIRST, SECOND = (floor.seat for floor in facts(log()).floors[:2])


def loud(folder: Path) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """By game second from 50 on: whether the recording holds any sound."""
    sound = np.concatenate(list(ogg.read(folder / "table.ogg")))[: 30 * RATE_HZ]
    whole = sound[: len(sound) // RATE_HZ * RATE_HZ].reshape(-1, RATE_HZ)
    levels: np.ndarray[tuple[int], np.dtype[np.int32]] = np.abs(whole.astype(np.int32)).max(axis=1)
    return levels > 1000


def test_a_forgotten_player_is_silent_and_the_game_stays(friday: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, spans = loud(friday), spoken(log(), [], FIRST)
    assert before.all()
    assert main(["games", "forget", "g1", "--seat", str(FIRST), "--db", str(friday)]) == 0
    done = json.loads(capsys.readouterr().out)["forgotten"]
    assert done["utterances"] == 1 and done["silenced_s"] > 0
    game = find(str(friday))
    assert game.events == log() and FIRST not in {line.seat for line in game.utterances}
    after = loud(friday)
    for second in range(len(after)):
        at_s = 50 + second
        inside = any(start <= at_s and at_s + 1 <= end for start, end in spans)
        outside = all(at_s + 1 <= start - AROUND_S or at_s >= end + AROUND_S for start, end in spans)
        assert not (inside and after[second]) and not (outside and not after[second])
    assert recordings(friday)[0].started_s == 50.0
    assert main(["games", "forget", "g1", "--seat", str(FIRST), "--db", str(friday)]) == 0


def test_where_each_voice_is_apart_nobody_else_loses_a_word(
    friday: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both speak in the same second, and the narrator with them."""
    (friday / "table.ogg").unlink()
    turns = {0: [(60.0, 64.0)], FIRST: [(60.0, 62.0)], SECOND: [(61.0, 64.0)]}
    recorder(friday, turns, 60.0, 5.0).close()  # asked for before anything was encoded
    out = tmp_path / "mine.zip"
    assert main(["games", "mine", "g1", "--seat", str(FIRST), "--out", str(out), "--db", str(friday)]) == 0
    with zipfile.ZipFile(out) as archive:
        assert f"sound/seat-{FIRST}.ogg" in archive.namelist()
        assert not any(f"seat-{SECOND}" in name or "table" in name for name in archive.namelist())
    assert heard(friday / "table.ogg", 1.1, 1.9, tuple(turns)) == {0, FIRST, SECOND}
    capsys.readouterr()
    assert main(["games", "forget", "g1", "--seat", str(FIRST), "--db", str(friday)]) == 0
    done = json.loads(capsys.readouterr().out)["forgotten"]
    assert done["removed"] == [f"seat-{FIRST}.ogg"] and done["silenced_s"] == 0
    assert heard(friday / "table.ogg", 1.1, 1.9, tuple(turns)) == {0, SECOND}
    assert heard(friday / "table.ogg", 0.1, 0.9, tuple(turns)) == {0}
    assert heard(friday / f"seat-{SECOND}.ogg", 1.1, 1.9, tuple(turns)) == {SECOND}
    assert [one.started_s for one in recordings(friday)] == [60.0]


def test_nobody_is_forgotten_while_a_process_records(friday: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorder(friday, {FIRST: [(90.0, 91.0)]}, 90.0, 1.0).close()
    with sole(friday / LOCK):
        assert main(["games", "forget", "g1", "--seat", str(FIRST), "--db", str(friday)]) == 1
    assert "when the game is over" in capsys.readouterr().err
    assert FIRST in {line.seat for line in find(str(friday)).utterances}, "nothing was done by halves"


def test_a_recording_that_nobody_can_align_goes_and_captions_are_made_again(friday: Path) -> None:
    (friday / "table-2.ogg").write_bytes(b"no sound")
    (friday / f"seat-{FIRST}.ogg").write_bytes(b"his own")
    (friday / "transcript.vtt").write_text(f"Je suis le {FIRST}.")
    assert main(["games", "forget", "g1", "--seat", str(FIRST), "--db", str(friday)]) == 0
    assert not (friday / "table-2.ogg").exists() and not (friday / f"seat-{FIRST}.ogg").exists()
    captions = (friday / "transcript.vtt").read_text(encoding="utf-8")
    assert f"Je suis le {FIRST}." not in captions and f"Je suis le {SECOND}." in captions


def test_a_player_takes_along_what_is_his_and_nothing_else(friday: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.zip"
    assert main(["games", "mine", "g1", "--seat", str(FIRST), "--out", str(out), "--db", str(friday)]) == 0
    with zipfile.ZipFile(out) as archive:
        assert archive.testzip() is None
        words = [json.loads(line) for line in archive.read("words.jsonl").decode().splitlines()]
        acts = [json.loads(line) for line in archive.read("acts.jsonl").decode().splitlines()]
        assert json.loads(archive.read("about.json"))["seat"] == FIRST
        assert len([name for name in archive.namelist() if name.startswith("sound/")]) == 1
    assert [line["text"] for line in words] == [f"Je suis le {FIRST}."]
    assert acts and all(FIRST in (act.get("seat"), act.get("by")) for act in acts)


async def over(folder: Path) -> tuple[Tables, Path]:
    tables = Tables(folder, 2, 600)
    table = tables.open(Options(recording=True))
    store = SqlStore(table.home / "moderator.db")
    await store.append(table.game, 0, log())
    await store.append_utterance(table.game, Utterance(4, 1, 2, "Je passe.", 0.9))
    await store.close()
    (table.home / "table.ogg").write_bytes(b"sound")
    table.become(State.OVER)
    return tables, table.home


async def test_sound_and_words_go_first_and_the_game_last(tmp_path: Path) -> None:
    tables, folder = await over(tmp_path)
    (table,) = tables
    ended_s, keep = os.stat(folder / FILE).st_mtime, Keep(voices_days=2, games_days=5)
    await clear(tables, table, keep, ended_s + 1.9 * DAY_S)
    assert (folder / "table.ogg").exists()
    await clear(tables, table, keep, ended_s + 2.1 * DAY_S)
    game = await asyncio.to_thread(find, str(folder))
    assert not (folder / "table.ogg").exists() and game.utterances == [] and game.events == log()
    await clear(tables, table, Keep(voices_days=None), ended_s + 999 * DAY_S)
    assert folder.exists()
    await clear(tables, table, keep, ended_s + 5.1 * DAY_S)
    assert not folder.exists() and list(tables) == []


def test_consent_is_kept_with_the_table(tmp_path: Path) -> None:
    tables = Tables(tmp_path, 2, 600)
    table = tables.open(Options(recording=True))
    seat = table.take(seal(new_pin()), consent=True)
    other = table.take(seal(new_pin()))
    kept = json.loads((table.home / FILE).read_text())["consents"]
    assert set(kept) == {str(seat)} and str(other) not in kept
    table.leave(seat)
    assert json.loads((table.home / FILE).read_text())["consents"] == {}
