"""The language between us and any language model: the prompt, the JSON schema of its answer, and its reading.

An answer is `{"acts": [{"kind", "seat", "quote"}], "unsure"}`. The schema allows seats 0 to 12, whoever is alive:
a decoder kept to the living turns "four", who is dead, into five. Seat 0 is no seat (a withdrawal). A quote must
be a literal piece of the speech in which the grammar of numbers finds the seat, else the answer counts as unsure.
"""

import json
import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from moderator.model import SEATS
from voice.config import read_yaml
from voice.grammar import seats_in
from voice.ports import Act, ActKind, Context, Lang, Reading, Task

SPEECH_START = "<speech>"
CACHED_TASKS = (Task.NOMINATION, Task.TESTAMENT, Task.VOTE, Task.CLAIMS)
"""Each has examples of its own, which an engine reads once and keeps."""
ANSWER_TOKENS = 96
"""Three acts with their quotes; a usual answer has 5 to 40."""
UNSURE = Reading((), True, 0.0)
CONFIDENCE = 0.8
"""A small model's own figure says little; agreement with the grammar is what counts."""
SHOT_TASKS = {Task.SHOT: ActKind.SHOOT, Task.CHECK: ActKind.CHECK}
"""These are read like a vote: the question differs, the answers do not."""

SEATLESS = {ActKind.WITHDRAW, ActKind.CLAIM_SHERIFF}


class _Act(BaseModel):
    model_config = ConfigDict(extra="forbid")
    kind: ActKind
    seat: Annotated[int, Field(ge=0, le=12)]
    quote: str


class _Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    acts: list[_Act]
    unsure: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a model. Either `messages` (chat) or `text` (to be completed up to a line end)."""

    messages: tuple[dict[str, str], ...]
    text: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with seats in the place of names, and for each of its letters where it came from."""

    text: str
    origin: tuple[tuple[int, int], ...]

    def original(self, quote: str, text: str) -> str:
        """The piece of the unmasked `text` behind a piece of the masked one ("" if it is none)."""
        at = self.text.find(quote)
        return text[self.origin[at][0] : self.origin[at + len(quote) - 1][1]] if quote and at >= 0 else ""


def mask(text: str, names: dict[int, str]) -> Masked:
    """Line ends become spaces, names become numbers: what a player is called is nobody's business."""
    seats = {name.casefold(): seat for seat, name in names.items() if name.strip()}
    known = "|".join(re.escape(name) for name in sorted(seats, key=len, reverse=True))
    pieces: list[tuple[str, tuple[int, int]]] = []
    at = 0
    for match in re.finditer(rf"(?<!\w)(?:{known})(?!\w)", text, re.IGNORECASE) if known else ():
        pieces += [(char, (index, index + 1)) for index, char in enumerate(text[at : match.start()], at)]
        pieces += [(digit, match.span()) for digit in str(seats[match[0].casefold()])]
        at = match.end()
    pieces += [(char, (index, index + 1)) for index, char in enumerate(text[at:], at)]
    return Masked("".join(" " if char in "\r\n<>" else char for char, _ in pieces), tuple(span for _, span in pieces))


def knows(task: Task) -> bool:
    """Yes, no and an interruption are the grammar's alone."""
    return _prompt_name(task) in _prompts()["tasks"]


def question(task: Task, lang: Lang, text: str) -> Question:
    """`text` is masked already. What it says is data: it stands between marks, in the last user message alone."""
    prompts = _prompts()
    part = prompts["tasks"][_prompt_name(task)]
    examples = [(_speech(said), _answer(acts)) for said, acts in part["examples"][lang]]
    messages = [{"role": "system", "content": part["instruction"]}]
    for said, answer in examples:
        messages += [{"role": "user", "content": said}, {"role": "assistant", "content": answer}]
    messages.append({"role": "user", "content": _speech(text)})
    completed = "".join(f"{said}\n{answer}\n" for said, answer in examples) + f"{_speech(text)}\n"
    return Question(tuple(messages), completed, schema(tuple(part["kinds"])))


def reading(task: Task, lang: Lang, raw: str, masked: Masked, text: str, context: Context) -> Reading:
    """Never raises: an answer that is not in the language, or rests on words that were not said, is unsure."""
    try:
        answer = _Answer.model_validate_json(raw)
    except ValidationError:
        return UNSURE
    acts = []
    for act in answer.acts:
        quote = masked.original(act.quote, text)
        if not quote or (act.kind not in SEATLESS and act.seat not in seats_in(lang, quote, context.names)):
            return UNSURE
        seat = act.seat if act.seat in SEATS and act.kind is not ActKind.CLAIM_SHERIFF else None
        if seat is not None or act.kind in SEATLESS:
            acts.append(Act(SHOT_TASKS.get(task, act.kind), seat, quote))
    return Reading(tuple(acts), answer.unsure, CONFIDENCE)


def schema(kinds: tuple[str, ...]) -> dict[str, Any]:
    act = {
        "type": "object",
        "properties": {
            "kind": {"enum": list(kinds)},
            "seat": {"type": "integer", "minimum": 0, "maximum": 12},
            "quote": {"type": "string", "minLength": 1, "maxLength": 60},
        },
        "required": ["kind", "seat", "quote"],
        "additionalProperties": False,
    }
    acts = {"type": "array", "items": act, "maxItems": 4}
    properties = {"acts": acts, "unsure": {"type": "boolean"}}
    return {"type": "object", "properties": properties, "required": ["acts"], "additionalProperties": False}


def _prompt_name(task: Task) -> str:
    return Task.VOTE if task in SHOT_TASKS else task


def _speech(text: str) -> str:
    return f"{SPEECH_START}{text}</speech>"


def _answer(acts: list[list[Any]]) -> str:
    answer = {"acts": [{"kind": kind, "seat": seat, "quote": quote} for kind, seat, quote in acts]}
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":"))


def _prompts() -> dict[str, Any]:
    prompts: dict[str, Any] = read_yaml("prompts", "extract.yaml")
    return prompts
