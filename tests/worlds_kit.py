"""One world: a real game process, ten scripted players, and all that one of them receives in the nights."""

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from moderator.model import SEATS, Seat, Team
from voice import demo
from voice.bench_players import ScriptedPlayer, Told
from voice.client_livekit import Player
from voice.game import draw_roles
from voice.lossy_line import LossyLine, behind_a_lossy_line
from voice.ports import RATE_HZ, Pcm

ROOT = Path(__file__).parent.parent
RULES = {
    "name": "turbo",
    "deal_s": 3,
    "meeting_s": 5,
    "greeting_s": 1,
    "speech_s": 10,
    "warn_s": 1,
    "shot_s": 3,
    "check_s": 3,
}
VOICE = {"tts": {"rate_wpm": 450}, "stt": {"workers": 1, "beam": 1}, "llm": {"engine": "none"}}
"""The real ears and voice; he speaks as fast as he can."""
TIME_S = np.arange(2 * RATE_HZ) / RATE_HZ
HUMS = {seat: (1000 * seat * np.sin(2 * np.pi * 110 * seat * TIME_S)).astype(np.int16) for seat in SEATS}
"""What the mafiosi "say" in their meeting, and the speakers in their speeches: sound and no word. Each seat has its own
pitch and loudness, so that it is not all one who is heard."""
NIGHTS = {"meeting-call": "meeting-end", "shots-call": "don-check-call", "don-check-call": "sheriff-check-call"}
MORNING = ("morning", "morning-miss")
LIMIT_S = 200.0


@dataclass(slots=True)
class Received:
    """By one seat: its messages, its sound (energy of each frame), its packets, what the server signalled."""

    seat: Seat
    told: list[Told] = field(default_factory=list)
    energies: list[tuple[float, float]] = field(default_factory=list)
    packets: list[tuple[float, int]] = field(default_factory=list)
    signals: list[tuple[float, str]] = field(default_factory=list)

    def hear(self, pcm: Pcm) -> None:
        self.energies.append((time.monotonic(), float(np.mean(pcm.astype(np.float64) ** 2))))


def other_deal(seed: int, seat: Seat) -> int:
    """Another seed, by which the seat plays the same role, and every mafioso is somebody else."""
    roles = draw_roles(seed)
    mafia = {seat for seat in SEATS if roles[seat].team is Team.MAFIA}
    for other in range(seed + 1, seed + 10_000):
        dealt = draw_roles(other)
        if dealt[seat] is roles[seat] and not mafia & {one for one in SEATS if dealt[one].team is Team.MAFIA}:
            return other
    raise AssertionError("there is no such deal")


async def world(folder: Path, seed: int, witness: Seat) -> Received:
    """From the deal to the morning after the first shots."""
    configs = folder / "data" / "configs"
    configs.mkdir(parents=True)
    (configs / "voice.yaml").write_text(yaml.safe_dump(VOICE))
    (folder / "rules.yaml").write_text(yaml.safe_dump(RULES))
    received = Received(witness)
    async with behind_a_lossy_line(folder / "livekit.log") as (server, line):
        own = {"MODERATOR_DATA": str(folder / "data"), "PYTHONPATH": str(ROOT)}
        options = ["--game", "g", "--home", str(folder), "--rules", str(folder / "rules.yaml"), "--seed", str(seed)]
        command = [sys.executable, "-m", "voice.game", *options]
        async with (
            demo.child(command, {**os.environ, **server.environment(), **own}, folder / "game.log") as game,
            sitting(folder, received, line),
        ):
            deadline_s = time.monotonic() + LIMIT_S
            while not any(told.key in MORNING for told in received.told):
                running = time.monotonic() < deadline_s and game.returncode is None
                assert running, (folder / "game.log").read_text()[-2000:]
                await asyncio.sleep(0.1)
    return received


@contextlib.asynccontextmanager
async def sitting(folder: Path, received: Received, line: LossyLine) -> AsyncIterator[None]:
    async def ticket(seat: Seat) -> tuple[str, str] | None:
        path = folder / "tickets.json"
        rows = json.loads(path.read_text()) if path.exists() else []
        return next(((row["url"], row["token"]) for row in rows if row["seat"] == seat), None)

    def hold_on(told: Told) -> None:
        if told.seat == received.seat:
            received.told.append(told)

    sounds = {seat: dict.fromkeys(SEATS, HUMS[seat]) for seat in SEATS}
    own = received.seat
    players = {
        seat: ScriptedPlayer(
            seat, ticket, sounds[seat], hold_on, received.hear if seat == own else None, 0.3, nominates=False
        )
        for seat in SEATS
    }
    while not (folder / "tickets.json").exists():  # noqa: ASYNC110 - another process writes it
        await asyncio.sleep(0.05)
    moderator = set(line.flows)
    stays = [asyncio.create_task(players[own].stay())]
    while (player := players[own]._player) is None or not player.hears.is_set():  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    flow = max((line.flows[client] for client in set(line.flows) - moderator), key=lambda one: len(one.packets))
    note_signals(player, received)
    stays += [asyncio.create_task(players[seat].stay()) for seat in SEATS if seat != own]
    try:
        yield
    finally:
        received.packets = [(packet.at_s, packet.size) for packet in flow.packets if packet.to == "client"]
        for stay in stays:
            stay.cancel()
        await asyncio.gather(*stays, return_exceptions=True)


