"""The language between us and any language model: the prompt, the JSON schema of its answer, and its reading.

In a chat an answer is `{"acts": [{"kind", "seat", "quote"}], "unsure"}`. The schema allows seats 0 to 12, whoever is
alive: a decoder kept to the living turns "four", who is dead, into five. Seat 0 is no seat (a withdrawal). A base
model completes lines instead, `["nominate le 4"]`: the same kinds and quotes in a third of the tokens. The tuned
model needs no examples and names the seat alone, `["nominate 4"]`, or says `["unsure"]`.

A quote is one of the pieces of the speech (each number with the word before it, a clause's first words), so that a
small model need not copy; if the grammar of numbers does not find the seat in it, the answer counts as unsure.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from moderator.model import SEATS
from voice.config import read_yaml
from voice.grammar import seat_spans, seats_in
from voice.ports import Act, ActKind, Context, Lang, Reading, Task

OPENING_WORDS = 3
SPEECH_START = "<speech>"
CACHED_TASKS = (Task.NOMINATION, Task.TESTAMENT, Task.VOTE, Task.CLAIMS)
"""Each has examples of its own, which an engine reads once and keeps."""
ANSWER_TOKENS = 96
"""Four acts with their quotes; a usual answer has 2 to 40."""
ACTS_MAX = 4
"""Three suspects and a crown."""
SEAT_MAX = 12
UNSURE = Reading((), True, 0.0)
UNSURE_LINE = "unsure"
CONFIDENCE = 0.8
"""A small model's own figure says little; agreement with the grammar is what counts."""
SHOT_TASKS = {Task.SHOT: ActKind.SHOOT, Task.CHECK: ActKind.CHECK}
"""These are read like a vote: the question differs, the answers do not."""
SEATLESS = {ActKind.WITHDRAW, ActKind.CLAIM_SHERIFF}


