"""One process a game, kept alive: a dead one is started again on the same home, and goes on with the same game."""

import asyncio
import json
import logging
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from moderator.model import SEATS, Seat
from voice import child, stored
from voice.game_exit import GameExit
from voice.home import NAMES, OVER, write_private
from voice.ports_store import BadStore
from voice.service.config import ServeConfig
from voice.service.tables import UNFINISHED, ServedTable, State

log = logging.getLogger(__name__)

LOOK_S = 0.5
"""How often it is looked whether a game has begun."""
WAITS = (GameExit.IN_USE, GameExit.UNSTORED)
"""What no game is given up for: it passes."""
CLOSE_S = 10.0
"""A game has this long to close its rooms and its log."""


def game_command(table: ServedTable) -> Sequence[str]:
    chosen = table.options
    where = ["--game", table.game, "--home", str(table.home), "--store", table.store]
    options = [*where, "--lang", chosen.lang, "--rules", chosen.rules]
    silent = [] if chosen.recording else ["--no-recording"]
    delay_s = chosen.gallery_delay_s
    watched = [] if delay_s is None else ["--gallery-delay", str(delay_s)]
    return [sys.executable, "-m", "voice.game", *options, "--setting", chosen.setting, *silent, *watched]


class Keeper(Protocol):
    """Who sees to it that the game of a full table is played to its end."""

    def begin(self, table: ServedTable) -> None:
        """Start it, or take up one that an earlier service has left."""
        ...


class Games:
    """`environment` tells a game process of the media server; `died` is told of every death."""

    def __init__(
        self,
        config: ServeConfig,
        environment: Mapping[str, str],
        died: Callable[[], None],
        command: Callable[[ServedTable], Sequence[str]] = game_command,
    ) -> None:
        self._config, self._environment, self._died, self._command = config, environment, died, command
        self._keepers: dict[str, asyncio.Task[None]] = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}

    def begin(self, table: ServedTable) -> None:
        if table.state in UNFINISHED and not self.keeps(table):
            self._keepers[table.game] = keeper = asyncio.create_task(self._keep(table))
            keeper.add_done_callback(_tell)

    def pid(self, table: ServedTable) -> int | None:
        process = self._processes.get(table.game)
        return None if process is None or process.returncode is not None else process.pid

    def keeps(self, table: ServedTable) -> bool:
        keeper = self._keepers.get(table.game)
        return keeper is not None and not keeper.done()

    async def stop(self, game: str) -> None:
        """End the process of one game, if there is one: somebody else goes on with it."""
        await _cancelled([keeper for name, keeper in self._keepers.items() if name == game])

    async def close(self) -> None:
        """End every process; the games are taken up when the service starts again."""
        await _cancelled(list(self._keepers.values()))

    # --- one game ---------------------------------------------------------------------------------

    async def _keep(self, table: ServedTable) -> None:
        deaths: deque[float] = deque(maxlen=self._config.deaths)
        wait_s = self._config.backoff_s
        while table.state in UNFINISHED:
            started_s = time.monotonic()
            code = await self._play(table)
            if await self._settled(table, code):
                return
            if code not in WAITS:
                deaths.append(time.monotonic())
                self._died()
                log.error("game process died", extra={"game": table.game, "code": code})
            if self._hopeless(deaths):
                log.error("game given up, see its game.log", extra={"game": table.game, "deaths": len(deaths)})
                table.become(State.LOST)
                return
            calm = time.monotonic() - started_s > self._config.deaths_within_s
            wait_s = self._config.backoff_s if calm else wait_s
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, self._config.backoff_most_s)

    def _hopeless(self, deaths: deque[float]) -> bool:
        return len(deaths) == deaths.maxlen and deaths[-1] - deaths[0] <= self._config.deaths_within_s

    async def _play(self, table: ServedTable) -> int:
        """The exit code of one process; the process ends with this call, however it ends."""
        environment = {**os.environ, **self._environment}
        table.close_booths()
        write_private(table.home / NAMES, table.names)
        process = await child.start(self._command(table), environment, table.home / "game.log")
        self._processes[table.game] = process
        log.info("game process started", extra={"game": table.game})
        look = asyncio.create_task(self._follow(table))
        try:
            return await process.wait()
        finally:
            look.cancel()
            table.close_booths()
            await child.stop(process, (CLOSE_S,))
            (table.home / NAMES).unlink(missing_ok=True)
            del self._processes[table.game]

    async def _follow(self, table: ServedTable) -> None:
        """A game has begun when its first event is stored; it may be over before its process is, which then plays on
        for the gallery.
        """
        while table.state is State.STARTING:
            await asyncio.sleep(LOOK_S)
            if await asyncio.to_thread(has_begun, table):
                table.become(State.PLAYING)
        while table.state is State.PLAYING:
            await asyncio.sleep(LOOK_S)
            if (table.home / OVER).exists():
                table.become(State.OVER)

    async def _settled(self, table: ServedTable, code: int) -> bool:
        """Whether nothing is left to keep alive."""
        if code == GameExit.OVER:
            table.become(State.OVER)
        elif code == GameExit.GUEST_LEFT:
            table.become(State.OVER if await asyncio.to_thread(has_begun, table) else State.LOST)
        elif code == GameExit.NOBODY_CAME and not await asyncio.to_thread(has_begun, table):
            table.gather_again(missing(table))
        elif code in (GameExit.BAD_CONFIG, GameExit.NOBODY_CAME):
            log.error("game cannot go on, see its game.log", extra={"game": table.game, "code": code})
            table.become(State.LOST)
        else:
            return False
        return True


async def _cancelled(keepers: Sequence[asyncio.Task[None]]) -> None:
    for keeper in keepers:
        keeper.cancel()
    await asyncio.gather(*keepers, return_exceptions=True)


def _tell(keeper: asyncio.Task[None]) -> None:
    if not keeper.cancelled() and keeper.exception() is not None:
        log.error("a game is kept no longer", exc_info=keeper.exception())


def has_begun(table: ServedTable) -> bool:
    """Reads the store, and starts an event loop of its own to do so."""
    try:
        return bool(stored.find(table.game, table.store).events)
    except (stored.NoSuchGame, BadStore):
        return False


def missing(table: ServedTable) -> Sequence[Seat]:
    """Who did not come, as the process that waited for them wrote it down; when it could not, everybody."""
    path = table.home / "missing.json"
    return [int(seat) for seat in json.loads(path.read_text())] if path.exists() else SEATS
