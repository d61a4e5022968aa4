"""A farewell: the seats called black, in the order named, and the crown."""

import re
from collections.abc import Set
from dataclasses import dataclass, field

from moderator.model import SEATS, Seat
from voice.grammar.crown import crown_of
from voice.grammar.groups import Group, groups
from voice.grammar.language import Language, fold
from voice.grammar.nomination import end_of_speech
from voice.grammar.scope import LIKELY, PLAIN
from voice.grammar.speech import Mention, Speech
from voice.ports import Act, ActKind, Context, Reading, Task

HEADING = re.compile(r"(?:^ ?|[.,] )(?:[^\s,.#]+ ){1,3}$")
""" "Three sure reds, the 6, the 7": said before a list as with a colon."""


@dataclass(slots=True)
class Sorted:
    """The seats of a farewell by what it says of them."""

    black: list[Act] = field(default_factory=list)
    red: set[int] = field(default_factory=set)
    cleared: set[int] = field(default_factory=set)
    """Named in a list and taken out of it."""
    told: set[int] = field(default_factory=set)
    """Spoken of, and it is said why they are not left."""
    listed: bool = False
    """Some words say that this is the list, or that these are black."""
    declared: bool = False
    """One is said to be his list."""
    going_on: set[Seat] = field(default_factory=set)
    """Named after that list in its own sentence."""
    sure: float = 1.0
    unsettled: bool = False


def read(_: Task, speech: Speech, words: Language, context: Context) -> Reading:
    end = end_of_speech(speech, words)
    crown, crown_span = crown_of(speech, words)
    said = _sorted(groups(speech, words, crown_span), speech, words)
    if words.no_suspects.search(speech.normal) and not said.black:
        return Reading(crown + end, False, PLAIN)
    suspects = {act.seat: act for act in reversed(said.black) if act.seat in SEATS and act.seat not in said.red}
    acts = tuple(reversed(suspects.values())) + crown
    named = {mention.seat for mention in speech.mentions}
    left_out = named - {act.seat for act in acts} - said.red - said.cleared
    crownless = None if crown else words.crown_word.search(speech.normal)
    explained = said.told if said.listed and not crownless else set()
    unexplained = left_out - explained
    if said.declared:
        unexplained = {one for one in unexplained if one in said.going_on or _also_meant(one, speech, words)}
    sure = said.sure
    denied = _denied(speech, words)
    gone = not all(denied.values())  # and who was named instead may have been misheard
    if words.cancel.search(speech.normal) or unexplained or gone or len(suspects) not in _announced(speech, words):
        sure = LIKELY
    elif _said_again(suspects.keys(), speech, words):
        sure = 1.0
    both = (said.red | {act.seat for act in crown}) & {act.seat for act in said.black}
    both |= denied.keys() & suspects.keys()
    unread = left_out - said.told and (not suspects or crownless)
    lost = crownless and not _refused_crown(crownless, speech, words)
    most = context.suspects
    doubts = unread or lost or both or len(suspects) > most or said.unsettled or _numbered(speech, words, most)
    ask = bool(suspects or crown) and (bool(doubts) or _misheard(speech, words) or _undecided(speech, words))
    return Reading(acts + end, ask, sure)


def _refused_crown(crown: re.Match[str], speech: Speech, words: Language) -> bool:
    """ "No crown", "The crown? Nobody": else it is of a seat that was not heard."""
    nearest = [span for span in speech.sentences() if span[1] > crown.start()][:2]
    return any(words.negation.search(speech.normal, *span) for span in nearest)


def _denied(speech: Speech, words: Language) -> dict[int, bool]:
    """The seats that are named and then not meant ("6. No, not 6"), and whether another is named after each."""
    taken_back = {_next_named(match.end(), speech, words) for match in words.unless.finditer(speech.normal)}
    denied = {}
    for index, mention in enumerate(speech.mentions):
        earlier, later = speech.mentions[:index], speech.mentions[index + 1 :]
        if mention in taken_back and any(one.seat == mention.seat for one in earlier):
            denied[mention.seat] = any(one not in taken_back for one in later)
    return denied


def _next_named(after: int, speech: Speech, words: Language) -> Mention | None:
    """The seat that is named there, with nothing but small words before it ("the", "for", "number")."""
    named = next((mention for mention in speech.mentions if mention.at >= after), None)
    return named if named and not words.between.sub("", speech.normal[after : named.at]).strip() else None


