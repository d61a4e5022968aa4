"""How a game ends: the winner, the roles, the points (rules 12, 14, 58)."""

from typing import Literal

from moderator.draft import Draft
from moderator.events import GameEnded, RolesRevealed, Scored
from moderator.model import Seat, Team
from moderator.score import score, totals


def end_won(draft: Draft, won: Team) -> None:
    end(draft, won, "parity" if won is Team.MAFIA else "mafia_gone")


def end_quiet(draft: Draft) -> None:
    """Nobody has left for long (rule 14)."""
    state = draft.state
    if state.rules.stalemate == "town_at_four" and len(state.alive) == 4:
        end(draft, Team.TOWN, "stalemate")
    else:
        end(draft, None, "quiet_draw")


def end(
    draft: Draft,
    won: Team | None,
    reason: Literal["mafia_gone", "parity", "quiet_draw", "stalemate", "opponent_victory", "stopped"],
    culprit: Seat | None = None,
) -> None:
    draft.add(GameEnded(at=draft.at, winner=won, reason=reason, culprit=culprit))
    state = draft.state
    draft.add(RolesRevealed(at=draft.at, roles=state.roles))
    lines = score(state.history, state.roles, state.rules)
    draft.add(Scored(at=draft.at, points=totals(lines), lines=lines))
