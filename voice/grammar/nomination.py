"""A speech with the floor: who is nominated, what is taken back, and the words that give the floor back."""

import re
from dataclasses import dataclass

from moderator.model import SEATS
from voice.grammar.language import Language, seats_span
from voice.grammar.scope import DOUBTFUL, LIKELY, PLAIN, listed, standing
from voice.grammar.speech import Speech
from voice.ports import Act, ActKind, Context, Reading, Task


@dataclass(frozen=True, slots=True)
class Found:
    """Acts resting on one piece of the text."""

    at: int
    acts: tuple[Act, ...]
    confidence: float


def read(_: Task, speech: Speech, words: Language, context: Context) -> Reading:
    found = _nominations(speech, words, context)
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
    """Some sentence has a seat and a word of nominating, and nothing that says why it is no nomination."""
    scopes = (words.negation, words.past, words.report, words.question, words.condition, words.later)
    for first, last in speech.sentences():
        sentence = speech.normal[first:last]
        cued = speech.mentions_in(first, last) and words.nominating.search(sentence)
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
        found.append(Found(match.start(), (act,), LIKELY * standing(speech, words, *match.span())))
    return sorted((one for one in found if one.acts and one.confidence), key=lambda one: one.at)


def _nomination(speech: Speech, words: Language, match: re.Match[str], sure: float) -> Found:
    seats = listed(speech, words, _own_seats(speech, words, match), one=True)
    sure *= standing(speech, words, *match.span())
    if seats.corrected:
        sure = min(sure, LIKELY)
    if seats.retracted:
        sure = min(sure, DOUBTFUL)
    acts = tuple(
        Act(ActKind.NOMINATE, mention.seat, speech.quote(min(match.start(), mention.at), _end(match, mention.at)))
        for mention in seats.mentions
        if mention.seat in SEATS
    )
    return Found(match.start(), acts, sure)


def _own_seats(speech: Speech, words: Language, match: re.Match[str]) -> tuple[int, int]:
    """Where the seats come first, a seat that another phrase governs is none of them ("I agree with 2, 10 goes up")."""
    start, end = seats_span(match)
    governed = start == match.start() and not words.begins.fullmatch(
        speech.normal[:start].rstrip(" ").rpartition(" ")[2]
    )
    comma = speech.normal.find(" , ", start, end) if governed else -1
    return (comma + 3 if comma > 0 else start), end


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
        taken.append(Found(match.start(), (Act(ActKind.WITHDRAW, seat, speech.quote(*match.span())),), sure))
    return taken[-1:]


def _plans(speech: Speech, words: Language, context: Context) -> list[Found]:
    """A nomination announced in the last sentence, or a remark that may be one: worth a question."""
    plans = []
    for pattern in (words.plan, words.on_the_list):
        for match in pattern.finditer(speech.normal):
            rest = words.end_speech.sub("", speech.normal[match.end() :])
            last = len(re.sub(r"[^\w#]+", " ", rest).split()) <= 3
            if not last or not standing(speech, words, *match.span()):
                continue
            one = _nomination(speech, words, match, DOUBTFUL)
            acts = tuple(act for act in one.acts if act.seat not in context.nominated)
            if acts:
                plans.append(Found(one.at, acts, DOUBTFUL))
    return plans


def end_of_speech(speech: Speech, words: Language) -> tuple[Act, ...]:
    """The words that give the floor back, if nothing is said after them."""
    for match in words.end_speech.finditer(speech.normal):
        if not words.end_speech.sub("", speech.normal[match.start() :]).strip(" ,.:"):
            return (Act(ActKind.END_SPEECH, None, speech.quote(*match.span())),)
    return ()
