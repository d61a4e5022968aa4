"""Captions of a sentence that is still being spoken: they grow and never shrink; the final words take their place.

Each time the recogniser is free, what the floor holder has said of his sentence so far is heard. By day alone: at night
nobody is captioned for the table. Growing captions are for the eye: nothing is ruled, stored or answered by them.
"""

import logging
from collections.abc import Callable
from typing import Protocol

from moderator.model import Seat
from voice.parts import Listening
from voice.ports import Hint, Lang, Transcriber
from voice.routing import floor_holder
from voice.utterances import utterance_id
from voice.wire import Caption, Wire

log = logging.getLogger(__name__)

LOOK_S = 0.1
EVERY_S = 0.8
"""A sentence is heard again after this long at the earliest ..."""
REST = 1.0
"""... and after a rest this many times as long as hearing it took, which leaves a slow machine to the final words."""
HELD_BACK = 1
"""The last words of an unfinished sentence are often half heard: so many are not shown yet."""


class Host(Listening, Protocol):
    """The table."""

    @property
    def hears_out(self) -> bool:
        """Words that count wait for the recogniser."""
        ...


class Growth:
    """The words shown of one utterance."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def add(self, heard: str) -> bool:
        """Take what was heard of it so far; whether more is to be shown. Words that were shown stay."""
        words = heard.split()[:-HELD_BACK]
        if len(words) <= len(self.words):
            return False
        self.words += words[len(self.words) :]
        return True


class GrowingCaptions:
    def __init__(self, host: Host, transcriber: Transcriber, lang: Lang, send: Callable[[Seat, Wire], None]) -> None:
        self._host, self._transcriber, self._send = host, transcriber, send
        self._hint = Hint(lang, "", urgent=False)
        self._of: tuple[Seat, int] | None = None
        self._growth = Growth()

    async def run(self) -> None:
        """For ever."""
        while True:
            rest_s = LOOK_S
            try:
                rest_s = await self._look()
            except Exception:
                log.exception("a growing caption was lost")
            await self._host.sleep(rest_s)

    async def _look(self) -> float:
        """Returns how long to rest."""
        seat = floor_holder(self._host.state, self._host.now())
        clip = None if seat is None or self._host.ears is None else self._host.ears.running(seat)
        if seat is None or clip is None or clip.ended_s - clip.started_s < EVERY_S or self._host.hears_out:
            return LOOK_S
        of = (seat, utterance_id(clip.started_s))
        if of != self._of:
            self._of, self._growth = of, Growth()
        began_s = self._host.now()
        heard = await self._transcriber.transcribe(clip, self._hint)
        took_s = self._host.now() - began_s
        if self._growth.add(heard.text):
            text = " ".join(self._growth.words)
            for listener in self._host.heard_by(seat):
                self._send(listener, Caption(seat=seat, text=text, id=of[1], final=False))
        return max(EVERY_S - took_s, REST * took_s)
