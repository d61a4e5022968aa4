"""A stored game, by what a person calls it: a file that holds it, the folder it was played in, or its id."""

import asyncio
import itertools
import json
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from moderator import mgn
from moderator.engine import replay
from moderator.events import Event
from moderator.model import Seat
from moderator.record_replay import replay_record
from voice import store_export
from voice.config import ConfigError, few, load_rules
from voice.database import exists
from voice.ports import Lang, Utterance
from voice.ports_store import Understood
from voice.store_sql import DamagedLog, SqlStore, read_events

STORE = "moderator.db"
T = TypeVar("T")
RECORD_RULES = "club"
"""What the tables of records play by, where they do not say."""


class NoSuchGame(ValueError):
    """The message says where it was looked for, and what is there."""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """`fault` says what is wrong with the log; then `events` are those before. An exported log has no utterances.

    `folder`: where its recordings lie, if anywhere. `names`: what the players are called, as far as it is known.
    `begun_at`: UTC, as the store keeps it.
    """

    events: list[Event]
    utterances: list[Utterance]
    fault: str | None = None
    notes: Sequence[Understood] = ()
    """How the words were read."""
    folder: Path | None = None
    names: Mapping[Seat, str] = field(default_factory=dict)
    begun_at: str | None = None

    @property
    def lang(self) -> Lang | None:
        """What it was played in, where its notes say so."""
        return self.notes[0].lang if self.notes else None


def home() -> Path:
    """Where games lie: $MODERATOR_HOME, or `games` in the working folder. It is made when the first game needs it.

    Raises `ConfigError` where $MODERATOR_HOME is no folder and none can be made there.
    """
    own = os.environ.get("MODERATOR_HOME")
    folder = Path(own or "games").absolute()
    there = next(place for place in (folder, *folder.parents) if place.exists())
    if own and not (there.is_dir() and (there == folder or os.access(there, os.W_OK))):
        raise ConfigError(f"MODERATOR_HOME={own}: {there} is no folder that can be written in; name another")
    return Path(own or "games")


def place(db: str | None, new: bool = False) -> str | Path:
    """Path or URL of the store that `db` names: a URL, a file, a folder that holds one; None: the one of `home`.

    Raises `NoSuchGame` where there is no such file, unless it is about to be made (`new`).
    """
    if db is not None and "://" in db:
        return db
    path = home() / STORE if db is None else Path(db) / STORE if Path(db).is_dir() else Path(db)
    if new and db is None:
        path.parent.mkdir(parents=True, exist_ok=True)
    if not new and not path.is_file():
        raise NoSuchGame(f"{path}: no such store; {_stores_elsewhere()}")
    return path


def _stores_elsewhere() -> str:
    """What mends it that a store is not where it was looked for."""
    stores = sorted(store.parent for store in home().glob(f"*/{STORE}"))
    if stores:
        return f"there are stores in {few([str(folder) for folder in stores])}: name one with --db"
    return "name the folder in which the game was played, or set MODERATOR_HOME"


def find(name: str, db: str | None = None) -> StoredGame:
    """`db`: path or URL of the store that holds the game `name`. Raises `NoSuchGame` or `BadStore`."""
    path = Path(name)
    if db is None and path.is_file():
        return replace(_exported(path), folder=path.parent)
    if db is None:
        folders = (path, home() / path)
        folder = next((folder for folder in folders if (folder / STORE).is_file()), None)
        if folder is not None:
            return asyncio.run(_from_store(folder / STORE, None))
        if path.is_dir():
            raise NoSuchGame(f"{name}: a folder without a {STORE}; name one of its files, or all of them with --out")
        if not (home() / STORE).is_file():
            where = f"neither a log, nor a folder with a {STORE}, and there is no {home() / STORE}"
            raise NoSuchGame(f"{name}: {where}; {_stores_elsewhere()}")
    return asyncio.run(_from_store(place(db), name))


