"""Fouls and what they cost (rules 52-54): an interpellation is a foul, every third foul a speech, nothing else."""

from moderator.rules import Rules

FOULS_A_SPEECH = 3


def costs_a_speech(fouls: int) -> bool:
    """Whether the foul that made it `fouls` costs the next speech not yet begun: 3, 6, 9, ... (rule 53)."""
    return fouls % FOULS_A_SPEECH == 0


def lost_speech(rules: Rules, living: int) -> tuple[float, bool]:
    """What is left of a speech lost to fouls: its seconds, and whether only a nomination counts in it (rule 52)."""
    if living in (3, 4):
        return min(rules.speech_s, rules.lost_speech_short_s), False
    return rules.lost_speech_nominate_s, True
