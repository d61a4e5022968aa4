"""Does the booth design stand? `moderator bench rooms`.

Three processes, as in a game: livekit-server; this one, which is the moderator (ten booths and the real audio
loop, without recogniser, voice and rules); and ten talking clients. One seat holds the floor and chirps; the
nine others talk all the time and hear it through the relay, with a narrator's murmur mixed in. Both ends of the
delay are measured in the client process, on one clock, from the frame given to the sender's LiveKit to the frame
given back by the listener's: the sound card at either end is not in it.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from moderator.model import SEATS, Seat
from voice import livekit_server, wire
from voice.client_livekit import Player
from voice.floor import Floor
from voice.ports import FRAME_SAMPLES, RATE_HZ, Clip, Pcm, Room

CHIRP_S = 0.04
CHIRP_LEVEL = 20_000
ONSET_LEVEL = 6_000
"""Louder than any murmur that is mixed in, quieter than a chirp after the codec."""
GAP_S = 1.0
"""Longer than any delay that one would bear: a chirp is always heard before the next one is sent."""
TURN_S = 4.2
LINE_BYTES = 2**24
"""One line of JSON holds every delay that was measured."""


# --- the moderator's side -------------------------------------------------------------------------


class Deaf:
    """A gate that cuts nothing: recognition is not what is measured here."""

    speaking = False

    def push(self, _pcm: Pcm, _captured_s: float) -> list[Clip]:
        return []

    def flush(self, _at_s: float) -> list[Clip]:
        return []

    def running(self) -> Clip | None:
        return None

    def ending(self) -> Clip | None:
        return None


class Murmur:
    """A narrator who never stops, in every booth."""

    def __init__(self) -> None:
        self._pcm = noise(600, FRAME_SAMPLES, seed=0)

    def frames(self) -> Mapping[Seat, Pcm]:
        return dict.fromkeys(SEATS, self._pcm)


class Monotonic:
    """The game clock without a game."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep_until(self, at_s: float) -> None:
        await asyncio.sleep(max(0.0, at_s - time.monotonic()))


@dataclass(frozen=True, slots=True)
class Measured:
    """Of one table. `figures`: per cent of one core, MiB and counts; `delays_ms`: mouth to ear; `joins_ms`: of ten."""

    figures: dict[str, float]
    delays_ms: list[float]
    joins_ms: list[float]


async def run(seconds: float = 24.0) -> dict[str, float]:
    """Measure for about `seconds`. Figures in ms and in per cent of one core. Raises `MissingPart`."""
    with tempfile.TemporaryDirectory() as folder:
        async with livekit_server.running(Path(folder) / "livekit.log") as server, talking(server) as measure:
            server_usage = Usage({"server": server.pid} if server.pid is not None else {})
            found = await measure(seconds)
            shown = {**found.figures, **server_usage.percent(), **summary(found.delays_ms, found.joins_ms)}
    return {name: round(figure, 1) for name, figure in shown.items()}


@contextlib.asynccontextmanager
async def talking(server: livekit_server.Server) -> AsyncIterator[Callable[[float], Awaitable[Measured]]]:
    """A table of which all ten have joined and talk; gives what measures it for so many seconds."""
    from voice.room_livekit import LiveKitRoom

    clock = Monotonic()
    room = LiveKitRoom(server, clock)
    began_s = time.monotonic()
    await room.open()
    opened_ms = 1000 * (time.monotonic() - began_s)
    turns = Turns()
    floor = Floor(room, clock, Murmur(), {seat: Deaf() for seat in SEATS}, turns.hears, lambda _clip: None)
    audio = asyncio.create_task(floor.run())
    try:
        async with clients(room) as others:
            await others.joined()

            async def measure(seconds: float) -> Measured:
                usage, before = Usage({"moderator": os.getpid(), "clients": others.pid}), floor.counts
                await turns.take(room, max(1, round(seconds / TURN_S)))
                counts = {name: count - before[name] for name, count in floor.counts.items()}
                cores, memory = usage.percent(), {"moderator_mib": memory_mib(os.getpid())}
                heard = await others.result()
                figures = {"open_ms": opened_ms, "chirps": heard["chirps"], **cores, **memory, **counts, **room.counts}
                return Measured(figures, heard["delays_ms"], heard["joins_ms"])

            yield measure
    finally:
        audio.cancel()
        await room.close()


class Turns:
    """Who holds the floor."""

    def __init__(self) -> None:
        self._holder: Seat = SEATS[0]

    def hears(self, _now_s: float) -> Mapping[Seat, frozenset[Seat]]:
        return {seat: frozenset() if seat == self._holder else frozenset({self._holder}) for seat in SEATS}

    async def take(self, room: Room, turns: int) -> None:
        for turn in range(turns):
            self._holder = SEATS[turn * 3 % len(SEATS)]
            room.send(self._holder, wire.Asked(what="speech").model_dump_json().encode())
            await asyncio.sleep(TURN_S)
            room.send(self._holder, wire.Closed(what="speech").model_dump_json().encode())
            await asyncio.sleep(0.3)