def find_all(folder: Path) -> dict[str, StoredGame]:
    """Every game in a folder, by name: those of its store, of the stores in its folders, and the exported ones.

    In the order in which they were played, those of which it is not known first.
    """
    found: dict[str, StoredGame] = {}
    for store in sorted([*folder.glob(STORE), *folder.glob(f"*/{STORE}")]):
        for game in asyncio.run(_games(store)):
            found[_free(found, game)] = asyncio.run(_from_store(store, game))
    for path in sorted(folder.iterdir()):
        if path.suffix in (".jsonl", ".mgn", ".json") and not (folder / STORE).exists():
            found[_free(found, path.stem)] = find(str(path))
    return dict(sorted(found.items(), key=lambda item: (item[1].begun_at or "", _naturally(item[0]))))


async def delete_words(where: str, game: str) -> int:
    """What was heard in a game of this store; the events stay. How many utterances, 0 where there is no store."""
    return await _deleted(where, lambda store: store.delete_utterances(game)) or 0


async def delete(where: str, game: str) -> None:
    """All of the game, as far as there is one. Raises `Conflict` while it is played."""
    await _deleted(where, lambda store: store.delete(game))


async def _deleted(where: str, work: Callable[[SqlStore], Awaitable[T]]) -> T | None:
    if not exists(where):
        return None
    store = SqlStore(where)
    try:
        return await work(store)
    finally:
        await store.close()


def _naturally(name: str) -> list[tuple[int, str]]:
    """The tenth comes after the ninth."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _free(taken: Iterable[str], name: str) -> str:
    """Two folders may hold games of the same id."""
    known = set(taken)
    return next(
        free for number in itertools.count(1) if (free := name if number == 1 else f"{name}-{number}") not in known
    )


async def _games(path: Path) -> list[str]:
    store = SqlStore(path)
    try:
        return await store.games()
    finally:
        await store.close()


def _exported(path: Path) -> StoredGame:
    """A log or a whole game (JSON lines), a game in notation (`.mgn`), or a game record, which is replayed."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise NoSuchGame(f"{path}: is no log; name an exported log (JSON lines), a folder or a game's id") from None
    if path.suffix == ".mgn":
        try:
            return StoredGame(mgn.read(text), [])
        except mgn.BadNotation as error:
            raise NoSuchGame(f"{path}: {error}") from error
    if (record := _record(text)) is not None:
        answer, events = replay_record(record, path.stem, load_rules(RECORD_RULES))
        wrong = answer.divergence
        if wrong is None:
            return StoredGame(events, [])
        what = f"event {wrong.event_index}: by the rules {wrong.expected}; the record says: {wrong.got}"
        return StoredGame(events, [], f"{path}: {what}")
    if store_export.is_export(text):
        whole = store_export.read(text, str(path))
        return StoredGame(whole.events, whole.utterances, notes=whole.notes, names=whole.names, begun_at=whole.begun_at)
    try:
        events, fault = read_events(text.splitlines(), str(path)), None
    except DamagedLog as damage:
        events, fault = damage.valid, str(damage)
    return _checked(events, [], fault, str(path))


def _record(text: str) -> Any:
    """A game record is one object with roles and events; a log is one object a line."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "roles" in found and "events" in found else None


async def _from_store(where: str | Path, game: str | None) -> StoredGame:
    """`game` None: the only one."""
    store = SqlStore(where)
    try:
        games = {row.game: row.begun_at for row in await store.rows()}
        if game is None and len(games) == 1:
            (game,) = games
        if game is None or game not in games:
            what = "holds several games, name one with --db" if game is None and games else f"has no game {game or ''}"
            raise NoSuchGame(f"{store.name}: {what.rstrip()} (there: {few(list(games)) or 'none'})")
        utterances, notes, names = await store.utterances(game), await store.understood(game), await store.names(game)
        try:
            events, fault = await store.events(game), None
        except DamagedLog as damage:
            events, fault = damage.valid, str(damage)
        folder = where.parent if isinstance(where, Path) else None
        checked = _checked(events, utterances, fault, f"{store.name}: game {game}")
        return replace(checked, notes=notes, names=names, folder=folder, begun_at=games[game])
    finally:
        await store.close()


def _checked(events: list[Event], utterances: Iterable[Utterance], fault: str | None, where: str) -> StoredGame:
    """Events that can be read may still not follow one another."""
    replayed = replay(events)
    if replayed.error is not None:
        events, fault = events[: replayed.applied], f"{where}: {replayed.error}; the events before it are intact"
    return StoredGame(events, list(utterances), fault)
