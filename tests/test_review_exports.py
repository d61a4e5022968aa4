"""What `moderator review` writes, read back by other people's readers."""

import asyncio
import io
import json
import random
from pathlib import Path

import av
import numpy as np
import pysubs2
import pytest
import webvtt as other_webvtt
from sound_kit import heard, recorder, tone

from moderator import mgn
from moderator.events import Event
from moderator.review import facts
from moderator.rules import Rules
from moderator.simulate import deal, play
from voice import ogg
from voice.captions import subrip, webvtt
from voice.cli import main
from voice.ports import RATE_HZ, Utterance
from voice.recordings import recordings
from voice.store_sql import SqlStore, export_log

LINES = [
    Utterance(4, 3725.25, 3727.5, "Je nomine le <7> & {\\b1}je passe -->.\n\nMerci.", 0.8),
    Utterance(1, 62.0, 62.0, "Oui.", 0.9),
]


def log(seed: int = 5) -> list[Event]:
    chance = random.Random(seed)
    return play(chance, Rules(), deal(chance))


def test_webvtt_is_read_by_another_reader() -> None:
    read = other_webvtt.from_buffer(io.StringIO(webvtt(LINES)))
    assert [(cue.start_in_seconds, cue.end_in_seconds, cue.voice) for cue in read.captions] == [
        (62, 62, "1"),
        (3725, 3727, "4"),
    ]
    assert [cue.start for cue in read.captions] == ["00:01:02.000", "01:02:05.250"]
    assert "Je nomine le" in read.captions[1].text and len(read.captions) == 2


def test_subrip_is_read_by_another_reader() -> None:
    read = pysubs2.SSAFile.from_string(subrip(LINES, {1: "1 Zoé", 4: "4"}.__getitem__), format_="srt")
    assert [(cue.start, cue.end) for cue in read] == [(62_000, 62_100), (3_725_250, 3_727_500)]
    assert [cue.plaintext for cue in read] == ["1 Zoé: Oui.", "4: Je nomine le ‹7› & (\\b1)je passe --›. Merci."]


# --- the command ----------------------------------------------------------------------------------


async def fill(path: Path, game: str, events: list[Event], lines: list[Utterance]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    store = SqlStore(path)
    await store.append(game, 0, events)
    for line in lines:
        await store.append_utterance(game, line)
    await store.close()


@pytest.fixture
def friday(tmp_path: Path) -> Path:
    """A game's folder: a store, two public lines and a private one, and from second 50 on a recording of the table."""
    events = log()
    floors = facts(events).floors
    lines = [Utterance(one.seat, one.from_s, one.from_s + 1, f"Je suis le {one.seat}.", 0.8) for one in floors[:2]]
    asyncio.run(
        fill(tmp_path / "friday" / "moderator.db", "g1", events, [*lines, Utterance(3, 40, 41, "Tirons.", 0.8)])
    )
    ogg.write(tmp_path / "friday" / "table.ogg", [tone(440, 30)], 50.0)
    return tmp_path / "friday"


def test_the_recording_says_when_it_began(friday: Path) -> None:
    (found,) = recordings(friday)
    assert found.started_s == 50.0 and found.length_s == pytest.approx(30.0, abs=0.05)
    assert found.second(49.9) is None and found.second(60.5) == 10.5 and found.second(81) is None


def test_json_has_the_facts_and_the_words(friday: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(friday), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    facts_alone = json.loads(facts(log()).model_dump_json())
    assert {key: found[key] for key in facts_alone} == facts_alone
    assert [line["public"] for line in found["transcript"]] == [False, True, True]


def test_notation_is_read_back(friday: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(friday), "--format", "mgn"]) == 0
    assert [event.type for event in mgn.read(capsys.readouterr().out)] == [event.type for event in log()]


def test_clips_are_the_lines_that_were_recorded(
    friday: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(friday), "--clips", str(tmp_path / "clips")]) == 0
    assert f"{len(list((tmp_path / 'clips').iterdir()))} of 2 public lines are in" in capsys.readouterr().err
    clips = sorted((tmp_path / "clips").iterdir())
    public = [floor.seat for floor in facts(log()).floors[:2] if 50.3 <= floor.from_s <= 80]
    assert [clip.name for clip in clips] == [f"{n:04d}-seat-{seat}.ogg" for n, seat in enumerate(public, 1)]
    for clip in clips:
        with av.open(str(clip)) as file:
            samples = np.concatenate([frame.to_ndarray().reshape(-1) for frame in file.decode(audio=0)])
        assert len(samples) / RATE_HZ == pytest.approx(1.6, abs=0.1) and np.abs(samples).max() > 0.1


