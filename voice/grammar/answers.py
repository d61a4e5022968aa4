"""Closed answers: a number, yes or no. Where one is expected, one number without a "but" is the answer."""

import re

from moderator.model import SEATS
from voice.grammar.language import Language, seats_span
from voice.grammar.scope import DOUBTFUL, LIKELY, PLAIN, Listed, resolve, standing
from voice.grammar.speech import Mention, Speech
from voice.ports import Act, ActKind, Context, Reading, Task

KINDS = {Task.VOTE: ActKind.VOTE, Task.SHOT: ActKind.SHOOT, Task.CHECK: ActKind.CHECK, Task.CONFIRM: ActKind.VOTE}
UNSURE = Reading((), True, DOUBTFUL)
CLAUSE = re.compile(r"[^.,:?]*[^.,:? ][^.,:?]*")
LONG_WORDS = 12
"""An answer is short; a longer text with a number in it is talk."""


def read_number(task: Task, speech: Speech, words: Language, _: Context) -> Reading:
    if not speech.mentions:
        return _trap(task, speech, words)
    cues = [match for match in words.vote.finditer(speech.normal) if standing(speech, words, *match.span()) == 1.0]
    him = None if cues else _of_him(task, speech, words)
    if him is not None:
        return him
    point = speech.without(_talk(task, speech, words, cues))
    if not point.mentions:
        return Reading()
    cue = next((one for one in cues if point.mentions_in(*seats_span(one))), None)
    return _chosen(task, point, words, cue)


def _talk(task: Task, speech: Speech, words: Language, cues: list[re.Match[str]]) -> set[int]:
    """Where seats stand that are no answer: in remarks, other people's votes, questions and reasons.

    Where some seats stand alone or beside a cue, all others.
    """
    patterns = (words.remark, words.vote_of_another)
    spans = [match.span() for pattern in patterns for match in pattern.finditer(speech.normal)]
    if task is not Task.CHECK:
        spans += [span for span in speech.sentences() if _asks(speech.normal[slice(*span)], words)]
    every, talk = {one.at for one in speech.mentions}, _places(speech, spans)
    said = {one.at for cue in cues for one in _beside_cue(speech, words, cue)}
    said |= {at for at in every if _bare(speech.normal[slice(*_clause(speech, words, at))], words)}
    if said - talk:
        return every - (said - talk)
    reasons = list(words.because.finditer(speech.normal, speech.mentions[0].at))
    return talk | _places(speech, [(one.start(), speech.sentence_at(one.start())[1]) for one in reasons])


def _beside_cue(speech: Speech, words: Language, cue: re.Match[str]) -> list[Mention]:
    """Not the subject of what comes next: "I vote 3, and 5 is red"."""
    named = speech.mentions_in(*seats_span(cue))
    while len(named) > 1 and words.subject_of.match(speech.normal, named[-1].at + 2):
        named.pop()
    return named


def _places(speech: Speech, spans: list[tuple[int, int]]) -> set[int]:
    return {mention.at for span in spans for mention in speech.mentions_in(*span)}


def _asks(sentence: str, words: Language) -> bool:
    return sentence.endswith("?") and bool(words.asks.search(sentence)) and not words.tag_question.search(sentence)


def _clause(speech: Speech, words: Language, at: int) -> tuple[int, int]:
    """The words around a seat, between two marks; a "so" begins another clause."""
    first = max(speech.normal.rfind(mark, 0, at) for mark in ",.:?") + 1
    last = min((place for mark in ",.:?" if (place := speech.normal.find(mark, at)) >= 0), default=len(speech.normal))
    *_, therefore = None, *words.therefore.finditer(speech.normal, first, at)
    return therefore.end() if therefore else first, last


def _bare(text: str, words: Language) -> bool:
    """Nothing but a seat and the words of an answer."""
    for scope in (words.hedge, words.between, words.padding, words.answer):
        text = scope.sub("", text)
    return not re.sub("[#,.:?]", "", text).split()


