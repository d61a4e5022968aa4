"""`moderator review`: a finished game as a document, several with an index, or a recording from elsewhere."""

import argparse
import asyncio
import re
import sys
from pathlib import Path

from voice import foreign, stored
from voice.clips import cut_all
from voice.document import NoTranscript, compose
from voice.dossier import Dossier
from voice.engines import reader
from voice.ports import Lang
from voice.review_aloud import tell
from voice.review_index import to_index, to_json
from voice.share import NotOver
from voice.stored import NoSuchGame, StoredGame
from voice.takes import settle


def main(args: argparse.Namespace) -> int:
    """Of a damaged log the part before the damage, and exit code 2. Raises `NoSuchGame`, `BadStore`, `SoundError`."""
    if all(foreign.is_sound(Path(name)) for name in args.games):
        return asyncio.run(foreign.main(args))
    if len(args.games) > 1:
        raise NoSuchGame(f"{args.games[1]}: one game at a time, or one folder that holds several, with --out")
    if args.share and args.clips:
        raise NoSuchGame("--clips: a shared copy holds no voices; leave out --share or --clips")
    if args.seats:
        raise NoSuchGame("--seats: is for a recording from elsewhere; a game knows who spoke: leave it out")
    (name,) = args.games
    if args.out is not None and Path(name).is_dir() and len(games := stored.find_all(Path(name))) != 1:
        if args.clips or args.aloud:
            raise NoSuchGame(f"{name}: holds {len(games)} games; --clips and --aloud are for one: name it, with --db")
        return asyncio.run(_all(games, name, args))
    return asyncio.run(_one(stored.find(name, args.db), name, args))


async def _one(game: StoredGame, name: str, args: argparse.Namespace) -> int:
    _prepare(game)
    if not game.events:
        return 2 if game.fault else _say(f"{name}: holds no event", 2)
    lang = _lang(args, game)
    try:
        async with reader(lang, model=args.model) as understanding:
            text, dossier = await compose(game, args.format, lang, understanding, share=args.share, folder=args.out)
    except NoTranscript:
        return _say(f"{name}: no transcript is kept here; name the game's folder, or --db", 1)
    except NotOver as running:
        return _say(f"{name}: {running}", 1)
    if args.clips:
        _say(_cut(cut_all(dossier, game.folder, args.clips), dossier, args.clips))
    if args.aloud:
        seconds = await tell(game.events, lang, args.aloud)
        _say(f"{args.aloud}: {seconds:.0f} s")
    if args.out is None:
        print(text, end="")
    else:
        print(_write(args.out, Path(name).stem, args.format, text))
    return 2 if game.fault else 0


def _cut(number: int, dossier: Dossier, clips: Path) -> str:
    public = sum(dossier.public)
    if number == 0:
        return "--clips: no public line is in a recording; name the folder in which the game was played"
    others = f"; {public - number} are in no recording" if number < public else ""
    return f"{number} of {public} public lines are in {clips}{others}"


async def _all(games: dict[str, StoredGame], name: str, args: argparse.Namespace) -> int:
    """A document of each and, of pages and of JSON, an index. What cannot be reviewed is named, the rest is done."""
    dossiers: dict[str, Dossier] = {}
    bad = 0 if games else _say(f"{name}: holds no game: no moderator.db, log, .mgn file or record", 2)
    lang = _lang(args, *games.values())
    async with reader(lang, model=args.model) as understanding:
        for number, (game, found) in enumerate(games.items(), 1):
            bad = max(bad, _prepare(found))
            try:
                if not found.events:
                    raise NoTranscript
                own = _lang(args, found)
                text, dossier = await compose(found, args.format, own, understanding, share=args.share, folder=args.out)
            except NoTranscript:
                _say(f"{game}: holds nothing of that")
                continue
            except NotOver as running:
                _say(f"{game}: {running}")
                continue
            page = f"game-{number}" if args.share else game
            dossiers[_write(args.out, page, args.format, text).name] = dossier
    index = {"html": to_index, "json": to_json}.get(args.format)
    if index is not None and dossiers:
        print(_write(args.out, "index", args.format, index(dossiers, lang)))
    return bad


def _prepare(game: StoredGame) -> int:
    """Say what is damaged, and make sound of what a game that was killed has left raw."""
    if game.folder is not None:
        settle(game.folder)
    return _say(game.fault, 2) if game.fault else 0


def _lang(args: argparse.Namespace, *games: StoredGame) -> Lang:
    """The wish, or what the first of these games was played in."""
    played: list[Lang] = [game.lang for game in games if game.lang is not None]
    wish: Lang | None = args.lang
    return wish or (played[0] if played else "fr")


def _write(folder: Path, name: str, ending: str, document: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    safe = re.sub(r"[^\w.-]+", "-", name).strip(".-") or "game"
    path = folder / f"{safe}.{ending}"
    path.write_text(document, encoding="utf-8")
    return path


def _say(what: str, code: int = 0) -> int:
    print(f"moderator review: {what}", file=sys.stderr)
    return code
