"""The port of the store, and what stands beside the events: leases, and how each text was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from moderator.events import Event
from moderator.model import Seat
from voice.ports import Lang, Proposal, Task, Utterance


@dataclass(frozen=True, slots=True)
class Understood:
    """How one text of one seat was read. As private as the words: kept beside them, deleted with them.

    `at_s`: when. `text`: what was read, in a speech all that was said so far. `asked`: it answers a question about this
    seat.
    """

    seat: Seat
    at_s: float
    lang: Lang
    task: Task
    text: str
    asked: Seat | None
    proposal: Proposal


class Provenance(Protocol):
    """What the rulings of a game rest on, for its review."""

    async def append_understood(self, game: str, understood: Understood) -> None: ...

    async def understood(self, game: str) -> list[Understood]:
        """In the order in which they were stored."""
        ...


class Store(Protocol):
    """The event log. `append` returns only when the events are on disk."""

    async def append(self, game: str, first_seq: int, events: Sequence[Event]) -> None:
        """`first_seq` is the number of events stored so far; raises `Conflict` if somebody else wrote."""
        ...

    async def events(self, game: str) -> list[Event]: ...

    async def append_utterance(self, game: str, utterance: Utterance) -> None: ...

    async def utterances(self, game: str) -> list[Utterance]: ...

    async def games(self) -> list[str]:
        """Ids, oldest first."""
        ...

    async def close(self) -> None: ...


class Keepsakes(Protocol):
    """What is kept of the players of a finished game, and can be taken along or forgotten by each of them."""

    async def events(self, game: str) -> list[Event]: ...

    async def utterances(self, game: str) -> list[Utterance]: ...

    async def understood(self, game: str) -> list[Understood]: ...

    async def names(self, game: str) -> dict[Seat, str]: ...

    async def forget(self, game: str, seat: Seat) -> int:
        """A seat's words, how they were read, and its name. How many utterances. Raises `Conflict`: it runs."""
        ...


class Leases(Protocol):
    """Who plays a game. A lease has a number, the fence: whoever took the game later has a higher one.

    What is appended carries the fence of its writer, and is refused (`Conflict`) once there is a higher one.
    """

    async def take_lease(self, game: str, holder: str, lasts_s: float, over: str = "") -> None:
        """`holder` names the process. Raises `Held` while another one's lease lasts, unless that one is `over`."""
        ...

    async def renew_lease(self, game: str, lasts_s: float) -> None:
        """From now on. Also after it ran out, if nobody took it; else raises `Conflict`."""
        ...

    async def release_lease(self, game: str) -> None:
        """Let others take it at once."""
        ...


class BadStore(ValueError):
    """This is no store of ours, or it cannot be read or written any more."""


class Conflict(Exception):
    """Another process has written to this game."""


class Held(Conflict):
    """Another process, `holder`, plays this game."""

    def __init__(self, message: str, holder: str) -> None:
        super().__init__(message)
        self.holder = holder
