"""A language model inside our own Python: transformers, in a worker process of its own, bound to the JSON schema.

The examples of each task are read once; their keys and values are kept, so that a short speech costs its own words.
Needs the extra `torch`. Slower and heavier than `llm_llamacpp`, same weights, same prompts, same answers' language.
"""

import asyncio
import copy
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from voice.llm_adapter import adapter_file, merge
from voice.llm_answers import (
    ANSWER_TOKENS,
    CACHED_TASKS,
    SPEECH_START,
    UNSURE,
    Question,
    knows,
    mask,
    question,
    reading,
    tuned_question,
)
from voice.llm_weights import transformers_folder
from voice.ports import Context, Lang, MissingPart, Reading, Task
from voice.worker import Worker, WorkerFailed

log = logging.getLogger(__name__)

START_S = 240.0
INSTALL_COMMAND = "make setup EXTRAS=torch"


class TransformersExtractor:
    """`deadline_s` bounds one reading; the process that overran it is ended and started again at the next."""

    def __init__(
        self, *, weights: str = "", adapter: str = "", threads: int = 1, deadline_s: float = 20.0, lang: Lang = "fr"
    ) -> None:
        self._weights, self._threads, self._lang, self.deadline_s = weights, threads, lang, deadline_s
        self._adapter = adapter_file(adapter, weights)
        self._worker: Worker | None = None
        self._turn = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        return self._worker.pid if self._worker is not None else None

    async def open(self) -> None:
        """The first time ever it converts the weights, which takes half a minute. Raises `MissingPart`."""
        files = (self._weights, str(self._adapter or ""))
        self._worker = Worker("voice.llm_transformers:load", *files, self._threads, start_s=START_S)
        try:
            await self._worker.open()
            for task in CACHED_TASKS:
                await self._ask(self._question(task, self._lang, ""), START_S)
        except WorkerFailed as failure:
            await self.close()
            raise MissingPart(f"language model: {failure}", "moderator doctor") from None

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        if not knows(task):
            return UNSURE
        masked = mask(lang, text, context.names)
        asked = self._ask(self._question(task, lang, masked.text), self.deadline_s)
        try:  # who asked may give up, the process must not be ended for that
            raw = await asyncio.shield(asyncio.ensure_future(asked))
        except (WorkerFailed, MissingPart) as error:
            log.warning("the language model gave no answer: %s", type(error).__name__)
            return UNSURE
        return reading(task, lang, raw, masked, text, context)

    def _question(self, task: Task, lang: Lang, text: str) -> Question:
        return tuned_question(task, lang, text) if self._adapter else question(task, lang, text)

    async def _ask(self, asked: Question, deadline_s: float) -> str:
        assert self._worker is not None, "open() first"
        async with self._turn:
            return str(await self._worker.call((asked.lines, asked.line_schema), deadline_s))

    async def close(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            await worker.close()


def load(weights: str, adapter: str, threads: int) -> Callable[[tuple[str, dict[str, Any]]], str]:
    """In the worker: the function that completes a prompt within a schema."""
    try:
        import llguidance.hf
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise MissingPart(f"{error.name} is not installed", INSTALL_COMMAND) from None
    folder = transformers_folder(weights)
    torch.set_num_threads(threads)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    if adapter:
        merge(model, Path(adapter))
    return _Completion(model.eval(), tokenizer, llguidance.hf.from_tokenizer(tokenizer)).complete


class _Completion:
    """Greedy decoding under a grammar. What the grammar leaves no choice about is not generated but given."""

    def __init__(self, model: Any, tokenizer: Any, vocabulary: Any) -> None:
        self.model, self.tokenizer, self.vocabulary = model, tokenizer, vocabulary
        self.examples: dict[str, tuple[list[int], Any]] = {}

    def complete(self, request: tuple[str, dict[str, Any]]) -> str:
        import llguidance.torch
        import torch

        prompt, schema = request
        known, cache = self._examples(prompt[: max(0, prompt.rfind(SPEECH_START))])
        grammar = llguidance.LLMatcher.grammar_from_json_schema(schema, defaults={"whitespace_flexible": False})
        matcher = llguidance.LLMatcher(self.vocabulary, grammar)
        mask_bits = llguidance.torch.allocate_token_bitmask(1, self.vocabulary.vocab_size)
        tokens: list[int] = self.tokenizer(prompt)["input_ids"][len(known) :]
        answer: list[int] = []
        with torch.inference_mode():
            while len(answer) < ANSWER_TOKENS and not matcher.is_stopped():
                scores = self.model(input_ids=torch.tensor([tokens]), cache=cache, logits_to_keep=1).logits[:, -1]
                llguidance.torch.fill_next_token_bitmask(matcher, mask_bits)
                llguidance.torch.apply_token_bitmask_inplace(scores, mask_bits)
                tokens = [int(scores.argmax())]
                if tokens[0] == self.tokenizer.eos_token_id or not matcher.consume_token(tokens[0]):
                    break
                forced = matcher.compute_ff_tokens()
                matcher.consume_tokens(forced)
                tokens += forced
                answer += tokens
        return str(self.tokenizer.decode(answer))

    def _examples(self, prefix: str) -> tuple[list[int], Any]:
        """The tokens of a task's examples with their keys and values, read once."""
        import torch
        from transformers import DynamicCache

        if prefix not in self.examples:
            tokens, cache = self.tokenizer(prefix)["input_ids"], DynamicCache(config=self.model.config)
            with torch.inference_mode():
                self.model(input_ids=torch.tensor([tokens]), cache=cache, logits_to_keep=1)
            self.examples[prefix] = (tokens, cache)
        tokens, cache = self.examples[prefix]
        return tokens, copy.deepcopy(cache)
