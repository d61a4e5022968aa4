"""The two readers together. Nothing is done on a guess: what is not plain is asked.

| the grammar found | the model | proposal |
| --- | --- | --- |
| plain acts, or plainly nothing | not asked | the acts, or nothing |
| likely acts | the same acts | the acts |
| likely acts | anything else, too late, or no model | ask about the grammar's acts |
| doubtful acts, which another reader may settle | the same acts | the acts |
| doubtful acts | others | ask about the model's acts |
| it is unsure | any | ask about the grammar's acts |
| nothing, but a seat was named beside a cue it knows | acts | ask about the model's acts |

The figures behind this table are in `docs/understanding.md`.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from voice import conduct
from voice.grammar import DOUBTFUL, PLAIN, read
from voice.ports import Act, ActKind, Breach, ConductReader, Context, Extractor, Lang, Likely, Proposal, Reading, Task

DEADLINE_S = 2.5
"""A model that has not answered by then counts as unsure."""
LATE = Reading((), True, 0.0)


class Understanding:
    """Reads one text of one seat. Without a model what the grammar finds plain still counts, the rest is asked."""

    def __init__(self, extractor: Extractor | None = None, *, deadline_s: float = DEADLINE_S) -> None:
        self.extractor = extractor
        self.deadline_s = deadline_s

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Proposal:
        grammar = read(task, lang, text, context)
        if grammar.unsure or grammar.confidence >= PLAIN:
            source: Literal["grammar", "none"] = "grammar" if grammar.acts else "none"
            proposal = _proposal(grammar.acts, grammar.unsure, grammar.confidence, source)
            return replace(proposal, grammar=grammar)
        model = await self._model(task, lang, text, context)
        return replace(together(grammar, model), grammar=grammar, model=model)

    async def _model(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        if self.extractor is None:
            return LATE
        try:
            return await asyncio.wait_for(self.extractor.read(task, lang, text, context), self.deadline_s)
        except TimeoutError:
            return LATE

    async def conduct(self, lang: Lang, text: str, names: dict[int, str] | None = None) -> tuple[Breach, ...]:
        """What in the text breaks fair play (S22): the phrases, with the model's second opinion where there is one."""
        return conduct.read(lang, text, names, await self._likely(lang, conduct.sentences(text)))

    async def _likely(self, lang: Lang, sentences: Sequence[str]) -> dict[str, Likely]:
        """What the model thinks of each; of none any more once it was late, since a speech waits for it to end."""
        likely: dict[str, Likely] = {}
        if isinstance(self.extractor, ConductReader):
            with contextlib.suppress(TimeoutError):
                for sentence in sentences:
                    found = self.extractor.conduct(lang, sentence)
                    likely[sentence] = await asyncio.wait_for(found, self.deadline_s)
        return likely


def together(grammar: Reading, model: Reading) -> Proposal:
    """Agreement acts; where both found nothing, nothing is done."""
    if not model.unsure and meaning(grammar.acts) == meaning(model.acts):
        return _proposal(
            grammar.acts, False, max(grammar.confidence, model.confidence), "both" if grammar.acts else "none"
        )
    if meaning(grammar.acts) and (grammar.confidence > DOUBTFUL or model.unsure or not meaning(model.acts)):
        return _proposal(grammar.acts, True, grammar.confidence, "grammar")
    if meaning(model.acts) and not model.unsure:
        return _proposal(model.acts + grammar.acts, True, model.confidence, "model")
    return _proposal(grammar.acts, False, grammar.confidence, "none")


def meaning(acts: tuple[Act, ...]) -> list[tuple[ActKind, int | None]]:
    """What is compared between two readers: seats in their order, kind by kind.

    The words that end a speech are the grammar's alone, and what is taken back is known without its seat.
    """
    compared = [(act.kind, None if act.kind is ActKind.WITHDRAW else act.seat) for act in acts]
    return sorted((one for one in compared if one[0] is not ActKind.END_SPEECH), key=lambda one: one[0])


def _proposal(
    acts: tuple[Act, ...], ask: bool, confidence: float, source: Literal["grammar", "model", "both", "none"]
) -> Proposal:
    return Proposal(acts, ask, confidence, source, acts[0].quote if acts else "")
