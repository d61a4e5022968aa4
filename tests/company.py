"""Nine players who act by key and to a plan: `python company.py TICKETS OUT` plays to the end of a game.

They make a game short, within its rules: they hurry the narrator, end their speeches at once, and vote and shoot alike.
The tenth seat, whoever plays it, is left alone until it has had a ballot and a night. What each has pressed is written
to OUT, one JSON object a line, like the robots' own log (`voice.robots.score` compares it with the game's).
"""

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from moderator.model import SEATS, Role, Seat, Team
from voice.client_livekit import Player
from voice.robots.mind import ROLES
from voice.robots.player import write
from voice.wire import TO_CLIENT, Asked, Do, Line

HURRIES = 2
"""How many steps faster the table hears the narrator."""
LONG_SPEAKERS = (5, 6)
"""The first of them that is here keeps the floor on the first day, so that somebody can interrupt."""
LONG_S = 9.0
PRESS_S = 0.15


class Company:
    """What the nine know together, and what they agree on."""

    def __init__(self, seats: list[Seat]) -> None:
        (self.guest,) = set(SEATS) - set(seats)
        self.roles: dict[Seat, Role] = {}
        self.alive = set(SEATS)
        self.candidates: list[Seat] = []
        self.day = -1
        self.ballots = 0
        self.interrupted = asyncio.Event()

    def hear(self, seat: Seat, line: Line) -> None:
        """A public line is counted once, as the lowest of the nine hears it."""
        if line.private:
            self.roles |= {seat: ROLES[line.key]} if line.key in ROLES else {}
            return
        if seat != min(self.roles, default=seat):
            return
        named = line.args.get("seat")
        match line.key:
            case "night":
                self.day, self.ballots, self.candidates = self.day + 1, 0, []
            case "nominated":
                self.candidates.append(int(str(named)))
            case "left" | "morning":
                self.alive.discard(int(str(named)))
            case "floor-back":
                self.interrupted.set()

    @property
    def town(self) -> list[Seat]:
        """The living of the nine that are no mafiosi."""
        return sorted(s for s, role in self.roles.items() if s in self.alive and role.team is Team.TOWN)

    @property
    def to_leave(self) -> Seat:
        """By the vote: on the second day the guest, where he is of the town, so that he has a farewell."""
        mafia = [role for role in self.roles.values() if role.team is Team.MAFIA]
        return self.guest if self.day > 0 and len(mafia) == 3 and self.guest in self.alive else self.town[-1]

    def nominates(self) -> Seat | None:
        """One who is to leave, and one more: a single name is no vote on the first day."""
        others = [seat for seat in (self.to_leave, *sorted(self.roles)) if seat in self.alive]
        free = [seat for seat in others if seat not in self.candidates]
        return free[0] if self.to_leave not in self.candidates or len(self.candidates) < 2 else None

    def checks(self, seat: Seat) -> Seat:
        return min(other for other in self.alive if other not in (seat, self.guest))


class Member:
    def __init__(self, seat: Seat, company: Company, note: Callable[[dict[str, Any]], None]) -> None:
        self.seat, self.company, self.note = seat, company, note
        self.client = Player(dtx=True)
        self.hurried = False
        self._turn: asyncio.Task[None] | None = None

    async def play(self, ticket: dict[str, Any]) -> None:
        self.client.listen(lambda _frame: None, self.on_message)
        await self.client.join(ticket["url"], ticket["token"])
        await self.client.left.wait()
        await self.client.leave()

    def on_message(self, body: bytes) -> None:
        message = TO_CLIENT.validate_json(body)
        if isinstance(message, Line):
            self.company.hear(self.seat, message)
        if isinstance(message, Line) and not self.hurried:
            self.hurried = True
            self._turn = asyncio.create_task(self.hurry())
        elif isinstance(message, Asked):
            self._turn = asyncio.create_task(self.answer(message.what))

    async def hurry(self) -> None:
        for _ in range(HURRIES):
            await self.press(Do(what="ask", name="faster"))

    async def answer(self, what: str) -> None:
        company = self.company
        match what:
            case "speech":
                if (seat := company.nominates()) is not None:
                    await self.digit(seat, "nomination")
                await self.keep_the_floor()
                await self.press(Do(what="end_speech"))
            case "split_speech" | "farewell":
                await self.press(Do(what="end_speech"))
            case "ballot":
                company.ballots = max(company.ballots, 1)
                await self.digit(company.to_leave, "vote")
            case "shots":
                await self.digit(company.town[0], "shot")
            case "don_check" | "sheriff_check":
                await self.digit(company.checks(self.seat), "check")

    async def keep_the_floor(self) -> None:
        speaker = next(seat for seat in LONG_SPEAKERS if seat != self.company.guest)
        if self.seat == speaker and self.company.day == 0:
            try:
                await asyncio.wait_for(self.company.interrupted.wait(), LONG_S)
            except TimeoutError:
                return

    async def digit(self, seat: Seat, task: str) -> None:
        meant = {"task": task, "seat": self.seat, "targets": [seat], "day": self.company.day}
        self.note({**meant, "round": self.company.ballots if task == "vote" else 0})
        await self.press(Do(what="digit", seat=seat))

    async def press(self, do: Do) -> None:
        await asyncio.sleep(PRESS_S)
        await self.client.send(do)


async def main() -> None:
    tickets = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    company, note = Company([ticket["seat"] for ticket in tickets]), write(sys.argv[2])
    await asyncio.gather(*(Member(ticket["seat"], company, note).play(ticket) for ticket in tickets))
    await asyncio.sleep(0.5)


if __name__ == "__main__":
    asyncio.run(main())