class Usage:
    """Processor time of some processes since it was made, in per cent of one core."""

    def __init__(self, pids: Mapping[str, int]) -> None:
        self._pids, self._began_s = pids, time.monotonic()
        self._before = {name: spent_s(pid) for name, pid in pids.items()}

    def percent(self) -> dict[str, float]:
        elapsed_s = time.monotonic() - self._began_s
        return {
            f"{name}_cpu_percent": 100 * (spent_s(pid) - self._before[name]) / elapsed_s
            for name, pid in self._pids.items()
        }


def spent_s(pid: int) -> float:
    if pid == os.getpid():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(pid: int) -> float:
    """What the process adds to the machine's memory: pages that it shares count in part."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(next(line.split()[1] for line in rollup.splitlines() if line.startswith("Pss:"))) / 1024


class Clients:
    """The other process, as this one sees it: tickets in, `joined` and the figures out, a line each."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process, self.pid = process, process.pid

    async def joined(self) -> None:
        if await self._line() != "joined":
            raise RuntimeError("the clients did not join")

    async def result(self) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(b"stop\n")
        return json.loads(await self._line())

    async def _line(self) -> str:
        assert self._process.stdout is not None
        return (await asyncio.wait_for(self._process.stdout.readline(), 60)).decode().strip()


@contextlib.asynccontextmanager
async def clients(room: Room) -> AsyncIterator[Clients]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voice.bench_rooms"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
    )
    assert process.stdin is not None
    tickets = [room.ticket(seat) for seat in SEATS]
    process.stdin.write(json.dumps([(ticket.url, ticket.token) for ticket in tickets]).encode() + b"\n")
    try:
        yield Clients(process)
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


# --- the clients' side ----------------------------------------------------------------------------


def noise(level: int, samples: int, seed: int) -> Pcm:
    return (np.random.default_rng(seed).standard_normal(samples) * level / 3).clip(-level, level).astype(np.int16)


def chirp() -> Pcm:
    time_s = np.arange(int(CHIRP_S * RATE_HZ)) / RATE_HZ
    return (CHIRP_LEVEL * np.sin(2 * np.pi * (800 + 8000 * time_s) * time_s)).astype(np.int16)


class Talker:
    """One client. With the floor it chirps, without it it talks; it notes when it heard a chirp begin."""

    def __init__(self, seat: Seat, sent_at: list[float], delays_ms: list[float]) -> None:
        self._sent_at, self._delays_ms = sent_at, delays_ms
        self._deaf_until_s = 0.0
        self._floor = asyncio.Event()
        self._babble = noise(3000, RATE_HZ, seed=seat)
        self.player = Player(self._on_frame, self._on_message)

    async def join(self, url: str, token: str) -> float:
        """Milliseconds from the first packet to the moderator's track subscribed."""
        began_s = time.monotonic()
        await self.player.join(url, token)
        await self.player.hears.wait()
        return 1000 * (time.monotonic() - began_s)

    async def talk(self) -> None:
        while True:
            if self._floor.is_set():
                self._sent_at.append(time.monotonic())
                self.player.say(chirp())
                await asyncio.sleep(GAP_S + 0.02 * np.random.default_rng().random())
            else:
                self.player.say(self._babble[: RATE_HZ // 5])
                await self.player.said()

    def _on_message(self, body: bytes) -> None:
        message = wire.TO_CLIENT.validate_json(body)
        if isinstance(message, wire.Asked):
            self._floor.set()
        elif isinstance(message, wire.Closed):
            self._floor.clear()

    def _on_frame(self, pcm: Pcm) -> None:
        now_s = time.monotonic()
        if now_s < self._deaf_until_s or not self._sent_at or np.abs(pcm).max() < ONSET_LEVEL:
            return
        self._deaf_until_s = now_s + 2 * CHIRP_S
        self._delays_ms.append(1000 * (now_s - self._sent_at[-1]))


async def be_clients() -> None:
    tickets = json.loads(sys.stdin.readline())
    sent_at: list[float] = []
    delays_ms: list[float] = []
    talkers = [Talker(seat, sent_at, delays_ms) for seat in SEATS]
    joins_ms = [await talker.join(*ticket) for talker, ticket in zip(talkers, tickets, strict=True)]
    talks = [asyncio.create_task(talker.talk()) for talker in talkers]
    print("joined", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for talk in talks:
        talk.cancel()
    print(json.dumps({"joins_ms": joins_ms, "delays_ms": delays_ms, "chirps": len(sent_at)}), flush=True)
    await asyncio.gather(*(talker.player.leave() for talker in talkers))


def summary(delays_ms: Sequence[float], joins_ms: Sequence[float]) -> dict[str, float]:
    if not delays_ms:
        return {"heard": 0}
    p50, p95, p99 = np.percentile(delays_ms, (50, 95, 99))
    return {
        "heard": len(delays_ms),
        "delay_p50_ms": float(p50),
        "delay_p95_ms": float(p95),
        "delay_p99_ms": float(p99),
        "delay_max_ms": max(delays_ms),
        "join_median_ms": statistics.median(joins_ms),
        "join_max_ms": max(joins_ms),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="The ten clients of the rooms benchmark (tickets on standard input).")
    parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(be_clients())


if __name__ == "__main__":
    main()
