"""One game, one process: joins the real parts, plays a game or goes on with it, and ends.

`python -m voice.game --game ID --home DIR`; LiveKit's address and keys come from the environment
(LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET) or `configs/livekit.yaml`. HOME holds the store (unless
--store names another), the recording, and, readable by its owner only, the names of the booths and the players'
tickets. Started again on the same HOME after a crash, it takes the stored game up in the same booths. Two processes
never play one game: on one HOME a lock keeps the second out, elsewhere the lease of the game (`voice.lease`).
`voice.game_exit` lists the exit codes.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import logging
import os
import random
import secrets
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from moderator.commands import Deal
from moderator.engine import next_at, replay
from moderator.events import Event
from moderator.model import SEATS, Role, Seat
from moderator.narration import RECORDED, WATCHED, waiting
from moderator.rules import Rules
from moderator.seal import SALT_HEX
from moderator.state import GameState
from voice import conduct, engines, livekit_server, practice
from voice.booth_settings import other_voices
from voice.clock import RealClock
from voice.config import RULES, ConfigError, VoiceConfig, load_rules, load_voice_config
from voice.floor import Floor
from voice.game_exit import GameExit
from voice.gate import VoiceGate
from voice.home import BOOTHS, LOCK, OVER, TICKETS, InUse, booths, handed_names, sole, write_private
from voice.lease import leased
from voice.narrator import Narrator
from voice.noted import NotedReader
from voice.parts import Parts
from voice.ports import Clock, Lang, MissingPart, Room, Setting, Utterance, VoiceSpec
from voice.ports_store import BadStore, Conflict, Understood
from voice.recorder import Recorder
from voice.room_livekit import LiveKitRoom
from voice.routing import routes
from voice.store_sql import SqlStore
from voice.stored import STORE
from voice.table import Table
from voice.takes import finish, new_take
from voice.understanding import Understanding

log = logging.getLogger(__name__)

PLAYERS_S = 120.0
"""A table whose players have not all joined by then is given up."""
WAITING_EVERY_S = 10.0
ALONE_S = 600.0
"""A game of whose living players nobody has given a sign of life for this long is given up: it would go on for ever,
since the clock of a table that has fallen silent as a whole stands still."""
BEHIND = 10
"""Niceness of a game that is over: others play on this machine."""
FAREWELL_S = 1.0
"""The last words travel this long before the booths close."""
ROLES = (Role.DON, Role.MAFIOSO, Role.MAFIOSO, Role.SHERIFF, *[Role.CIVILIAN] * 6)


@dataclass(frozen=True, slots=True)
class Settings:
    game: str
    home: Path
    lang: Lang
    rules: Rules
    config: VoiceConfig
    seed: int | None = None
    """Fixes the deal, for a game that shall be dealt again; None draws from the system's own randomness."""
    setting: Setting = "mafia"
    recording: bool = True
    """False: neither sound nor words are kept, only the events."""
    store: str | None = None
    """Path or URL; None: a file in `home`."""
    gallery_delay_s: float | None = None
    """How far spectators are behind the table; None: none are let in."""


class NobodyCame(Exception):
    """These seats did not join in time, or have all been away for too long."""

    def __init__(self, missing: Sequence[Seat], waited_s: float) -> None:
        super().__init__(f"seats {', '.join(map(str, missing))} were not there for {waited_s:.0f} s")
        self.missing = missing


class WordlessStore(SqlStore):
    """Of a game that is not recorded no word is kept."""

    async def append_utterance(self, game: str, utterance: Utterance) -> None:
        pass

    async def append_understood(self, game: str, understood: Understood) -> None:
        pass


def draw_roles(seed: int | None) -> dict[Seat, Role]:
    """Chance happens once, here."""
    chance: random.Random = random.SystemRandom() if seed is None else random.Random(f"deal:{seed}")
    roles = list(ROLES)
    chance.shuffle(roles)
    return dict(zip(SEATS, roles, strict=True))


