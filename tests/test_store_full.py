"""A disk that is full, or may not be written: the error says so, and nothing half is stored."""

import shutil
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest
from postgres_kit import Postgres

from moderator.events import Event, NightBegan
from voice.ports import Utterance
from voice.ports_store import BadStore
from voice.recorder import Recorder
from voice.store_sql import SqlStore
from voice.takes import Take

EVENTS: list[Event] = [NightBegan(at=n, night=n) for n in range(2000)]
SPOKEN = Utterance(4, 1.0, 2.5, "Je passe. " * 4000, 0.8)

ON_A_SMALL_DISK = """
import asyncio, os, subprocess, sys
from moderator.events import NightBegan
from voice.ports_store import BadStore
from voice.store_sql import SqlStore

async def main(disk):
    store = SqlStore(f"{disk}/m.db")
    ballast = os.open(f"{disk}/ballast", os.O_WRONLY | os.O_CREAT)
    os.write(ballast, bytes(300_000))
    stored = 0
    try:
        while True:
            await store.append("g", stored, [NightBegan(at=stored + n, night=0) for n in range(500)])
            stored += 500
    except BadStore as full:
        print(full)
    assert len(await store.events("g")) == stored > 0
    os.ftruncate(ballast, 0)
    await store.append("g", stored, [NightBegan(at=stored, night=0)])
    print("stored again")
    await store.close()
    os.close(ballast)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    try:
        await SqlStore(f"{disk}/m.db").append("g", stored + 1, [NightBegan(at=0, night=0)])
    except BadStore as refused:
        print(refused)

asyncio.run(main(sys.argv[1]))
"""


async def test_of_an_append_that_does_not_fit_nothing_is_stored(tmp_path: Path) -> None:
    store = SqlStore(tmp_path / "m.db")
    await store.append("g", 0, EVENTS[:2])
    pages = store._database.read(lambda db: db.exec_driver_sql("pragma page_count").scalar())
    store._database.read(lambda db: db.exec_driver_sql(f"pragma max_page_count = {pages}"))
    with pytest.raises(BadStore, match=r"m\.db \(database or disk is full\); make room on its disk"):
        await store.append("g", 2, EVENTS[2:])
    with pytest.raises(BadStore, match="is full") as caught:
        await store.append_utterance("g", SPOKEN)
    assert SPOKEN.text[:9] not in "".join(traceback.format_exception(caught.value)), "no speech in a log"
    assert await store.events("g") == EVENTS[:2] and await store.utterances("g") == []
    store._database.read(lambda db: db.exec_driver_sql("pragma max_page_count = 4294967294"))
    await store.append("g", 2, EVENTS[2:])
    assert await store.events("g") == EVENTS
    await store.close()


async def test_a_store_that_may_only_be_read_is_read_and_says_so(tmp_path: Path) -> None:
    store = SqlStore(tmp_path / "m.db")
    await store.append("g", 0, EVENTS[:2])
    reader = SqlStore(f"sqlite:///file:{tmp_path}/m.db?mode=ro&uri=true")
    assert await reader.events("g") == EVENTS[:2]
    with pytest.raises(BadStore, match=r"readonly database\); let this user write the file and its folder"):
        await reader.append("g", 2, EVENTS[2:3])
    assert await store.events("g") == EVENTS[:2]
    await reader.close()
    await store.close()


def test_on_a_disk_that_is_full_and_then_read_only(tmp_path: Path) -> None:
    """A file system of our own, of half a megabyte, in a namespace of our own."""
    mount = f"mount -t tmpfs -o size=512k none {tmp_path}"
    own = ["unshare", "--map-root-user", "--mount", "sh", "-ec"]
    if shutil.which("unshare") is None or subprocess.run([*own, mount], check=False, capture_output=True).returncode:
        pytest.skip("this system lets nobody mount a disk; cure: allow user namespaces, or run as root")
    (tmp_path.parent / "play.py").write_text(ON_A_SMALL_DISK, encoding="utf-8")
    command = f"{mount}; PYTHONPATH={Path.cwd()} {sys.executable} {tmp_path.parent / 'play.py'} {tmp_path}"
    done = subprocess.run([*own, command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    full, again, refused = done.stdout.splitlines()
    assert "m.db (database or disk is full); make room on its disk" in full
    assert again == "stored again"
    assert "m.db: cannot be used as a store (unable to open database file)" in refused


@pytest.mark.real
@pytest.mark.postgres
async def test_postgresql_that_may_only_be_read_says_so(postgres: Postgres) -> None:
    where = postgres.new_database()
    store = SqlStore(where)
    await store.append("g", 0, EVENTS[:2])
    await store.close()
    reader = SqlStore(f"{where}&options=-c%20default_transaction_read_only%3Don")
    with pytest.raises(BadStore, match=r"read-only transaction\); name the server that can be written"):
        await reader.append("g", 2, EVENTS[2:3])
    assert await reader.events("g") == EVENTS[:2]
    await reader.close()


def test_a_recording_that_does_not_fit_ends_and_the_game_does_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "seat-3.pcm").symlink_to("/dev/full")
    recorder = Recorder(Take(tmp_path, 1), lambda: 0.0)
    for _ in range(20):
        recorder.write({3: np.zeros(960, dtype=np.int16)}, None)
    recorder.close()
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path}: the recording ends here: No space left on device"
    ]
