"""A farewell: the seats called black, in the order named, and the crown."""

from dataclasses import dataclass

from moderator.model import SEATS
from voice.grammar.language import Language, seats_span
from voice.grammar.nomination import end_of_speech
from voice.grammar.scope import LIKELY, PLAIN, listed, standing
from voice.grammar.speech import Mention, Speech
from voice.ports import Act, ActKind, Context, Reading, Task

NOWHERE = (-1, -1)


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


def read(_: Task, speech: Speech, words: Language, context: Context) -> Reading:
    end = end_of_speech(speech, words)
    crown, crown_span = _crown(speech, words)
    black: list[Act] = []
    red: set[int] = set()
    cleared: set[int] = set()
    sure, colour = 1.0, ""
    for group in groups(speech, words, crown_span):
        black = [act for act in black if act.seat not in group.excluded]
        cleared |= group.excluded
        before, colour = colour, _colour(group, words)
        if not colour and words.also.match(group.after.lstrip()):
            colour, sure = before, min(sure, LIKELY)
        if colour == "red":
            red |= {mention.seat for mention in group.mentions}
        elif colour == "black":
            sure = min(sure, LIKELY if group.replaced or _hedged(group, words) or _loose(group, words) else 1.0)
            quoted = speech.quote
            black += [Act(ActKind.SUSPECT, one.seat, quoted(one.at, one.at + 1)) for one in group.mentions]
    if words.no_suspects.search(speech.normal) and not black:
        return Reading(crown + end, False, PLAIN)
    suspects = {act.seat: act for act in reversed(black) if act.seat in SEATS and act.seat not in red}
    acts = tuple(reversed(suspects.values())) + crown
    left_out = {mention.seat for mention in speech.mentions} - {act.seat for act in acts} - red - cleared
    sure = min(sure, LIKELY) if words.cancel.search(speech.normal) or (acts and left_out) else sure
    unread = not acts and speech.mentions and words.suspect.search(speech.normal)
    ask = bool(black) and (_misheard(speech, words) or _undecided(speech, words))
    return Reading(acts + end, ask, LIKELY if unread else sure)


def _misheard(speech: Speech, words: Language) -> bool:
    """Whether the recogniser may have written a word for a number that was said: "dix, de, quatre"."""
    return words.misheard_list is not None and bool(words.misheard_list.search(speech.normal))


def _undecided(speech: Speech, words: Language) -> bool:
    """Whether some list leaves open which of two is meant."""
    return any(words.either.search(speech.normal, *match.span()) for match in words.list.finditer(speech.normal))


def _crown(speech: Speech, words: Language) -> tuple[tuple[Act, ...], tuple[int, int]]:
    for match in words.crown.finditer(speech.normal):
        seats = listed(speech, words, seats_span(match), one=True).mentions
        first, last = speech.sentence_at(match.start())
        after = speech.normal[match.end() : last].split(",")[0]
        following = words.start_words.search(after)
        clause = speech.normal[first : match.start()].split(",")[-1] + after[: following.start() if following else None]
        if words.negation.search(clause) or not standing(speech, words, *match.span()):
            continue
        if seats and seats[0].seat in SEATS:  # others after it are a list of their own
            span = match.start(), match.end() if len(seats) == 1 else seats[0].at + 1
            return (Act(ActKind.CROWN, seats[0].seat, speech.quote(*span)),), span
    return (), NOWHERE


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
                speech.normal[first:named],
                speech.normal[previous:named],
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
        cleared = words.red.match(speech.normal, verb.end() + 1 if verb else end + 1)
        if len(named) > 1 and cleared and words.black.search(speech.normal, speech.sentence_at(start)[0], start):
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


def _colour(group: Group, words: Language) -> str:
    """ "black" where it is left as a suspect, "red" where it is cleared, "" where it is only talk."""
    lead, before, after = group.lead, group.before, group.after
    if group.asked:
        return ""
    direct = after.split(",")[0]
    head, colon, tail = before.rpartition(":")
    introduced = bool(colon) and not words.between.sub("", tail).strip()
    if words.red.search(direct) or (words.red.search(before) and introduced):
        return "red"
    cue = words.suspect.search(direct)
    said = cue is not None and not words.report.search(direct[: cue.start()])
    if introduced:
        return "" if words.report.search(" ".join(head.split()[-1:])) else "black"
    for match in words.therefore.finditer(group.lead):
        before = lead = group.lead[match.start() :]
    if words.leave.search(direct):
        return "" if words.negation.search(direct) else "black"
    clause = before.split(",")[-1]
    if words.report.search(before, len(before) - len(clause) if said else 0) or words.condition.search(
        words.hedge.sub("", lead)
    ):
        return ""
    if said or _said_of_them(after, words):
        return "black" if not words.negation.search(direct) else ""
    if words.past.search(before) or words.past.search(direct):
        return ""
    if words.suspect.search(clause):
        return "" if words.negation.search(clause) else "black"
    if words.instead.match(clause.strip()) and not words.suspect.search(before) and _said_before(before, words):
        return ""
    alone = not words.between.sub("", clause).strip(" .,:") and not words.subject_of.match(after.lstrip())
    ends = not words.between.sub("", direct).strip(" .") or words.end_speech.search(direct)
    return "black" if alone and ends else ""


def _said_of_them(after: str, words: Language) -> bool:
    """ "Two and ten, those are the mafia"."""
    head, _, clause = after.partition(",")
    about = not head.strip() and words.of_them.match(clause.strip())
    return bool(about and words.suspect.search(clause.split(",")[0]))


def _said_before(before: str, words: Language) -> bool:
    """Whether the sentence says something of its own before its list."""
    left = words.start_words.sub("", words.between.sub("", words.suspect.sub("", before)))
    return bool(left.strip(" .,:"))


def _loose(group: Group, words: Language) -> bool:
    """A bare list at the end of a sentence about something else, or one that takes back what was said before."""
    clause = group.before.split(",")[-1]
    *_, cue = None, *words.leave.finditer(clause)
    if words.takes_back.match(group.lead.lstrip()) or (cue and _said_before(clause[cue.end() :], words)):
        return True
    if any(scope.search(group.before + group.after) for scope in (words.suspect, words.leave, words.black)):
        return False
    bare = ":" in clause or not words.between.sub("", clause).strip(" .,:")
    return bare and (_said_before(group.before, words) or _said_before(words.end_speech.sub("", group.after), words))


def _hedged(group: Group, words: Language) -> bool:
    near = group.before.split(",")[-1] + group.after.split(",")[0]
    if _said_of_them(group.after, words) and not words.suspect.search(group.before.split(",")[-1]):
        return True
    scopes = (words.condition, words.report)
    return any(scope.search(group.before + group.after) for scope in scopes) or bool(words.negation.search(near))
