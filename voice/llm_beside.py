"""A language model that is loaded beside the game: nobody waits for it, and until it is ready it is unsure."""

import asyncio
import logging

from voice.llm_answers import UNSURE
from voice.ports import ConductReader, Context, Extractor, Lang, Likely, MissingPart, Reading, Task

log = logging.getLogger(__name__)


class LoadedBeside:
    """An `Extractor`. `open` returns at once; a model that is missing stays unsure, and `doctor` says so."""

    def __init__(self, model: Extractor) -> None:
        self._model, self._ready = model, False
        self._loading: asyncio.Task[None] | None = None

    async def open(self) -> None:
        self._loading = asyncio.create_task(self._load())

    async def _load(self) -> None:
        try:
            await self._model.open()
        except MissingPart as missing:
            log.warning("no language model, what is not plain will be asked: %s", missing)
        else:
            self._ready = True

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        return await self._model.read(task, lang, text, context) if self._ready else UNSURE

    async def conduct(self, lang: Lang, sentence: str) -> Likely:
        """Empty, too, where the model has not learnt it."""
        if not (self._ready and isinstance(self._model, ConductReader)):
            return {}
        return await self._model.conduct(lang, sentence)

    async def close(self) -> None:
        if self._loading is not None:
            self._loading.cancel()
            await asyncio.gather(self._loading, return_exceptions=True)
        await self._model.close()
