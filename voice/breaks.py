"""A break of the whole table: more than half of the living ask for it within half a minute, each in his own booth.

It begins in a speech (a vote under way is finished first), never at night, and ends when more than half want to go on,
or after `Rules.break_s`. Before the clock runs again the table is told where the game stands.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from moderator import queries
from moderator.commands import Resume, Suspend
from moderator.model import Phase, Refusal, Seat
from moderator.narration import Arg, Cue, Priority
from moderator.queries import ANSWER_EXPIRES_S
from moderator.view import view
from voice.parts import Host, Speaker
from voice.routing import floor_holder

ASK_WITHIN_S = 30.0
"""A wish for a break counts this long."""
LOOK_EVERY_S = 0.2


class Breaks:
    """`start` runs something beside the loop, until the game is over."""

    def __init__(self, host: Host, speaker: Speaker, start: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._host, self._speaker, self._start = host, speaker, start
        self._asked: dict[Seat, float] = {}
        """When each seat last asked for a break."""
        self._enough: set[Seat] = set()
        """Who wants to go on."""
        self._due = self.on = False
        """`on`: the table is on a break."""
        self._over = asyncio.Event()

    def ask(self, seat: Seat) -> None:
        """This seat wants a break. It is told how many want one; the others are told once that somebody does."""
        state, now = self._host.state, self._host.now()
        if seat not in state.alive or self._due:
            return
        if state.rules.break_s == 0 or state.phase is not Phase.DAY or state.suspended_at is not None:
            self._tell(seat, "break-none" if state.rules.break_s == 0 else "break-not-now")
            return
        first = not self._wanting(now)
        self._asked[seat] = now
        wanting, needed = len(self._wanting(now)), self._majority()
        self._tell(seat, "break-asked", votes=wanting, needed=needed)
        if wanting >= needed:
            self._due = True
            self._start(self._hold())
        elif first:
            for other in state.alive:
                if other not in (seat, floor_holder(state, now)):
                    self._tell(other, "break-wanted")

    def end(self, seat: Seat) -> None:
        """During a break this seat wants to go on; otherwise nothing."""
        if not self.on or seat not in self._host.state.alive:
            return
        self._enough.add(seat)
        self._tell(seat, "break-over", votes=len(self._enough), needed=self._majority())
        if len(self._enough) >= self._majority():
            self._over.set()

    def _wanting(self, now: float) -> list[Seat]:
        return [seat for seat in self._host.state.alive if now - self._asked.get(seat, -ASK_WITHIN_S) < ASK_WITHIN_S]

    def _majority(self) -> int:
        return len(self._host.state.alive) // 2 + 1

    # --- the break itself -------------------------------------------------------------------------

    async def _hold(self) -> None:
        try:
            if await self._speech_is_open() and await self._suspended():
                await self._last()
        finally:
            self._due = self.on = False
            self._asked.clear()
            self._enough.clear()
            self._over.clear()

    async def _speech_is_open(self) -> bool:
        """Wait for one, without interruption or motion; False when night falls before."""
        while self._host.state.phase is Phase.DAY:
            state = self._host.state
            if floor_holder(state, self._host.now()) is not None and state.interpellation is None:
                return True
            await self._host.sleep(LOOK_EVERY_S)
        return False

    async def _suspended(self) -> bool:
        done = await self._host.submit(Suspend(at=self._host.now()))
        self.on = not isinstance(done, Refusal) and bool(done)
        return self.on

    async def _last(self) -> None:
        """Until it is over; the clock runs again when everybody has heard where the game stands."""
        length_s = self._host.state.rules.break_s
        await self._host.say(Cue("break-call", {"seconds": round(length_s)}))
        until = asyncio.ensure_future(self._host.sleep(length_s))
        over = asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait((until, over), return_when=asyncio.FIRST_COMPLETED)
        finally:
            until.cancel()
            over.cancel()
        anybody = view(self._host.state, self._host.state.alive[0])
        for cue in queries.recap(anybody, self._host.state.rules, self._host.now()):
            await self._host.say(cue)
        await self._host.submit(Resume(at=self._host.now()))

    def _tell(self, seat: Seat, key: str, **args: Arg) -> None:
        self._speaker.say(Cue(key, args, frozenset({seat}), Priority.LOW, ANSWER_EXPIRES_S))
