"""The default language model: llama.cpp's own server, from the `xllamacpp` wheel, in a process of its own.

It listens on loopback at a port of its choice, wants an API key that is drawn at each start, and is asked through
`llm_openai`. The examples of each task stay in its prompt cache, one slot a task: a short speech costs its own words.
"""

import asyncio
import logging
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voice import llm_conduct
from voice.llm_adapter import adapter_file
from voice.llm_answers import CACHED_TASKS, UNSURE
from voice.llm_openai import OpenAIExtractor
from voice.llm_weights import gguf_file
from voice.ports import Context, Lang, Likely, MissingPart, Reading, Task
from voice.worker import Worker, WorkerFailed

log = logging.getLogger(__name__)

START_S = 120.0
CALL_S = 5.0
SLOTS = len(CACHED_TASKS) + 1
"""The last one reads conduct."""
CONTEXT_TOKENS = 2048
"""Of one slot: the examples of a task (about 500) and a minute of speech (about 300)."""


class LlamaCppExtractor:
    """Starts the server, warms the prompts of `lang` and reads. One that died is started again once it is asked."""

    def __init__(self, *, weights: str = "", adapter: str = "", threads: int = 1, lang: Lang = "fr") -> None:
        self._weights, self._named, self._threads, self._lang = weights, adapter, threads, lang
        self._adapter: Path | None = None
        self._judge: int | None = None
        """Which of the server's adapters reads conduct."""
        self._worker: Worker | None = None
        self._client: OpenAIExtractor | None = None
        self._restart: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int | None:
        """Of the server's process, for measurements."""
        return self._worker.pid if self._worker is not None else None

    @property
    def address(self) -> str:
        """Where the server listens; "" while it does not."""
        return self._client.base_url if self._client is not None else ""

    async def open(self) -> None:
        """Raises `MissingPart` when the wheel or the weights are missing."""
        path = await asyncio.to_thread(gguf_file, self._weights)
        self._adapter, judge = adapter_file(self._named, self._weights), llm_conduct.adapter_file(self._weights)
        self._judge = None if judge is None else int(self._adapter is not None)
        key = secrets.token_urlsafe(32)
        files = (str(path), str(self._adapter or ""), str(judge or ""))
        self._worker = Worker("voice.llm_llamacpp:start", *files, key, self._threads, start_s=START_S)
        try:
            await self._worker.open()
            await self._connect(key)
        except WorkerFailed as failure:
            await self._end()
            raise MissingPart(f"language model: {failure}", "moderator doctor") from None

    async def _connect(self, key: str) -> None:
        assert self._worker is not None
        address = await self._worker.call("address", CALL_S)
        self._client = OpenAIExtractor(address, api_key=key, style="tuned" if self._adapter else "complete")
        await self._client.open()
        for task in CACHED_TASKS:
            await self._client.ask(self._client.question(task, self._lang, ""))

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        """Unsure at once while the server is being started again."""
        if self._restart is not None and not self._restart.done():
            return UNSURE
        if self.pid is None or self._client is None:
            self._restart = asyncio.create_task(self._start_again())
            return UNSURE
        return await self._client.read(task, lang, text, context)

    async def conduct(self, lang: Lang, sentence: str) -> Likely:
        """Empty while the server is being started again: the next words that count start it."""
        if self._judge is None or self.pid is None or self._client is None:
            return {}
        body = llm_conduct.request(lang, sentence, self._judge, SLOTS - 1)
        return await self._client.post("/completion", body, llm_conduct.likely, {})

    async def _start_again(self) -> None:
        await self._end()
        try:
            await self.open()
        except MissingPart as missing:
            log.warning("the language model does not come back: %s", missing)

    async def close(self) -> None:
        restart, self._restart = self._restart, None
        if restart is not None:
            restart.cancel()
            await asyncio.gather(restart, return_exceptions=True)
        await self._end()

    async def _end(self) -> None:
        client, self._client = self._client, None
        worker, self._worker = self._worker, None
        if client is not None:
            await client.close()
        if worker is not None:
            await worker.close()


def start(path: str, adapter: str, judge: str, key: str, threads: int) -> Callable[[object], str]:
    """In the server's process: serve until the process ends; every request is answered with the address."""
    try:
        import xllamacpp
    except ImportError:
        raise MissingPart("llama.cpp is not installed", "pip install xllamacpp") from None
    if not Path(path).is_file():
        raise MissingPart(f"language model: {path} is gone", "set llm.model in configs/voice.yaml")
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.lora_adapters = [_lora(xllamacpp, *each) for each in ((adapter, 1.0), (judge, 0.0)) if each[0]]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.n_parallel = SLOTS
    params.n_ctx = CONTEXT_TOKENS * SLOTS
    params.swa_full = True  # without it a sliding window throws the cached examples away
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.n_threads_http = 2
    params.ui = params.endpoint_slots = params.endpoint_props = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    return lambda _: str(server.listening_address)


def _lora(xllamacpp: Any, path: str, scale: float) -> Any:
    """At rest where `scale` is nothing: whoever asks wakes it."""
    lora = xllamacpp.CommonAdapterLoraInfo()
    lora.path, lora.scale = path, scale
    return lora
