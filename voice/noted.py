"""The readers of a game with somebody who takes notes: how each text was read goes into the store, for the review."""

import logging
from collections.abc import Callable

from voice.parts import Reader
from voice.ports import Context, Lang, Proposal, Task
from voice.ports_store import BadStore, Conflict, Provenance, Understood

log = logging.getLogger(__name__)


class NotedReader:
    """Reads like `reader`; that a note is lost is no reason for the words to be."""

    def __init__(self, reader: Reader, notes: Provenance, game: str, now: Callable[[], float]) -> None:
        self._reader, self._notes, self._game, self._now = reader, notes, game, now

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Proposal:
        proposal = await self._reader.read(task, lang, text, context)
        note = Understood(context.speaker, self._now(), lang, task, text, context.asked, proposal)
        try:
            await self._notes.append_understood(self._game, note)
        except (BadStore, Conflict) as error:
            log.warning("how a text was read could not be noted: %s", error)
        return proposal
