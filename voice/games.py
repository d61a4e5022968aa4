"""The games of a store: list, export, restore, delete, forget, mine. `moderator games`."""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path

from voice import privacy, store_export
from voice.config import few
from voice.ports_store import BadStore, Conflict
from voice.store_sql import DamagedLog, GameRow, SqlStore
from voice.stored import NoSuchGame, place


def main(args: argparse.Namespace) -> int:
    """Results as JSON lines. Raises `NoSuchGame` or `BadStore`."""
    run: Callable[[argparse.Namespace], Coroutine[None, None, int]] = {
        "list": show,
        "export": export,
        "restore": restore,
        "delete": delete,
        "forget": forget,
        "mine": mine,
    }[args.do]
    try:
        return asyncio.run(run(args))
    except Conflict as refused:
        print(f"moderator games: {refused}", file=sys.stderr)
        return 1


async def show(args: argparse.Namespace) -> int:
    async with _opened(args.db) as store:
        rows = await store.rows()
        for row in rows:
            print(json.dumps(asdict(row)))
        if not rows:
            print(f"moderator games: {store.name} holds no game yet", file=sys.stderr)
    return 0


async def export(args: argparse.Namespace) -> int:
    """Of a damaged log the part before the damage, and exit code 2."""
    async with _opened(args.db) as store:
        row = await _row(store, args.game)
        utterances, notes = await store.utterances(row.game), await store.understood(row.game)
        names, damage = await store.names(row.game), None
        try:
            events = await store.events(row.game)
        except DamagedLog as found:
            events, damage = found.valid, found
        for line in store_export.lines(row.game, row.begun_at, events, utterances, notes, names):
            print(line)
    if damage is not None:
        print(f"moderator games: {damage}", file=sys.stderr)
    return 0 if damage is None else 2


async def restore(args: argparse.Namespace) -> int:
    """Into a store that is made where there is none."""
    try:
        text = args.file.read_text(encoding="utf-8") if args.file != Path("-") else sys.stdin.read()
    except UnicodeDecodeError:
        raise BadStore(f"{args.file}: is no export; name what `moderator games export` has written") from None
    game = store_export.read(text, str(args.file))
    async with _opened(args.db, new=True) as store:
        await store.restore(game.game, game.begun_at, game.events, game.utterances, game.notes, game.names)
    print(json.dumps({"game": game.game, "events": len(game.events), "utterances": len(game.utterances)}))
    return 0


async def delete(args: argparse.Namespace) -> int:
    async with _opened(args.db) as store:
        row = await _row(store, args.game)
        if args.voice_of is None:
            await store.delete(row.game)
            deleted = {"events": row.events, "utterances": row.utterances}
        else:
            seat = None if args.voice_of == "all" else int(args.voice_of)
            deleted = {"events": 0, "utterances": await store.delete_utterances(row.game, seat)}
    print(json.dumps({"game": row.game, "deleted": deleted}))
    return 0


async def forget(args: argparse.Namespace) -> int:
    """The recordings are those beside the store; a store over the network has none."""
    async with _opened(args.db) as store:
        row = await _row(store, args.game)
        done = await privacy.forget(store, row.game, args.seat, _folder(args.db))
    print(json.dumps({"game": row.game, "seat": args.seat, "forgotten": asdict(done)}))
    return 0


async def mine(args: argparse.Namespace) -> int:
    async with _opened(args.db) as store:
        row = await _row(store, args.game)
        held = await privacy.mine(store, row.game, args.seat, _folder(args.db), args.out)
    print(json.dumps({"game": row.game, "seat": args.seat, "file": str(args.out), **held}))
    return 0


def _folder(db: str | None) -> Path | None:
    where = place(db)
    return where.parent if isinstance(where, Path) else None


@asynccontextmanager
async def _opened(db: str | None, new: bool = False) -> AsyncIterator[SqlStore]:
    store = SqlStore(place(db, new))
    try:
        yield store
    finally:
        await store.close()


async def _row(store: SqlStore, game: str) -> GameRow:
    rows = await store.rows()
    found = next((row for row in rows if row.game == game), None)
    if found is None:
        there = few([row.game for row in rows]) or "none"
        raise NoSuchGame(f"{store.name}: has no game {game} (there: {there})")
    return found
