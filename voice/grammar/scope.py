"""Who says it, and does he mean it now: the scope of negation, report, condition, question and time."""

from dataclasses import dataclass

from voice.grammar.language import Language
from voice.grammar.speech import Mention, Speech

PLAIN = 0.9
"""From this confidence on nothing in the text can be taken otherwise."""
LIKELY = 0.75
DOUBTFUL = 0.5


@dataclass(frozen=True, slots=True)
class Listed:
    """The seats that a list comes down to once its corrections are followed."""

    mentions: tuple[Mention, ...]
    corrected: bool = False
    retracted: bool = False
    """It ends in a correction that names nobody."""
    replaced: bool = False
    """A seat gave way to the next, and the words between may mean something else ("6, wait, 7"; not "6, no, 7")."""
    excluded: frozenset[int] = frozenset()
    """Seats that it says are not meant."""
    ended: int | None = None
    """Where something else is begun of other seats ("2 and 5, but 7 is red")."""


def resolve(speech: Speech, words: Language, span: tuple[int, int], *, one: bool) -> Listed:
    """Follow the corrections in a list; where `one` seat is expected a hesitation corrects too."""
    seats: list[Mention] = []
    excluded: set[int] = set()
    ended: int | None = None
    unless = replace = corrected = replaced = taken_out = firmly = False
    certain = [match.span() for match in words.hedge.finditer(speech.normal, *span)]
    steps = [
        step
        for step in words.step.finditer(speech.normal, *span)
        if not any(start <= step.start() < end for start, end in certain)
    ]
    for step, following in zip(steps, [*steps[1:], None], strict=False):
        kind = step.lastgroup
        if kind == "unless":
            unless = True
        elif kind == "over":
            unless = False
        elif kind == "instead":
            unless = False  # "don't listen to him, it's 2"
            if seats and not taken_out and not replace and not (following and following.lastgroup == "correction"):
                ended = step.start()
                break
        elif kind == "correction" or (kind == "hesitation" and one and seats):
            firmly = (replace and firmly) or bool(words.puts_right.fullmatch(step[0]))
            replace = bool(seats)
            corrected = corrected or replace
        elif kind == "seat":
            mention = speech.mention_at(step.start())
            if unless:
                taken_out, corrected = True, corrected or bool(seats)
                excluded.add(mention.seat)
                kept = [seat for seat in seats if seat.seat != mention.seat]
                replace = replace and len(kept) == len(seats)
                seats, unless = kept, False
                continue
            if replace:
                seats.pop()
                replaced = replaced or not firmly
            replace, corrected = False, corrected or taken_out
            seats = [seat for seat in seats if seat.seat != mention.seat]
            seats.append(mention)
    return Listed(tuple(seats), corrected, replace, replaced, frozenset(excluded), ended)


def listed(speech: Speech, words: Language, span: tuple[int, int], *, one: bool) -> Listed:
    """`resolve`, without a last seat that begins another clause ("the 4, the 5 is lying")."""
    start, end = span
    count = len(speech.mentions_in(start, end))
    reach = any(match.end() == end for match in words.range.finditer(speech.normal, start))
    if count > 1 and not reach and words.subject_of.match(speech.normal, end + 1):
        end = speech.mentions_in(start, end)[-1].at
    return resolve(speech, words, (start, end), one=one)


def standing(speech: Speech, words: Language, start: int, end: int) -> float:
    """How surely the speaker means `normal[start:end]` himself, now, and without a condition. 0: he does not."""
    first, _ = speech.sentence_at(start)
    _, last = speech.sentence_at(max(start, end - 1))
    before, after = words.hedge.sub("", speech.normal[first:start]), words.tag_question.sub("", speech.normal[end:last])
    clause = before.rsplit(",", 1)[-1]
    contrast = words.instead.match(speech.normal, start) is not None
    if _reported(before, words, 1 if contrast else 2) or words.question.search(clause) or _asked(after):
        return 0.0
    if words.later.search(clause) or words.past.search(clause) or words.later.match(after.removeprefix(" ")):
        return 0.0
    condition = words.condition.search(before)
    if condition and not words.therefore.search(before):
        return 0.0
    if words.condition.match(words.hedge.sub("", after).lstrip(" ,")):
        return 0.0
    near = words.hedge.sub("", f"{clause} {' '.join(after.split()[:3])}")
    mixed = words.negation.search(near) or words.later.search(near) or words.report.search(before) or condition
    return LIKELY if mixed or "?" in after else 1.0


def _reported(before: str, words: Language, between_max: int) -> bool:
    """Somebody else's words end right before: at most so many words lie between."""
    reports = list(words.report.finditer(before))
    if not reports:
        return False
    between = before[reports[-1].end() :].split()
    return len(between) <= between_max and not words.therefore.search(" ".join(between))


def _asked(after: str) -> bool:
    return after.endswith("?") and len(after.split()) <= 7
