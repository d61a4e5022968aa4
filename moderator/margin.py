"""How much the town may still err, and whose vote decided (S13, S14).

Never told before the end of the game: it would give roles away.
"""

from collections.abc import Mapping

from moderator import ballot
from moderator.model import Role, Seat, Team


def count_teams(roles: Mapping[Seat, Role], seats: tuple[Seat, ...]) -> tuple[int, int]:
    """Town and mafia among these seats."""
    mafia = sum(roles[seat].team is Team.MAFIA for seat in seats)
    return len(seats) - mafia, mafia


def critical(living: tuple[int, int], group: tuple[int, int] = (1, 0)) -> bool:
    """Whether the town has no right to err left: with `group` out, the next kill (or none) brings parity.

    Both are (town, mafia): those alive when the speeches began, and those who leave together.
    """
    return living[0] - group[0] <= living[1] - group[1] + 1


def right_to_err(living: tuple[int, int]) -> int:
    """How many town players may be voted out, each followed by a kill, before parity. 0: critical."""
    town, mafia = living
    return max(0, (town - mafia - 1) // 2)


def decisive_votes(votes: Mapping[Seat, Seat], candidates: tuple[Seat, ...]) -> frozenset[Seat]:
    """Whose ballot made the result: each one is dropped in turn and the others are counted again (the definition)."""
    result = ballot.leaders(votes, candidates)
    return frozenset(
        voter
        for voter in votes
        if ballot.leaders({other: target for other, target in votes.items() if other != voter}, candidates) != result
    )


def decisive_by_lead(votes: Mapping[Seat, Seat], candidates: tuple[Seat, ...]) -> frozenset[Seat]:
    """The same found another way, as a check: the leader's voters, when he leads by at most one."""
    leaders = ballot.leaders(votes, candidates)
    counts = sorted((sum(target == candidate for target in votes.values()) for candidate in candidates), reverse=True)
    if len(candidates) < 2 or counts[0] - counts[1] > 1:
        return frozenset()
    return frozenset(voter for voter, target in votes.items() if target in leaders)


def decisive_lift_votes(votes: Mapping[Seat, bool], living: tuple[Seat, ...]) -> frozenset[Seat]:
    """Of a lift that was carried: those for it, when one fewer would not have been enough."""
    return frozenset(
        voter
        for voter, lift in votes.items()
        if lift and ballot.lifted(votes, living) and not ballot.lifted({**votes, voter: False}, living)
    )
