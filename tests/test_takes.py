"""Each voice is recorded apart, what was heard survives the process, and the table is the sum of its voices."""

import os
import signal
import sqlite3
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from sound_kit import heard, recorder, tone

from voice import ogg
from voice.clock import VirtualClock
from voice.home import LOCK, sole
from voice.ports import FRAME_SAMPLES, RATE_HZ
from voice.recorder import Recorder
from voice.recordings import recordings, sounds
from voice.takes import Take, finish, new_take, settle, takes

TURNS = {0: [(50.0, 52.0), (57.0, 58.0)], 3: [(52.0, 55.0)], 7: [(54.0, 58.0)]}
VOICES = tuple(TURNS)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten seconds from second 50 on: the narrator, seat 3, who is interrupted by 7, and the narrator again."""
    recorder(tmp_path, TURNS, 50.0, 10.0).close()
    finish(tmp_path)
    return tmp_path


def test_each_voice_has_its_own_file_and_the_table_has_them_all(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {"table.ogg", "narrator.ogg", "seat-3.ogg", "seat-7.ogg"}
    found = sounds(folder)
    assert {one.started_s for one in (*found.table, *found.seats[3], *found.seats[7])} == {50.0}
    assert not found.seats[4] and found.of(4, 53.0) == (found.table[0], 3.0)
    assert found.of(3, 53.0) == (found.seats[3][0], 3.0)
    for second, there in ((0.5, {0}), (3, {3}), (4.2, {3, 7}), (6, {7}), (7.2, {0, 7})):
        assert heard(folder / "table.ogg", second, second + 0.7, VOICES) == there
        assert heard(folder / "seat-7.ogg", second, second + 0.7, VOICES) == there & {7} or second > 7


def test_a_killed_process_loses_nothing_and_knows_when_it_began(tmp_path: Path) -> None:
    script = f"""
import os, pathlib, signal, sound_kit
made = sound_kit.recorder(pathlib.Path({str(tmp_path)!r}), {TURNS!r}, 50.0, 10.0)
os.kill(os.getpid(), signal.SIGKILL)
"""
    tests = Path(__file__).parent
    died = subprocess.run(
        [sys.executable, "-c", script], cwd=tests.parent, env={**os.environ, "PYTHONPATH": str(tests)}
    )
    assert died.returncode == -signal.SIGKILL
    finish(tmp_path)
    assert [one.started_s for one in recordings(tmp_path)] == [50.0]
    assert heard(tmp_path / "seat-7.ogg", 6.0, 7.9, VOICES) == {7}


def test_a_game_that_is_taken_up_has_a_second_take_and_none_is_written_over(folder: Path) -> None:
    recorder(folder, {0: [(70, 71)], 3: [(71, 73)]}, 70.0, 3.0).close()
    assert [take.number for take in takes(folder)] == [1, 2]
    settle(folder)
    assert [one.started_s for one in recordings(folder)] == [50.0, 70.0]
    assert sounds(folder).of(3, 72.0) == (recordings(folder, "seat-3")[1], 2.0)
    assert new_take(folder).number == 3


def test_what_was_interrupted_is_done_again(folder: Path) -> None:
    """Killed when the table and one voice were encoded."""
    take, whole = Take(folder, 1), (folder / "table.ogg").read_bytes()
    take.began.write_text("50.0")
    take.path("seat-3", ".pcm").write_bytes(np.concatenate(list(ogg.read(folder / "seat-3.ogg"))).tobytes())
    (folder / "seat-3.ogg").unlink()
    settle(folder)
    assert not take.raw and not take.began.exists() and (folder / "table.ogg").read_bytes() == whole
    assert sounds(folder).seats[3][0].started_s == 50.0 and heard(folder / "seat-3.ogg", 3, 4, VOICES) == {3}


def test_raw_sound_is_left_alone_while_a_game_is_played(tmp_path: Path) -> None:
    recorder(tmp_path, TURNS, 50.0, 1.0).close()
    with sole(tmp_path / LOCK):
        settle(tmp_path)
        assert Take(tmp_path, 1).raw
    settle(tmp_path)
    assert not Take(tmp_path, 1).raw


def test_a_stall_is_silence_and_a_clock_that_is_set_back_moves_the_beginning(tmp_path: Path) -> None:
    clock = VirtualClock(10.0)
    made = Recorder(Take(tmp_path, 1), clock.now)
    frame = tone(440, FRAME_SAMPLES / RATE_HZ)
    for at_s in (10.0, 13.0):
        clock.start_at(at_s)
        made.write({4: frame}, frame)
    assert Take(tmp_path, 1).path("seat-4", ".pcm").stat().st_size == (3 * 50 + 1) * 2 * FRAME_SAMPLES
    clock.start_at(5.0)
    made.write({4: frame}, None)
    made.close()
    finish(tmp_path)
    (found,) = recordings(tmp_path)
    assert found.started_s == pytest.approx(5.0 - 3.02, abs=0.001)


def test_silence_costs_next_to_nothing_and_length_no_memory(tmp_path: Path) -> None:
    """The raw file has holes."""
    recorder(tmp_path, {0: [(0, 1)]}, 0.0, 1.0).close()
    raw = Take(tmp_path, 1).path("seat-3", ".pcm")
    with raw.open("wb") as file:
        file.seek(2 * RATE_HZ * 60)
        file.write(tone(440, 1).tobytes())
    assert raw.stat().st_size > 5_700_000 and raw.stat().st_blocks * 512 < 200_000
    tracemalloc.start()
    finish(tmp_path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 5_000_000 and (tmp_path / "seat-3.ogg").stat().st_size < 30_000
    assert recordings(tmp_path, "seat-3")[0].length_s == pytest.approx(61, abs=0.05)


def test_a_recording_of_before_has_the_table_alone(tmp_path: Path) -> None:
    (tmp_path / "table.pcm").write_bytes(tone(440, 2).tobytes())
    (tmp_path / "table-2.ogg").write_bytes(b"no sound")
    settle(tmp_path)
    assert recordings(tmp_path) == [], "without the second at which it began it is linked to nothing"
    assert (tmp_path / "table.ogg").stat().st_size > 1000 and not takes(tmp_path)[0].apart


def test_other_files_are_no_takes(tmp_path: Path) -> None:
    for name in ("seat-11.ogg", "table.wav", "tables.ogg", "seat-4.ogg.txt"):
        (tmp_path / name).touch()
    sqlite3.connect(tmp_path / "moderator.db").close()
    assert takes(tmp_path) == []
