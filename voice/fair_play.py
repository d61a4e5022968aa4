"""Fair play at the table (S22): what is heard to break it is noticed, and a player may take up the motion offered.

When a notice is said, how often, and which motion it offers, is the rules' business (`moderator.conduct`); here words
become commands. A notice needs words that the whole table heard; whoever takes it up needs no more than a word.
"""

from typing import Protocol

from moderator.commands import Command, Move, Notice
from moderator.events import Event
from moderator.model import Phase, Refusal
from moderator.state import GameState
from voice import conduct
from voice.dialogue import Heard
from voice.grammar.conduct import accepts
from voice.ports import GameClock, Lang


class Desk(Protocol):
    """What fair play may do at the table."""

    async def submit(self, command: Command) -> list[Event] | Refusal: ...


class FairPlay:
    def __init__(self, desk: Desk, clock: GameClock, lang: Lang) -> None:
        self.desk, self.clock, self.lang = desk, clock, lang

    async def hear(self, heard: Heard, state: GameState, *, aloud: bool) -> bool:
        """True: the words took up a motion, and are for nothing else. `aloud`: others heard them."""
        if state.phase is not Phase.DAY:
            return False
        if state.offered and state.motion is None and accepts(self.lang, heard.text):
            return await self._take_up(heard, state)
        if aloud and state.rules.notices:
            found = await self.clock.aside(lambda: conduct.read(self.lang, heard.text))
            offences = tuple(breach.offence for breach in found if breach.sure)
            if offences:
                await self.desk.submit(Notice(at=heard.ended_s, seat=heard.seat, offences=offences))
        return False

    async def _take_up(self, heard: Heard, state: GameState) -> bool:
        """Of several offers the last one that was said."""
        accused, kind = list(state.offered.items())[-1]
        moved = await self.desk.submit(Move(at=heard.ended_s, seat=heard.seat, kind=kind, accused=accused))
        return not isinstance(moved, Refusal)
