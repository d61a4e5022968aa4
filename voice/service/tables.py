"""The tables of the service: what was agreed, and who sits where.

Each is one file in its game's folder, readable by its owner alone, so that a restart of the service forgets nothing.
"""

import asyncio
import logging
import math
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from moderator.model import SEATS, Seat
from voice import practice
from voice.home import BOOTHS, TICKETS, booths, write_private
from voice.names import BadName, display_name
from voice.ports import Lang, Setting
from voice.routing import GALLERY
from voice.service.denied import Denied
from voice.service.pins import SealedPin, new_pin, seal
from voice.stored import STORE

log = logging.getLogger(__name__)

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Without 0 and O, 1, I and L, which are read and heard for one another."""
CODE_LENGTH = 6
FILE = "table.json"
LONGEST_DELAY_S = 600
"""Of a gallery. What it is behind is kept in memory: 96 kB a second."""


class State(StrEnum):
    """`starting`: ten seats are taken; `lost`: the game could not be kept going."""

    GATHERING = "gathering"
    STARTING = "starting"
    PLAYING = "playing"
    OVER = "over"
    LOST = "lost"


OPEN = (State.GATHERING, State.STARTING, State.PLAYING)
UNFINISHED = (State.STARTING, State.PLAYING)
NO_SEAT = {State.STARTING: "full", State.PLAYING: "begun", State.OVER: "over", State.LOST: "lost"}
"""Why nobody can join any more."""


class Options(BaseModel):
    """What the one who opens a table chooses, and everybody sees."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rules: Literal["classic", "turbo", "calm", "club", "practice"] = "classic"
    lang: Lang = "fr"
    setting: Setting = "mafia"
    recording: bool = False
    """Whether sound and words are kept; then everybody has to consent."""
    gallery_delay_s: Annotated[float, Field(ge=0, le=LONGEST_DELAY_S)] | None = None
    """How far spectators are behind the table; None: none are let in."""


class Record(BaseModel):
    """What is kept of a table. `seats`: those that are taken; `names`: theirs who gave one, until the game is over."""

    model_config = ConfigDict(extra="forbid")

    game: str
    code: str
    options: Options
    state: State = State.GATHERING
    seats: dict[Seat, SealedPin] = {}
    names: dict[Seat, str] = {}
    consents: dict[Seat, str] = {}
    """When (UTC) each player of a recorded table agreed to be recorded; kept as long as the table."""


class ServedTable:
    """One table. Every change is on disk before it is answered for."""

    def __init__(self, home: Path, record: Record, store: str | None = None) -> None:
        self.home, self._record = home, record
        self.store = store or str(home / STORE)
        """Path or URL of what its game is kept in."""
        self.touched_s = time.monotonic()
        """When a page of it last asked for anything."""
        self.proving = asyncio.Lock()
        """Held while a PIN is looked at, so that guesses cannot outrun their count."""
        self.known: set[tuple[Seat, str]] = set()
        """Seats with the addresses that have shown their PIN: strangers' guesses do not lock these out."""

    @property
    def game(self) -> str:
        """The game's id in the store and in the log; it opens nothing."""
        return self._record.game

    @property
    def code(self) -> str:
        """What the join link holds. Not for logs."""
        return self._record.code

    @property
    def options(self) -> Options:
        return self._record.options

    @property
    def state(self) -> State:
        return self._record.state

    @property
    def missing(self) -> int:
        return len(SEATS) - len(self._record.seats)

    @property
    def names(self) -> dict[Seat, str]:
        """Empty once the game is over: from then on its store alone knows them. Not for logs."""
        return dict(self._record.names)

    def facts(self) -> dict[str, Any]:
        """What anybody who has the code may know."""
        chosen = self.options.model_dump(exclude_none=True)
        seats = {str(seat): self._seat(seat) for seat in SEATS}
        return {"code": self.code, "state": self.state, **chosen, "seats": seats, "missing": self.missing}

    def _seat(self, seat: Seat) -> dict[str, Any]:
        name = self._record.names.get(seat)
        return {"taken": seat in self._record.seats} | ({} if name is None else {"name": name})

    def become(self, state: State) -> None:
        if state is not self.state:
            self._record.state = state
            if state not in OPEN:
                self._record.names.clear()
            self.save()
            log.info("table is %s", state, extra={"game": self.game})

    def take(self, pin: SealedPin, name: str | None = None, *, consent: bool = False) -> Seat:
        """A random free seat; at a table for practice the guest's, and the robots take the others.

        `name`: as the player wrote it; `consent`: to be recorded. Raises `Denied`.
        """
        if self.state is not State.GATHERING:
            raise Denied(NO_SEAT[self.state], self.options.lang)
        try:
            shown = None if name is None else display_name(name, self._record.names.values())
        except BadName as refused:
            raise Denied(refused.code, self.options.lang) from None
        free = [seat for seat in SEATS if seat not in self._record.seats]
        practising = self.options.rules == practice.RULES
        seat = practice.GUEST if practising else secrets.choice(free)
        self._record.seats |= {robot: seal(new_pin()) for robot in free} if practising else {}
        self._record.seats[seat] = pin
        if shown is not None:
            self._record.names[seat] = shown
        if consent:
            self._record.consents[seat] = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}"
        self.save()
        if not self.missing:
            self.become(State.STARTING)
        return seat

    def fits(self, seat: Seat, pin: str) -> bool:
        """Takes milliseconds. A free seat has no PIN that fits."""
        sealed = self._record.seats.get(seat)
        return sealed is not None and sealed.fits(pin)

    def leave(self, seat: Seat) -> None:
        """Raises `Denied` once the game has begun: its player may only give up, aloud."""
        if self.state is not State.GATHERING:
            raise Denied("begun" if self.state in UNFINISHED else NO_SEAT[self.state], self.options.lang)
        self._free([seat])

    def gather_again(self, missing: Iterable[Seat]) -> None:
        """These did not come: their seats are free, and their booths are no longer booths of this game.

        At a table for practice nobody else can come.
        """
        (self.home / BOOTHS).unlink(missing_ok=True)
        if self.options.rules == practice.RULES:
            self.become(State.LOST)
            return
        self._free(missing)
        self.become(State.GATHERING)

    def _free(self, seats: Iterable[Seat]) -> None:
        for seat in seats:
            self._record.seats.pop(seat, None)
            self._record.names.pop(seat, None)
            self._record.consents.pop(seat, None)
            self.known = {(other, address) for other, address in self.known if other != seat}
        self.save()

    @property
    def opened(self) -> bool:
        """Its booths are open."""
        return (self.home / TICKETS).exists()

    def booth(self, seat: Seat) -> str | None:
        """Name of the seat's booth, once the game process has opened it. Secret."""
        if self.state not in UNFINISHED or not self.opened:
            return None
        return (booths(self.home) or {}).get(seat)

    def gallery(self) -> str | None:
        """Name of the gallery's room, while there is one: also when the game is over, until all of it was heard."""
        return (booths(self.home) or {}).get(GALLERY) if self.opened else None

    def open_booths(self) -> None:
        """The game process, which is on another machine, has opened them."""
        if not self.opened:
            write_private(self.home / TICKETS, [])

    def close_booths(self) -> None:
        """No ticket until a game process has opened them again."""
        (self.home / TICKETS).unlink(missing_ok=True)

    def save(self) -> None:
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(self.home / FILE, self._record.model_dump(mode="json"))


