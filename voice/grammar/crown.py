"""The crown of a farewell: to whom it goes, and where that is said."""

from moderator.model import SEATS
from voice.grammar.language import Language, seats_span
from voice.grammar.scope import listed, standing
from voice.grammar.speech import Speech
from voice.ports import Act, ActKind

NOWHERE = (-1, -1)


def crown_of(speech: Speech, words: Language) -> tuple[tuple[Act, ...], tuple[int, int]]:
    """The act and where it stands in the normal form; `NOWHERE` where that governs no list beside it."""
    for match in words.crown.finditer(speech.normal):
        seats = listed(speech, words, seats_span(match), one=True).mentions
        first, last = speech.sentence_at(match.start())
        after = speech.normal[match.end() : last].split(",")[0]
        following = words.start_words.search(after)
        clause = speech.normal[first : match.start()].split(",")[-1] + after[: following.start() if following else None]
        if words.negation.search(clause) or not standing(speech, words, *match.span()):
            continue
        if seats and seats[0].seat in SEATS:  # others after it are a list of their own
            last_named = speech.mentions_in(*match.span())[-1].seat == seats[0].seat
            span = match.start(), match.end() if last_named else seats[0].at + 1
            return (Act(ActKind.CROWN, seats[0].seat, speech.quote(*span)),), span
    return _crown_of_him(speech, words), NOWHERE


def _crown_of_him(speech: Speech, words: Language) -> tuple[Act, ...]:
    """ "Listen to two, I give him the crown"."""
    for match in words.crown_him.finditer(speech.normal):
        first, _ = speech.sentence_at(match.start())
        about = {one.seat: one for one in speech.mentions_in(first, match.start()) if one.seat in SEATS}
        if len(about) == 1 and standing(speech, words, *match.span()) == 1.0:
            (one,) = about.values()
            return (Act(ActKind.CROWN, one.seat, speech.quote(one.at, match.end())),)
    return ()
