"""Typed words of a player who does not speak: a voice says them for the others in his turn, and they count as said.

They go the way of his microphone (`Ears.say_for`), so nobody hears them whom his voice would not reach. A sentence that
does not fit into the time that is left is refused before its first word, and so is one out of turn.
"""

import logging
import re
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

import numpy as np

from moderator import narration
from moderator.model import SEATS, RefusalCode, Seat, Step
from voice.dialogue import Heard
from voice.parts import Listening, Speaker
from voice.ports import RATE_HZ, Pcm
from voice.utterances import utterance_id

log = logging.getLogger(__name__)

WAITING = 12
"""So many sentences of one seat may wait to be spoken."""
SENTENCE = re.compile(r"[^.!?…]+[.!?…]*")
NO_VOICE: Pcm = np.zeros(RATE_HZ // 2, dtype=np.int16)
"""Where a voice fails the words are captioned all the same."""
LOOK_S = 0.02


class Host(Listening, Protocol):
    """The table."""

    async def take_words(self, said: Heard, utterance: int, audience: frozenset[Seat]) -> None:
        """Words of a seat that `audience` has heard: they are captioned, kept and understood."""
        ...


class TypedWords:
    """Each seat's sentences, one after the other. `start` runs something beside the loop."""

    def __init__(self, host: Host, speaker: Speaker, start: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._host, self._speaker, self._start = host, speaker, start
        self._waiting: dict[Seat, deque[str]] = {seat: deque() for seat in SEATS}

    def busy(self, seat: Seat) -> bool:
        """Something typed in time is not spoken yet."""
        return bool(self._waiting[seat])

    def take(self, seat: Seat, text: str) -> None:
        """What a client has sent. Refusals are for him alone."""
        sentences = [found.strip() for found in SENTENCE.findall(text) if found.strip()]
        waiting = self._waiting[seat]
        if not self._host.heard_by(seat):
            self._refuse(seat, RefusalCode.NOT_YOUR_TURN)
        elif len(waiting) + len(sentences) > WAITING:
            self._refuse(seat, RefusalCode.TOO_SOON)
        elif sentences:
            waiting += sentences
            if len(waiting) == len(sentences):
                self._start(self._speak_all(seat))

    async def _speak_all(self, seat: Seat) -> None:
        """Until there are no more, or his turn is over."""
        waiting, step = self._waiting[seat], self._host.state.step
        try:
            while waiting and self._turn_of(step) and await self._speak(seat, waiting[0]):
                waiting.popleft()
        finally:
            waiting.clear()

    async def _speak(self, seat: Seat, text: str) -> bool:
        """Whether the sentence was spoken to its end."""
        sound, ears, step = await self._sound(seat, text), self._host.ears, self._host.state.step
        audience = self._host.heard_by(seat)
        if ears is None or not audience:
            self._refuse(seat, RefusalCode.NOT_YOUR_TURN)
            return False
        began_s = self._host.now()
        if began_s + len(sound) / RATE_HZ >= self._ends_at(seat):
            self._refuse(seat, RefusalCode.TOO_LATE)
            return False
        ears.say_for(seat, sound)
        while ears.unsaid_s(seat) and self._turn_of(step):
            await self._host.sleep(LOOK_S)
        if not self._turn_of(step):
            ears.hush(seat)
            return False
        await self._host.take_words(Heard(seat, text, began_s, self._host.now()), utterance_id(began_s), audience)
        return True

    def _ends_at(self, seat: Seat) -> float:
        """When the others stop hearing him."""
        state = self._host.state
        if state.interpellation is not None and state.interpellation[0] == seat:
            return state.interpellation[1]
        return 0.0 if state.step is None or state.step.ends_at is None else state.step.ends_at

    def _turn_of(self, step: Step | None) -> bool:
        """Whether the step still runs; its own clock may have been moved meanwhile."""
        now = self._host.state.step
        return now is not None and step is not None and (now.kind, now.seat) == (step.kind, step.seat)

    async def _sound(self, seat: Seat, text: str) -> Pcm:
        try:
            return await self._speaker.voice_of(seat, text)
        except Exception as failure:
            log.warning("typed words have no sound: %s", type(failure).__name__)
            return NO_VOICE

    def _refuse(self, seat: Seat, code: RefusalCode) -> None:
        cue = narration.refused(code, seat, None)
        if cue is not None:
            self._speaker.say(cue)