def _of_him(task: Task, speech: Speech, words: Language) -> Reading | None:
    """ "Nine lied to us all day, he gets my vote"."""
    for match in words.vote_him.finditer(speech.normal, speech.mentions[-1].at):
        first, _ = speech.sentence_at(speech.mentions[-1].at)
        about = speech.mentions_in(first, match.start())
        if about and about[-1].seat in SEATS and standing(speech, words, *match.span()) == 1.0:
            acts = (Act(KINDS[task], about[-1].seat, speech.quote(about[-1].at, match.end())),)
            return Reading(acts, False, PLAIN if len({one.seat for one in about}) == 1 else DOUBTFUL)
    return None


def _chosen(task: Task, speech: Speech, words: Language, cue: re.Match[str] | None) -> Reading:
    """Which of the seats that are left is the answer."""
    last = speech.mentions[-1]
    if cue is None and last.seat in SEATS and _settles(speech, words, last.at):
        act = Act(KINDS[task], last.seat, speech.quote(last.at, last.at + 1))
        return Reading((act,), False, LIKELY if words.condition.search(speech.normal) else PLAIN)
    seats = resolve(speech, words, (seats_span(cue)[0] if cue else 0, len(speech.normal)), one=True)
    if len(seats.mentions) == 1 and last.seat in seats.excluded:  # "Three, not five"
        last = seats.mentions[0]
    if not seats.mentions and seats.excluded and not seats.retracted:  # "Not two": whom he spares is no answer
        return Reading()
    taken_back = seats.retracted and not _excused(speech.normal[last.at :], words)
    if last.seat not in SEATS or last.seat in seats.excluded or taken_back:
        return UNSURE
    sorry = seats.retracted and _sorry_for(speech.normal[last.at :], words)
    one = len(seats.mentions) == 1 and (sorry or not seats.retracted) and (cue is not None or seats.mentions == (last,))
    answer = seats.mentions[0] if one else last
    acts = (Act(KINDS[task], answer.seat, speech.quote(answer.at, answer.at + 1)),)
    if task is Task.VOTE and cue is None and _spared(speech, words, answer.at):
        return Reading((), False, LIKELY)
    thinks = words.thinking.search(speech.normal)
    either = words.either.search(speech.normal, *_clause(speech, words, answer.at))
    if either or (not one and _undecided(speech, words, answer.at)):
        return Reading() if thinks else UNSURE
    several = len({mention.seat for mention in speech.mentions}) > 1
    sentence = speech.normal[slice(*speech.sentence_at(answer.at))]
    if sentence.endswith("?") and not words.tag_question.search(sentence):  # "Is 4 black?" is how a check is asked for
        checked = task is Task.CHECK and not several and (words.black.search(sentence) or words.office.search(sentence))
        return Reading(acts, not checked, PLAIN if checked else DOUBTFUL)
    if not one:  # of several seats the last is meant, if the other reader thinks so too
        return Reading() if thinks else Reading(acts, False, DOUBTFUL)
    return _weighed(
        acts, answer.at, speech, words, cued=cue is not None, unmoved=not several and (sorry or not seats.corrected)
    )


def _settles(speech: Speech, words: Language, at: int) -> bool:
    """ "I don't know... oh well, 6", "7 or 8... 8": where he comes to it the seat stands alone."""
    first, last = _clause(speech, words, at)
    clause, earlier = speech.normal[first:last], speech.normal[:first]
    moved = words.unless.search(clause) or words.correction.search(clause) or clause.count("#") > 1
    aside = any(scope.fullmatch(earlier.strip(" ,")) for scope in (words.maybe, words.tentative))  # "Maybe, 7"
    closes = not aside and not speech.normal[last:].strip(" .")
    weighed = any(scope.search(earlier) for scope in (words.either, words.tentative, words.thinking))
    decided = bool(weighed) and not _undecided(speech, words, at)
    return decided and closes and not moved and _bare(clause, words)


