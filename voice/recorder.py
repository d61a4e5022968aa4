"""Writes down what the gallery hears, each voice apart: no private word of anybody, and no meeting of the mafia.

While the game runs the sound stays raw, which costs nothing; `takes.finish` encodes it when the game is over. Each
frame lies at its own place of its file, so that a process that is killed leaves all that was heard, and when.
"""

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from moderator.model import Seat
from voice.home import write_private
from voice.ports import FRAME_S, FRAME_SAMPLES, Pcm
from voice.takes import NARRATOR, Take, voice_of

log = logging.getLogger(__name__)

FRAME_BYTES = 2 * FRAME_SAMPLES
SHIFT_S = 0.5
"""The audio loop catches up with less than this; where it does not, the game's clock and the sound went apart."""


class Recorder:
    """Takes 20 ms frames (960 samples at 48 kHz) in order.

    A disk that is full ends the recording, not the game.
    """

    def __init__(self, take: Take, now: Callable[[], float]) -> None:
        """`now`: the game's clock."""
        self._take, self._now = take, now
        self._files: dict[Path, BinaryIO] = {}
        self._began_s: float | None = None
        self._frames = 0
        self._ended = False

    def write(self, voices: Mapping[Seat, Pcm], narrator: Pcm | None) -> None:
        """One frame of those who are heard."""
        if not self._ended:
            with self._recording():
                self._align()
                for seat, pcm in voices.items():
                    self._put(voice_of(seat), pcm)
                if narrator is not None:
                    self._put(NARRATOR, narrator)
                self._frames += 1

    def close(self) -> None:
        with self._recording():
            for file in self._files.values():
                file.close()

    def _align(self) -> None:
        """A stall is silence; a clock that was set back, as when a game is taken up, moves the beginning."""
        began_s = self._now() - self._frames * FRAME_S
        if self._began_s is None or began_s < self._began_s - SHIFT_S:
            self._began_s = began_s
            write_private(self._take.began, began_s)
        elif began_s > self._began_s + SHIFT_S:
            self._frames += round((began_s - self._began_s) / FRAME_S)

    def _put(self, voice: str, pcm: Pcm) -> None:
        path = self._take.path(voice, ".pcm")
        if path not in self._files:
            self._files[path] = path.open("wb", buffering=0)
        self._files[path].seek(self._frames * FRAME_BYTES)
        self._files[path].write(pcm.tobytes())

    @contextlib.contextmanager
    def _recording(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not self._ended:
                log.warning("%s: the recording ends here: %s", self._take.folder, error.strerror)
            self._ended = True
