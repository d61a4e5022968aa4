"""The robots' process: ten ordinary clients of the LiveKit server, one seat each.

`python -m voice.robots --tickets FILE --seed N --lang fr --out DIR`. FILE holds the tickets, as an organiser would
hand them out. The process ends when the moderator has closed the booths.
"""

import argparse
import asyncio
import faulthandler
import json
import logging
import sys
from pathlib import Path
from typing import Any

from moderator.model import SEATS
from voice.client_livekit import Player
from voice.robots.mind import Mind
from voice.robots.player import RobotPlayer, write
from voice.robots.speech import LATER, Voices

log = logging.getLogger(__name__)

REJOINS = 5
REJOIN_S = 2.0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m voice.robots", description="Ten robot players.")
    parser.add_argument("--tickets", required=True, type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--lang", default="fr", choices=("fr", "en", "ru"))
    parser.add_argument("--out", required=True, type=Path)
    return parser.parse_args()


async def play_seat(mind: Mind, args: argparse.Namespace, voices: Voices, note: Any) -> None:
    """Join, play, and join again when the line drops before the table closes."""
    seat, client = mind.seat, Player(dtx=True)
    robot = RobotPlayer(seat, mind, voices, client, note)
    for attempt in range(REJOINS):
        tickets = {row["seat"]: row for row in json.loads(args.tickets.read_text(encoding="utf-8"))}
        client.listen(robot.on_frame, robot.on_message)
        try:
            await client.join(tickets[seat]["url"], tickets[seat]["token"])
        except ConnectionError as refused:
            log.info("seat %d: refused (%s)", seat, refused)
            if attempt and mind.role is not None:
                return
        else:
            await client.left.wait()
        await client.leave()
        await asyncio.sleep(REJOIN_S)
        robot.mouth = client = Player(dtx=True)


async def run(args: argparse.Namespace) -> None:
    voices = Voices(args.lang)
    await voices.open()
    note = write(args.out / "intents.jsonl")
    minds = [Mind(seat, args.seed, args.lang) for seat in SEATS]
    for texts in zip(*(mind.rehearsal() for mind in minds), strict=True):
        for seat, text in zip(SEATS, texts, strict=True):
            voices.prepare(seat, text, LATER)
    while not args.tickets.exists():  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.2)
    try:
        await asyncio.gather(*(play_seat(mind, args, voices, note) for mind in minds))
    finally:
        await voices.close()


def main() -> int:
    faulthandler.enable()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    asyncio.run(run(parse()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
