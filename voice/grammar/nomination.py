"""A speech with the floor: who is nominated, what is taken back, and the words that give the floor back."""

import re
from dataclasses import dataclass, replace

from moderator.model import SEATS
from voice.grammar.language import Language, seats_span
from voice.grammar.scope import DOUBTFUL, LIKELY, PLAIN, listed, resolve, standing
from voice.grammar.speech import Speech
from voice.ports import Act, ActKind, Context, Reading, Task

EITHER_CHARS = 20
"""How far behind an "or" its other seat is looked for."""
REPAIR_WORDS = 12
"""A correction in another breath comes soon."""


@dataclass(frozen=True, slots=True)
class Found:
    """Acts resting on one piece of the text."""

    at: int
    end: int
    acts: tuple[Act, ...]
    confidence: float


def read(_: Task, speech: Speech, words: Language, context: Context) -> Reading:
    found = _repaired(_nominations(speech, words, context), speech, words)
    stops = [match.start() for match in words.cancel.finditer(speech.normal)]
    withdrawals = _withdrawals(speech, words, found)
    stops += [withdrawal.at for withdrawal in withdrawals]
    standing_ones = [one for one in found if not any(one.at < stop for stop in stops)]
    sure = [one for one in standing_ones if one.confidence > DOUBTFUL]
    end = end_of_speech(speech, words)
    counted = withdrawals + sure
    acts = tuple(act for one in counted for act in one.acts)
    if acts:
        dropped = LIKELY if len(standing_ones) < len(found) and not withdrawals else 1.0
        return Reading(_once(acts) + end, False, min(dropped, *(one.confidence for one in counted)))
    doubtful = [one for one in standing_ones if one.acts] + _plans(speech, words, context)
    if doubtful:
        return Reading(doubtful[-1].acts + end, True, DOUBTFUL)
    return Reading(end, False, LIKELY if not found and _unread(speech, words) else PLAIN)


def _unread(speech: Speech, words: Language) -> bool:
    """Some sentence has a seat and a word that may nominate it, and nothing that says why it does not."""
    scopes = (words.negation, words.past, words.report, words.question, words.condition, words.later)
    for first, last in speech.sentences():
        sentence = speech.normal[first:last]
        cued = speech.mentions_in(first, last) and (
            words.nominating.search(sentence) or words.own_verb.search(sentence)
        )
        if cued and not sentence.endswith("?") and not any(scope.search(sentence) for scope in scopes):
            return True
    return False


def _once(acts: tuple[Act, ...]) -> tuple[Act, ...]:
    """The first of several acts of the same kind about the same seat."""
    return tuple({(act.kind, act.seat): act for act in reversed(acts)}.values())[::-1]


def _nominations(speech: Speech, words: Language, context: Context) -> list[Found]:
    found = [_nomination(speech, words, match, 1.0) for match in words.nominate.finditer(speech.normal)]
    taken = {act.seat for one in found for act in one.acts}
    for match in words.nominate_misheard.finditer(speech.normal):
        heard = _nomination(speech, words, match, LIKELY)
        if not taken & {act.seat for act in heard.acts}:
            found.append(heard)
    for match in words.nominate_self.finditer(speech.normal):
        act = Act(ActKind.NOMINATE, context.speaker, speech.quote(*match.span()))
        found.append(Found(*match.span(), (act,), standing(speech, words, *match.span())))
    found += [*_anaphora(speech, words, found), *_traps(speech, words)]
    return sorted((one for one in found if one.acts and one.confidence), key=lambda one: one.at)


def _anaphora(speech: Speech, words: Language, found: list[Found]) -> list[Found]:
    """ "The 4 is lying, I nominate him": the seat that this sentence, or the one before it, was about."""
    taken = []
    for match in words.nominate_him.finditer(speech.normal):
        sure = standing(speech, words, *match.span())
        if not sure or any(one.at <= match.start() < one.end for one in found):
            continue
        first, _ = speech.sentence_at(match.start())
        earlier, _ = speech.sentence_at(max(0, first - 1))
        about = speech.mentions_in(first, match.start()) or speech.mentions_in(earlier, first)
        named = [mention for mention in about if mention.seat in SEATS]
        if named:
            act = Act(ActKind.NOMINATE, named[-1].seat, speech.quote(named[-1].at, match.end()))
            one_named = len({mention.seat for mention in about}) == 1
            near = sure if named[-1].at >= first else LIKELY
            taken.append(Found(*match.span(), (act,), near if one_named else DOUBTFUL))
    return taken