async def play(settings: Settings, room: Room, clock: RealClock) -> None:
    """Open the parts, play the game to its end, close the parts and the room."""
    async with contextlib.AsyncExitStack() as stack:
        store = (SqlStore if settings.recording else WordlessStore)(settings.store or settings.home / STORE)
        stack.push_async_callback(store.close)
        lease = await stack.enter_async_context(leased(store, settings.game))
        stored = await store.events(settings.game)
        state = replay(stored).state
        if state.over:
            return
        until_s = played_until_s(state, await store.utterances(settings.game))
        clock.start_at(until_s)
        if (names := handed_names(settings.home)) is not None:
            await store.set_names(settings.game, names)
        stack.push_async_exit(leaving(room))
        transcriber = engines.make_transcriber(settings.config.stt)
        synthesizer = engines.make_narrators_voice(settings.config.tts, settings.lang)
        opening = [await stack.enter_async_context(engines.opening(part)) for part in (synthesizer, transcriber)]
        opening.append(asyncio.create_task(asyncio.to_thread(conduct.warm, settings.lang)))
        # Who plays already is not kept waiting: what he says waits for the recogniser.
        await all_of(room.open(), *([] if stored else opening))
        extractor = await stack.enter_async_context(engines.extractor_beside(settings.config.llm, settings.lang))
        write_private(settings.home / TICKETS, [asdict(room.ticket(seat)) for seat in SEATS])

        voice = VoiceSpec(settings.lang, settings.config.tts.voice, settings.config.tts.rate_wpm)
        narrator = Narrator(
            synthesizer,
            voice,
            lambda seat, line: room.send(seat, line.model_dump_json().encode()),
            settings.setting,
            other_voices(settings.config.tts.engine, settings.lang),
        )
        reader = NotedReader(Understanding(extractor), store, settings.game, clock.now)
        stack.push_async_callback(reader.written)
        parts = Parts(clock, room, transcriber, reader, narrator, store)
        table = Table(settings.game, settings.lang, parts)
        recorder = Recorder(new_take(settings.home), clock.now) if settings.recording else None
        if recorder is not None:
            stack.callback(recorder.close)
        floor = ears_of(table, narrator, recorder)
        keep_for_good()
        audio = asyncio.create_task(floor.run())
        stack.callback(audio.cancel)
        practising = settings.rules.name == practice.RULES
        if practising:
            await stack.enter_async_context(practice.robots(settings.home, settings.lang))
        await everybody_present(room, clock, narrator, stored)
        if practising:
            await stack.enter_async_context(practice.accompanied(room, clock))
        if practising and not stored:
            await practice.lesson(narrator)
        if stored:
            table.load(stored, until_s)
        else:
            tell_who_hears(settings, narrator)
        company = asyncio.create_task(in_company(room, clock, lambda: table.state.alive))
        stack.callback(company.cancel)
        await to_the_end(settings, table, clock, stored, (audio, lease, company, *opening))
        write_private(settings.home / OVER, {"over": True, "decided_ms": table.decided_ms})
        log.info("sound: %s", json.dumps(floor.counts))


def keep_for_good() -> None:
    """What was loaded is not looked through for garbage again: each time it took longer than two frames of sound."""
    gc.collect()
    gc.freeze()


def played_until_s(state: GameState, utterances: Sequence[Utterance]) -> float:
    """When a game that died was last heard of: what was spoken of a speech is spent, and no deadline has passed."""
    last_s = max([state.at, *(utterance.ended_s for utterance in utterances)])
    deadline_s = next_at(state)
    return last_s if deadline_s is None else max(state.at, min(last_s, deadline_s))


