"""The audio loop's own thread goes first, and nothing that it starts does."""

import gc
import os
import subprocess
import sys

import pytest

from voice import steady

SCRIPT = """
import os, subprocess, sys, threading
from voice.steady import steady
steady()
child = subprocess.run([sys.executable, "-c", "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"],
                       capture_output=True, text=True, check=True).stdout
threads = []
thread = threading.Thread(target=lambda: threads.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id())))
thread.start(); thread.join()
print(os.getpriority(os.PRIO_PROCESS, 0), int(child), threads[0])
"""


@pytest.mark.skipif(not hasattr(os, "sched_setscheduler"), reason="Linux alone has a priority for each thread")
def test_the_loops_thread_goes_first_where_that_is_allowed_and_nothing_it_starts_does() -> None:
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    own, child, thread = map(int, done.stdout.split())
    assert own == steady.FIRST or own == usual
    assert (child, thread) == ((0, 0) if own == steady.FIRST else (usual, usual))


def test_without_the_right_the_game_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setpriority", forbidden)
    monkeypatch.setattr(os, "sched_setscheduler", lambda *_: None, raising=False)
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        steady.steady()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
    assert os.getpriority(os.PRIO_PROCESS, 0) == usual