def _traps(speech: Speech, words: Language) -> list[Found]:
    """ "Je nomine le si": worth a question."""
    doubtful = []
    for match in words.nominate_trap.finditer(speech.normal):
        word, _, rest = speech.normal[match.end() :].lstrip().partition(" ")
        seat, span = words.answer_traps.get(word), (match.start(), match.end() + 1 + len(word))
        if seat and (not rest or rest[0] in ".,?") and standing(speech, words, *span):
            doubtful.append(Found(*span, (Act(ActKind.NOMINATE, seat, speech.quote(*span)),), DOUBTFUL))
    return doubtful


def _repaired(found: list[Found], speech: Speech, words: Language) -> list[Found]:
    """With what is put in the place of a nomination after its sentence: "I nominate 4. Oh no, wait, the 5".

    "Actually no." after one makes it doubtful.
    """
    repaired: list[Found] = []
    stops = [*(one.at for one in found[1:]), len(speech.normal)]
    for one, stop in zip(found, stops, strict=False):
        back = repaired and words.takes_back.match(speech.normal, repaired[-1].end + 1, one.at)
        if back:
            same = speech.sentence_at(back.end() - 1) == speech.sentence_at(one.at)
            spared = resolve(speech, words, (back.start(), one.at), one=True).excluded
            if same or spared & {act.seat for act in repaired[-1].acts}:
                repaired.pop()
            one = replace(one, confidence=min(one.confidence, LIKELY))
        repaired.append(_repair(one, speech, words, stop) or one)
    back = repaired and words.takes_back.match(speech.normal, repaired[-1].end + 1)
    if back:
        alone = not words.correction.sub("", speech.normal[back.end() : speech.sentence_at(back.end() - 1)[1]]).strip(
            " ,."
        )
        sure = min(repaired[-1].confidence, DOUBTFUL if alone else LIKELY)
        repaired[-1] = replace(repaired[-1], confidence=sure)
    return repaired


def _repair(one: Found, speech: Speech, words: Language, stop: int) -> Found | None:
    for match in words.repair.finditer(speech.normal, one.end, stop):
        soon = len(speech.normal[one.end : match.start()].split()) <= REPAIR_WORDS
        speaks = words.subject_of.match(speech.normal, match.end() + 1)
        seats = resolve(speech, words, seats_span(match), one=True).mentions
        if not soon or speaks or not seats or seats[-1].seat not in SEATS or not standing(speech, words, *match.span()):
            continue
        if seats[-1].seat in {act.seat for act in one.acts}:
            continue
        act = Act(ActKind.NOMINATE, seats[-1].seat, speech.quote(*match.span()))
        return Found(one.at, match.end(), (act,), min(one.confidence, LIKELY))
    return None


def _nomination(speech: Speech, words: Language, match: re.Match[str], sure: float) -> Found:
    verb = speech.normal[seats_span(match)[1] : match.end()]
    seats = (resolve if verb and "," not in verb else listed)(speech, words, _own_seats(speech, words, match), one=True)
    sure *= standing(speech, words, *match.span()) * _meant_of_him(speech, words, match)
    if seats.corrected:
        sure = min(sure, LIKELY)
    if _perhaps(speech, words, match):
        sure = min(sure, DOUBTFUL)
    undecided = words.either.search(speech.normal, *seats_span(match)) or (
        words.either.match(speech.normal, match.end() + 1)
        and speech.mentions_in(match.end(), match.end() + EITHER_CHARS)
    )
    if seats.retracted or undecided:
        sure = min(sure, DOUBTFUL)
    acts = tuple(
        Act(ActKind.NOMINATE, mention.seat, speech.quote(min(match.start(), mention.at), _end(match, mention.at)))
        for mention in seats.mentions
        if mention.seat in SEATS
    )
    return Found(*match.span(), acts, sure)


