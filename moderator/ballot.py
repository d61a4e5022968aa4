"""Counting: ballots, their default, and what a tie leads to (rules 21-37)."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal

from moderator.model import Seat
from moderator.rules import Rules


def with_defaults(
    votes: Mapping[Seat, Seat], living: tuple[Seat, ...], candidates: tuple[Seat, ...]
) -> tuple[dict[Seat, Seat], tuple[Seat, ...]]:
    """All ballots by voter, and who did not vote: their ballots count against the candidate named last (rule 27)."""
    missing = tuple(seat for seat in living if seat not in votes)
    return {seat: votes.get(seat, candidates[-1]) for seat in living}, missing


def leaders(votes: Mapping[Seat, Seat], candidates: tuple[Seat, ...]) -> tuple[Seat, ...]:
    """The candidates with the most ballots, in voting order. Plurality decides, not half (rule 25)."""
    count = Counter(votes.values())
    most = max(count[candidate] for candidate in candidates)
    return tuple(candidate for candidate in candidates if count[candidate] == most)


def lifted(votes: Mapping[Seat, bool], living: tuple[Seat, ...]) -> bool:
    """Strictly more than half of the living; who does not answer keeps (rules 27, 34)."""
    return 2 * sum(votes.get(seat, False) for seat in living) > len(living)


def lift_forbidden(
    rules: Rules, living: tuple[Seat, ...], tied: tuple[Seat, ...]
) -> Literal["everybody_tied", "three_of_nine", "two_of_four"] | None:
    """Why a second tie goes to the night without a lift (rules 35-37)."""
    if len(tied) == len(living):
        return "everybody_tied"
    if len(tied) == 3 and len(living) == 9 and not rules.lift_three_of_nine:
        return "three_of_nine"
    if len(tied) == 2 and len(living) == 4 and not rules.lift_two_of_four:
        return "two_of_four"
    return None