def _sorted(found: list[Group], speech: Speech, words: Language) -> Sorted:
    said, colour = Sorted(), ""
    lists = [group for group in found if _cued(group, words) and _colour(group, words) == "black"]
    said.listed = bool(lists)
    for group in found:
        said.black = [act for act in said.black if act.seat not in group.excluded]
        said.cleared |= group.excluded
        said.told |= _told(group, speech, words) | (_led_up_to(group, speech, words, lists[0]) if lists else set())
        before, colour = colour, _colour(group, words)
        if words.also.match(group.after.lstrip()) and (not colour or before == "red"):
            colour, said.sure = before, min(said.sure, LIKELY if before != "red" else 1.0)
        if colour == "black" and _refused(group, words):
            colour, said.unsettled = "", said.unsettled or len(group.mentions) > 1 or not lists
        if colour == "black" and lists and not _cued(group, words) and _remark(group, words):
            colour = ""
        if colour == "red":
            _clear(said, group, words)
        elif colour == "black":
            _suspect(said, group, speech, words)
    return said


def _clear(said: Sorted, group: Group, words: Language) -> None:
    seats = {mention.seat for mention in group.mentions}
    said.red |= seats
    if words.takes_back.match(group.before.lstrip()):  # "6 and 8... no, 8 is red"
        said.black = [act for act in said.black if act.seat not in seats]


def _suspect(said: Sorted, group: Group, speech: Speech, words: Language) -> None:
    of_him = (words.of_them, words.reasons, words.negation)  # not "the rest is red"
    later = [one for one in group.after.split(",")[1:] if any(scope.match(one.lstrip()) for scope in of_him)]
    taken_back = _cued(group, words) and _spared_in(later, words)
    said.unsettled = said.unsettled or taken_back or _addressed(group, words) or _goes_on(group, words)
    named = _with_those_between(group, speech, words)
    reaches = len(named) > len(group.mentions) and not _cued(group, words)
    declared = _declared(group, words)
    loose = group.replaced or (not declared and _loose(group, words))
    if reaches or loose or _hedged(group, words):
        said.sure = LIKELY
    said.declared = said.declared or declared
    if declared:  # "My suspects: 3, because he voted, and 8, because": whom the rest of the sentence names is open
        last = speech.sentence_at(group.span[0])[1]
        said.going_on |= {one.seat for one in speech.mentions_in(group.span[1], last)}
    said.black += [Act(ActKind.SUSPECT, seat, speech.quote(at, at + 1)) for seat, at in named]


def _refused(group: Group, words: Language) -> bool:
    """ "Two is black. Three, no." """
    return words.no.fullmatch(group.after.removeprefix(" ,").strip(" .")) is not None


def _declared(group: Group, words: Language) -> bool:
    """ "My list: 4, 6", "I leave 4 and 6", "4 and 6, that's my testament"."""
    before, after = group.before.rpartition(".")[2], group.after.partition(".")[0]
    return any(words.declares.search(text) for text in (before, after))


def _also_meant(seat: Seat, speech: Speech, words: Language) -> bool:
    """Whether beside a seat that no list takes something may make it black."""
    scopes = (words.suspect, words.black, words.also, words.maybe)
    sentences = {speech.sentence_at(one.at) for one in speech.mentions if one.seat == seat}
    told = (words.red, words.negation, words.trusted, words.report, words.past)
    return any(
        any(scope.search(speech.normal, *span) for scope in scopes)
        and not any(scope.search(speech.normal, *span) for scope in told)
        for span in sentences
    )


def _said_again(suspects: Set[Seat], speech: Speech, words: Language) -> bool:
    """Whether it comes back to the whole list in the end, and to nothing else: "Six, nine, seven. Bye"."""
    lists = groups(speech, words) if len(suspects) > 1 else []
    return (
        bool(lists)
        and _bare(lists[-1].lead, lists[-1].after, words)
        and set(suspects) == {one.seat for one in lists[-1].mentions}
    )


def _with_those_between(group: Group, speech: Speech, words: Language) -> list[tuple[int, int]]:
    """Seats and where each was named; "three to five" names the fourth too."""
    named: list[tuple[int, int]] = []
    for one in group.mentions:
        first = named[-1] if named else (one.seat, one.at)
        reach = words.range.match(speech.normal, first[1])
        if reach and reach.end() == one.at + 1:
            named += [(seat, one.at) for seat in range(first[0] + 1, one.seat)]
        named.append((one.seat, one.at))
    return named


