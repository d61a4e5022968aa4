"""What a text says, by task. Pure, and quick enough to run on every word heard (well under a millisecond)."""

import re
from dataclasses import replace

from voice.grammar import answers, claims, farewell, nomination
from voice.grammar.language import language
from voice.grammar.speech import normalise
from voice.ports import ActKind, Context, Lang, Reading, Task

CLAUSE = re.compile(r"[^.,:?]*[^.,:? ][^.,:?]*")
GLUED = re.compile(r"\b(?!\d*(\d)\d*\1)[1-9]{3}\b")
""" "Best move, 245": three seats named in one breath, as a recogniser may write them."""
READERS = {
    Task.NOMINATION: nomination.read,
    Task.TESTAMENT: farewell.read,
    Task.CLAIMS: claims.read,
    Task.VOTE: answers.read_number,
    Task.SHOT: answers.read_number,
    Task.CHECK: answers.read_number,
    Task.LIFT: answers.read_lift,
    Task.CONFIRM: answers.read_confirmation,
    Task.OUT_OF_TURN: answers.read_out_of_turn,
}


def read(task: Task, lang: Lang, text: str, context: Context) -> Reading:
    """Acts in the order in which they were said.

    `confidence` is `plain` (see `voice.grammar.scope`) or more where nothing in the text can be taken
    otherwise, and less the more the patterns had to guess. Numbers outside 1..10 give no act.
    """
    words = language(lang)
    speech = normalise(text, words, context.names)
    if words.injection.search(speech.normal):
        return Reading()
    reading = READERS[task](task, speech, words, context)
    listed = any(act.kind is ActKind.SUSPECT for act in reading.acts)
    glued = GLUED.search(text) if task is Task.TESTAMENT and not listed else None
    return _parted(glued, lang, context) if glued else reading


def _parted(glued: re.Match[str], lang: Lang, context: Context) -> Reading:
    """The list with a comma between the digits: to be asked about, for it may be another number."""
    start, end = glued.span()
    reading = read(Task.TESTAMENT, lang, f"{glued.string[:start]}{', '.join(glued[0])}{glued.string[end:]}", context)
    acts = tuple(replace(act, quote=glued[0]) if act.kind is ActKind.SUSPECT else act for act in reading.acts)
    return replace(reading, acts=acts, unsure=reading.unsure or acts != reading.acts)


def seats_in(lang: Lang, text: str, names: dict[int, str]) -> set[int]:
    """The seats that a piece of text names."""
    return {mention.seat for mention in normalise(text, language(lang), names).mentions}


def seat_spans(lang: Lang, text: str, names: dict[int, str]) -> list[tuple[int, tuple[int, int]]]:
    """Each seat that a text names, by number or by name, and where in the text it stands."""
    speech = normalise(text, language(lang), names)
    return [(mention.seat, speech.spans[speech.starts.index(mention.at)]) for mention in speech.mentions]


def clauses(lang: Lang, text: str) -> list[tuple[str, tuple[int, ...]]]:
    """The clauses of a text in normal form, each with the seats that it names, `#` in their places."""
    speech = normalise(text, language(lang), {})
    spans = [match.span() for match in CLAUSE.finditer(speech.normal)]
    return [
        (speech.normal[start:end].strip(), tuple(mention.seat for mention in speech.mentions_in(start, end)))
        for start, end in spans
    ]
