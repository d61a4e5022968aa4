"""A round to practise: one guest and nine robots, at a table like any other but for the lesson before the deal.

The guest is the Sheriff, so that he is whispered to and asks in private; he speaks third, so that he hears first how it
is done. The narrator tells him before each step how to answer (the detail "novice").
"""

import asyncio
import contextlib
import os
import random
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from moderator.model import SEATS, Role, Seat
from moderator.narration import Cue
from voice import child
from voice.earcons import Earcon
from voice.home import TICKETS
from voice.parts import Speaker
from voice.ports import Clock, Lang, Room

RULES = "practice"
"""The name of the rules (`configs/practice.yaml`) that make a table one to practise at."""
GUEST: Seat = 3
LESSON = (
    "practice-welcome",
    "practice-sounds",
    *(f"sound-{sound}" for sound in Earcon),
    "practice-speech",
    "practice-vote",
    "practice-private",
    "practice-help",
)
LEAVE_S = (5.0,)
LEFT_S = 30.0
"""When nothing has come from the guest for so long, the round ends: nobody else wants it."""
LOOK_S = 1.0


class GuestLeft(Exception):
    """The round is over before its end."""


def roles() -> dict[Seat, Role]:
    others = [seat for seat in SEATS if seat != GUEST]
    random.SystemRandom().shuffle(others)
    drawn = (Role.DON, Role.MAFIOSO, Role.MAFIOSO, *[Role.CIVILIAN] * 6)
    return {GUEST: Role.SHERIFF, **dict(zip(others, drawn, strict=True))}


async def lesson(speaker: Speaker) -> None:
    """Returns when it has been heard to its end."""
    speaker.set_booth(GUEST, speaker.booth(GUEST).with_detail("novice"))
    for key in LESSON:
        private = frozenset({GUEST}) if key == "practice-private" else None
        await speaker.say(Cue(key, {}, private)).heard()


@contextlib.asynccontextmanager
async def robots(home: Path, lang: Lang) -> AsyncIterator[None]:
    """The nine, from the tickets in `home`; they end with the game."""
    command = [
        sys.executable,
        "-m",
        "voice.robots.company",
        "--tickets",
        str(home / TICKETS),
        "--out",
        str(home),
    ]
    command += ["--guest", str(GUEST), "--lang", lang, "--hurries", "1", "--aloud"]
    process = await child.start(command, {**os.environ}, home / "robots.log")
    try:
        yield
    finally:
        await child.stop(process, LEAVE_S)


@contextlib.asynccontextmanager
async def accompanied(room: Room, clock: Clock) -> AsyncIterator[None]:
    """A block that lasts as long as the guest is there. Raises `GuestLeft` in it."""
    async with asyncio.timeout(None) as patience:
        watching = asyncio.create_task(_watch(room, clock, patience))
        try:
            yield
        except asyncio.CancelledError:
            if patience.expired():
                raise GuestLeft(f"seat {GUEST} was away for {LEFT_S:.0f} s") from None
            raise
        finally:
            watching.cancel()


async def _watch(room: Room, clock: Clock, patience: asyncio.Timeout) -> None:
    """While the service's own line is down nothing is known of the guest, and he has all his time again."""
    here_s = clock.now()
    while not patience.expired():  # what is being closed may take longer than a look
        line = room.presence(GUEST)
        here_s = max(here_s, line.seen_s) if line.ours else clock.now()
        patience.reschedule(asyncio.get_running_loop().time() + here_s + LEFT_S - clock.now())
        await asyncio.sleep(LOOK_S)