def _told(group: Group, speech: Speech, words: Language) -> set[int]:
    """The seats of a list beside which its own clause says why they are not left: all else is uncertain."""
    scopes = (words.red, words.negation, words.report, words.condition, words.past, words.later, words.office)
    before, after = group.before.split(",")[-1], group.after.split(",")[0]
    comma = speech.normal.find(",", *group.span)
    seats = {one.seat for one in group.mentions}
    if comma > 0:  # "He voted six, and eight, because": one clause ends and another begins
        first = {one.seat for one in group.mentions if one.at < comma}
        return first if any(scope.search(before) for scope in scopes) else set()
    acts = len(seats) == 1 and not _cued(group, words) and words.subject_of.match(after.lstrip())
    told = acts or any(scope.search(before + after) for scope in scopes) or words.office.search(group.before)
    return seats if told else set()


def _led_up_to(group: Group, speech: Speech, words: Language, listing: Group) -> set[int]:
    """The seats that sentences before the list speak of without a word of suspicion."""
    first, last = speech.sentence_at(group.span[0])
    scopes = (words.suspect, words.leave, words.black)
    suspected = any(scope.search(speech.normal, first, last) for scope in scopes)
    earlier = last <= speech.sentence_at(listing.span[0])[0]
    return {one.seat for one in group.mentions} if earlier and not suspected else set()


def _cued(group: Group, words: Language) -> bool:
    """Its own clause says that it is the list, or that they are black."""
    clause = group.before.split(",")[-1]
    near = clause + group.after.split(",")[0]
    said = any(scope.search(near) for scope in (words.suspect, words.leave, words.black))
    return said or ":" in clause or _said_of_them(group.after, words) or _declared(group, words)


def _remark(group: Group, words: Language) -> bool:
    """ "I leave two. As for five, he was funny": talk of one who is not on the list."""
    return any(words.reasons.match(clause.strip()) for clause in group.after.split(",")[1:2])


def _left_alone(group: Group, words: Language) -> bool:
    """ "I leave two in peace"."""
    direct = group.after.split(",")[0]
    spared = words.spared.search(direct)
    return spared is not None and not any(
        scope.search(direct[: spared.start()]) for scope in (words.negation, words.suspect)
    )


def _spared_in(clauses: list[str], words: Language) -> bool:
    """The last clause that does not end the sentence is about the next seat."""
    of_them = clauses if clauses and clauses[-1].rstrip().endswith((".", "?")) else clauses[:-1]
    return any(words.spared.search(clause) for clause in of_them)


def _addressed(group: Group, words: Language) -> bool:
    """ "Four, lead the town": spoken to, it may be, not left as a suspect."""
    alone = len(group.mentions) == 1 and not words.between.sub("", group.lead).split()
    more = words.padding.sub("", group.after.split(".")[0]).split()
    return alone and group.after.startswith(" ,") and len(more) > 2 and not words.because.match(group.after, 3)


def _goes_on(group: Group, words: Language) -> bool:
    """ "2 and 5, 8 leave in peace": the last of several may be part of what follows."""
    direct = words.between.sub("", words.padding.sub("", group.after.split(",")[0])).strip(" .:")
    scopes = (words.suspect, words.leave, words.black, words.end_speech, words.goodbye)
    return len(group.mentions) > 1 and bool(direct) and not any(scope.search(direct) for scope in scopes)


def _numbered(speech: Speech, words: Language, most: int) -> bool:
    """ "The first black is five": whether the first number counts or names a seat, nobody knows."""
    for group in groups(speech, words):
        after = group.after.lstrip()
        counted = words.black.match(after) or words.suspect.match(after)
        rest = re.split("[,.]", speech.normal[group.span[1] :])[0]
        counts = counted and group.mentions and group.mentions[-1].seat <= most
        if counts and "#" in rest and not words.red.search(rest):
            return True
    return False


def _announced(speech: Speech, words: Language) -> set[int]:
    """How many there are to be, where that is said: "my three blacks are". All numbers where it is not."""
    counts: set[int] = set()
    for match in re.finditer("% ", speech.normal):
        if words.black.match(speech.normal, match.end()) or words.suspect.match(speech.normal, match.end()):
            said = fold(speech.quote(match.start(), match.start() + 1))
            counts.add(int(said) if said.isdecimal() else words.numbers.get(said, 0))
    return counts or set(range(len(SEATS) + 1))


def _misheard(speech: Speech, words: Language) -> bool:
    """Whether the recogniser may have written a word for a number that was said: "dix, de, quatre"."""
    return words.misheard_list is not None and bool(words.misheard_list.search(speech.normal))


