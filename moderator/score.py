"""Points after the game: every one with its reason and the event that earned it (S14, S21).

A town player gets the value of a mafioso for the best of his own actions against him: a vote that removes him, a
testament that names him, a Sheriff's check. Everything else pays by itself; what is paid for play, without the win
and discipline, is kept within bounds. All numbers come from `Rules.scoring`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from moderator.events import (
    BallotCounted,
    CrownGiven,
    DayBegan,
    DonChecked,
    FarewellLost,
    Fouled,
    GameEnded,
    LiftDecided,
    Line,
    NightEnded,
    PlayerLeft,
    Scoreable,
    SheriffChecked,
    ShotFired,
    TechnicalFouled,
    TestamentGiven,
)
from moderator.margin import count_teams, critical, decisive_lift_votes, decisive_votes
from moderator.model import SEATS, Cause, Role, Seat, Team
from moderator.rules import Rules
from moderator.scoring import Scoring

Lines = dict[Seat, tuple[Line, ...]]
History = Iterable[tuple[int, Scoreable]]

UNBOUNDED = ("win", "technical_foul", "removed", "opponent_victory")
"""Reasons that the bounds do not concern."""


def score(history: History, roles: Mapping[Seat, Role], rules: Rules) -> dict[str, Lines]:
    """By scoring system and seat: the lines, in order of the game. `history`: (place in the log, event)."""
    history = tuple(history)
    removals = {place: removal for place, event in history if (removal := _removal(place, event)) is not None}
    return {system: _Game(roles, rules, numbers, removals).lines(history) for system, numbers in rules.scoring.items()}


def totals(lines: Mapping[str, Lines]) -> dict[str, dict[Seat, float]]:
    """System -> seat -> points, to four decimals: the sum of the lines."""
    return {
        system: {seat: round(sum(line.value for line in of_seat), 4) for seat, of_seat in by_seat.items()}
        for system, by_seat in lines.items()
    }


@dataclass(slots=True)
class _Removal:
    """The round that settled a day: for each voter, whom he helped to remove, and whether his ballot decided it."""

    event: int
    votes: dict[Seat, tuple[Seat, ...]]
    decisive: frozenset[Seat]
    lift: bool


def _removal(place: int, event: Scoreable) -> _Removal | None:
    match event:
        case BallotCounted(votes=votes, candidates=candidates):
            return _Removal(
                place, {by: (to,) for by, to in votes.items()}, decisive_votes(votes, candidates), lift=False
            )
        case LiftDecided(votes=votes, candidates=candidates):
            voters = {voter: candidates for voter, lift in votes.items() if lift}
            return _Removal(place, voters, decisive_lift_votes(votes, tuple(votes)), lift=True)
        case _:
            return None


@dataclass(slots=True)
class _Game:
    """One scoring system's reading of one game."""

    roles: Mapping[Seat, Role]
    rules: Rules
    pays: Scoring
    removals: Mapping[int, _Removal]
    alive: tuple[Seat, ...] = SEATS
    began: tuple[int, int] = (0, 0)
    """Town and mafia alive when the day's speeches began."""
    factor: float = 1.0
    """What self-shots have made of a mafioso's value."""
    day: int = 0
    paid: dict[Seat, list[Line]] = field(default_factory=lambda: {seat: [] for seat in SEATS})
    best: dict[tuple[Seat, Seat], Line] = field(default_factory=dict)
    """(town player, mafioso) -> the best action so far."""
    removal: _Removal | None = None
    shots: dict[Seat, int] = field(default_factory=dict)
    """Who shot this night, and by which event."""
    self_shooters: dict[Seat, int] = field(default_factory=dict)
    misses: int = 0
    first_killed: Seat | None = None
    killed_first_night: tuple[Seat, int] | None = None
    left_on_day_0: int = 0
    don_checks: int = 0
    been_critical: bool = False
    testaments: dict[Seat, tuple[int, tuple[Seat, ...], float]] = field(default_factory=dict)
    """The last of each author, with the factor of its time."""
    crowns: dict[Seat, tuple[int, Seat]] = field(default_factory=dict)

    def lines(self, history: tuple[tuple[int, Scoreable], ...]) -> Lines:
        for place, event in history:
            self.take(place, event)
        for (seat, _), line in self.best.items():
            self.paid[seat].append(line)
        return {seat: self.bounded(sorted(of_seat, key=lambda line: line.event)) for seat, of_seat in self.paid.items()}

    def pay(self, seat: Seat, reason: str, event: int, value: float) -> None:
        if value:
            self.paid[seat].append(Line(reason=reason, event=event, value=round(value, 4)))

    def pay_for(self, mafioso: Seat, seat: Seat, reason: str, event: int, share: float, factor: float) -> None:
        """The town player `seat` acted against `mafioso`: it counts when it is the best he did against him."""
        line = Line(reason=reason, event=event, value=round(self.pays.black_value * factor * share, 4))
        known = self.best.get((seat, mafioso))
        if line.value > (known.value if known else 0.0):
            self.best[seat, mafioso] = line

    def bounded(self, lines: list[Line]) -> tuple[Line, ...]:
        play = sum(line.value for line in lines if line.reason not in UNBOUNDED)
        kept = min(max(play, self.pays.least), self.pays.most)
        if round(kept - play, 4) == 0:
            return tuple(lines)
        return *lines, Line(reason="bounds", event=lines[-1].event, value=round(kept - play, 4))

    def town(self, seat: Seat) -> bool:
        return self.roles[seat].team is Team.TOWN

    # --- the game, event by event -----------------------------------------------------------------

    def take(self, place: int, event: Scoreable) -> None:
        match event:
            case DayBegan(day=day):
                self.day_begins(place, day)
            case BallotCounted() | LiftDecided():
                self.removal = self.removals[place]
            case PlayerLeft():
                self.leaves(place, event)
            case FarewellLost(seat=seat):
                self.pay_removed(seat, place)
            case TestamentGiven(by=by, suspects=suspects):
                self.testaments[by] = (place, suspects, self.factor)
            case CrownGiven(by=by, to=to):
                self.crowns[by] = (place, to)
            case ShotFired(seat=seat):
                self.shots[seat] = place
            case NightEnded(night=night, killed=killed):
                self.night_ends(place, night, killed)
            case DonChecked(seat=seat, sheriff=found):
                self.don_checks += 1
                first = self.don_checks == 1
                if found and first:
                    self.pay(seat, "sheriff_found_at_first_check", place, self.pays.sheriff_found_at_first_check)
                elif found:
                    self.pay(seat, "sheriff_found_later", place, self.pays.sheriff_found_later)
            case SheriffChecked(seat=seat, target=target, mafia=mafia):
                if mafia:
                    self.pay_for(target, seat, "check", place, self.pays.check_share, self.factor)
            case Fouled(seat=seat):
                self.pay(seat, "foul", place, self.pays.foul)
            case TechnicalFouled(seat=seat):
                value = self.pays.technical_foul_town if self.town(seat) else self.pays.technical_foul_mafia
                self.pay(seat, "technical_foul", place, value)
            case GameEnded():
                self.ends(place, event)
            case _:
                assert_never(event)

    def day_begins(self, place: int, day: int) -> None:
        self.day, self.began = day, count_teams(self.roles, self.alive)
        if not self.been_critical and critical(self.began):
            self.been_critical = True
            for seat in self.alive:
                if not self.town(seat):
                    self.pay(seat, "alive_when_critical", place, self.pays.mafia_alive_when_critical)

    def leaves(self, place: int, event: PlayerLeft) -> None:
        seat = event.seat
        if event.cause.removal:
            self.pay_removed(seat, place)
        elif event.cause is not Cause.SHOT and self.removal is not None:
            self.pay_votes(self.removal, seat)
        if self.day == 0 and event.cause in (Cause.VOTE, Cause.LIFT):
            self.left_on_day_0 += 1
        self.alive = tuple(other for other in self.alive if other != seat)

    def pay_removed(self, seat: Seat, place: int) -> None:
        self.pay(seat, "removed", place, self.pays.removed_town if self.town(seat) else self.pays.removed_mafia)

    def pay_votes(self, removal: _Removal, gone: Seat) -> None:
        share = self.pays.lift_share if removal.lift else 1.0
        group = count_teams(self.roles, next(iter(removal.votes.values()))) if removal.lift else (1, 0)
        for voter, targets in removal.votes.items():
            if gone not in targets:
                continue
            decides = voter in removal.decisive
            if self.town(voter) and not self.town(gone):
                reason = "decisive_vote" if decides else "vote"
                paid = self.pays.decisive_vote_share if decides else self.pays.vote_share
                self.pay_for(gone, voter, reason, removal.event, paid * share, self.factor)
            elif self.town(voter):
                self.pay_vote_against_town(voter, removal, decides, share, critical(self.began, group))
            elif self.town(gone):
                value = self.pays.mafia_decisive_vote_against_town if decides else 0.0
                self.pay(voter, "decisive_vote_against_town", removal.event, value * share)
            elif voter != gone:
                pays = self.pays
                value = pays.mafia_decisive_vote_against_partner if decides else pays.mafia_vote_against_partner
                reason = "decisive_vote_against_partner" if decides else "vote_against_partner"
                self.pay(voter, reason, removal.event, value * share)

    def pay_vote_against_town(
        self, voter: Seat, removal: _Removal, decides: bool, share: float, is_critical: bool
    ) -> None:
        pays = self.pays
        value = {
            (False, False): pays.town_vote_against_town,
            (False, True): pays.town_decisive_vote_against_town,
            (True, False): pays.town_critical_vote_against_town,
            (True, True): pays.town_critical_decisive_vote_against_town,
        }[is_critical, decides]
        reason = ("critical_" if is_critical else "") + ("decisive_" if decides else "") + "vote_against_town"
        self.pay(voter, reason, removal.event, value * share)

    def night_ends(self, place: int, night: int, killed: Seat | None) -> None:
        if night > 0 and killed is None:
            self.misses += 1
            for seat in self.alive:
                if not self.town(seat):
                    first = self.misses == 1
                    reason, value = (
                        ("first_miss", self.pays.first_miss) if first else ("later_miss", self.pays.later_miss)
                    )
                    self.pay(seat, reason, place, value)
        elif killed is not None:
            self.kill(place, night, killed)
        self.shots = {}

    def kill(self, place: int, night: int, killed: Seat) -> None:
        if self.first_killed is None:
            self.first_killed = killed
        if night == 1:
            self.killed_first_night = (killed, place)
            if self.roles[killed] is Role.SHERIFF:
                for shooter, shot in self.shots.items():
                    self.pay(shooter, "sheriff_shot_first_night", shot, self.pays.sheriff_shot_first_night)
        if not self.town(killed):
            self.self_shooters |= self.shots
            left = sum(not self.town(seat) for seat in self.alive if seat != killed)
            factors = {2: self.pays.self_shot_two_left, 1: self.pays.self_shot_one_left}
            self.factor = factors.get(left, self.factor)

    # --- the end ----------------------------------------------------------------------------------

    def ends(self, place: int, end: GameEnded) -> None:
        if end.reason == "stopped":
            self.paid = {seat: [] for seat in SEATS}
            self.best = {}
            return
        for author, (given, suspects, factor) in self.testaments.items():
            self.pay_testament(author, given, suspects, factor)
        for author, (given, to) in self.crowns.items():
            if self.town(author):
                value = self.pays.crown_to_town if self.town(to) else self.pays.crown_to_mafia
                self.pay(author, "crown_to_town" if self.town(to) else "crown_to_mafia", given, value)
                self.pay(to, "crown_received", given, self.pays.crown_received)
        for seat in SEATS:
            if self.roles[seat].team is end.winner:
                self.pay(seat, "win", place, self.pays.win_town if self.town(seat) else self.pays.win_mafia)
        if end.winner is Team.MAFIA:
            self.mafia_won(place)
        elif end.winner is Team.TOWN:
            for shooter, shot in self.self_shooters.items():
                self.pay(shooter, "self_shot_and_town_won", shot, self.pays.self_shot_and_town_won)
        if end.culprit is not None:
            for seat in SEATS:
                if self.roles[seat].team is self.roles[end.culprit].team:
                    pays = self.pays
                    value = pays.opponent_victory_culprit if seat == end.culprit else pays.opponent_victory_team
                    self.pay(seat, "opponent_victory", place, value)

    def mafia_won(self, place: int) -> None:
        for seat in self.alive:
            if not self.town(seat):
                self.pay(seat, "alive_at_win", place, self.pays.mafia_alive_at_win)
        if self.killed_first_night is not None and self.town(self.killed_first_night[0]):
            seat, when = self.killed_first_night
            self.pay(seat, "killed_first_night_and_lost", when, self.pays.town_killed_first_night_and_lost)

    def pay_testament(self, author: Seat, place: int, suspects: tuple[Seat, ...], factor: float) -> None:
        """A town player's only (rule 46); the first one killed at night also made his best move (rules 44, 45)."""
        best_move = author == self.first_killed
        if not self.town(author) or not (best_move or self.rules.testaments_score == "all"):
            return
        right = [seat for seat in suspects if not self.town(seat)]
        wrong = len(suspects) - len(right)
        exact = wrong == 0 and len(right) >= 2
        share = self.pays.exact_testament_share if exact else self.pays.testament_share
        for mafioso in right:
            self.pay_for(mafioso, author, "exact_testament" if exact else "testament", place, share, factor)
        self.pay(author, "wrong_suspect", place, wrong * self.pays.wrong_suspect)
        if best_move and self.left_on_day_0 < self.rules.best_move_void_after and len(right) >= 2:
            value = self.pays.best_move_two if len(right) == 2 else self.pays.best_move_three
            self.pay(author, "best_move", place, value)
