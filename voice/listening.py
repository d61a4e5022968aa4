"""A long sound file to lines of a transcript: as much at a time as the recogniser can take, from where it stopped.

What was heard so far lies beside the file, `NAME.<start of its SHA-256>.heard.jsonl`: a line of settings, then a line
for each utterance. The same file heard with the same settings goes on from there.
"""

import asyncio
import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voice.hearing import prompt_for
from voice.ports import Clip, Hint, Lang, Task, Transcriber, Transcript
from voice.transcribe import Sound

FORMAT = 1
DIGEST_CHARS = 12
EXPECTED = (Task.NOMINATION, Task.TESTAMENT, Task.CLAIMS)
"""What is said in the speeches of a game, of which nobody tells where they begin."""
AHEAD = 4
"""Clips that wait for the recogniser: enough to keep every worker busy, few enough for any length."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One utterance of a file, in its seconds; `text` "": nothing was said."""

    started_s: float
    ended_s: float
    text: str
    confidence: float


class Kept:
    """The results that lie beside the file."""

    def __init__(self, file: Path, settings: dict[str, Any]) -> None:
        self.path = file.with_name(f"{file.name}.{digest(file)[:DIGEST_CHARS]}.heard.jsonl")
        self._head = json.dumps({"format": FORMAT, **settings}, sort_keys=True)

    def load(self) -> list[Piece]:
        """Those that can be used; a line that was cut off is heard again."""
        pieces: list[Piece] = []
        lines = self.path.read_text(encoding="utf-8").splitlines() if self.path.is_file() else []
        for line in lines[1:] if lines[:1] == [self._head] else []:
            try:
                pieces.append(Piece(**json.loads(line)))
            except (ValueError, TypeError):
                break
        whole = "".join(f"{line}\n" for line in (self._head, *map(_line, pieces)))
        self.path.write_text(whole, encoding="utf-8")
        return pieces

    def add(self, piece: Piece) -> None:
        with self.path.open("a", encoding="utf-8") as out:
            out.write(f"{_line(piece)}\n")


def _line(piece: Piece) -> str:
    return json.dumps({name: getattr(piece, name) for name in Piece.__dataclass_fields__}, ensure_ascii=False)


def digest(file: Path) -> str:
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


async def listen(
    file: Path,
    lang: Lang,
    transcriber: Transcriber,
    settings: dict[str, Any],
    cuts_s: Sequence[float] = (),
    heard_until: Callable[[float], None] = lambda _: None,
) -> list[Piece]:
    """What was said, in order. `settings`: what else the result depends on. `heard_until` gets seconds of the file.

    Raises `SoundError`.
    """
    hint = Hint(lang, " ".join(prompt_for(task, lang) for task in EXPECTED))
    told = {"lang": lang, "prompt": hint.prompt, "cuts_s": list(cuts_s)}
    kept = await asyncio.to_thread(Kept, file, {**settings, **told})
    pieces = kept.load()
    known, waiting = len(pieces), deque[tuple[Clip, asyncio.Task[Transcript]]]()

    async def take() -> None:
        clip, words = waiting.popleft()
        found = await words
        pieces.append(Piece(round(clip.started_s, 3), round(clip.ended_s, 3), found.text, round(found.confidence, 3)))
        kept.add(pieces[-1])
        heard_until(clip.ended_s)

    clips = _each(Sound(file).clips(cuts_s))
    while (clip := await asyncio.to_thread(next, clips, None)) is not None:
        if known:
            known -= 1
            heard_until(clip.ended_s)
            continue
        waiting.append((clip, asyncio.create_task(transcriber.transcribe(clip, hint))))
        while len(waiting) >= AHEAD:
            await take()
    while waiting:
        await take()
    return [piece for piece in pieces if piece.text]


def _each(batches: Iterator[list[Clip]]) -> Iterator[Clip]:
    for batch in batches:
        yield from batch
