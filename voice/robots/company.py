"""Nine robots who play a short game with one guest: by key, to a plan, and at the tables for practice aloud.

`python -m voice.robots.company --tickets FILE --guest SEAT --out DIR` plays to the end of the game. They make it short
within its rules: they hurry the narrator, speak briefly, and vote and shoot alike. The guest is left alone until he has
had a ballot and a night; then, where he is of the town, he is voted out, so that he has a farewell. What each of them
does is written to DIR/did.jsonl, as the other robots write their intents (`voice.robots.score`).
"""

import argparse
import asyncio
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from moderator.model import SEATS, Role, Seat, Team
from voice.client_livekit import Player
from voice.config import read_yaml
from voice.ports import Lang
from voice.robots.mind import ROLES
from voice.robots.player import write
from voice.robots.speech import Voices
from voice.wire import TO_CLIENT, Asked, Do, Line

LONG_SPEAKERS = (5, 6)
"""The first of them that is here keeps the floor on the first day, so that somebody can interrupt."""
LEFT_S = 2.0
"""So much of his time he leaves, where nobody does."""
PRESS_S = 0.15
UNDERSTOOD_S = 6.0
"""A nomination that was said and not taken down by then is pressed."""


class Company:
    """What the nine know together, and what they agree on."""

    def __init__(self, guest: Seat) -> None:
        self.guest = guest
        self.roles: dict[Seat, Role] = {}
        self.alive = set(SEATS)
        self.candidates: list[Seat] = []
        self.day = -1
        self.ballots = 0
        self.interrupted = asyncio.Event()
        self.nominated = asyncio.Event()

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
                self.nominated.set()
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
    def __init__(
        self, seat: Seat, company: Company, note: Callable[[dict[str, Any]], None], hurries: int, mouth: "Mouth | None"
    ) -> None:
        """`hurries`: how many steps faster he wants the narrator; `mouth` None: he acts by key alone."""
        self.seat, self.company, self.note, self.mouth = seat, company, note, mouth
        self.client = Player(on_message=self.on_message, dtx=True)
        self._hurries = hurries
        self._turn: asyncio.Task[None] | None = None

    async def play(self, ticket: dict[str, Any]) -> None:
        await self.client.join(ticket["url"], ticket["token"])
        await self.client.left.wait()
        await self.client.leave()

    def on_message(self, body: bytes) -> None:
        message = TO_CLIENT.validate_json(body)
        if isinstance(message, Line):
            self.company.hear(self.seat, message)
        if isinstance(message, Line) and self._hurries:
            self._turn = asyncio.create_task(self.hurry(self._hurries))
            self._hurries = 0
        elif isinstance(message, Asked):
            self._turn = asyncio.create_task(self.answer(message))

    async def hurry(self, steps: int) -> None:
        for _ in range(steps):
            await self.press(Do(what="ask", name="faster"))

    async def answer(self, asked: Asked) -> None:
        company = self.company
        match asked.what:
            case "speech":
                if (seat := company.nominates()) is not None:
                    await self.nominate(seat)
                await self.keep_the_floor(asked.time_s - LEFT_S)
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

    async def nominate(self, seat: Seat) -> None:
        self.company.nominated.clear()
        if self.mouth is None or not self.mouth.ready:
            await self.digit(seat, "nomination")
            return
        await self.mouth.nominate(self.client, self.seat, seat)
        try:
            await asyncio.wait_for(self.company.nominated.wait(), UNDERSTOOD_S)
        except TimeoutError:
            await self.digit(seat, "nomination")

    async def keep_the_floor(self, most_s: float) -> None:
        speaker = next(seat for seat in LONG_SPEAKERS if seat != self.company.guest)
        if self.seat == speaker and self.company.day == 0:
            try:
                await asyncio.wait_for(self.company.interrupted.wait(), most_s)
            except TimeoutError:
                return

    async def digit(self, seat: Seat, task: str) -> None:
        meant = {"task": task, "seat": self.seat, "targets": [seat], "day": self.company.day}
        self.note({**meant, "round": self.company.ballots if task == "vote" else 0})
        await self.press(Do(what="digit", seat=seat))

    async def press(self, do: Do) -> None:
        await asyncio.sleep(PRESS_S)
        await self.client.send(do)


class Mouth:
    """Their voices: each who nominates says it in the table's formula. Nobody waits for them to be `ready`."""

    def __init__(self, lang: Lang) -> None:
        self._voices, self._phrases = Voices(lang), read_yaml("prompts", f"robots.{lang}.yaml")
        self.ready = False

    async def open(self) -> None:
        await self._voices.open()
        self.ready = True

    async def close(self) -> None:
        await self._voices.close()

    async def nominate(self, client: Player, seat: Seat, target: Seat) -> None:
        words = f"{self._phrases['opinion'][0]} {self._phrases['nominate'][0]}"
        number = self._phrases["numbers"][target - 1]
        client.say(await self._voices.speak(seat, words.format(a=number, t=number)))
        await client.said()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m voice.robots.company", description="Nine robots for one guest.")
    parser.add_argument("--tickets", required=True, type=Path, help="of all seats, or of the nine")
    parser.add_argument("--guest", required=True, type=int, choices=SEATS, help="the seat that is not theirs")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--lang", default="fr", choices=("fr", "en", "ru"))
    parser.add_argument("--hurries", type=int, default=0, help="steps by which the table hears the narrator faster")
    parser.add_argument("--aloud", action="store_true", help="nominate by voice")
    return parser.parse_args()


async def run(args: argparse.Namespace) -> None:
    rows = json.loads(args.tickets.read_text(encoding="utf-8"))
    tickets = {row["seat"]: row for row in rows if row["seat"] != args.guest}
    company, note = Company(args.guest), write(args.out / "did.jsonl")
    mouth = Mouth(args.lang) if args.aloud else None
    opening = asyncio.create_task(mouth.open()) if mouth is not None else None
    try:
        members = {seat: Member(seat, company, note, args.hurries, mouth) for seat in tickets}
        await asyncio.gather(*(members[seat].play(ticket) for seat, ticket in tickets.items()))
    finally:
        if mouth is not None and opening is not None:
            opening.cancel()
            await mouth.close()
    await asyncio.sleep(PRESS_S)


def main() -> int:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    asyncio.run(run(parse()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
