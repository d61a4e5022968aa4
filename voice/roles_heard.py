"""Nobody plays a role that he has not heard.

A client reports how much of a line it has played. To one that has played nothing of its role the role is whispered
again; after the second time the table waits for that seat, and hears only which seat it waits for.
"""

from moderator.commands import Resume, Suspend
from moderator.model import Refusal, Seat, StepKind
from moderator.narration import check_headphones, role_again
from voice.parts import Host

WAIT_S = 15.0
"""The table waits at most this long; then the game goes on, and the words are in the client's texts."""


class RolesHeard:
    def __init__(self, host: Host) -> None:
        self._host = host
        self._silent: dict[Seat, int] = {}
        """How often each seat has reported that it heard nothing."""

    async def report(self, seat: Seat, played_ms: int) -> None:
        """What a client says it has played of the line that told its role. Does nothing after the deal."""
        step = self._host.state.step
        if step is None or step.kind is not StepKind.DEAL or seat not in self._host.state.roles:
            return
        if played_ms > 0:
            self._silent.pop(seat, None)
            return
        self._silent[seat] = self._silent.get(seat, 0) + 1
        if self._silent[seat] == 1:
            await self._host.say(role_again(self._host.state, seat))
        elif self._silent[seat] == 2:
            await self._wait_for(seat)

    async def _wait_for(self, seat: Seat) -> None:
        """The clock of the deal stands still; the role is whispered once more when he hears, or when time is up."""
        await self._host.say(check_headphones(seat))
        suspended = await self._host.submit(Suspend(at=self._host.now()))
        if isinstance(suspended, Refusal) or not suspended:
            return
        until_s = self._host.now() + WAIT_S
        while seat in self._silent and self._host.now() < until_s:
            await self._host.sleep(0.2)
        await self._host.submit(Resume(at=self._host.now()))
        await self._host.say(role_again(self._host.state, seat))
