"""A language model behind any OpenAI-style server: Ollama, vLLM, llama-server, or our own (`llm_llamacpp`).

`style`: "chat" asks `/v1/chat/completions`, for instruct models; "complete" gives a base model the examples as plain
text on `/v1/completions`, "tuned" gives ours the speech alone. All bind the answer to the JSON schema of
`voice.llm_answers`.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from voice.llm_answers import ANSWER_TOKENS, UNSURE, Question, knows, mask, question, reading, tuned_question
from voice.ports import Context, Lang, MissingPart, Reading, Task

if TYPE_CHECKING:
    import aiohttp

log = logging.getLogger(__name__)

T = TypeVar("T")
Style = Literal["chat", "complete", "tuned"]
START_CURE = "start the server, or set llm.base_url in configs/voice.yaml"


class OpenAIExtractor:
    """`deadline_s` bounds every request; what comes later, or wrong, is unsure. A game waits less by itself."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str = "",
        model: str = "default",
        style: Style = "chat",
        deadline_s: float = 60.0,
    ) -> None:
        self.base_url, self.model, self.style, self.deadline_s = base_url.rstrip("/"), model, style, deadline_s
        self._api_key = api_key
        self._session: aiohttp.ClientSession | None = None

    async def open(self) -> None:
        """Raises `MissingPart` when the server does not answer or refuses the key."""
        import aiohttp

        headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        timeout = aiohttp.ClientTimeout(total=self.deadline_s)
        self._session = aiohttp.ClientSession(headers=headers, timeout=timeout, trust_env=False)
        try:
            async with self._session.get(f"{self.base_url}/v1/models") as response:
                status = response.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            await self.close()
            raise MissingPart(f"language model at {self.base_url} ({type(error).__name__})", START_CURE) from None
        if status != 200:
            await self.close()
            cure = "check llm.api_key in configs/voice.yaml"
            raise MissingPart(f"language model at {self.base_url} (status {status})", cure)

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        if not knows(task):
            return UNSURE
        masked = mask(lang, text, context.names)
        raw = await self.ask(self.question(task, lang, masked.text))
        return reading(task, lang, raw, masked, text, context)

    def question(self, task: Task, lang: Lang, text: str) -> Question:
        return tuned_question(task, lang, text) if self.style == "tuned" else question(task, lang, text)

    async def ask(self, asked: Question) -> str:
        """The raw answer; "" when there is none."""

        def words(answer: Any) -> str:
            choice = answer["choices"][0]
            return str(choice["message"]["content"] if self.style == "chat" else choice["text"])

        return await self.post(*self._request(asked), words, "")

    async def post(self, path: str, body: dict[str, Any], found: Callable[[Any], T], otherwise: T) -> T:
        """What is `found` in the server's answer, a JSON value; `otherwise` when there is none, or it is another."""
        import aiohttp

        assert self._session is not None, "open() first"
        try:
            async with self._session.post(f"{self.base_url}{path}", json=body) as response:
                return found(await response.json())
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError, KeyError, IndexError, TypeError) as error:
            log.warning("the language model gave no answer: %s", type(error).__name__)
            return otherwise

    def _request(self, asked: Question) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {"model": self.model, "temperature": 0, "max_tokens": ANSWER_TOKENS}
        if self.style == "chat":
            bound = {"response_format": _format(asked.schema)}
            return "/v1/chat/completions", body | bound | {"messages": list(asked.messages)}
        # llama.cpp binds a plain completion by `json_schema`, other servers by `response_format`.
        bound = {"response_format": _format(asked.line_schema), "json_schema": asked.line_schema}
        return "/v1/completions", body | bound | {"prompt": asked.lines, "stop": ["\n"]}

    async def close(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await session.close()


def _format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "acts", "schema": schema, "strict": True}}