def test_a_clip_is_the_speaker_alone_where_he_was_recorded_so(friday: Path, tmp_path: Path) -> None:
    first, second = facts(log()).floors[:2]
    (friday / "table.ogg").unlink()
    turns = {0: [(50.0, 170.0)], first.seat: [(first.from_s, first.to_s)], second.seat: [(second.from_s, second.to_s)]}
    recorder(friday, turns, 50.0, 120.0).close()
    assert main(["review", str(friday), "--clips", str(tmp_path / "clips")]) == 0
    clips = sorted((tmp_path / "clips").iterdir())
    assert [clip.name for clip in clips] == [f"{n:04d}-seat-{floor.seat}.ogg" for n, floor in ((1, first), (2, second))]
    assert [heard(clip, 0.4, 1.2, tuple(turns)) for clip in clips] == [{first.seat}, {second.seat}]


def test_without_a_recording_there_are_no_clips_which_is_said(
    friday: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (friday / "table.ogg").unlink()
    assert main(["review", str(friday), "--clips", str(tmp_path / "clips")]) == 0
    assert "no public line is in a recording" in capsys.readouterr().err and not (tmp_path / "clips").exists()


@pytest.mark.parametrize("option", ["--clips", "--aloud"])
def test_what_is_for_one_game_is_refused_of_several(
    friday: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    asyncio.run(fill(tmp_path / "monday" / "moderator.db", "g2", log(7), []))
    assert main(["review", str(tmp_path), "--out", str(tmp_path / "out"), option, str(tmp_path / "x")]) == 2
    assert "holds 2 games; --clips and --aloud are for one" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_shared_copy_has_neither_voices_nor_private_words(
    friday: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(friday), "--format", "html", "--share", "--out", str(tmp_path / "out")]) == 0
    page = Path(capsys.readouterr().out.strip()).read_text(encoding="utf-8")
    assert "table.ogg" not in page and "Tirons" not in page and "g1" not in page and "Je suis le" in page
    assert main(["review", str(friday), "--share", "--clips", str(tmp_path / "clips")]) == 2
    assert "no voices" in capsys.readouterr().err and not (tmp_path / "clips").exists()


def test_a_running_game_is_not_shared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export_log(tmp_path / "log.jsonl", log()[:100])
    assert main(["review", str(tmp_path / "log.jsonl"), "--share"]) == 1
    said = capsys.readouterr()
    assert "still secret" in said.err and not said.out


def test_a_folder_of_games_becomes_pages_and_an_index(
    friday: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(fill(tmp_path / "saturday" / "moderator.db", "g1", log(6), []))
    export_log(tmp_path / "sunday.jsonl", log(7))
    (tmp_path / "broken.jsonl").write_text("nonsense\n")
    assert main(["review", str(tmp_path), "--format", "html", "--out", str(tmp_path / "out")]) == 2
    said = capsys.readouterr()
    assert "broken" in said.err and said.out.strip() == str(tmp_path / "out" / "index.html")
    pages = {path.name for path in (tmp_path / "out").iterdir()}
    assert pages == {"g1.html", "g1-2.html", "sunday.html", "index.html"}
    index = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert all(f'href="{page}"' in index for page in pages - {"index.html"})
    assert main(["review", str(tmp_path), "--format", "json", "--out", str(tmp_path / "facts")]) == 2
    facts_of_all = json.loads((tmp_path / "facts" / "index.json").read_text(encoding="utf-8"))
    assert len(facts_of_all["games"]) == 3 and len(facts_of_all["players"]) == 10
