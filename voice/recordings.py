"""The recordings of a game in its folder: which file holds a moment of the game, and at which of its seconds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from moderator.model import SEATS, Seat
from voice import ogg
from voice.takes import TABLE, takes, voice_of


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


@dataclass(frozen=True, slots=True)
class Sounds:
    """`table`: all that everybody heard; `seats`: each seat's own part of it, alone."""

    table: Sequence[Recording] = ()
    seats: Mapping[Seat, Sequence[Recording]] = field(default_factory=dict)

    def of(self, seat: Seat, at_s: float) -> tuple[Recording, float] | None:
        """Where a seat is heard at this moment: alone, if it was recorded so, else with the table."""
        return holding([*self.seats.get(seat, ()), *self.table], at_s)


def sounds(folder: Path | None) -> Sounds:
    if folder is None:
        return Sounds()
    return Sounds(recordings(folder), {seat: recordings(folder, voice_of(seat)) for seat in SEATS})


def recordings(folder: Path, voice: str = TABLE) -> list[Recording]:
    """Those that say when they began, in the order of the game. A file that cannot be read is none."""
    found = [made for take in takes(folder) if (made := read(take.path(voice))) is not None]
    return sorted(found, key=lambda one: one.started_s)


def holding(found: Iterable[Recording], at_s: float) -> tuple[Recording, float] | None:
    """The recording of a moment, and its second there."""
    return next(((one, second) for one in found if (second := one.second(at_s)) is not None), None)


def read(path: Path) -> Recording | None:
    """None: there is no such file, it cannot be read, or it does not say when it began."""
    import av

    try:
        started_s, length_s = ogg.head(path)
    except (av.FFmpegError, IndexError, ValueError):
        return None
    return None if started_s is None else Recording(path, started_s, length_s)
