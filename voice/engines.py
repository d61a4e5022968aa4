"""Which adapter stands behind each port, by configuration. The heavy libraries are imported only when chosen."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Protocol

from voice.config import LlmConfig, SttConfig, TtsConfig, load_voice_config
from voice.llm_beside import LoadedBeside
from voice.ports import Extractor, Lang, MissingPart, Synthesizer, Transcriber
from voice.sound_cache import CachedSynthesizer
from voice.understanding import Understanding

log = logging.getLogger(__name__)

NATURAL: Mapping[Lang, str] = {"fr": "kokoro", "en": "kokoro", "ru": "festival"}
"""The engine of the natural voice of each language."""
PATIENCE_S = 30.0
"""After the game nobody waits for the model's answer."""


def make_transcriber(config: SttConfig) -> Transcriber:
    if config.engine == "openai-whisper":
        from voice.stt_openai_whisper import OpenAIWhisperTranscriber

        return OpenAIWhisperTranscriber(config)
    if config.engine == "transformers":
        from voice.stt_transformers import TransformersTranscriber

        return TransformersTranscriber(config)
    from voice.stt_whisper import WhisperTranscriber

    return WhisperTranscriber(config)


def make_synthesizer(engine: str, lang: Lang, *, workers: int = 1) -> Synthesizer:
    if engine == "kokoro":
        from voice.tts_kokoro import KokoroSynthesizer

        return KokoroSynthesizer(lang, workers=workers)
    if engine == "festival":
        from voice.tts_festival import FestivalSynthesizer

        return FestivalSynthesizer(lang, workers=workers)
    from voice.tts_pyttsx3 import Pyttsx3Synthesizer

    return Pyttsx3Synthesizer(lang, workers=workers)


def make_extractor(config: LlmConfig, lang: Lang) -> Extractor | None:
    if config.engine == "none":
        return None
    if config.engine == "transformers":
        from voice.llm_transformers import TransformersExtractor

        return TransformersExtractor(adapter=config.adapter, threads=config.threads, lang=lang)
    if config.engine == "openai":
        from voice.llm_openai import OpenAIExtractor

        return OpenAIExtractor(config.base_url, api_key=config.api_key, model=config.model)
    from voice.llm_llamacpp import LlamaCppExtractor

    return LlamaCppExtractor(weights=config.model, adapter=config.adapter, threads=config.threads, lang=lang)


@contextlib.asynccontextmanager
async def transcriber(config: SttConfig) -> AsyncIterator[Transcriber]:
    made = make_transcriber(config)
    await made.open()
    try:
        yield made
    finally:
        await made.close()


def make_narrators_voice(config: TtsConfig, lang: Lang) -> Synthesizer:
    return CachedSynthesizer(make_synthesizer(config.engine, lang, workers=config.workers), config.engine)


class Opens(Protocol):
    async def open(self) -> None: ...
    async def close(self) -> None: ...


@contextlib.asynccontextmanager
async def opening(made: Opens) -> AsyncIterator[asyncio.Task[None]]:
    """Open the part beside other work; what is asked of it before waits. The task raises what `open` does."""
    task = asyncio.create_task(made.open())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await made.close()


@contextlib.asynccontextmanager
async def extractor(config: LlmConfig, lang: Lang) -> AsyncIterator[Extractor | None]:
    """None when the model is missing: then whatever is not plain is asked, and `doctor` says so."""
    made = make_extractor(config, lang)
    if made is None:
        yield None
        return
    try:
        await made.open()
    except MissingPart as missing:
        log.warning("no language model, what is not plain will be asked: %s", missing)
        yield None
        return
    try:
        yield made
    finally:
        await made.close()


@contextlib.asynccontextmanager
async def extractor_beside(config: LlmConfig, lang: Lang) -> AsyncIterator[Extractor | None]:
    """At once: the model comes later, or not at all."""
    made = make_extractor(config, lang)
    if made is None:
        yield None
        return
    beside = LoadedBeside(made)
    await beside.open()
    try:
        yield beside
    finally:
        await beside.close()


@contextlib.asynccontextmanager
async def reader(lang: Lang, *, model: bool) -> AsyncIterator[Understanding]:
    """The readers of the game. Without the model what is not plain to the grammar is doubtful."""
    if not model:
        yield Understanding()
        return
    async with extractor(load_voice_config().llm, lang) as found:
        yield Understanding(found, deadline_s=PATIENCE_S)
