"""`moderator review RECORDING...`: a finished recording from elsewhere, transcribed and read; heard, not ruled.

One file a seat, the seat in its name (`seat-3.wav`) and all begun at the same moment, or one file of all, with a list
of who speaks when (`--seats`).
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, TypeAdapter, ValidationError, model_validator

from moderator.faults import plain
from moderator.model import SEATS, Seat
from voice import engines
from voice.config import load_voice_config
from voice.foreign_write import UNKNOWN, Recorded, documents
from voice.heard import hear
from voice.listening import listen
from voice.ports import Lang, Utterance
from voice.progress import bar
from voice.transcribe import Sound, SoundError

SOUNDS = frozenset({".wav", ".flac", ".ogg", ".opus", ".oga", ".mp3", ".m4a", ".aac", ".webm", ".mka", ".mkv", ".mp4"})
LANG: Lang = "fr"
SEAT_IN_NAME = re.compile(r"(?<!\d)0?(10|[1-9])(?!\d)(?!.*\d)")
"""The last number of a file's name."""


class Turn(BaseModel):
    """One entry of the seat file: from when to when, in seconds of the recording, a seat speaks."""

    seat: Seat
    start_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    end_s: Annotated[float, Field(ge=0, allow_inf_nan=False)]

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> "Turn":
        if self.end_s <= self.start_s:
            raise ValueError("end_s must be after start_s")
        return self


@dataclass(frozen=True, slots=True)
class Source:
    """`seat` None: several speak, in `turns`; without any, nobody knows who."""

    path: Path
    seat: Seat | None
    turns: tuple[Turn, ...] = ()

    @property
    def cuts_s(self) -> tuple[float, ...]:
        return tuple(sorted({moment for turn in self.turns for moment in (turn.start_s, turn.end_s)}))

    def who(self, started_s: float, ended_s: float) -> Seat:
        """Whose turn has most of these seconds."""
        if self.seat is not None:
            return self.seat
        shares = [(min(ended_s, turn.end_s) - max(started_s, turn.start_s), turn.seat) for turn in self.turns]
        share, seat = max(shares, default=(0.0, UNKNOWN))
        return seat if share > 0 else UNKNOWN


def is_sound(path: Path) -> bool:
    return path.suffix.lower() in SOUNDS


async def main(args: argparse.Namespace) -> int:
    """Raises `SoundError`."""
    if args.share or args.clips or args.aloud:
        raise SoundError("--share, --clips and --aloud are for games; cure: leave them out")
    if args.format == "mgn":
        raise SoundError("--format mgn: a recording has no log to be written; cure: choose another format")
    given = sources([Path(name) for name in args.games], args.seats)
    recorded = await transcribed(given, args)
    document = documents(recorded, args.lang or LANG, args.out)[args.format]()
    if args.out is None:
        print(document, end="")
        return 0
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / f"{given[0].path.stem}.{args.format}"
    path.write_text(document, encoding="utf-8")
    print(path)
    return 0


def sources(paths: list[Path], seat_file: Path | None) -> list[Source]:
    """Raises `SoundError` for files that do not say whose they are."""
    if missing := [path for path in paths if not path.is_file()]:
        raise SoundError(f"{missing[0]}: no such file; cure: name a sound file that exists")
    if seat_file is not None:
        if len(paths) > 1:
            raise SoundError(f"{seat_file}: --seats is for one mixed recording; cure: give that one alone")
        return [Source(paths[0], None, turns(seat_file))]
    seats = [SEAT_IN_NAME.search(path.stem) for path in paths]
    if len(paths) == 1 and not re.search(r"seat|place|player|joueur|место|игрок", paths[0].stem, re.IGNORECASE):
        print("moderator review: nobody says who speaks; give --seats FILE, or name the file seat-3", file=sys.stderr)
        return [Source(paths[0], None)]
    if (nameless := next((path for path, seat in zip(paths, seats, strict=True) if seat is None), None)) is not None:
        raise SoundError(f"{nameless}: whose is it? cure: name the files seat-1 to seat-{SEATS[-1]}")
    found = [Source(path, int(seat[1])) for path, seat in zip(paths, seats, strict=True) if seat is not None]
    if len({source.seat for source in found}) < len(found):
        raise SoundError(f"{paths[0]}: two files of one seat; cure: name the files seat-1 to seat-{SEATS[-1]}")
    return found


def turns(path: Path) -> tuple[Turn, ...]:
    """Raises `SoundError` with the field."""
    try:
        return TypeAdapter(tuple[Turn, ...]).validate_json(path.read_bytes())
    except ValidationError as error:
        cure = 'cure: [{"seat": 1, "start_s": 0.0, "end_s": 62.5}, ...]'
        raise SoundError(f"{path}: {plain(error.errors()[0])}; {cure}") from error


async def transcribed(given: list[Source], args: argparse.Namespace) -> Recorded:
    """What was said in all of them, in the order of time, and what of it would have been heard as a wish."""
    config, lang = load_voice_config().stt, args.lang or LANG
    settings = {"engine": config.engine, "weights": config.weights, "beam": config.beam}
    lengths = [Sound(source.path).length_s() for source in given]
    total_s = None if None in lengths else sum(length for length in lengths if length is not None)
    lines: list[Utterance] = []
    done_s = 0.0
    async with engines.transcriber(config) as transcriber:
        with bar(total_s, given[0].path.name) as advance:
            for source, length_s in zip(given, lengths, strict=True):
                before_s = done_s

                def heard_until(at_s: float, before_s: float = before_s) -> None:
                    advance(before_s + at_s)

                pieces = await listen(source.path, lang, transcriber, settings, source.cuts_s, heard_until)
                lines += [
                    Utterance(
                        source.who(piece.started_s, piece.ended_s),
                        piece.started_s,
                        piece.ended_s,
                        piece.text,
                        piece.confidence,
                    )
                    for piece in pieces
                ]
                done_s += length_s or 0.0
                advance(done_s)
    transcript = tuple(sorted(lines, key=lambda line: (line.started_s, line.seat)))
    async with engines.reader(lang, model=args.model) as understanding:
        heard = await hear(transcript, lang, understanding)
    return Recorded(tuple(source.path for source in given), transcript, tuple(heard))