def _undecided(speech: Speech, words: Language, at: int) -> bool:
    """ "Two... or four", "six or... seven": an "or" between a seat and the one before it, whatever marks are beside."""
    before = max(speech.normal.rfind(number, 0, at) for number in "#%")
    return before >= 0 and words.either.search(re.sub(" [.,:]", "", speech.normal[before:at])) is not None


def _spared(speech: Speech, words: Language, at: int) -> bool:
    """ "4, he is red": what is said beside a seat, and of no other."""
    first, last = _clause(speech, words, at)[0], speech.sentence_at(at)[1]
    start = at if re.search("[#%]", speech.normal[first:at]) else first
    of_him = re.split("[#%]", speech.normal[at + 1 : last])[0]
    return words.spared.search(speech.normal[start:at] + of_him) is not None


def _weighed(acts: tuple[Act, ...], at: int, speech: Speech, words: Language, *, cued: bool, unmoved: bool) -> Reading:
    """How surely one seat is meant. `cued`: it stands beside a cue; `unmoved`: no other was named before it."""
    first, last = _clause(speech, words, at)
    bare, begin = _bare(speech.normal[first:last], words), min(first, speech.sentence_at(at)[0])
    reason = words.because.search(speech.normal, at)
    parts = (begin, first), (first, at), (at + 1, last), (last, reason.start() if reason else len(speech.normal))
    earlier, before, after, later = (words.hedge.sub("", speech.normal[slice(*part)]) for part in parts)
    loose = (words.condition, words.tentative)
    supposed = words.condition.match(before.lstrip()) and not words.vote.search(speech.normal, first, last)
    if unmoved and (words.negation.search(before) or (not (cued or bare) and supposed)):
        return Reading()
    later = words.tag_question.sub("", later)
    aside = any(scope.fullmatch(earlier.strip(" ,")) for scope in (words.maybe, words.tentative))
    if aside or any(scope.search(f"{before} {after} {later}") for scope in loose):
        again = len(speech.mentions) > 1 and unmoved  # "Six perhaps, yes, six": said again, it is likelier
        return Reading(acts, not again, DOUBTFUL)
    scopes = (words.negation, words.report, words.later, words.past)
    if any(scope.search(f"{before} {after} {later}") for scope in scopes):
        return Reading(acts, False, DOUBTFUL)
    opens = _bare(speech.normal[:first], words)
    long = not cued and not opens and len(speech.normal.split()) > LONG_WORDS
    if not unmoved or long or not (cued or bare) or any(scope.search(earlier) for scope in loose):
        return Reading(acts, False, LIKELY)
    return Reading(acts, False, 1.0 if _bare(speech.normal, words) else PLAIN)


def _excused(after: str, words: Language) -> bool:
    """ "Ten, sorry mate": nothing is taken back."""
    return bool(words.apology.search(after)) and not words.no.search(after)


def _sorry_for(after: str, words: Language) -> bool:
    """ "Two, sorry about that": a correction would name another seat."""
    said = words.apology.search(after)
    return said is not None and bool(words.correction.sub("", after[said.end() :]).strip(" ,.:"))