def note_signals(player: Player, received: Received) -> None:
    """Whatever the server tells this client, in the library's own words."""
    inside = player._room
    assert inside is not None
    emit = inside.emit

    def noting(event: Any, *args: Any) -> None:
        received.signals.append((time.monotonic(), str(event)))
        emit(event, *args)

    inside.emit = noting  # type: ignore[method-assign]


# --- comparing ------------------------------------------------------------------------------------

SECONDS, MEAN_BYTES, PACKETS, DECIBEL, SHARE, GAPS = 1.0, 0.03, 0.05, 1.0, 0.1, 0.2
"""How far two nights of the same kind may lie apart: the length of a step in seconds; the mean size and the number of
its packets, in parts; the energy of its sound in dB; the sizes and the gaps of its packets as distributions
(Kolmogorov and Smirnov's distance)."""
LAST_S = 0.3
"""A step's last packets may belong to the line that ends it."""


@dataclass(frozen=True, slots=True)
class Night:
    """One step of a night as it was received."""

    messages: list[tuple[str, int]]
    signals: list[str]
    seconds: float
    sizes: np.ndarray[Any, Any]
    gaps_ms: np.ndarray[Any, Any]
    energy_db: float
    """Mean of the frames' own, so that a whisper in the noise counts as much as the narrator."""


def night_of(received: Received, begins: str, ends: str) -> Night:
    begin_s = next(told.at_s for told in received.told if told.key == begins)
    end_s = next(told.at_s for told in received.told if told.key == ends and told.at_s > begin_s)
    told = [one for one in received.told if begin_s <= one.at_s < end_s]
    packets = [(at_s, size) for at_s, size in received.packets if begin_s <= at_s < end_s - LAST_S]
    energies = [energy for at_s, energy in received.energies if begin_s <= at_s < end_s - LAST_S]
    return Night(
        [(one.key or one.message.type, one.size) for one in told],
        sorted({signal for at_s, signal in received.signals if begin_s <= at_s < end_s}),
        end_s - begin_s,
        np.array([size for _, size in packets]),
        1000 * np.diff(sorted(at_s for at_s, _ in packets)),
        float(np.mean(10 * np.log10(np.array(energies) + 1))),
    )


def differences(one: Received, other: Received) -> list[str]:
    """Empty: the two cannot be told apart."""
    found = []
    for begins, ends in NIGHTS.items():
        a, b = night_of(one, begins, ends), night_of(other, begins, ends)
        figures = {
            "messages": float([name for name, _ in a.messages] != [name for name, _ in b.messages]),
            "size of a message": max(
                (
                    abs(x[1] - y[1]) - CLOCK_BYTES * (x[0] == "table")
                    for x, y in zip(a.messages, b.messages, strict=False)
                ),
                default=0,
            ),
            "signals": float(a.signals != b.signals),
            "length": abs(a.seconds - b.seconds) / SECONDS,
            "packets a second": abs(len(a.sizes) / a.seconds / (len(b.sizes) / b.seconds) - 1) / PACKETS,
            "mean size": abs(a.sizes.mean() / b.sizes.mean() - 1) / MEAN_BYTES,
            "sizes": apart(a.sizes, b.sizes) / SHARE,
            "gaps": apart(a.gaps_ms, b.gaps_ms) / GAPS,
            "energy": abs(a.energy_db - b.energy_db) / DECIBEL,
        }
        found += [f"{begins}: {name} {figure:.2f}" for name, figure in figures.items() if figure >= 1]
    return found


CLOCK_BYTES = 3
"""The seconds that are left of a step are written with up to two digits after the point."""


def apart(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float:
    """The greatest difference of the two cumulative distributions."""
    grid = np.union1d(one, other)
    shares = [np.searchsorted(np.sort(each), grid, side="right") / len(each) for each in (one, other)]
    return float(np.abs(shares[0] - shares[1]).max())
