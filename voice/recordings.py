"""The recordings of a game in its folder: which file holds a moment of the game, and at which of its seconds."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from voice.recorder import STARTED


@dataclass(frozen=True, slots=True)
class Recording:
    """`started_s`: the game second of its first sample."""

    path: Path
    started_s: float
    length_s: float

    def second(self, at_s: float) -> float | None:
        """Of this file; None: the moment is not in it."""
        second = at_s - self.started_s
        return round(second, 2) if 0 <= second <= self.length_s else None


def recordings(folder: Path | None, stem: str = "table") -> list[Recording]:
    """Those that say when they began, in the order of the game. A file that cannot be read is none."""
    if folder is None:
        return []
    found = [
        made
        for path in sorted([*folder.glob(f"{stem}.ogg"), *folder.glob(f"{stem}-*.ogg")])
        if (made := _read(path)) is not None
    ]
    return sorted(found, key=lambda one: one.started_s)


def holding(found: Iterable[Recording], at_s: float) -> tuple[Recording, float] | None:
    """The recording of a moment, and its second there."""
    return next(((one, second) for one in found if (second := one.second(at_s)) is not None), None)


def _read(path: Path) -> Recording | None:
    import av

    try:
        with av.open(str(path)) as file:
            stream = file.streams.audio[0]
            tags = {key.lower(): value for key, value in (stream.metadata | file.metadata).items()}
            length_s = float(file.duration or 0) / av.time_base
            return Recording(path, float(tags[STARTED]), length_s) if STARTED in tags else None
    except (av.FFmpegError, IndexError, ValueError):
        return None
