"""A game's folder: files for its owner alone, and the lock that lets only one process play."""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from moderator.model import Seat

LOCK = "game.lock"
"""Held by whoever writes in the folder."""
OVER = "over.json"
"""There when the last word has been said; the process may still let the gallery hear what it is behind."""
BOOTHS = "booths.json"
"""Listener -> room name. Secret: it lets in."""
TICKETS = "tickets.json"
"""There while the booths are open."""
NAMES = "names.json"
"""Seat -> name; from the service to the game process, which puts them into its store."""


class InUse(Exception):
    """Another process holds the lock."""


@contextlib.contextmanager
def sole(lock: Path) -> Iterator[None]:
    """Hold the lock file for the time of the block; the kernel frees it when the process ends, however it ends.

    Raises `InUse`.
    """
    with os.fdopen(os.open(lock, os.O_RDWR | os.O_CREAT, 0o600), "w") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InUse(f"{lock}: another process is at work here; stop it first") from None
        yield


def write_private(path: Path, content: Any) -> None:
    """As JSON; whole or not at all, and for nobody else to read."""
    scratch = path.with_suffix(".part")
    with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        json.dump(content, out)
    scratch.rename(path)


def handed_names(home: Path) -> dict[Seat, str] | None:
    """What the service has written down of the players' names for the game that is about to be played here."""
    path = home / NAMES
    return {int(seat): name for seat, name in json.loads(path.read_text("utf-8")).items()} if path.exists() else None


def booths(home: Path) -> dict[int, str] | None:
    """Listener -> room name of the game that is played or was interrupted here, or None."""
    path = home / BOOTHS
    return {int(seat): name for seat, name in json.loads(path.read_text()).items()} if path.exists() else None
