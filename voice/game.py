"""One game, one process: joins the real parts, plays a game or goes on with it, and ends.

`python -m voice.game --game ID --home DIR`; LiveKit's address and keys come from the environment
(LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET) or `configs/livekit.yaml`. HOME holds the store (unless
--store names another), the recording, and, readable by its owner only, the names of the booths and the players'
tickets. Started again on the same HOME after a crash, it takes the stored game up in the same booths, once the
lease of the dead process has run out (`voice.lease`).
"""

import argparse
import asyncio
import contextlib
import json
import logging
import os
import random
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from moderator.commands import Deal
from moderator.model import SEATS, Role, Seat
from moderator.narration import waiting
from moderator.rules import Rules
from voice import engines, livekit_server
from voice.clock import RealClock
from voice.config import ConfigError, VoiceConfig, load_rules, load_voice_config
from voice.floor import Floor
from voice.gate import VoiceGate
from voice.hearing import prompt_for
from voice.lease import leased
from voice.narrator import Narrator
from voice.parts import Parts
from voice.ports import BadStore, Conflict, Lang, MissingPart, Room, VoiceSpec
from voice.recorder import Recorder
from voice.room_livekit import LiveKitRoom
from voice.routing import routes
from voice.store_sql import SqlStore
from voice.stored import STORE
from voice.table import Table
from voice.understanding import Understanding

log = logging.getLogger(__name__)

PLAYERS_S = 120.0
"""A table whose players have not all joined by then is given up."""
WAITING_EVERY_S = 10.0
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
    store: str | None = None
    """Path or URL; None: a file in `home`."""


class NobodyCame(Exception):
    """Not all ten players joined in time."""


def draw_roles(seed: int | None) -> dict[Seat, Role]:
    """Chance happens once, here."""
    chance: random.Random = random.SystemRandom() if seed is None else random.Random(f"deal:{seed}")
    roles = list(ROLES)
    chance.shuffle(roles)
    return dict(zip(SEATS, roles, strict=True))


async def play(settings: Settings, room: Room, clock: RealClock) -> None:
    """Open the parts, play the game to its end, close the parts and the room."""
    async with contextlib.AsyncExitStack() as stack:
        store = SqlStore(settings.store or settings.home / STORE)
        stack.push_async_callback(store.close)
        lease = await stack.enter_async_context(leased(store, settings.game))
        stored = await store.events(settings.game)
        if stored:
            clock.start_at(stored[-1].at)
        transcriber, synthesizer, extractor = await asyncio.gather(
            stack.enter_async_context(engines.transcriber(settings.config.stt)),
            stack.enter_async_context(engines.synthesizer(settings.config.tts, settings.lang)),
            stack.enter_async_context(engines.extractor(settings.config.llm, settings.lang)),
        )
        await room.open()
        stack.push_async_callback(room.close)
        write_private(settings.home / "tickets.json", [asdict(room.ticket(seat)) for seat in SEATS])

        voice = VoiceSpec(settings.lang, settings.config.tts.voice, settings.config.tts.rate_wpm)
        narrator = Narrator(synthesizer, voice, lambda seat, line: room.send(seat, line.model_dump_json().encode()))
        parts = Parts(clock, room, transcriber, Understanding(extractor), narrator, store, prompt_for)
        table = Table(settings.game, settings.lang, parts)
        recorder = Recorder(free_name(settings.home, "table"))
        stack.callback(recorder.close)
        table.ears = floor = Floor(
            room,
            clock,
            narrator,
            {seat: VoiceGate(seat) for seat in SEATS},
            lambda now_s: routes(table.state, now_s),
            table.on_clip,
            recorder.write,
        )
        audio = asyncio.create_task(floor.run())
        stack.callback(audio.cancel)
        await everybody_present(room, clock, narrator)
        if stored:
            table.load(stored)
            clock.start_at(stored[-1].at)
        deal = Deal(at=clock.now(), game=settings.game, rules=settings.rules, roles=draw_roles(settings.seed))
        game = asyncio.create_task(table.run(None if stored else deal))
        await asyncio.wait((game, audio, lease), return_when=asyncio.FIRST_COMPLETED)
        for other in (audio, lease):
            if other.done():
                game.cancel()
                other.result()
        try:
            await game
        except BadStore:
            await asyncio.sleep(FAREWELL_S)
            raise
        await asyncio.sleep(FAREWELL_S)
        log.info("counts: %s", json.dumps(table.tally()))


async def everybody_present(room: Room, clock: RealClock, narrator: Narrator) -> None:
    """Wait for ten microphones, saying from time to time who is missing."""
    until_s, say_s = clock.now() + PLAYERS_S, clock.now() + WAITING_EVERY_S
    while room.present() != frozenset(SEATS):
        if clock.now() > until_s:
            missing = sorted(set(SEATS) - room.present())
            raise NobodyCame(f"seats {', '.join(map(str, missing))} did not join within {PLAYERS_S:.0f} s")
        if clock.now() > say_s:
            narrator.say(waiting(room.present()))
            say_s += WAITING_EVERY_S
        await asyncio.sleep(0.05)


def write_private(path: Path, content: Any) -> None:
    """Whole or not at all, and for nobody else to read."""
    scratch = path.with_suffix(".part")
    with os.fdopen(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
        json.dump(content, out)
    scratch.rename(path)


def free_name(home: Path, stem: str) -> Path:
    """A resumed game records beside what was recorded before."""
    names = (stem if number == 1 else f"{stem}-{number}" for number in range(1, 1000))
    free = next(name for name in names if not any((home / f"{name}{end}").exists() for end in (".ogg", ".pcm")))
    return home / f"{free}.ogg"


def booths(home: Path) -> dict[Seat, str] | None:
    """The booths of the game that was interrupted, or None."""
    path = home / "booths.json"
    return {int(seat): name for seat, name in json.loads(path.read_text()).items()} if path.exists() else None


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m voice.game", description="Play one game over LiveKit.")
    parser.add_argument("--game", required=True, help="the game's id in the store")
    parser.add_argument("--home", required=True, type=Path, help="folder of the store, the recording, the tickets")
    parser.add_argument("--store", help="path or URL of the store (default: HOME/moderator.db)")
    parser.add_argument("--lang", default="fr", choices=("fr", "en", "ru"))
    parser.add_argument("--rules", default="classic", help="classic, turbo, club, or a YAML file")
    parser.add_argument("--seed", type=int, help="fixes the deal")
    parser.add_argument("--stack", default="default", choices=("default", "torch"))
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    args = parse(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        server = livekit_server.configured()
        if server is None:
            raise MissingPart("the address of a LiveKit server", "set LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET")
        config = load_voice_config().with_stack(args.stack)
        settings = Settings(args.game, args.home, args.lang, load_rules(args.rules), config, args.seed, args.store)
        args.home.mkdir(parents=True, exist_ok=True)
        clock = RealClock()
        room = LiveKitRoom(server, clock, booths(args.home))
        write_private(args.home / "booths.json", room.booths)
        asyncio.run(play(settings, room, clock))
    except (MissingPart, ConfigError, NobodyCame, Conflict, ValueError, OSError) as error:
        print(f"game: {error}", file=sys.stderr)
        return 2 if isinstance(error, ConfigError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
