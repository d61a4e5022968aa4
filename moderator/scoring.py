"""What an event pays in one scoring system. Points; penalties are negative.

The win is the source page's; every other number is our default (`configs/scoring.yaml` has the same ones to
change). A vote, a testament and a check that point at the same mafioso never pay together: the best one does.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Points = Annotated[float, Field(ge=-10, le=10, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Factor = Annotated[float, Field(ge=0, le=10, allow_inf_nan=False)]


class Scoring(BaseModel):
    """The defaults are Classic."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    win_town: Points = 1.0
    win_mafia: Points = 1.0

    black_value: Points = 0.20
    """What one mafioso is worth to each town player, before shares and factors."""
    self_shot_two_left: Factor = 1.5
    """His value is multiplied by this after a self-shot that left two mafiosi."""
    self_shot_one_left: Factor = 2.0
    decisive_vote_share: Share = 1.0
    vote_share: Share = 0.5
    testament_share: Share = 0.75
    exact_testament_share: Share = 1.0
    """... when it names two or more and none of them wrongly."""
    check_share: Share = 0.5
    lift_share: Share = 0.5
    """A vote to lift is a vote for each of the group, at this share."""

    best_move_two: Points = 0.10
    """The testament of the first one killed at night, on top, with two right names; then with three."""
    best_move_three: Points = 0.20
    wrong_suspect: Points = 0.0
    town_vote_against_town: Points = -0.05
    town_decisive_vote_against_town: Points = -0.10
    town_critical_vote_against_town: Points = -0.15
    town_critical_decisive_vote_against_town: Points = -0.25
    town_killed_first_night_and_lost: Points = 0.10
    crown_to_town: Points = 0.10
    crown_to_mafia: Points = -0.05
    crown_received: Points = 0.05

    mafia_decisive_vote_against_town: Points = 0.10
    mafia_alive_when_critical: Points = 0.05
    """Once, when the game first becomes critical."""
    sheriff_shot_first_night: Points = 0.10
    """To each shooter."""
    sheriff_found_at_first_check: Points = 0.10
    sheriff_found_later: Points = 0.05
    mafia_alive_at_win: Points = 0.10
    mafia_vote_against_partner: Points = 0.0
    mafia_decisive_vote_against_partner: Points = -0.10
    first_miss: Points = -0.10
    """To each living mafioso."""
    later_miss: Points = -0.20
    self_shot_and_town_won: Points = -0.10
    """To each shooter."""

    foul: Points = 0.0
    technical_foul_town: Points = -0.10
    technical_foul_mafia: Points = -0.10
    removed_town: Points = -0.50
    removed_mafia: Points = -0.50
    opponent_victory_culprit: Points = -1.0
    opponent_victory_team: Points = 0.0

    least: Points = -0.50
    """The sum without win and discipline is kept between these two."""
    most: Points = 0.80


CLASSIC = Scoring()
MAX_MAFIA = Scoring(
    win_town=1.35,
    win_mafia=0.85,
    black_value=0.30,
    best_move_two=0.15,
    best_move_three=0.30,
    town_killed_first_night_and_lost=0.15,
    crown_to_town=0.15,
    mafia_vote_against_partner=-0.05,
    mafia_decisive_vote_against_partner=-0.20,
    first_miss=-0.15,
    later_miss=-0.30,
    self_shot_and_town_won=-0.20,
    technical_foul_mafia=-0.15,
    removed_mafia=-0.75,
    least=-0.60,
    most=1.00,
)
