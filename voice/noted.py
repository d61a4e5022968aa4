"""The readers of a game with somebody who takes notes: how each text was read goes into the store, for the review."""

import asyncio
import logging
from collections.abc import Callable

from voice.parts import Reader
from voice.ports import Breach, Context, Lang, Proposal, Task
from voice.ports_store import BadStore, Conflict, Provenance, Understood

log = logging.getLogger(__name__)


class NotedReader:
    """Reads like `reader`. A note is written beside the game, which does not wait for it; losing one loses no words."""

    def __init__(self, reader: Reader, notes: Provenance, game: str, now: Callable[[], float]) -> None:
        self._reader, self._notes, self._game, self._now = reader, notes, game, now
        self._writing: set[asyncio.Task[None]] = set()

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Proposal:
        proposal = await self._reader.read(task, lang, text, context)
        note = Understood(context.speaker, self._now(), lang, task, text, context.asked, proposal)
        writing = asyncio.create_task(self._write(note))
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        return proposal

    async def conduct(self, lang: Lang, text: str) -> tuple[Breach, ...]:
        """What comes of it is an event of the game, or nothing: no note."""
        return await self._reader.conduct(lang, text)

    async def written(self) -> None:
        """Returns when every note so far is in the store, or lost."""
        await asyncio.gather(*self._writing)

    async def _write(self, note: Understood) -> None:
        try:
            await self._notes.append_understood(self._game, note)
        except (BadStore, Conflict) as error:
            log.warning("how a text was read could not be noted: %s", error)