class Tables:
    """All tables in `home`, by code. At most `limit` are open at a time."""

    def __init__(
        self, home: Path, limit: int, idle_s: float, store: str | None = None, left_s: float = math.inf
    ) -> None:
        """`store`: path or URL of the one that all games are kept in; None: each game has its own in its folder.

        A table that gathers and of which no page was open for `idle_s` is closed; after `left_s` already, when all
        are taken and somebody wants to open another.
        """
        self.home, self.limit, self._shared = home, limit, store
        self._idle_s, self._left_s = idle_s, left_s
        self._by_code: dict[str, ServedTable] = {}
        for path in sorted(home.glob(f"*/{FILE}")):
            self._load(path)

    def _load(self, path: Path) -> None:
        """A damaged file costs its own table alone."""
        try:
            table = ServedTable(path.parent, Record.model_validate_json(path.read_bytes()), self._shared)
        except (OSError, ValidationError) as error:
            log.error("%s: cannot be read, the table is left out: %s", path, type(error).__name__)
            return
        self._by_code[table.code] = table

    @property
    def store(self) -> str:
        """Path or URL of what is kept beside the games."""
        return self._shared or str(self.home / STORE)

    def __iter__(self) -> Iterator[ServedTable]:
        return iter(self._by_code.values())

    @property
    def full(self) -> bool:
        """Whether no table can be opened now."""
        self._close(self._unattended(self._idle_s))
        return self._open - len(self._unattended(self._left_s)) >= self.limit

    @property
    def _open(self) -> int:
        return sum(table.state in OPEN for table in self)

    def open(self, options: Options) -> ServedTable:
        """A new table. Raises `Denied` when there are enough."""
        if self.full:
            raise Denied("tables_full", options.lang)
        surplus = max(0, self._open - self.limit + 1)
        self._close(self._unattended(self._left_s)[:surplus])
        game = f"{time.strftime('%Y%m%d')}-{secrets.token_hex(4)}"
        table = self._add(Record(game=game, code=self._new_code(), options=options))
        log.info("table opened", extra={"game": game})
        return table

    def lend(self, game: str, options: Options, state: State, names: dict[Seat, str]) -> ServedTable:
        """A game whose table another service has: nobody sits down here, and its only code is its id."""
        return self._add(Record(game=game, code=game, options=options, state=state, names=names))

    def _add(self, record: Record) -> ServedTable:
        table = ServedTable(self.home / record.game, record, self._shared)
        table.save()
        self._by_code[table.code] = table
        return table

    def forget(self, table: ServedTable) -> None:
        """Its folder is gone."""
        self._by_code.pop(table.code, None)

    def _new_code(self) -> str:
        while True:
            code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
            if code not in self._by_code:
                return code

    def find(self, code: str) -> ServedTable | None:
        """For a page of it, which attends it by asking. In whatever case the code was written."""
        self._close(self._unattended(self._idle_s))
        table = self._by_code.get(code.strip().upper())
        if table is not None:
            table.touched_s = time.monotonic()
        return table

    def _unattended(self, for_s: float) -> list[ServedTable]:
        """Tables that gather and of which no page was open for so long; the longest first."""
        before_s = time.monotonic() - for_s
        left = [table for table in self if table.state is State.GATHERING and table.touched_s < before_s]
        return sorted(left, key=lambda table: table.touched_s)

    def _close(self, left: Iterable[ServedTable]) -> None:
        for table in left:
            self.forget(table)
            shutil.rmtree(table.home, ignore_errors=True)
            log.info("table closed, nobody attends it", extra={"game": table.game})
