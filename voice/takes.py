"""The sound files of a game's folder: what one process recorded is a take, in it each voice apart, and their sum.

`seat-4.ogg` is what the table heard of seat 4, `narrator.ogg` what the narrator told everybody, `table.ogg` all of them
together; all begin at the same moment. A game that was taken up again has a second take: `seat-4-2.ogg`. While a game
runs they are raw (`.pcm`: mono, 16 bit, 48 kHz, with holes where a voice is silent), and `table.began` holds the game
second of their first sample. Games of before had `table.ogg` alone, in which nobody can be told apart.
"""

import contextlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from moderator.model import SEATS, Seat
from voice import ogg
from voice.home import LOCK, InUse, sole

TABLE, NARRATOR = "table", "narrator"


def voice_of(seat: Seat) -> str:
    return f"seat-{seat}"


VOICES = (NARRATOR, *map(voice_of, SEATS))
NAME = re.compile(rf"(?:{'|'.join((TABLE, *VOICES))})(-\d+)?\.(?:ogg|pcm|began)")


@dataclass(frozen=True, slots=True)
class Take:
    """`number` from 1 on."""

    folder: Path
    number: int

    def path(self, voice: str, ending: str = ".ogg") -> Path:
        return self.folder / f"{voice}{'' if self.number == 1 else f'-{self.number}'}{ending}"

    def voices(self, ending: str = ".ogg") -> list[Path]:
        return [path for voice in VOICES if (path := self.path(voice, ending)).exists()]

    @property
    def apart(self) -> bool:
        """Whether each voice is in a file of its own; the narrator is heard in every take."""
        return self.path(NARRATOR).exists()

    @property
    def began(self) -> Path:
        return self.path(TABLE, ".began")

    @property
    def raw(self) -> list[Path]:
        table = self.path(TABLE, ".pcm")
        return [*([table] if table.exists() else []), *self.voices(".pcm")]

    def finish(self) -> None:
        """Sound files of what is raw, the sum first: no voice goes before it is in there."""
        started_s = float(json.loads(self.began.read_text())) if self.began.exists() else None
        if (voices := self.voices(".pcm")) and not self.path(TABLE).exists():
            ogg.write(self.path(TABLE), ogg.mixed(map(ogg.raw, voices)), started_s)
        for path in self.raw:
            ogg.write(path.with_suffix(".ogg"), ogg.raw(path), started_s)
            path.unlink()
        self.began.unlink(missing_ok=True)

    def mix_without(self, seat: Seat) -> None:
        """The table again, from the others' voices; where he was not heard it stays as it is."""
        his = self.path(voice_of(seat))
        if his.exists():
            others = [ogg.read(path) for path in self.voices() if path != his]
            started_s, _ = ogg.head(self.path(NARRATOR))
            ogg.write(self.path(TABLE), ogg.mixed(others), started_s)


def takes(folder: Path) -> list[Take]:
    names = (NAME.fullmatch(path.name) for path in folder.iterdir())
    return [Take(folder, number) for number in sorted({int((name[1] or "-1")[1:]) for name in names if name})]


def new_take(folder: Path) -> Take:
    """A game that was taken up records beside what was recorded before."""
    return Take(folder, max((take.number for take in takes(folder)), default=0) + 1)


def unfinished(folder: Path) -> Iterator[Take]:
    return (take for take in takes(folder) if take.raw or take.began.exists())


def finish(folder: Path) -> None:
    """What a game has left raw, also processes that were killed. For whoever holds the folder's lock."""
    for take in unfinished(folder):
        take.finish()


def settle(folder: Path) -> None:
    """`finish`, unless the game is being played."""
    if any(unfinished(folder)):
        with contextlib.suppress(InUse), sole(folder / LOCK):
            finish(folder)
