"""How many tables does a machine carry? `moderator bench table`.

Each table is a process of its own, as in a game (ten booths and the real audio loop, without recogniser, voice and
rules), with ten clients in another one who talk without a pause; one LiveKit server carries them all. All tables join
at the same time and are then measured at the same time: `voice.bench_rooms` says what and how.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import os
import re
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from moderator.model import SEATS
from voice import livekit_server
from voice.bench_players import ScriptedPlayer, speeches
from voice.bench_rooms import LINE_BYTES, Measured, Usage, memory_mib, summary, talking
from voice.bench_service import serving

LOOK_S = 1.0
JOIN_S = 120.0
"""Patience with a machine that carries more than it can."""


async def run(counts: Sequence[int], seconds: float) -> dict[str, Any]:
    """Figures by the number of tables at once. Raises `MissingPart`."""
    figures: dict[str, Any] = {"cores": os.cpu_count(), "seconds": seconds}
    for tables in counts:
        with tempfile.TemporaryDirectory() as folder:
            async with livekit_server.running(Path(folder) / "livekit.log") as server:
                try:
                    figures[str(tables)] = await carried(server, tables, seconds)
                except (RuntimeError, TimeoutError) as failure:
                    figures[str(tables)] = {"failed": str(failure) or "they did not all join in time"}
                print(json.dumps({str(tables): figures[str(tables)]}), file=sys.stderr, flush=True)
    return figures


async def carried(server: livekit_server.Server, tables: int, seconds: float) -> dict[str, float]:
    async with contextlib.AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(table_process(server, seconds)) for _ in range(tables)]
        await asyncio.gather(*(said(process) for process in processes))
        usage = Usage({"server": server.pid} if server.pid is not None else {})
        for process in processes:
            assert process.stdin is not None
            process.stdin.write(b"go\n")
        found = [Measured(**json.loads(line)) for line in await asyncio.gather(*map(said, processes))]
        memory = {"server_mib": memory_mib(server.pid)} if server.pid is not None else {}
        return {name: round(figure, 1) for name, figure in {**together(found), **usage.percent(), **memory}.items()}


def together(found: Sequence[Measured]) -> dict[str, float]:
    """Processor and memory of one table on average; counts, delays and joins of all tables."""
    figures: dict[str, float] = {}
    for name in found[0].figures:
        values = [one.figures[name] for one in found]
        mean = name.endswith(("_percent", "_mib", "_ms"))
        figures[name] = statistics.mean(values) if mean else sum(values)
    delays_ms = [delay for one in found for delay in one.delays_ms]
    return figures | summary(delays_ms, [join for one in found for join in one.joins_ms])


async def whole() -> dict[str, Any]:
    """One table with all its parts: a scripted game over the real service, from the deal to its end.

    Processor by part, in per cent of one core, while the game is played; memory at its end; the frames of the game.
    """
    sounds = await speeches()
    with tempfile.TemporaryDirectory() as folder:
        async with serving(Path(folder)) as service:
            table = await service.seat_ten()
            players = [
                ScriptedPlayer(seat, lambda own: service.ticket(table, own), sounds[seat], lambda _: None, dtx=False)
                for seat in SEATS
            ]
            stays = [asyncio.create_task(player.stay()) for player in players]
            while await service.state(table) != "playing":  # noqa: ASYNC110 - over HTTP
                await asyncio.sleep(LOOK_S)
            parts = service.parts() | {"players": [os.getpid()]}
            usage = Usage({f"{part}_{pid}": pid for part, pids in parts.items() for pid in pids})
            cores, memory_mb = {}, {}
            while await service.state(table) == "playing":
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # the game has just ended
                    cores = usage.percent()
                    memory_mb = {part: sum(map(memory_mib, pids)) for part, pids in parts.items()}
                await asyncio.sleep(LOOK_S)
            for stay in stays:
                stay.cancel()
            await asyncio.gather(*stays, return_exceptions=True)
            sound = re.findall(r"sound: (.*)", (Path(folder) / "games" / service.game / "game.log").read_text())
    by_part = {part: sum(cores[name] for name in cores if name.startswith(f"{part}_")) for part in parts}
    return {
        "cpu_percent": {part: round(percent, 1) for part, percent in by_part.items()},
        "memory_mib": {part: round(mib) for part, mib in memory_mb.items()},
        **json.loads(sound[-1]),
    }


@contextlib.asynccontextmanager
async def table_process(server: livekit_server.Server, seconds: float) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voice.bench_table", "--seconds", str(seconds)),
        env={**os.environ, **server.environment()},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=LINE_BYTES,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.terminate()
        await process.wait()


async def said(process: asyncio.subprocess.Process) -> str:
    """The next line of a table. Raises `RuntimeError` when it has ended."""
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), JOIN_S)
    if not line:
        raise RuntimeError("a table ended before it was measured; its last words are above")
    return line.decode().strip()


async def be_a_table(seconds: float) -> None:
    server = livekit_server.configured()
    assert server is not None
    async with talking(server) as measure:
        print("joined", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        print(json.dumps(asdict(await measure(seconds))), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="One table of the benchmark (LiveKit's address in the environment).")
    parser.add_argument("--seconds", type=float, required=True)
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(be_a_table(parser.parse_args().seconds))


if __name__ == "__main__":
    main()
