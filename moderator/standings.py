"""What several finished games say of each player. Who is who comes from outside: a name, or else the seat."""

from collections.abc import Iterable, Mapping

from pydantic import Field

from moderator.model import Cause, Seat, Team, Value
from moderator.review import Review


class Standing(Value):
    """Sums over `games`; `roles`: how often each was played.

    `votes`: ballots as town, `right_votes` of them against the mafia, those by default apart; `nominations` likewise.
    """

    games: int = 0
    wins: int = 0
    roles: dict[str, int] = Field(default_factory=dict)
    town_games: int = 0
    town_wins: int = 0
    mafia_games: int = 0
    mafia_wins: int = 0
    nominations: int = 0
    right_nominations: int = 0
    votes: int = 0
    right_votes: int = 0
    suspects: int = 0
    right_suspects: int = 0
    shot_first_night: int = 0
    fouls: int = 0
    points: dict[str, float] = Field(default_factory=dict)


def standings(games: Iterable[tuple[Review, Mapping[Seat, str]]]) -> dict[str, Standing]:
    """By player, in the order in which they first appear; games that have not ended do not count."""
    found: dict[str, Standing] = {}
    for review, players in games:
        if review.reason is not None:
            for seat in sorted(review.roles):
                player = players[seat]
                found[player] = _with(found.get(player, Standing()), review, seat)
    return found


def _with(before: Standing, review: Review, seat: Seat) -> Standing:
    town = review.roles[seat].team is Team.TOWN
    won = review.winner is review.roles[seat].team
    ballots = [one for day in review.days for one in day.ballots if not one.sole]
    votes = [one.votes[seat] for one in ballots if town and seat in one.votes and seat not in one.defaults]
    named = [target for day in review.days for by, target in day.nominations if town and by == seat]
    gone = next((one for one in review.departures if one.seat == seat), None)
    first_night = next((night.killed for night in review.nights if night.night == 1), None)
    return Standing(
        games=before.games + 1,
        wins=before.wins + won,
        roles=before.roles | {(role := str(review.roles[seat])): before.roles.get(role, 0) + 1},
        town_games=before.town_games + town,
        town_wins=before.town_wins + (won and town),
        mafia_games=before.mafia_games + (not town),
        mafia_wins=before.mafia_wins + (won and not town),
        nominations=before.nominations + len(named),
        right_nominations=before.right_nominations + sum(review.roles[one].team is Team.MAFIA for one in named),
        votes=before.votes + len(votes),
        right_votes=before.right_votes + sum(review.roles[vote].team is Team.MAFIA for vote in votes),
        suspects=before.suspects + (len(gone.suspects) if gone and town else 0),
        right_suspects=before.right_suspects + (len(gone.hits) if gone and town else 0),
        shot_first_night=before.shot_first_night
        + (gone is not None and gone.cause is Cause.SHOT and first_night == seat),
        fouls=before.fouls + review.fouls.get(seat, 0),
        points={
            system: before.points.get(system, 0.0) + points.get(seat, 0.0) for system, points in review.points.items()
        },
    )
