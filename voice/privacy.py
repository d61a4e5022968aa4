"""What one player may ask for after a game: that his voice is forgotten, or a copy of all that is kept of him.

The record of the game stays whole: who nominated, voted and spoke when. `moderator games forget` and `mine`.
"""

import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from moderator.events import Event
from moderator.model import Seat
from moderator.review import facts
from voice import ogg
from voice.captions import webvtt
from voice.clips import cut
from voice.dossier import overlap_s
from voice.ports import RATE_HZ, Pcm, Utterance
from voice.ports_store import Conflict, Keepsakes
from voice.recordings import Recording, holding, read, sounds
from voice.takes import TABLE, Take, settle, takes, unfinished, voice_of

AROUND_S = 0.5
"""A word begins before the recogniser says so, and ends after it."""
CAPTIONS = "transcript.vtt"
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """`silenced_s` of recordings in which he is not apart; `removed` files: his own, and such as nobody can align."""

    utterances: int
    silenced_s: float
    removed: tuple[str, ...]


async def forget(store: Keepsakes, game: str, seat: Seat, folder: Path | None) -> Forgotten:
    """His words, how they were read, his name, and his voice in the recordings of `folder`. The events stay.

    Asked again it does the rest of what was interrupted. Raises `Conflict` while the game is played.
    """
    if folder is not None:
        settle(folder)
        if any(unfinished(folder)):
            raise Conflict(f"{folder}: a process is at work on the recording; ask again when the game is over")
    said, events = await store.utterances(game), await store.events(game)
    forgotten = await store.forget(game, seat)
    silenced_s, removed = 0.0, list[str]()
    if folder is not None:
        spans = spoken(events, said, seat)
        for take in takes(folder):
            silenced_s += _forget_voice(take, seat, spans)
            table, his = take.path(TABLE), take.path(voice_of(seat))
            for path in [*([table] if read(table) is None else []), his]:
                if path.exists():
                    path.unlink()
                    removed.append(path.name)
        if (captions := folder / CAPTIONS).exists():
            captions.write_text(webvtt([line for line in said if line.seat != seat]) + "\n", encoding="utf-8")
    return Forgotten(forgotten, round(silenced_s, 1), tuple(removed))


def _forget_voice(take: Take, seat: Seat, spans: Sequence[Span]) -> float:
    """The table without him: where he was recorded apart nobody else loses a word."""
    if take.apart:
        take.mix_without(seat)
        return 0.0
    recording = read(take.path(TABLE))
    return 0.0 if recording is None else silence(recording, spans)


def spoken(events: Iterable[Event], said: Iterable[Utterance], seat: Seat) -> list[Span]:
    """Game seconds in which the table may have heard this seat: it had the floor, or was understood."""
    floors = [(floor.from_s, floor.to_s) for floor in facts(events).floors if floor.seat == seat]
    words = [(line.started_s, line.ended_s) for line in said if line.seat == seat]
    return sorted((max(0.0, start - AROUND_S), end + AROUND_S) for start, end in [*floors, *words])


def silence(recording: Recording, spans: Sequence[Span]) -> float:
    """Write the recording again without these game seconds; how many seconds of it are silent now."""
    end_s, silent = recording.started_s + recording.length_s, 0
    if not any(start < end_s and end > recording.started_s for start, end in spans):
        return 0.0

    def rest() -> Iterator[Pcm]:
        nonlocal silent
        at = 0
        for second in ogg.read(recording.path):
            gone = np.zeros(len(second), bool)
            for start, end in spans:
                first, last = (round((at_s - recording.started_s) * RATE_HZ) - at for at_s in (start, end))
                gone[max(0, first) : max(0, last)] = True
            silent += int(gone.sum())
            at += len(second)
            yield np.where(gone, 0, second).astype(np.int16)

    ogg.write(recording.path, rest(), recording.started_s)
    return silent / RATE_HZ


async def mine(store: Keepsakes, game: str, seat: Seat, folder: Path | None, out: Path) -> dict[str, int]:
    """A zip of what is kept of this seat: name, words and how they were read, acts; as sound what it said aloud.

    Where it was recorded apart that is all its sound, else its lines cut out of the table's.
    """
    events = await store.events(game)
    said = [line for line in await store.utterances(game) if line.seat == seat]
    notes = [asdict(note) for note in await store.understood(game) if note.seat == seat]
    acts = [event for event in events if seat in (getattr(event, "seat", 0), getattr(event, "by", 0))]
    floors = [floor for floor in facts(events).floors if floor.seat == seat]
    aloud = [line for line in said if any(overlap_s(line, floor) > 0 for floor in floors)]
    about = {"game": game, "seat": seat, "name": (await store.names(game)).get(seat)}
    with TemporaryDirectory() as scratch, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("about.json", json.dumps(about, ensure_ascii=False) + "\n")
        archive.writestr("words.jsonl", _lines(asdict(line) for line in said))
        archive.writestr("read.jsonl", _lines(notes))
        archive.writestr("acts.jsonl", _lines(event.model_dump(mode="json") for event in acts))
        heard = list(_sounds(aloud, folder, seat, Path(scratch)))
        for sound in heard:
            archive.write(sound, f"sound/{sound.name}")
    return {"words": len(said), "acts": len(acts), "sounds": len(heard)}


def _lines(rows: Iterable[object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def _sounds(said: Sequence[Utterance], folder: Path | None, seat: Seat, scratch: Path) -> Iterator[Path]:
    if folder is None:
        return
    settle(folder)
    found = sounds(folder)
    own = found.seats[seat]
    yield from (recording.path for recording in own)
    for number, line in enumerate(said):
        at_s = max(0.0, line.started_s - AROUND_S)
        if holding(own, at_s) is None and (place := holding(found.table, at_s)) is not None:
            recording, second = place
            clip = scratch / f"{number:04d}.ogg"
            cut(recording.path, second, second + line.ended_s - line.started_s + 2 * AROUND_S, clip)
            yield clip
