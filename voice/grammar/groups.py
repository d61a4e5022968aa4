"""The lists of seats in a text, each with what its sentence says around it."""

import re
from dataclasses import dataclass

from voice.grammar.crown import NOWHERE
from voice.grammar.language import Language
from voice.grammar.scope import listed
from voice.grammar.speech import Mention, Speech


@dataclass(frozen=True, slots=True)
class Group:
    """A list of seats and what its sentence says before it (`lead`), and right before and after it."""

    mentions: tuple[Mention, ...]
    span: tuple[int, int]
    lead: str
    before: str
    after: str
    replaced: bool
    excluded: frozenset[int]
    asked: bool


def groups(speech: Speech, words: Language, apart: tuple[int, int] = NOWHERE) -> list[Group]:
    """`apart`: a span of the text whose seats belong to no list."""
    runs = _runs(speech, words, apart)
    found = []
    for index, (start, end) in enumerate(runs):
        while speech.normal[start] in ":,":
            start += 2
        first, last = speech.sentence_at(start)[0], speech.sentence_at(end - 1)[1]
        previous = max(first, runs[index - 1][1]) if index else first
        following = min(last, runs[index + 1][0]) if index + 1 < len(runs) else last
        following = apart[0] if end < apart[0] < following else following
        seats = listed(speech, words, (start, end), one=False)
        named = speech.mentions_in(start, end)[0].at
        found.append(
            Group(
                seats.mentions,
                (start, end),
                words.aside.sub(" ", speech.normal[first:named]),
                words.aside.sub(" ", speech.normal[previous:named]),
                speech.normal[end:following],
                seats.replaced,
                seats.excluded,
                speech.normal[:last].endswith("?"),
            )
        )
    return found


def _runs(speech: Speech, words: Language, apart: tuple[int, int]) -> list[tuple[int, int]]:
    """The lists of seats. In "black: 2, 5, and 9 is red" the last seat is a list of its own."""
    runs: list[tuple[int, int]] = []
    for match in words.list.finditer(speech.normal):
        start, end = match.span()
        named = [one for one in speech.mentions_in(start, end) if not apart[0] <= one.at < apart[1]]
        if not named:
            continue
        start, end = max(start, apart[1]) if apart[0] <= start else start, min(end, named[-1].at + 1)
        verb = words.subject_of.match(speech.normal, end + 1)
        clause = re.split("[,.]", speech.normal[verb.end() :])[0] if verb else ""
        cleared = words.red.search(clause) if verb else words.red.match(speech.normal, end + 1)
        before = speech.normal[speech.sentence_at(start)[0] : start]
        listing = words.black.search(before) or words.leave.search(before)
        if len(named) > 1 and cleared and not words.negation.search(clause) and listing:
            runs += [(start, named[-2].at + 1), (named[-1].at, end)]
        else:
            runs.append((start, end))
    return runs


def colour_next_to(group: Group, words: Language) -> str:
    """The colour said of the group: right after it, else right before it."""
    apart = group.after.startswith(" ,")
    clause = group.after[2:].split(",")[0] if apart else group.after.split(",")[0]
    before = group.before.split(",")[-1]
    for text in (before, clause, group.before) if apart else (clause, group.before):
        if apart and text is clause and words.negation.search(clause):
            return ""
        red, black = words.red.search(text), words.black.search(text)
        if red and not (black and black.start() < red.start()):
            return "red"
        if black:
            return "black"
    return ""
