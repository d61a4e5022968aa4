"""Fouls and motions: what they cost, what carries a motion, and which one answers what was said (rules 52-54, 57)."""

from collections.abc import Iterable, Mapping

from moderator.model import MotionKind, Offence, Seat
from moderator.rules import Majority, Rules
from moderator.state import GameState


def remedy(offences: Iterable[Offence]) -> MotionKind:
    """The motion that the table is offered: the source page disqualifies for a threat (S19), the rest is unsporting."""
    return MotionKind.DISQUALIFICATION if Offence.THREAT in offences else MotionKind.TECHNICAL_FOUL


def said_at_once(state: GameState, seat: Seat) -> bool:
    """A notice waits for the next speech, before which it is said; after a farewell or a last one it would be late."""
    leaving = state.step is not None and state.step.seat == seat and seat not in state.alive
    return leaving or not state.speeches


def costs_a_speech(rules: Rules, fouls: int) -> bool:
    """Whether the foul that made it `fouls` costs the next speech not yet begun: 3, 6, 9, ... (rule 53)."""
    return fouls % rules.fouls_a_speech == 0


def lost_speech(rules: Rules, living: int) -> tuple[float, bool]:
    """What is left of a speech lost to fouls: its seconds, and whether only a nomination counts in it (rule 52)."""
    if living in (3, 4):
        return min(rules.speech_s, rules.lost_speech_short_s), False
    return rules.lost_speech_nominate_s, True


def electorate(living: tuple[Seat, ...], accused: Seat | None) -> tuple[Seat, ...]:
    """Who may vote on a motion: the living without the accused."""
    return tuple(seat for seat in living if seat != accused)


def carried(rules: Rules, kind: MotionKind, votes: Mapping[Seat, bool], voters: tuple[Seat, ...]) -> bool:
    """Who does not answer is against."""
    yes = sum(votes.get(seat, False) for seat in voters)
    needed: Majority = {
        MotionKind.TECHNICAL_FOUL: rules.technical_foul_needs,
        MotionKind.DISQUALIFICATION: rules.disqualification_needs,
        MotionKind.STOP: rules.stop_needs,
    }[kind]
    if needed == "majority":
        return 2 * yes > len(voters)
    return 3 * yes >= 2 * len(voters) if needed == "two_thirds" else yes == len(voters)