async def all_of(*works: Awaitable[None]) -> None:
    """All of them to their end, even when one fails: a room that is being joined must not be left half way."""
    for result in await asyncio.gather(*works, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


def leaving(room: Room) -> Callable[..., Coroutine[Any, Any, None]]:
    """How the room is left when all other parts are closed: after the last word not before the gallery has heard it."""

    async def leave(kind: object, *_: object) -> None:
        if kind is None:
            await room.hear_out()
        await room.close()

    return leave


def tell_who_hears(settings: Settings, narrator: Narrator) -> None:
    """Besides the ten."""
    if settings.recording:
        narrator.say(RECORDED)
    if settings.gallery_delay_s is not None:
        narrator.say(WATCHED)


def ears_of(table: Table, narrator: Narrator, recorder: Recorder | None) -> Floor:
    """The audio loop of the table's room."""
    gates = {seat: VoiceGate(seat) for seat in SEATS}
    room, clock = table.parts.room, table.parts.clock
    keep = None if recorder is None else recorder.write

    def hears(now_s: float) -> Mapping[int, frozenset[Seat]]:
        return routes(table.state, now_s)

    floor = Floor(room, clock, narrator, gates, hears, table.on_clip, keep, table.on_ending)
    table.ears = floor
    return floor


async def to_the_end(
    settings: Settings, table: Table, clock: RealClock, stored: Sequence[Event], needed: tuple[asyncio.Task[None], ...]
) -> None:
    """Deal, or go on with what is loaded. What is `needed` (sound, lease, parts) ends the game when it fails."""
    roles = practice.roles() if settings.rules.name == practice.RULES else draw_roles(settings.seed)
    salt = secrets.token_hex(SALT_HEX // 2)
    deal = Deal(at=clock.now(), game=settings.game, rules=settings.rules, roles=roles, salt=salt)
    game = asyncio.create_task(table.run(None if stored else deal))
    try:
        while not game.done():
            running = [task for task in (game, *needed) if not task.done()]
            await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for other in needed:
                if other.done():
                    other.result()
        await game
    except BadStore:  # the last words are on their way
        await asyncio.sleep(FAREWELL_S)
        raise
    finally:
        game.cancel()
    await asyncio.sleep(FAREWELL_S)
    log.info("counts: %s", json.dumps(table.tally()))


async def everybody_present(room: Room, clock: RealClock, narrator: Narrator, stored: Sequence[Event]) -> None:
    """Wait for the microphones of all ten, saying from time to time who is missing. Raises `NobodyCame`.

    A game that is taken up waits for the living, and goes on without those who do not come, as long as anybody hears.
    There any sign of life will do: a client that found back without its microphone still has its keys.
    """
    needed = set(replay(stored).state.alive if stored else SEATS)
    began_s = clock.now()
    until_s, say_s = began_s + PLAYERS_S, began_s + WAITING_EVERY_S
    while missing := sorted(needed - room.present()):
        if stored and all(room.presence(seat).seen_s > began_s for seat in missing):
            return
        if clock.now() > until_s:
            if stored and room.present():
                return
            raise NobodyCame(missing, PLAYERS_S)
        if clock.now() > say_s:
            narrator.say(waiting(set(SEATS) - set(missing)))
            say_s += WAITING_EVERY_S
        await asyncio.sleep(0.05)


async def in_company(room: Room, clock: Clock, living: Callable[[], Sequence[Seat]]) -> None:
    """Never returns. Raises `NobodyCame` when all `living` have been away for `ALONE_S`."""
    since_s = clock.now()
    while True:
        seats = living()
        since_s = max([since_s, *(room.presence(seat).seen_s for seat in seats)])
        if clock.now() > since_s + ALONE_S:
            raise NobodyCame(seats, ALONE_S)
        await clock.sleep_until(clock.now() + WAITING_EVERY_S)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m voice.game", description="Play one game over LiveKit.")
    parser.add_argument("--game", required=True, help="the game's id in the store")
    parser.add_argument("--home", required=True, type=Path, help="folder of the store, the recording, the tickets")
    parser.add_argument("--store", help="path or URL of the store (default: HOME/moderator.db)")
    parser.add_argument("--lang", default="fr", choices=("fr", "en", "ru"))
    parser.add_argument("--rules", default="classic", help=f"{', '.join(RULES)}, or the path of a YAML file")
    parser.add_argument("--setting", default="mafia", choices=("mafia", "loup-garou"), help="scenery of the words")
    parser.add_argument("--no-recording", action="store_true", help="keep neither sound nor transcript")
    parser.add_argument("--gallery-delay", type=float, metavar="SECONDS", help="let spectators in, so far behind")
    parser.add_argument("--seed", type=int, help="fixes the deal")
    parser.add_argument("--stack", default="default", choices=("default", "torch"))
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    args = parse(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)  # each step of a new store is no news
    try:
        args.home.mkdir(parents=True, exist_ok=True)
        with sole(args.home / LOCK):
            return run(args)
    except (MissingPart, ConfigError, Conflict, InUse, ValueError, OSError) as error:
        print(f"game: {error}", file=sys.stderr)
        if isinstance(error, InUse | Conflict):
            return GameExit.IN_USE
        if isinstance(error, BadStore):
            return GameExit.UNSTORED
        return GameExit.BAD_CONFIG if isinstance(error, ConfigError) else GameExit.FAILED


def run(args: argparse.Namespace) -> int:
    server = livekit_server.configured()
    if server is None:
        raise MissingPart("the address of a LiveKit server", "set LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET")
    rules, config, recording = load_rules(args.rules), load_voice_config().with_stack(args.stack), not args.no_recording
    settings = Settings(
        *(args.game, args.home, args.lang, rules, config, args.seed, args.setting, recording, args.store),
        gallery_delay_s=args.gallery_delay,
    )
    for stale in (TICKETS, "missing.json", OVER):
        (args.home / stale).unlink(missing_ok=True)
    clock = RealClock()
    room = LiveKitRoom(server, clock, booths(args.home), args.gallery_delay)
    write_private(args.home / BOOTHS, room.booths)
    try:
        asyncio.run(until_stopped(play(settings, room, clock)))
    except NobodyCame as nobody:
        write_private(args.home / "missing.json", nobody.missing)
        print(f"game: {nobody}", file=sys.stderr)
        return GameExit.NOBODY_CAME
    except practice.GuestLeft as left:
        log.info("the round to practise ends: %s", left)
        return GameExit.GUEST_LEFT
    except asyncio.CancelledError:
        return GameExit.STOPPED
    os.nice(BEHIND)
    try:
        finish(args.home)
    except OSError as error:
        log.warning("the recording stays raw until somebody asks for the review: %s", error.strerror)
    return GameExit.OVER


async def until_stopped(game: Coroutine[Any, Any, None]) -> None:
    """A first SIGTERM closes the parts in order, a second ends the process as it is."""
    task, loop = asyncio.ensure_future(game), asyncio.get_running_loop()

    def stop() -> None:
        loop.remove_signal_handler(signal.SIGTERM)
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, stop)
    await task


if __name__ == "__main__":
    sys.exit(main())
