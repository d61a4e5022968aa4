"""The night's one result (rules 49, 50), who has won (rules 12, 39), and how long nothing has happened (rule 14)."""

from collections.abc import Mapping

from moderator.model import Role, Seat, Team
from moderator.state import GameState


def victim(shots: Mapping[Seat, Seat], roles: Mapping[Seat, Role], living: tuple[Seat, ...]) -> Seat | None:
    """The seat at which every living mafioso shot; None is a miss: shots that differ, or one that is missing."""
    shooters = [seat for seat in living if roles[seat].team is Team.MAFIA]
    targets = {shots.get(shooter) for shooter in shooters}
    target = targets.pop() if len(targets) == 1 else None
    return target if target in living else None


def winner(roles: Mapping[Seat, Role], living: tuple[Seat, ...]) -> Team | None:
    """Town first: no mafioso left. Then parity (rules 12, 39)."""
    mafia = sum(roles[seat].team is Team.MAFIA for seat in living)
    if mafia == 0:
        return Team.TOWN
    return Team.MAFIA if 2 * mafia >= len(living) else None


def quiet_at_nightfall(state: GameState) -> int:
    """Nights and days in a row in which nobody left, today counted."""
    return state.quiet if state.moved else state.quiet + 1
