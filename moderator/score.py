"""Points after the game. This version pays the win alone, in both systems."""

from collections.abc import Mapping

from moderator.model import Role, Seat, Team

WIN = {
    "classic": {Team.TOWN: 1.0, Team.MAFIA: 1.0},
    "max_mafia": {Team.TOWN: 1.35, Team.MAFIA: 0.85},
}
"""Points of each member of the winning team, by scoring system."""


def points(roles: Mapping[Seat, Role], won: Team | None) -> dict[str, dict[Seat, float]]:
    """System -> seat -> points; a draw pays nobody."""
    return {
        system: {seat: wins[role.team] if role.team is won else 0.0 for seat, role in roles.items()}
        for system, wins in WIN.items()
    }
