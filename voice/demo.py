"""A whole game by voice with nobody at the table but robots: the main job, on the real parts.

Three processes beside this one: livekit-server, the game (`voice.game`) and the ten robot players
(`voice.robots`), who join like anybody else. This one only watches the store, tells a person what
happens, and afterwards compares what the robots meant with what the moderator heard.
"""

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from moderator.events import Event, GameEnded
from voice import livekit_server
from voice.captions import webvtt
from voice.child import stop
from voice.config import load_rules
from voice.dossier import assemble
from voice.home import OVER
from voice.ports import Utterance
from voice.progress import Progress
from voice.recordings import sounds
from voice.review_html import to_html
from voice.review_md import to_markdown
from voice.robots.score import compare, percentiles
from voice.store_sql import SqlStore, export_log
from voice.stored import home
from voice.understanding import Understanding

LIMITS_S = {"default": 720.0, "torch": 1800.0}
"""A demo that has not ended by then has failed. The other stack hears more slowly, without a GPU."""
POLL_S = 0.3
TICKETS_S = 120.0
LEAVE_S = 15.0


class DemoFailed(Exception):
    """The game did not reach its end; the message says which part and where its log is."""


def main(args: argparse.Namespace) -> int:
    """Exit code 0: the game reached its end. The last line of standard output is one JSON object."""
    rules = load_rules(args.rules)
    out = Path(args.out or home() / f"demo-{args.lang}-{args.seed}-{time.strftime('%Y%m%d-%H%M%S')}")
    if (out / "moderator.db").exists():
        print(f"demo: {out} already holds a game; choose another --out or remove it", file=sys.stderr)
        return 2
    out.mkdir(parents=True, exist_ok=True)
    print(f"demo: {args.lang}, seed {args.seed}, rules {rules.name}; files in {out}", file=sys.stderr)
    print("demo: rooms, ears and ten robots start; the first words come in half a minute", file=sys.stderr)
    try:
        summary = asyncio.run(run(args, out))
    except DemoFailed as failure:
        print(f"demo: {failure}", file=sys.stderr)
        return 1
    print(json.dumps(summary))
    return 0


async def run(args: argparse.Namespace, out: Path) -> dict[str, Any]:
    started_s = time.monotonic()
    game = f"demo-{args.lang}-{args.seed}"
    async with contextlib.AsyncExitStack() as stack:
        server = await stack.enter_async_context(livekit_server.running(out / "livekit.log"))
        store = SqlStore(out / "moderator.db")
        stack.push_async_callback(store.close)
        moderator = await stack.enter_async_context(
            child(game_command(args, game, out), {**os.environ, **server.environment()}, out / "game.log")
        )
        robots = await stack.enter_async_context(child(robots_command(args, out), os.environ, out / "robots.log"))
        await tickets_written(out / "tickets.json", moderator, out / "game.log")
        await follow(store, game, (moderator, robots), Progress(args.lang, started_s), started_s, LIMITS_S[args.stack])
        if moderator.returncode != 0:
            raise DemoFailed(f"the game process ended with {moderator.returncode}; see {out / 'game.log'}")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(robots.wait(), LEAVE_S)
        return await conclude(store, game, args, out, started_s)


def game_command(args: argparse.Namespace, game: str, out: Path) -> list[str]:
    options = ["--game", game, "--home", str(out), "--lang", args.lang, "--rules", args.rules, "--seed", str(args.seed)]
    return [sys.executable, "-m", "voice.game", *options, "--stack", args.stack]


def robots_command(args: argparse.Namespace, out: Path) -> list[str]:
    options = ["--tickets", str(out / "tickets.json"), "--seed", str(args.seed), "--lang", args.lang, "--out", str(out)]
    return [sys.executable, "-m", "voice.robots", *options]


@contextlib.asynccontextmanager
async def child(
    command: Sequence[str], environment: Mapping[str, str], log: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process of the demo; it ends with it."""
    with log.open("ab") as out:
        process = await asyncio.create_subprocess_exec(*command, env=dict(environment), stdout=out, stderr=out)
    try:
        yield process
    finally:
        await stop(process, (5,))


async def tickets_written(path: Path, process: asyncio.subprocess.Process, log: Path) -> None:
    for _ in range(int(TICKETS_S / POLL_S)):
        if path.exists():
            return
        if process.returncode is not None:
            raise DemoFailed(f"the game process ended with {process.returncode} before it opened its rooms; see {log}")
        await asyncio.sleep(POLL_S)
    raise DemoFailed(f"the game process did not open its rooms within {TICKETS_S:.0f} s; see {log}")


async def follow(
    store: SqlStore,
    game: str,
    processes: tuple[asyncio.subprocess.Process, asyncio.subprocess.Process],
    progress: Progress,
    started_s: float,
    limit_s: float,
) -> None:
    """Show what the game stores, until its process has ended."""
    moderator, robots = processes
    shown_events = shown_utterances = 0
    while True:
        ended = moderator.returncode is not None
        events, utterances = await store.events(game), await store.utterances(game)
        news: list[Event | Utterance] = [*events[shown_events:], *utterances[shown_utterances:]]
        shown_events, shown_utterances = len(events), len(utterances)
        for item in sorted(news, key=lambda item: item.ended_s if isinstance(item, Utterance) else item.at):
            progress.show(item)
        if ended:
            return
        over = any(isinstance(event, GameEnded) for event in events)
        if robots.returncode not in (None, 0) and not over:
            raise DemoFailed(f"the robots' process ended with {robots.returncode}; see robots.log beside game.log")
        if time.monotonic() - started_s > limit_s:
            raise DemoFailed(f"the game did not end within {limit_s:.0f} s")
        await asyncio.sleep(POLL_S)


async def conclude(store: SqlStore, game: str, args: argparse.Namespace, out: Path, started_s: float) -> dict[str, Any]:
    """Write the log, the transcript and the review; compare what was meant with what was heard."""
    events, utterances = await store.events(game), await store.utterances(game)
    end = next((event for event in events if isinstance(event, GameEnded)), None)
    if end is None:
        raise DemoFailed(f"the game process ended but its log has no end; see {out / 'game.log'}")
    log, review = out / "log.jsonl", out / "review.md"
    export_log(log, events)
    (out / "transcript.vtt").write_text(webvtt(utterances), encoding="utf-8")
    dossier = await assemble(events, utterances, args.lang, Understanding(), notes=await store.understood(game))
    review.write_text(to_markdown(dossier), encoding="utf-8")
    page = out / "review.html"
    page.write_text(to_html(dossier, sounds(out)), encoding="utf-8")
    intents = [json.loads(line) for line in (out / "intents.jsonl").read_text(encoding="utf-8").splitlines()]
    decided_ms = json.loads((out / OVER).read_text(encoding="utf-8"))["decided_ms"]
    return {
        "game": game,
        "winner": end.winner,
        "reason": end.reason,
        "days": dossier.review.days_played,
        "log": str(log),
        "review": str(review),
        "seconds": round(time.monotonic() - started_s, 1),
        **compare(intents, events),
        "decided_ms": {task: percentiles(times_ms) for task, times_ms in decided_ms.items()},
    }
