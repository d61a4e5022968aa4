"""What a bad line costs: `moderator bench lines`.

Players behind a relay that drops and delays their packets (`voice.lossy_line`), a real LiveKit server and the
moderator's real booths between. Is a player kept while his packets still come? What is heard of his words by gate,
recogniser and grammar, on the lines of `bench hearing`? How soon is he back when nothing at all came through for a
while? The moderator's own line to the server stays good, as in a data centre.
"""

import asyncio
import contextlib
import json
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from moderator.model import SEATS, Seat
from voice import engines
from voice.bench_hearing import Bench, rows, speak, speakers
from voice.bench_rooms import Monotonic
from voice.client_livekit import Player
from voice.config import load_voice_config
from voice.lines import LOST_S
from voice.lossy_line import LossyLine, Weather, behind_a_lossy_line
from voice.ports import FRAME_S, FRAME_SAMPLES, Lang, Pcm, Room
from voice.room_livekit import LiveKitRoom
from voice.understanding import Understanding

PLAYERS = SEATS[:3]
"""Relay, clients and the moderator share one process here, which must not be what is measured."""
LOSSES = (0.0, 0.05, 0.1, 0.2)
LATE_LOSSES = (0.0, 0.1)
DELAY_S = 0.3
CUTS_S = (3.0, 12.0)
"""Shorter and longer than it takes to call a line lost."""
BACK_S = 60.0
SILENCE: Pcm = np.zeros(FRAME_SAMPLES, dtype=np.int16)
TAIL_S = 1.0
"""What is still under way when the last word has left the microphone."""


async def run(lang: Lang, every: int) -> dict[str, Any]:
    """Figures by the weather of the line. `every`: only every so many lines, in the voices of `bench hearing`.

    Raises `MissingPart`.
    """
    numbered = list(enumerate(rows(lang, "dev")))[::every]
    lines = [row for _, row in numbered]
    figures: dict[str, Any] = {"lang": lang, "lines": len(lines)}
    async with contextlib.AsyncExitStack() as stack:
        voices = await speakers(stack, lang, "robots")
        transcriber = await stack.enter_async_context(engines.transcriber(load_voice_config().stt))
        spoken = await asyncio.gather(*(speak(voices, number, row) for number, row in numbered))
        for weather in (*(Weather(loss) for loss in LOSSES), *(Weather(loss, DELAY_S) for loss in LATE_LOSSES)):
            name = f"{round(100 * weather.loss)} % lost, {round(1000 * weather.delay_s)} ms late"
            with tempfile.TemporaryDirectory() as folder:
                async with behind_a_lossy_line(Path(folder) / "livekit.log") as (server, line):
                    room = LiveKitRoom(server, Monotonic(), {seat: secrets.token_urlsafe(16) for seat in PLAYERS})
                    await room.open()
                    try:
                        arrived, figures[name] = await measured(room, line, weather, spoken)
                    finally:
                        await room.close()
            bench = Bench(lang, lines, arrived, "clean", show=False)
            figures[name] |= await bench.run(transcriber, Understanding())
            print(json.dumps({name: figures[name]}), file=sys.stderr, flush=True)
    return figures


async def measured(
    room: LiveKitRoom, line: LossyLine, weather: Weather, spoken: Sequence[Pcm]
) -> tuple[list[Pcm], dict[str, Any]]:
    """What of the spoken lines the moderator's room gave; and the figures of the lines themselves."""
    line.weather = storm = Weather(weather.loss, weather.delay_s)
    players = {seat: Player(lambda _pcm: None, lambda _body: None) for seat in PLAYERS}
    joins_s = [await joined(room, seat, player) for seat, player in players.items()]
    booths = Booths(room)
    work = asyncio.create_task(booths.run())
    try:
        arrived: list[Pcm] = []
        for start in range(0, len(spoken), len(PLAYERS)):
            arrived += await booths.said(players, spoken[start : start + len(PLAYERS)])
        kept = booths.silent_most_s
        back = {f"back_after_{cut_s:.0f}_s_cut_s": await back_s(room, storm, cut_s) for cut_s in CUTS_S}
    finally:
        work.cancel()
        await asyncio.gather(*(player.leave() for player in players.values()))
    figures = {"join_median_s": statistics.median(joins_s), "join_max_s": max(joins_s), "silent_most_s": kept, **back}
    return arrived, {name: round(figure, 2) for name, figure in figures.items()} | {"ruled_lost": kept >= LOST_S}


async def joined(room: Room, seat: Seat, player: Player) -> float:
    """Seconds until he hears and is heard."""
    began_s, ticket = time.monotonic(), room.ticket(seat)
    await player.join(ticket.url, ticket.token)
    while not player.hears.is_set() or seat not in room.present():  # noqa: ASYNC110 - it comes over the network
        await asyncio.sleep(0.02)
    return time.monotonic() - began_s


class Booths:
    """The moderator's frame loop: keeps what arrives of each seat, and how long a seat gave no sign of life."""

    def __init__(self, room: LiveKitRoom) -> None:
        self._room = room
        self._heard: dict[Seat, list[Pcm]] = {seat: [] for seat in PLAYERS}
        self.silent_most_s = 0.0

    async def run(self) -> None:
        due_s = time.monotonic()
        while True:
            for seat in PLAYERS:
                self._heard[seat] += [frame.pcm for frame in self._room.read(seat)]
                self._room.write(seat, SILENCE)
            now_s = time.monotonic()
            self.silent_most_s = max(
                self.silent_most_s, *(now_s - self._room.presence(seat).seen_s for seat in PLAYERS)
            )
            self._room.receive()
            due_s = max(due_s + FRAME_S, now_s - 0.5)
            await asyncio.sleep(max(0.0, due_s - now_s))

    async def said(self, players: dict[Seat, Player], lines: Sequence[Pcm]) -> list[Pcm]:
        """Seat after seat says a line, all at the same time."""
        seats = PLAYERS[: len(lines)]
        for heard in self._heard.values():
            heard.clear()
        for seat, pcm in zip(seats, lines, strict=True):
            players[seat].say(pcm)
        await asyncio.gather(*(players[seat].said() for seat in seats))
        await asyncio.sleep(TAIL_S)
        return [np.concatenate([SILENCE, *self._heard[seat]]) for seat in seats]


async def back_s(room: LiveKitRoom, storm: Weather, cut_s: float) -> float:
    """Nothing comes through for `cut_s`; then, how long until all give signs of life again."""
    before, storm.loss = storm.loss, 1.0
    await asyncio.sleep(cut_s)
    storm.loss, restored_s = before, time.monotonic()
    while time.monotonic() < restored_s + BACK_S:
        if all(room.presence(seat).seen_s > restored_s for seat in PLAYERS):
            break
        await asyncio.sleep(0.05)
    return time.monotonic() - restored_s
