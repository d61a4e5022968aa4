"""Lines that were spoken once are not spoken again: a synthesizer with a memory, on disk and in this process."""

import hashlib
import logging
import os
from collections import OrderedDict
from pathlib import Path

import numpy as np

from voice.ports import Pcm, Synthesizer, VoiceSpec
from voice.weights import cache

log = logging.getLogger(__name__)

FORMAT = 1
"""Part of every name: raise it when the same text would sound otherwise."""
MEMORY_LINES = 400


class CachedSynthesizer:
    """A `Synthesizer` in front of another one. Entries are named by engine, voice, rate and text.

    File names are digests, so nothing said can be read off them; a damaged file is spoken again.
    """

    def __init__(self, inner: Synthesizer, engine: str, folder: Path | None = None) -> None:
        self._inner, self._engine = inner, engine
        self._folder = folder if folder is not None else cache() / "speech"
        self._memory: OrderedDict[str, Pcm] = OrderedDict()

    async def open(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        await self._inner.open()

    async def synthesize(self, text: str, voice: VoiceSpec) -> Pcm:
        if not voice.kept:
            return await self._inner.synthesize(text, voice)
        name = self._name(text, voice)
        pcm = self._memory.get(name)
        if pcm is None:
            pcm = self._load(name)
        if pcm is None:
            pcm = await self._inner.synthesize(text, voice)
            self._save(name, pcm)
        self._memory[name] = pcm
        self._memory.move_to_end(name)
        if len(self._memory) > MEMORY_LINES:
            self._memory.popitem(last=False)
        return pcm

    async def close(self) -> None:
        await self._inner.close()

    def _name(self, text: str, voice: VoiceSpec) -> str:
        parts = (str(FORMAT), self._engine, voice.lang, voice.name, str(voice.rate_wpm), text)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]

    def _load(self, name: str) -> Pcm | None:
        try:
            pcm: Pcm = np.load(self._folder / f"{name}.npy", allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        return pcm if pcm.dtype == np.int16 and pcm.ndim == 1 and len(pcm) else None

    def _save(self, name: str, pcm: Pcm) -> None:
        """Written beside and renamed: two games may save the same line at once."""
        beside = self._folder / f"{name}.{os.getpid()}.tmp"
        try:
            with beside.open("wb") as file:
                np.save(file, pcm)
            beside.replace(self._folder / f"{name}.npy")
        except OSError as error:
            log.warning("a spoken line was not kept: %s", error)
