"""What one table stores. When its store fails the table must stop: nothing is said that is not stored."""

import asyncio
from collections.abc import Awaitable, Coroutine, Sequence
from typing import Any

from moderator.events import Event
from voice.ports import Utterance
from voice.ports_store import BadStore, Conflict, Store


class Logbook:
    """Once the store has failed, whoever stores something waits until he is cancelled.

    So nobody goes on as if it had been stored, whatever he would have made of an error.
    """

    def __init__(self, store: Store, game: str) -> None:
        self.length = 0
        """How many events are stored."""
        self._store, self._game = store, game
        self._failure: BadStore | Conflict | None = None
        self._failed = asyncio.Event()

    async def append(self, events: Sequence[Event]) -> None:
        await self._stored(self._store.append(self._game, self.length, events))
        self.length += len(events)

    async def append_utterance(self, utterance: Utterance) -> None:
        await self._stored(self._store.append_utterance(self._game, utterance))

    async def kept(self, playing: Coroutine[Any, Any, None]) -> None:
        """Play, as long as everything is stored. Raises what the store raised: `BadStore` or `Conflict`."""
        game, failed = asyncio.create_task(playing), asyncio.create_task(self._failed.wait())
        try:
            await asyncio.wait((game, failed), return_when=asyncio.FIRST_COMPLETED)
        finally:
            failed.cancel()
            game.cancel()
        if self._failure is not None:
            raise self._failure
        await game

    async def _stored(self, storing: Awaitable[None]) -> None:
        try:
            await storing
        except (BadStore, Conflict) as failure:
            self._failure = self._failure or failure
            self._failed.set()
        if self._failure is not None:
            await asyncio.Event().wait()
