"""A Sheriff's claim and the checks that come with it. Nothing here moves the game."""

from moderator.model import SEATS
from voice.grammar.farewell import Group, colour_next_to, groups
from voice.grammar.language import Language
from voice.grammar.scope import PLAIN, standing
from voice.grammar.speech import Speech
from voice.ports import Act, ActKind, Context, Reading, Task

KINDS = {"red": ActKind.CLAIM_RED, "black": ActKind.CLAIM_BLACK}


def read(_: Task, speech: Speech, words: Language, context: Context) -> Reading:
    claims = [match for match in words.sheriff.finditer(speech.normal) if standing(speech, words, *match.span())]
    acts = tuple(Act(ActKind.CLAIM_SHERIFF, None, speech.quote(*match.span())) for match in claims[:1])
    claimed_in = {speech.sentence_at(match.start()) for match in claims}
    for group in groups(speech, words):
        sentence = speech.sentence_at(group.span[0])
        cue = words.own_check.search(speech.normal, *sentence)
        own = sentence in claimed_in or (cue is not None and standing(speech, words, *cue.span()) > 0)
        colour = colour_next_to(group, words)
        if own and colour and not _opinion(group, words):
            acts += tuple(
                Act(KINDS[colour], mention.seat, speech.quote(mention.at, mention.at + 1))
                for mention in group.mentions
                if mention.seat in SEATS
            )
    return Reading(acts, False, PLAIN)


def _opinion(group: Group, words: Language) -> bool:
    return any(scope.search(group.before) for scope in (words.report, words.condition, words.negation))