def _undecided(speech: Speech, words: Language) -> bool:
    """Whether some list leaves open which of two is meant."""
    if words.undecided.search(speech.normal):
        return True
    return any(words.either.search(speech.normal, *match.span()) for match in words.list.finditer(speech.normal))


def _colour(group: Group, words: Language) -> str:
    """ "black" where it is left as a suspect, "red" where it is cleared, "" where it is only talk."""
    lead, after = group.lead, group.after
    before = words.hedge.sub(lambda match: " " * len(match[0]), group.before)
    if group.asked:
        return ""
    direct = after.split(",")[0]
    head, colon, tail = before.rpartition(":")
    introduced = bool(colon) and not words.between.sub("", tail).strip()
    if _trusted(group, words) or _headed_red(group, introduced, words) or _left_alone(group, words):
        return "red"
    cue = words.suspect.search(direct)
    said = cue is not None and not words.report.search(direct[: cue.start()])
    if introduced:
        return "" if words.report.search(" ".join(head.split()[-1:])) else "black"
    for match in words.therefore.finditer(group.lead):
        before = lead = group.lead[match.start() :]
    if words.leave.search(direct):
        return "" if words.negation.search(direct) or words.report.search(direct) else "black"
    clause = before.split(",")[-1]
    said = said or _said_of_them(after, words)
    if words.report.search(before, len(before) - len(clause) if said else 0) or words.condition.search(
        words.hedge.sub("", lead)
    ):
        return ""
    if said:
        return "black" if not words.negation.search(direct) else ""
    if words.past.search(before) or words.past.search(direct):
        return ""
    if words.suspect.search(clause):
        return "" if words.negation.search(clause) else "black"
    if words.red.search(clause) and not words.negation.search(clause):
        return "red"
    if words.instead.match(clause.strip()) and not words.suspect.search(before) and _said_before(before, words):
        return ""
    return "black" if _bare(clause, after, words) else ""


def _bare(clause: str, after: str, words: Language) -> bool:
    """Nothing but seats, up to the next pause or the words that end a speech."""
    direct = after.split(",")[0]
    alone = not words.between.sub("", clause).strip(" .,:") and not words.subject_of.match(after.lstrip())
    ending = words.end_speech.search(direct) or words.goodbye.search(direct)
    return alone and (bool(ending) or not words.between.sub("", direct).strip(" ."))


def _headed_red(group: Group, introduced: bool, words: Language) -> bool:
    """ "Four is red", "Red: four", "Two sure reds, four and five"."""
    earlier, _, clause = group.lead.rpartition(",")
    cued = words.black.search(clause) or words.suspect.search(clause)  # "I was red, my blacks are 4 and 5"
    heading = None if cued else HEADING.search(earlier)
    said = (group.after.split(",")[0], group.before if introduced else "", heading[0] if heading else "")
    found = [(text, words.red.search(text)) for text in said]
    return any(match and not words.negation.search(text[: match.start()]) for text, match in found)


def _trusted(group: Group, words: Language) -> bool:
    """ "Do not touch four", "Seven, I trust you", "Four and five, they are red"."""
    head, _, clause = group.after.partition(",")
    clause = clause.split(",")[0]
    if words.black.search(group.after) or words.suspect.search(group.after):
        return False
    before = group.before.split(",")[-1]
    if words.trusted.search(before) and not words.negation.search(words.trusted.sub("", before)):
        return True
    spoken_to = words.trusted.match(clause.strip()) or (
        words.of_them.match(clause.strip()) and words.red.search(clause)
    )
    return not head.strip(" .") and bool(spoken_to) and not words.negation.search(words.trusted.sub("", clause))


def _said_of_them(after: str, words: Language) -> bool:
    """ "Two and ten, those are the mafia"."""
    head, _, clause = after.partition(",")
    clause = words.padding.sub("", words.start_words.sub("", clause))
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
    after = words.goodbye.sub("", words.end_speech.sub("", group.after))
    return bare and (_said_before(group.before, words) or _said_before(after, words))


def _hedged(group: Group, words: Language) -> bool:
    around = words.hedge.sub("", f"{group.before}#{group.after}")
    before, _, after = around.partition("#")
    near = before.split(",")[-1] + after.split(",")[0]
    scopes = (words.condition, words.report)
    return any(scope.search(before + after) for scope in scopes) or bool(words.negation.search(near))