def _perhaps(speech: Speech, words: Language, match: re.Match[str]) -> bool:
    """ "Perhaps I nominate four", "Perhaps, I nominate four"."""
    before = speech.normal[speech.sentence_at(match.start())[0] : match.start()]
    *_, last = before.removesuffix(" , ").split(",")
    if ":" in match[0]:  # "Perhaps like this: four goes up" is decided
        return words.maybe.search(match[0].rpartition(":")[2]) is not None
    aside = before.endswith(" , ") and words.maybe.fullmatch(last.strip())
    return bool(aside or words.maybe.search(before.rpartition(",")[2]) or words.maybe.search(match[0]))


def _meant_of_him(speech: Speech, words: Language, match: re.Match[str]) -> float:
    """Where a pronoun takes up the seat: 0 if what stands between makes it somebody else's words, or a condition."""
    _, named = seats_span(match)
    pronoun = words.nominate_him.search(speech.normal, named, match.end())
    between = speech.normal[named : pronoun.start()] if pronoun else ""
    scopes = (words.report, words.condition, words.question)
    for text, sure in ((between.rpartition(",")[2], 0.0), (between, LIKELY)):
        if any(scope.search(text) for scope in scopes) and not words.therefore.search(text):
            return sure
    return 1.0


def _own_seats(speech: Speech, words: Language, match: re.Match[str]) -> tuple[int, int]:
    """Where the seats come first, a seat that another phrase governs is none of them ("I agree with 2, 10 goes up").

    Nor is one that is taken back.
    """
    start, end = seats_span(match)
    governed = start == match.start() and not words.begins.fullmatch(
        speech.normal[:start].rstrip(" ").rpartition(" ")[2]
    )
    comma = speech.normal.find(" , ", start, end) if governed else -1
    start = comma + 3 if comma > 0 else start
    for back in words.withdraw.finditer(speech.normal):
        if back.start() <= match.start() < back.end():
            start = max(start, back.end())
    return min(start, end), end


def _end(match: re.Match[str], at: int) -> int:
    """The quote of a seat runs from the cue to the seat, or over the whole match where the cue comes last."""
    return at + 1 if seats_span(match)[1] == match.end() else match.end()


def _withdrawals(speech: Speech, words: Language, found: list[Found]) -> list[Found]:
    """Only what is taken back, not what was nominated before it."""
    taken = []
    for match in words.withdraw.finditer(speech.normal):
        sure = standing(speech, words, *match.span())
        if not sure:
            continue
        named = speech.mentions_in(*match.span())
        earlier = [act.seat for one in found if one.at < match.start() for act in one.acts]
        seat = named[-1].seat if named else earlier[-1] if earlier else None
        taken.append(Found(*match.span(), (Act(ActKind.WITHDRAW, seat, speech.quote(*match.span())),), sure))
    return taken[-1:]


def _plans(speech: Speech, words: Language, context: Context) -> list[Found]:
    """A nomination announced in the last sentence, or a remark that may be one: worth a question."""
    plans = []
    for pattern in (words.plan, words.on_the_list):
        for match in pattern.finditer(speech.normal):
            rest = words.end_speech.sub("", speech.normal[match.end() :])
            last = len(re.sub(r"[^\w#]+", " ", rest).split()) <= 3
            clause = speech.normal[speech.sentence_at(match.start())[0] : match.start()].rpartition(",")[2]
            if not last or words.negation.search(clause) or not standing(speech, words, *match.span()):
                continue
            one = _nomination(speech, words, match, DOUBTFUL)
            acts = tuple(act for act in one.acts if act.seat not in context.nominated)
            if acts:
                plans.append(Found(one.at, one.end, acts, DOUBTFUL))
    return plans


def end_of_speech(speech: Speech, words: Language) -> tuple[Act, ...]:
    """The words that give the floor back, if nothing is said after them."""
    for match in words.end_speech.finditer(speech.normal):
        if not words.end_speech.sub("", speech.normal[match.start() :]).strip(" ,.:"):
            return (Act(ActKind.END_SPEECH, None, speech.quote(*match.span())),)
    return ()
