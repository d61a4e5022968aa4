"""A process beside this one that never outlives it: the media server, a game."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

LAUNCHER = """
import ctypes, os, signal, sys
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""
"""Becomes the command, after asking the kernel (PR_SET_PDEATHSIG) to end it when the parent dies, however it dies."""


async def start(command: Sequence[str], environment: Mapping[str, str], log_path: Path) -> asyncio.subprocess.Process:
    """`command` begins with the path of a program; what it prints is appended to `log_path`."""
    log_path.parent.mkdir(parents=True, exist_ok=True)
    with log_path.open("ab") as log_file:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-ISc", LAUNCHER, str(os.getpid()), *command),
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
            # A Ctrl-C in the terminal is for the parent, which then stops its children in order.
            start_new_session=True,
        )


async def stop(process: asyncio.subprocess.Process, patience_s: Sequence[float]) -> None:
    """A SIGTERM for each entry of `patience_s`, waiting so long for the end; then no more asking."""
    for wait_s in (*patience_s, None):
        if process.returncode is not None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL if wait_s is None else signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), wait_s)
