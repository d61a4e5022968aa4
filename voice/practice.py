"""A round to practise: one guest and nine robots, at a table like any other but for the lesson before the deal.

The guest is the Sheriff, so that he is whispered to and asks in private; he speaks third, so that he hears first how it
is done. The narrator tells him before each step how to answer (the detail "novice").
"""

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
from voice.ports import Lang

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
