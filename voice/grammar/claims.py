"""A Sheriff's claim and the checks that come with it. Nothing here moves the game."""

import re

from moderator.model import SEATS
from voice.grammar.groups import Group, colour_next_to, groups
from voice.grammar.language import Language
from voice.grammar.scope import DOUBTFUL, LIKELY, PLAIN, standing
from voice.grammar.speech import Speech
from voice.ports import Act, ActKind, Context, Reading, Task

KINDS = {"red": ActKind.CLAIM_RED, "black": ActKind.CLAIM_BLACK}


def read(_: Task, speech: Speech, words: Language, context: Context) -> Reading:
    claims = [match for match in words.sheriff.finditer(speech.normal) if standing(speech, words, *match.span())]
    acts = tuple(Act(ActKind.CLAIM_SHERIFF, None, speech.quote(*match.span())) for match in claims[:1])
    claimed_in = {speech.sentence_at(match.start()) for match in claims}
    for group in groups(speech, words):
        sentence = speech.sentence_at(group.span[0])
        checks = [
            cue for cue in words.own_check.finditer(speech.normal, *sentence) if standing(speech, words, *cue.span())
        ]
        colour = colour_next_to(group, words) or _found(group, words)
        if colour and (checks or sentence in claimed_in) and not _opinion(group, speech, words, [*claims, *checks]):
            acts += tuple(
                Act(KINDS[colour], mention.seat, speech.quote(mention.at, mention.at + 1))
                for mention in group.mentions
                if mention.seat in SEATS
            )
    mocked = bool(claims) and words.mockery.search(speech.normal) is not None
    acts += _both(speech, words)
    sure = DOUBTFUL if mocked else LIKELY if words.cancel.search(speech.normal) else PLAIN
    return Reading(tuple({(act.kind, act.seat): act for act in acts[::-1]}.values())[::-1], mocked, sure)


def _both(speech: Speech, words: Language) -> tuple[Act, ...]:
    """ "Spare four and eight, I checked both, they are red": the two that were named last."""
    for match in words.both_checked.finditer(speech.normal):
        first, last = speech.sentence_at(match.start())
        earlier, _ = speech.sentence_at(max(0, first - 1))
        about = speech.mentions_in(first, match.start()) or speech.mentions_in(earlier, first)
        rest = speech.normal[match.start() : last]
        red, black = words.red.search(rest), words.black.search(rest)
        if (
            len({one.seat for one in about}) == 2
            and bool(red) != bool(black)
            and standing(speech, words, *match.span())
        ):
            kind = ActKind.CLAIM_RED if red else ActKind.CLAIM_BLACK
            return tuple(Act(kind, one.seat, speech.quote(one.at, one.at + 1)) for one in about if one.seat in SEATS)
    return ()


def _found(group: Group, words: Language) -> str:
    """ "I checked two last night, he is black": the colour comes in a clause of its own, next to that of the check."""
    _, _, rest = group.after.partition(",")
    clause = rest.split(",")[0]
    if not words.found.match(clause.strip()) or words.negation.search(clause):
        return ""
    return "red" if words.red.search(clause) else "black" if words.black.search(clause) else ""


def _opinion(group: Group, speech: Speech, words: Language, own: list[re.Match[str]]) -> bool:
    """Whether what is said between his own claim and the seat makes it somebody else's, or none."""
    named = speech.mentions_in(*group.span)[0].at
    since = max((cue.end() for cue in own if cue.end() <= named), default=0)
    between = speech.normal[max(since, named - len(group.before)) : named]
    return any(scope.search(between) for scope in (words.report, words.condition, words.negation))
