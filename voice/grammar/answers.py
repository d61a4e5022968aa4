"""Closed answers: a number, yes or no. Where one is expected, one number without a "but" is the answer."""

import re

from moderator.model import SEATS
from voice.grammar.language import Language, seats_span
from voice.grammar.scope import DOUBTFUL, LIKELY, PLAIN, resolve, standing
from voice.grammar.speech import Speech
from voice.ports import Act, ActKind, Context, Reading, Task

KINDS = {Task.VOTE: ActKind.VOTE, Task.SHOT: ActKind.SHOOT, Task.CHECK: ActKind.CHECK, Task.CONFIRM: ActKind.VOTE}
UNSURE = Reading((), True, DOUBTFUL)
LONG_WORDS = 12
"""An answer is short; a longer text with a number in it is talk."""


def read_number(task: Task, speech: Speech, words: Language, _: Context) -> Reading:
    if not speech.mentions:
        return _trap(task, speech, words)
    cue = next((m for m in words.vote.finditer(speech.normal) if standing(speech, words, *m.span()) == 1.0), None)
    first = seats_span(cue)[0] if cue else 0
    reason = words.because.search(speech.normal, max(first, speech.mentions[0].at))
    last = reason.start() if reason else len(speech.normal)
    seats = resolve(speech, words, (first, last), one=True)
    named = speech.mentions_in(0, last)
    if (
        named[-1].seat not in SEATS
        or named[-1].seat in seats.excluded
        or (seats.retracted and not _excused(speech.normal[named[-1].at : last], words))
    ):
        return UNSURE
    decided = len(seats.mentions) == 1 and not seats.retracted and (cue is not None or seats.mentions == (named[-1],))
    answer = seats.mentions[0] if decided else named[-1]
    acts = (Act(KINDS[task], answer.seat, speech.quote(answer.at, answer.at + 1)),)
    sentence = speech.normal[slice(*speech.sentence_at(answer.at))]
    if words.vote_of_another.search(speech.normal) or words.either.search(sentence):
        return UNSURE
    several = len({mention.seat for mention in named}) > 1
    if sentence.endswith("?"):  # "Is 4 black?" is how a check is asked for
        coloured = words.black.search(sentence) or words.office.search(sentence)
        checked = task is Task.CHECK and not several and coloured
        return Reading(acts, not checked, PLAIN if checked else DOUBTFUL)
    if not decided:  # of several seats the last is meant, if the other reader thinks so too
        return Reading(acts, False, DOUBTFUL)
    clause = max(speech.sentence_at(cue.start())[0], speech.normal.rfind(",", 0, cue.start()) + 1) if cue else 0
    doubt = _doubt(speech.normal[clause : answer.at], speech.normal[answer.at + 1 : last], seats.corrected, words)
    if doubt is not None:
        return Reading(acts, doubt, DOUBTFUL)
    rest = words.hedge.sub("", speech.normal[clause:last].replace("#", ""))
    bare = not re.sub("[,.:?]", "", words.answer.sub("", rest)).split()
    long = not cue and len(rest.split()) > LONG_WORDS
    if several or seats.corrected or (long and not bare):
        return Reading(acts, False, LIKELY)
    return Reading(acts, False, 1.0 if bare else PLAIN)


def _doubt(before: str, after: str, corrected: bool, words: Language) -> bool | None:
    """What the words around the seat leave open: True: ask; False: the other reader decides; None: nothing."""
    before, after = words.hedge.sub("", before), words.hedge.sub("", after)
    rest = f"{before} {after}"
    if words.condition.search(rest) or words.tentative.search(rest):
        return True
    if words.negation.search(before.rsplit(",", 1)[-1]):
        return not corrected
    scopes = (words.negation, words.report, words.later, words.past)
    return False if any(scope.search(rest) for scope in scopes) else None


def _excused(after: str, words: Language) -> bool:
    """ "Ten, sorry mate": nothing is taken back."""
    return bool(words.apology.search(after)) and not words.no.search(after)


def _trap(task: Task, speech: Speech, words: Language) -> Reading:
    """No number: "cet" is what a recogniser makes of "sept", and a cue without its number was half heard."""
    left = words.answer.sub("", speech.normal).strip(" .,:?").split()
    if len(left) == 1 and left[0] in words.answer_traps:
        at = speech.normal.index(left[0])
        return Reading((Act(KINDS[task], words.answer_traps[left[0]], speech.quote(at, at + 1)),), True, DOUBTFUL)
    half = len(left) <= 1 and words.answer.search(speech.normal)
    return UNSURE if half else Reading((), False, LIKELY)


def read_lift(_: Task, speech: Speech, words: Language, __: Context) -> Reading:
    lift, keep = words.lift_yes.search(speech.normal), words.lift_no.search(speech.normal)
    named = lift or keep
    if named is None:
        lift, keep = words.yes.search(speech.normal), words.no.search(speech.normal)
    match = lift or keep
    if match is None:
        return Reading((), False, LIKELY)
    if (lift and keep) or any(scope.search(speech.normal) for scope in (words.condition, words.tentative)):
        return UNSURE
    act = Act(ActKind.YES if lift else ActKind.NO, None, speech.quote(*match.span()))
    return Reading((act,), False, 1.0 if named or len(speech.normal.split()) <= LONG_WORDS else LIKELY)


def read_confirmation(_: Task, speech: Speech, words: Language, context: Context) -> Reading:
    """Yes, no, or another number: then a `NO` and a `VOTE` for it, whatever kind of act the question was about."""
    yes, no = words.yes.search(speech.normal), words.no.search(speech.normal)
    seats = resolve(speech, words, (0, len(speech.normal)), one=False).mentions
    others = [one for one in seats if one.seat != context.asked and one.seat in SEATS]
    same = len(others) < len(seats)
    if words.unheard.search(speech.normal) and not seats:
        return UNSURE
    if "?" in speech.normal or (yes and (no or others)) or (same and (no or others)):
        return UNSURE
    if yes or same:
        at = yes.span() if yes else (seats[0].at, seats[0].at + 1)
        return Reading((Act(ActKind.YES, None, speech.quote(*at)),), False, 1.0)
    if no is None and not others:
        return Reading((), False, LIKELY)
    other = tuple(Act(ActKind.VOTE, one.seat, speech.quote(one.at, one.at + 1)) for one in others)
    if no is None and other[0].seat == words.yes_sounds_like:
        return Reading(other, True, DOUBTFUL)
    refused = Act(ActKind.NO, None, speech.quote(*no.span()) if no else other[0].quote)
    return Reading((refused, *other), False, 1.0 if no else LIKELY)


def read_out_of_turn(_: Task, speech: Speech, words: Language, __: Context) -> Reading:
    """Only a short cry that begins with the words that interrupt: a remark costs a foul otherwise."""
    nothing = Reading((), False, PLAIN)
    match = words.interpellate.search(speech.normal)
    if match is None or len(speech.normal.split()) > LONG_WORDS or "?" in speech.normal:
        return nothing
    begins = words.begins.fullmatch(speech.normal[: match.start()].rstrip(" ").rpartition(" ")[2])
    if not begins or words.negation.search(speech.normal[: match.start()]):
        return nothing
    return Reading((Act(ActKind.INTERPELLATE, None, speech.quote(*match.span())),), False, 1.0)