class _Act(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: ActKind
    seat: Annotated[int, Field(ge=0, le=SEAT_MAX)]
    quote: str


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    acts: list[_Act]
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a model: `messages` in a chat, or `lines` to be completed by one; each with its schema."""

    messages: tuple[dict[str, str], ...]
    schema: dict[str, Any]
    lines: str
    line_schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with digits in the place of seats, and for each of its letters where it came from."""

    text: str
    origin: tuple[tuple[int, int], ...]

    def original(self, quote: str, text: str) -> str:
        """The piece of the unmasked `text` behind a piece of the masked one ("" if it is none)."""
        at = self.text.find(quote)
        return text[self.origin[at][0] : self.origin[at + len(quote) - 1][1]] if quote and at >= 0 else ""


def mask(lang: Lang, text: str, names: dict[int, str]) -> Masked:
    """Names and number words become digits, line ends and the marks of the prompt become spaces.

    What a player is called is nobody's business, and a small model reads "4" better than "quatre".
    """
    chars: list[tuple[str, tuple[int, int]]] = []
    at = 0
    for seat, (start, end) in [*seat_spans(lang, text, names), (0, (len(text), len(text)))]:
        chars += [(char, (index, index + 1)) for index, char in enumerate(text[at:start], at)]
        chars += [(digit, (start, end)) for digit in str(seat)] if end > start else []
        at = end
    return Masked("".join(" " if char in "\r\n<>" else char for char, _ in chars), tuple(span for _, span in chars))


def knows(task: Task) -> bool:
    """Yes, no and an interruption are the grammar's alone."""
    return _prompt_name(task) in _prompts()["tasks"]


def question(task: Task, lang: Lang, text: str) -> Question:
    """`text` is masked already. What it says is data: it stands between marks, in the last user message alone."""
    prompts = _prompts()
    part = prompts["tasks"][_prompt_name(task)]
    examples = [(masked, _example(lang, masked, acts)) for masked, acts in _masked_examples(part, lang)]
    messages = [{"role": "system", "content": part["instruction"]}]
    lines = ""
    for said, acts in examples:
        answer = {"acts": [act.model_dump() for act in acts]}
        messages += [{"role": "user", "content": _speech(said)}, {"role": "assistant", "content": _json(answer)}]
        lines += f"{_speech(said)}\n{_json([f'{act.kind} {act.quote}' for act in acts])}\n"
    messages.append({"role": "user", "content": _speech(text)})
    kinds, quotes = part["kinds"], pieces(text)
    return Question(tuple(messages), schema(kinds, quotes), f"{lines}{_speech(text)}\n", line_schema(kinds, quotes))


def tuned_question(task: Task, lang: Lang, text: str) -> Question:
    """The same for the tuned model, which knows the task by its name."""
    name = _prompt_name(task)
    kinds = _prompts()["tasks"][name]["kinds"]
    seats = dict.fromkeys(number for number in re.findall(r"\d+", text) if int(number[:3]) <= SEAT_MAX)
    answers = [line for kind in kinds for line in ([kind] if kind in SEATLESS else [f"{kind} {s}" for s in seats])]
    bound = {"type": "array", "items": {"enum": [*answers, UNSURE_LINE]}, "maxItems": ACTS_MAX}
    return Question((), {}, f"{name} {lang}\n{text}\n", bound)


def tuned_answer(acts: Iterable[tuple[ActKind, int]], *, unsure: bool) -> str:
    """What the tuned model has learnt to answer."""
    return _json([UNSURE_LINE] if unsure else [kind if kind in SEATLESS else f"{kind} {seat}" for kind, seat in acts])


def reading(task: Task, lang: Lang, raw: str, masked: Masked, text: str, context: Context) -> Reading:
    """Never raises: an answer that is not in the language, or rests on words that were not said, is unsure."""
    try:
        answer = _parsed(raw)
    except ValueError:
        return UNSURE
    acts = []
    for act in answer.acts:
        quote = masked.original(_cited(act.quote, masked.text), text)
        if not quote or (act.kind not in SEATLESS and act.seat not in seats_in(lang, act.quote, {})):
            return UNSURE
        seat = act.seat if act.seat in SEATS and act.kind is not ActKind.CLAIM_SHERIFF else None
        if seat is not None or act.kind in SEATLESS:
            acts.append(Act(SHOT_TASKS.get(task, act.kind), seat, quote))
    return Reading(tuple(dict.fromkeys(acts)), answer.unsure, CONFIDENCE)


def _cited(quote: str, text: str) -> str:
    """The tuned model names a seat or nothing: the last piece with that seat, or the first words, stand for it."""
    if quote.isdigit():
        return next((piece for piece in pieces(text)[::-1] if quote in re.findall(r"\d+", piece)), "")
    return quote or " ".join(text.split(" ")[:OPENING_WORDS])


def _parsed(raw: str) -> _Answer:
    """Raises `ValueError` (of which pydantic's and json's errors are kinds)."""
    found = json.loads(raw)
    if not isinstance(found, list):
        return _Answer.model_validate(found)
    if found == [UNSURE_LINE]:
        return _Answer(acts=[], unsure=True)
    acts = []
    for line in found:
        kind, _, quote = str(line).partition(" ")
        seats = re.findall(r"\d+", quote)
        acts.append({"kind": kind, "quote": quote, "seat": int(seats[-1][:3]) if seats else 0})
    return _Answer.model_validate({"acts": acts})


def pieces(text: str) -> list[str]:
    """What may be quoted: each number with the word before it, and the first words of a clause without a number."""
    numbers = re.findall(r"(?:[^\W\d_]\S* )?\b\d+\b", text)
    openings = [
        " ".join(clause.split()[:OPENING_WORDS])
        for clause in re.split(r"[,.;:!?…]+", text)
        if not re.search(r"\d", clause)
    ]
    return list(dict.fromkeys(piece for piece in [*numbers, *openings] if piece and piece in text))


def schema(kinds: list[str], quotes: list[str]) -> dict[str, Any]:
    act = {
        "type": "object",
        "properties": {
            "kind": {"enum": kinds},
            "quote": {"enum": quotes or [""]},
            "seat": {"type": "integer", "minimum": 0, "maximum": SEAT_MAX},
        },
        "required": ["kind", "quote", "seat"],
        "additionalProperties": False,
    }
    acts = {"type": "array", "items": act, "maxItems": ACTS_MAX}
    properties = {"acts": acts, "unsure": {"type": "boolean"}}
    return {"type": "object", "properties": properties, "required": ["acts"], "additionalProperties": False}


def line_schema(kinds: list[str], quotes: list[str]) -> dict[str, Any]:
    """Only what needs no seat may rest on words without a number."""
    lines = [f"{kind} {quote}" for kind in kinds for quote in quotes if kind in SEATLESS or re.search(r"\d", quote)]
    return {"type": "array", "items": {"enum": lines or [""]}, "maxItems": ACTS_MAX if lines else 0}


def _prompt_name(task: Task) -> str:
    return Task.VOTE if task in SHOT_TASKS else task


def _speech(text: str) -> str:
    return f"{SPEECH_START}{text}</speech>"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _masked_examples(part: dict[str, Any], lang: Lang) -> list[tuple[str, list[tuple[str, int]]]]:
    return [(mask(lang, said, {}).text, acts) for said, acts in part["examples"][lang]]


def _example(lang: Lang, said: str, acts: list[tuple[str, int]]) -> list[_Act]:
    """Of the seat's pieces the last: after a correction it is the one that counts."""
    found = []
    for kind, seat in acts:
        quote = next(p for p in pieces(said)[:: -1 if seat else 1] if not seat or seat in seats_in(lang, p, {}))
        found.append(_Act(kind=ActKind(kind), seat=seat, quote=quote))
    return found


def _prompts() -> dict[str, Any]:
    prompts: dict[str, Any] = read_yaml("prompts", "extract.yaml")
    return prompts
