"""Who is on the line. Looks at the booths four times a second and tells the rules who went and who came back.

A line counts as lost five seconds after the client's last sign of life, and the rules remove its seat fifteen seconds
after it. What is not the player's doing costs him nothing: while the service's own side of a booth is down, when most
lines fall silent at once, or when the service itself stood still, the clock of the whole table stands still.
"""

import asyncio
import logging
from typing import Protocol

from moderator.commands import Absent, Command, Resume, Return, Suspend
from moderator.events import Event
from moderator.model import Refusal, Seat
from moderator.narration import Cue, welcome_back
from moderator.state import GameState
from voice.ports import Presence, Room

log = logging.getLogger(__name__)

LOOK_S = 0.25
LOST_S = 5.0
"""No sign of life for this long: the line is lost, and everybody is told."""
THERE_S = 2.0
"""A sign of life within this time: the client is there again."""
WAIT_S = 4.0
"""When the service's own lines are back, so long is waited for those who lost theirs by it."""
STOOD_STILL_S = 2.0
"""Two looks further apart than this: the service itself stood still."""


class Host(Protocol):
    """The table."""

    state: GameState

    async def submit(self, command: Command) -> list[Event] | Refusal: ...
    def tell(self, cue: Cue) -> object: ...
    def remind(self, seat: Seat) -> None: ...
    def now(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class Lines:
    def __init__(self, host: Host, room: Room) -> None:
        self._host, self._room = host, room
        self._looked_s = self._fair_from_s = host.now()
        """No silence before `_fair_from_s` is held against anybody."""
        self._ours_down = False
        self._ours_back_s: float | None = None
        """Since when the service's own lines stand again, while it waits for the players."""
        self._holds = False
        """The clock stands still on our account."""
        self._joins: dict[Seat, int] = {}
        self._looking = asyncio.Lock()

    async def run(self) -> None:
        while not self._host.state.over:
            await self.look()
            await self._host.sleep(LOOK_S)

    async def look(self) -> None:
        """Also called before a deadline is taken for passed: it may be the service that stood still."""
        async with self._looking:
            now_s, before_s = self._host.now(), self._looked_s
            self._looked_s = now_s
            if self._host.state.step is None:
                self._fair_from_s = now_s
                return
            if now_s - before_s > STOOD_STILL_S:
                await self._stood_still(before_s)
            await self._look_at({seat: self._room.presence(seat) for seat in self._host.state.alive})

    async def _stood_still(self, since_s: float) -> None:
        log.warning("the service stood still for %.1f s", self._host.now() - since_s)
        self._fair_from_s = self._host.now()
        if not self._holds:
            await self._hold(since_s)
            await self._release()

    async def _look_at(self, lines: dict[Seat, Presence]) -> None:
        now_s = self._host.now()
        silent_s = {seat: now_s - max(line.seen_s, self._fair_from_s) for seat, line in lines.items()}
        lost = {seat for seat in lines if silent_s[seat] >= LOST_S}
        down = not all(line.ours for line in lines.values()) or 2 * len(lost) > len(lines)
        if down or self._ours_down:
            await self._ours(down, {seat: lines[seat] for seat in lines if seat not in self._host.state.absent})
            return
        for seat in lost - set(self._host.state.absent):
            await self._host.submit(Absent(at=now_s, seat=seat, since=now_s - silent_s[seat]))
        for seat, line in lines.items():
            if seat in self._host.state.absent and silent_s[seat] < THERE_S:
                await self._host.submit(Return(at=now_s, seat=seat))
                self._welcome(seat)
            elif line.joins > self._joins.get(seat, line.joins):
                self._welcome(seat)
            self._joins[seat] = line.joins

    def _welcome(self, seat: Seat) -> None:
        """Into his booth alone: what he may have missed, his role, and what is asked of him."""
        for cue in welcome_back(self._host.state, seat):
            self._host.tell(cue)
        self._host.remind(seat)

    async def _ours(self, down: bool, lines: dict[Seat, Presence]) -> None:
        """The service's own lines are down (`down`), or have come back: who was there is then waited for a while."""
        now_s = self._host.now()
        if down:
            self._ours_back_s = None
            if not self._ours_down:
                log.warning("the lines of the service are down")
                await self._hold(now_s)
        else:
            back_s = self._ours_back_s = now_s if self._ours_back_s is None else self._ours_back_s
            if now_s < back_s + WAIT_S and any(line.seen_s < back_s for line in lines.values()):
                return
            self._fair_from_s, self._ours_back_s = now_s, None
            await self._release()
        self._ours_down = down

    async def _hold(self, at_s: float) -> None:
        held = await self._host.submit(Suspend(at=max(at_s, self._host.state.at)))
        self._holds = bool(held) and not isinstance(held, Refusal)

    async def _release(self) -> None:
        if self._holds and self._host.state.suspended_at is not None:
            await self._host.submit(Resume(at=self._host.now()))
        self._holds = False
