"""Fair play at the table (S22): what is heard to break it is noticed, and a player may take up the motion offered.

When a notice is said, how often, and which motion it offers, is the rules' business (`moderator.conduct`); here words
become commands. A notice needs words that the whole table heard; whoever takes it up needs no more than a word.
"""

import asyncio
from typing import Protocol

from moderator.commands import Command, Move, Notice
from moderator.events import Event
from moderator.model import SEATS, Phase, Refusal, Seat
from moderator.state import GameState
from voice.dialogue import Heard
from voice.grammar.conduct import accepts
from voice.parts import Reader
from voice.ports import Lang


class Desk(Protocol):
    """What fair play may do at the table."""

    async def submit(self, command: Command) -> list[Event] | Refusal: ...


class FairPlay:
    def __init__(self, desk: Desk, reader: Reader, lang: Lang) -> None:
        self.desk, self.reader, self.lang = desk, reader, lang
        self._reading: dict[Seat, set[asyncio.Task[None]]] = {seat: set() for seat in SEATS}

    def hear(self, heard: Heard, state: GameState, *, aloud: bool) -> None:
        """Words are read beside whatever else comes of them. `aloud`: others heard them."""
        if aloud and state.phase is Phase.DAY and state.rules.notices:
            task = asyncio.create_task(self._read(heard))
            self._reading[heard.seat].add(task)
            task.add_done_callback(self._reading[heard.seat].discard)

    async def heard_out(self, seat: Seat) -> None:
        """All that the seat has said was read: its speech may end."""
        if self._reading[seat]:
            await asyncio.wait(self._reading[seat])

    def close(self) -> None:
        for reading in self._reading.values():
            for task in reading:
                task.cancel()

    async def _read(self, heard: Heard) -> None:
        offences = tuple(breach.offence for breach in await self.reader.conduct(self.lang, heard.text) if breach.sure)
        if offences:
            await self.desk.submit(Notice(at=heard.ended_s, seat=heard.seat, offences=offences))

    async def takes_up(self, heard: Heard, state: GameState) -> bool:
        """True: the words took up a motion, and are for nothing else. Of several offers it is the last one said."""
        if state.phase is not Phase.DAY or not state.offered or state.motion is not None:
            return False
        if not accepts(self.lang, heard.text):
            return False
        accused, kind = list(state.offered.items())[-1]
        moved = await self.desk.submit(Move(at=heard.ended_s, seat=heard.seat, kind=kind, accused=accused))
        return not isinstance(moved, Refusal)