def _trap(task: Task, speech: Speech, words: Language) -> Reading:
    """No number: "cet" is what a recogniser makes of "sept", and a cue without its number was half heard."""
    if words.abstain.search(speech.normal) or words.thinking.search(speech.normal):
        return Reading()
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
    clauses = [match.span() for match in CLAUSE.finditer(speech.normal)]
    yes = [span for span in clauses if _says(words.yes, words.affirms, speech, words, span)]
    no = [span for span in clauses if _says(words.no, words.denies, speech, words, span)]
    named = [span for span in clauses if _names(speech, words, span)]
    point = speech.without({one.at for one in speech.mentions} - _places(speech, named))
    listed = resolve(point, words, (0, len(point.normal)), one=False)
    others = [one for one in listed.mentions if one.seat != context.asked and one.seat in SEATS]
    same = len(others) < len(listed.mentions)
    if (yes or same) and all(_spares_another(speech, words, span, listed, context) for span in no):
        no = []  # "Yes, not 7, 6"
    if (yes and (no or others)) or (same and (no or others)):
        return UNSURE
    weak = all(_is_weak(speech.normal[slice(*span)], words) for span in yes) and not _bare_reply(speech.normal, words)
    if same or (yes and not weak):
        at = yes[0] if yes else (listed.mentions[0].at, listed.mentions[0].at + 1)
        return Reading((Act(ActKind.YES, None, speech.quote(*at)),), False, 1.0)
    if not no and not others:
        return Reading()
    other = tuple(Act(ActKind.VOTE, one.seat, speech.quote(one.at, one.at + 1)) for one in others)
    cued = words.vote.search(speech.normal) or words.nominate.search(speech.normal)
    if not no and not cued and other[0].seat == words.yes_sounds_like:
        return Reading(other, True, DOUBTFUL)
    refused = Act(ActKind.NO, None, speech.quote(*no[0]) if no else other[0].quote)
    return Reading((refused, *other), False, 1.0)


def _says(
    begins: re.Pattern[str], holds: re.Pattern[str], speech: Speech, words: Language, span: tuple[int, int]
) -> bool:
    """Whether a clause begins with yes (or no), or says it in a way of its own."""
    if _beside(speech, words, span):
        return False
    clause = speech.normal[slice(*span)].strip()
    if holds.match(clause) or (begins is words.yes and begins.match(clause)):
        return True
    clause = words.hedge.sub("", clause).strip()
    openers = (words.start_words, words.hesitation, words.correction)
    while not (begins.match(clause) or holds.match(clause)):
        opener = next(filter(None, (one.match(clause) for one in openers)), None)
        if opener is None:
            return False
        clause = clause[opener.end() :].lstrip()
    return True


def _spares_another(speech: Speech, words: Language, span: tuple[int, int], listed: Listed, context: Context) -> bool:
    """ "Four, not five": a "not" about another seat than the one that was asked about."""
    spared = {one.seat for one in speech.mentions_in(*span)} - {context.asked}
    begins = words.unless.match(speech.normal[slice(*span)].lstrip())
    return begins is not None and bool(spared or listed.excluded)


def _names(speech: Speech, words: Language, span: tuple[int, int]) -> bool:
    """Whether a clause gives a number as an answer."""
    clause, sentence = speech.normal[slice(*span)], speech.normal[slice(*speech.sentence_at(span[0]))]
    talked_of = (words.denies, words.remark)
    spared = any("#" in match[0] for pattern in talked_of for match in pattern.finditer(clause))
    if "#" not in clause or spared or _asks(sentence, words) or _beside(speech, words, span):
        return False
    return _bare_reply(clause, words) or words.renames.search(clause) is not None


def _bare_reply(text: str, words: Language) -> bool:
    """Nothing but yes, no, numbers, and what may stand between them."""
    for scope in (words.affirms, words.denies, words.yes, words.no):
        text = scope.sub("", text)
    return _bare(text, words)


def _is_weak(clause: str, words: Language) -> bool:
    """ "Right, ..." may lead on to anything."""
    return not words.affirms.search(clause) and words.yes.sub("", words.yes_weak.sub("", clause)) == words.yes_weak.sub(
        "", clause
    )


def _beside(speech: Speech, words: Language, span: tuple[int, int]) -> bool:
    """A clause that asks, thinks aloud, or did not hear."""
    clause, sentence = speech.normal[slice(*span)], speech.normal[slice(*speech.sentence_at(span[0]))]
    asks = sentence.endswith("?") and not words.tag_question.search(sentence)
    if asks and (words.asks.search(clause) or speech.normal[span[1] : span[1] + 1] == "?"):
        return True
    return any(scope.search(clause) for scope in (words.thinking, words.unheard, words.either))


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
