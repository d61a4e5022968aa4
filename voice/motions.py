"""Opening a motion by voice: "faute technique pour le neuf, insulte"; and giving up: "j'abandonne la partie".

The player is asked back once, in his own booth: a motion stops the game for everybody and may be moved once a day, and
who gives up is out, so a sentence never does either by itself.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from moderator import narration
from moderator.commands import GiveUp, Move
from moderator.model import Refusal, Seat
from moderator.narration import Cue
from voice.dialogue import ANSWER_S, UNDERSTAND_S, Desk, Heard
from voice.grammar import clauses
from voice.intents import GIVE_UP, Moved, sentences
from voice.parts import Speaker
from voice.ports import ActKind, Lang, Task


@dataclass(frozen=True, slots=True)
class Wish:
    kind: Moved
    accused: Seat | None

    def command(self, at: float, seat: Seat) -> Move | GiveUp:
        if self.kind == GIVE_UP:
            return GiveUp(at=at, seat=seat)
        return Move(at=at, seat=seat, kind=self.kind, accused=self.accused)

    def question(self, seat: Seat) -> Cue:
        return (
            narration.ask_give_up(seat) if self.kind == GIVE_UP else narration.ask_motion(seat, self.kind, self.accused)
        )


def read(lang: Lang, text: str) -> Wish | None:
    """What the first clause moves (after the narrator's name or politeness); the reason behind it is not read."""
    if "?" in text:
        return None
    for clause, seats in clauses(lang, text):
        kind = sentences(lang).motion(clause)
        if kind is not None and len(seats) <= 1:
            return Wish(kind, seats[0] if seats else None)
        if not sentences(lang).is_around(clause):
            return None
    return None


class MotionsByVoice:
    """`start` runs something beside the loop, until the game is over."""

    def __init__(
        self, desk: Desk, speaker: Speaker, start: Callable[[Coroutine[Any, Any, None]], None], lang: Lang
    ) -> None:
        self._desk, self._speaker, self._start, self._lang = desk, speaker, start, lang
        self._asked: dict[Seat, Wish] = {}
        """Whose answer is awaited."""

    def asks(self, seat: Seat) -> bool:
        return seat in self._asked

    async def hear(self, heard: Heard) -> bool:
        """True: the words moved something, or answered the question, and are for nothing else."""
        if heard.seat in self._asked and await self._answered(heard, self._asked[heard.seat]):
            return True
        wish = None if heard.doubtful else read(self._lang, heard.text)
        if wish is None:
            return False
        refusal = self._desk.refusal(wish.command(self._desk.now(), heard.seat))
        if refusal is None:
            self._asked[heard.seat] = wish
            self._start(self._ask(heard.seat, wish))
        else:
            self._refuse(refusal, heard.seat, wish.accused)
        return True

    async def _answered(self, heard: Heard, wish: Wish) -> bool:
        """Yes opens it, another number opens it against that seat, no forgets it."""
        proposal = await self._desk.understand(Task.CONFIRM, heard.seat, heard.text, wish.accused)
        kinds = {act.kind for act in proposal.acts}
        if proposal.ask or heard.doubtful or not kinds:
            return False
        if self._asked.pop(heard.seat, None) is None:
            return True
        others = [act.seat for act in proposal.acts if act.seat is not None]
        if others and wish.accused is not None:
            wish = Wish(wish.kind, others[0])
        elif ActKind.YES not in kinds:
            self._speaker.say(narration.nothing_noted(heard.seat))
            return True
        moved = await self._desk.submit(wish.command(self._desk.now(), heard.seat))
        if isinstance(moved, Refusal):
            self._refuse(moved, heard.seat, wish.accused)
        return True

    async def _ask(self, seat: Seat, wish: Wish) -> None:
        await self._speaker.say(wish.question(seat)).heard()
        self._desk.ask(seat, wish.accused, ANSWER_S)
        await self._desk.sleep(ANSWER_S)
        if self._desk.busy(seat):
            await self._desk.sleep(UNDERSTAND_S)
        if self._asked.get(seat) is wish:
            del self._asked[seat]
            self._speaker.say(narration.nothing_noted(seat))

    def _refuse(self, refusal: Refusal, seat: Seat, accused: Seat | None) -> None:
        cue = narration.refused(refusal.code, seat, accused)
        if cue is not None:
            self._speaker.say(cue)
