"""What one player may ask for after a game: that his voice is forgotten, or a copy of all that is kept of him.

The record of the game stays whole: who nominated, voted and spoke when. `moderator games forget` and `mine`.
"""

import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from moderator.events import Event
from moderator.model import Seat
from moderator.review import facts
from voice.captions import webvtt
from voice.clips import cut
from voice.dossier import overlap_s
from voice.ports import RATE_HZ, Utterance
from voice.ports_store import Keepsakes
from voice.recorder import encode
from voice.recordings import Recording, holding, recordings

AROUND_S = 0.5
"""A word begins before the recogniser says so, and ends after it."""
CAPTIONS = "transcript.vtt"
Span = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Forgotten:
    """`silenced_s` of the table's recordings; `removed` files: his own recordings, and such as nobody can align."""

    utterances: int
    silenced_s: float
    removed: tuple[str, ...]


async def forget(store: Keepsakes, game: str, seat: Seat, folder: Path | None) -> Forgotten:
    """His words, how they were read, his name, and his voice in the recordings of `folder`. The events stay.

    Asked again it does the rest of what was interrupted. Raises `Conflict` while the game is played.
    """
    said, events = await store.utterances(game), await store.events(game)
    forgotten = await store.forget(game, seat)
    silenced_s, removed = 0.0, list[str]()
    if folder is not None:
        spans, aligned = spoken(events, said, seat), recordings(folder)
        silenced_s = sum(silence(one, spans) for one in aligned)
        lost = set(folder.glob("table*.ogg")) - {one.path for one in aligned}
        for path in sorted([*lost, *folder.glob(f"seat-{seat}.ogg"), *folder.glob(f"seat-{seat}-*.ogg")]):
            path.unlink()
            removed.append(path.name)
        if (captions := folder / CAPTIONS).exists():
            captions.write_text(webvtt([line for line in said if line.seat != seat]) + "\n", encoding="utf-8")
    return Forgotten(forgotten, round(silenced_s, 1), tuple(removed))


def spoken(events: Iterable[Event], said: Iterable[Utterance], seat: Seat) -> list[Span]:
    """Game seconds in which the table may have heard this seat: it had the floor, or was understood."""
    floors = [(floor.from_s, floor.to_s) for floor in facts(events).floors if floor.seat == seat]
    words = [(line.started_s, line.ended_s) for line in said if line.seat == seat]
    return sorted((max(0.0, start - AROUND_S), end + AROUND_S) for start, end in [*floors, *words])


def silence(recording: Recording, spans: Sequence[Span]) -> float:
    """Write the recording again without these game seconds; how many seconds of it are silent now."""
    sound = decoded(recording.path)
    silent = np.zeros(len(sound), bool)
    for start, end in spans:
        first, last = (max(0, round((at_s - recording.started_s) * RATE_HZ)) for at_s in (start, end))
        silent[first:last] = True
    if not silent.any():
        return 0.0
    sound[silent] = 0
    with TemporaryDirectory(dir=recording.path.parent) as scratch:
        raw, made = Path(scratch) / "sound.pcm", Path(scratch) / recording.path.name
        sound.tofile(raw)
        encode(raw, made, recording.started_s)
        made.replace(recording.path)
    return float(silent.sum()) / RATE_HZ


def decoded(path: Path) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Mono, 16 bit, 48 kHz."""
    import av

    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
    with av.open(str(path)) as file:
        frames = [part for frame in file.decode(audio=0) for part in resampler.resample(frame)]
        frames += resampler.resample(None)
    return np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames] or [np.zeros(0)]).astype(np.int16)


async def mine(store: Keepsakes, game: str, seat: Seat, folder: Path | None, out: Path) -> dict[str, int]:
    """A zip of what is kept of this seat: name, words and how they were read, acts; as sound what it said aloud."""
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
        clips = list(_clips(aloud, folder, seat, Path(scratch)))
        for clip in clips:
            archive.write(clip, f"sound/{clip.name}")
    return {"words": len(said), "acts": len(acts), "sounds": len(clips)}


def _lines(rows: Iterable[object]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False, default=str) + "\n" for row in rows)


def _clips(said: Sequence[Utterance], folder: Path | None, seat: Seat, out: Path) -> Iterable[Path]:
    """Each line that is in a recording, from his own where there is one."""
    sources = [*recordings(folder, f"seat-{seat}"), *recordings(folder)]
    for number, line in enumerate(said):
        found = holding(sources, max(0.0, line.started_s - AROUND_S))
        if found is not None:
            recording, second = found
            clip = out / f"{number:04d}.ogg"
            cut(recording.path, second, second + line.ended_s - line.started_s + 2 * AROUND_S, clip)
            yield clip
