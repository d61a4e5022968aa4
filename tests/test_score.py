"""Points: every line of the scoring table, in both systems, with its reason and the event that earned it."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from engine_kit import ROLES, given
from hypothesis import given as for_all
from hypothesis import strategies as st

from moderator import events as ev
from moderator.margin import count_teams, critical, decisive_by_lead, decisive_lift_votes, decisive_votes
from moderator.model import SEATS, Cause, Role, Seat, Team
from moderator.rules import Rules
from moderator.score import score, totals
from moderator.scoring import CLASSIC, MAX_MAFIA, Scoring
from voice.config import load_rules

TOWN_WINS = ev.GameEnded(at=9, winner=Team.TOWN, reason="mafia_gone")
MAFIA_WINS = ev.GameEnded(at=9, winner=Team.MAFIA, reason="parity")


def day(number: int) -> ev.DayBegan:
    return ev.DayBegan(at=1, day=number, order=SEATS)


def ballot(votes: Mapping[Seat, Seat], *candidates: Seat) -> ev.BallotCounted:
    count = {seat: sum(target == seat for target in votes.values()) for seat in candidates}
    leaders = tuple(seat for seat in candidates if count[seat] == max(count.values()))
    return ev.BallotCounted(at=2, round=1, candidates=candidates, votes=dict(votes), leaders=leaders)


def left(seat: Seat, cause: Cause = Cause.VOTE, on: int = 1) -> ev.PlayerLeft:
    return ev.PlayerLeft(at=3, seat=seat, cause=cause, day=on)


def night(number: int, killed: Seat | None, shooters: Iterable[Seat] = (1, 2, 3)) -> list[ev.Event]:
    if killed is None:
        return [ev.NightEnded(at=4, night=number, killed=None)]
    shots = [ev.ShotFired(at=4, seat=seat, target=killed) for seat in shooters]
    return [*shots, ev.NightEnded(at=4, night=number, killed=killed), left(killed, Cause.SHOT, number)]


def paid(*events: ev.Event, system: str = "classic", **rules: Any) -> dict[Seat, dict[str, float]]:
    """Seat -> reason -> sum, of a history of these events. The Don is 1, the mafiosi 2 and 3, the Sheriff 4."""
    lines = score([*enumerate(events)], ROLES, Rules.model_validate(rules))[system]  # type: ignore[list-item]
    found: dict[Seat, dict[str, float]] = {seat: {} for seat in SEATS}
    for seat, of_seat in lines.items():
        for line in of_seat:
            found[seat][line.reason] = round(found[seat].get(line.reason, 0) + line.value, 4)
    return found


# --- the win --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("system", "town", "mafia"), [("classic", 1.0, 1.0), ("max_mafia", 1.35, 0.85)])
def test_s21_the_win(system: str, town: float, mafia: float) -> None:
    won, lost = paid(TOWN_WINS, system=system), paid(MAFIA_WINS, system=system)
    assert [won[seat].get("win") for seat in (1, 4, 5)] == [None, town, town]
    assert [lost[seat].get("win") for seat in (1, 2, 5)] == [mafia, mafia, None]


def test_rule_58_a_game_stopped_without_a_culprit_scores_nobody() -> None:
    events: list[ev.Event] = [day(0), *night(1, 4), ev.GameEnded(at=9, winner=None, reason="stopped")]
    assert paid(*events) == {seat: {} for seat in SEATS}


@pytest.mark.parametrize("system", ["classic", "max_mafia"])
def test_s20_an_opponent_victory_costs_the_culprit_alone(system: str) -> None:
    found = paid(ev.GameEnded(at=9, winner=Team.TOWN, reason="opponent_victory", culprit=2), system=system)
    assert found[2] == {"opponent_victory": -1.0}
    assert found[1] == found[3] == {}
    assert found[5]["win"] > 0


# --- what town does -------------------------------------------------------------------------------

SIX_FOUR = dict.fromkeys((1, 4, 5, 6, 7, 8), 2) | dict.fromkeys((2, 3, 9, 10), 9)
FIVE_FOUR = dict.fromkeys((1, 4, 5, 6, 7), 2) | dict.fromkeys((2, 3, 9, 10), 9)


def test_a_vote_that_removes_a_mafioso_pays_half_and_a_decisive_one_all() -> None:
    plain = paid(day(1), ballot(SIX_FOUR, 2, 9), left(2), TOWN_WINS)
    assert plain[4]["vote"] == 0.10
    assert "vote" not in plain[9] and "vote" not in plain[1]
    decisive = paid(day(1), ballot(FIVE_FOUR, 2, 9), left(2), TOWN_WINS)
    assert decisive[4]["decisive_vote"] == 0.20
    richer = paid(day(1), ballot(FIVE_FOUR, 2, 9), left(2), TOWN_WINS, system="max_mafia")
    assert richer[4]["decisive_vote"] == 0.30


def test_rule_44_a_testament_pays_three_quarters_and_all_when_exact() -> None:
    def given_by_5(*suspects: Seat, **rules: Any) -> dict[str, float]:
        events: list[ev.Event] = [day(1), left(5), ev.TestamentGiven(at=5, by=5, suspects=suspects), TOWN_WINS]
        return {reason: value for reason, value in paid(*events, **rules)[5].items() if reason != "win"}

    assert given_by_5(2, 9) == {"testament": 0.15}
    assert given_by_5(2) == {"testament": 0.15}, "one name is not yet exact"
    assert given_by_5(2, 3) == {"exact_testament": 0.40}
    assert given_by_5(9) == {}
    assert given_by_5(2, 3, testaments_score="first_killed") == {}
    worse = {"classic": Scoring(wrong_suspect=-0.05)}
    assert given_by_5(2, 9, scoring=worse) == {"testament": 0.15, "wrong_suspect": -0.05}


def test_the_last_testament_and_the_last_crown_count() -> None:
    events: list[ev.Event] = [
        left(5),
        ev.TestamentGiven(at=5, by=5, suspects=(2,)),
        ev.TestamentGiven(at=6, by=5, suspects=(9,)),
    ]
    crowns = [ev.CrownGiven(at=5, by=5, to=2), ev.CrownGiven(at=6, by=5, to=6)]
    found = paid(*events, *crowns, TOWN_WINS)
    assert "testament" not in found[5]
    assert (found[5]["crown_to_town"], found[6]["crown_received"]) == (0.10, 0.05)
    assert "crown_received" not in found[2]


def test_a_vote_and_a_testament_never_pay_twice() -> None:
    """The best action against each mafioso counts."""
    events: list[ev.Event] = [day(1), ballot(SIX_FOUR, 2, 9), left(2), *night(2, 5)]
    testament = ev.TestamentGiven(at=5, by=5, suspects=(2, 3))
    found = paid(*events, testament, TOWN_WINS)[5]
    assert found == {"win": 1.0, "exact_testament": 0.40, "best_move": 0.10}
    assert "vote" not in found


def test_the_sheriffs_check_pays_half() -> None:
    check = ev.SheriffChecked(at=4, seat=4, target=2, mafia=True)
    miss = ev.SheriffChecked(at=4, seat=4, target=9, mafia=False)
    assert paid(check, miss, TOWN_WINS)[4]["check"] == 0.10


def test_rule_45_the_best_move_is_the_first_killeds_and_void_when_two_left_on_day_0() -> None:
    def best_move(*before: ev.Event, suspects: tuple[Seat, ...] = (1, 2, 3), **rules: Any) -> float | None:
        events: list[ev.Event] = [
            day(0),
            *before,
            *night(1, 5),
            ev.TestamentGiven(at=5, by=5, suspects=suspects),
            TOWN_WINS,
        ]
        return paid(*events, **rules)[5].get("best_move")

    assert best_move() == 0.20
    assert best_move(suspects=(1, 2, 9)) == 0.10
    assert best_move(suspects=(1, 9, 10)) is None
    assert best_move(left(6, on=0)) == 0.20
    assert best_move(left(6, on=0), left(7, on=0)) is None
    assert best_move(left(6, on=0), best_move_void_after=1) is None
    later: list[ev.Event] = [*night(1, 6), *night(2, 5), ev.TestamentGiven(at=5, by=5, suspects=(1, 2, 3)), TOWN_WINS]
    assert "best_move" not in paid(*later)[5]
    richer = paid(*night(1, 5), ev.TestamentGiven(at=5, by=5, suspects=(1, 2, 3)), TOWN_WINS, system="max_mafia")
    assert (richer[5]["best_move"], richer[5]["exact_testament"]) == (0.30, 0.90)


def test_rule_46_a_mafiosos_testament_and_crown_are_never_scored() -> None:
    events: list[ev.Event] = [
        left(2),
        ev.TestamentGiven(at=5, by=2, suspects=(1, 3)),
        ev.CrownGiven(at=5, by=2, to=5),
        MAFIA_WINS,
    ]
    found = paid(*events)
    assert set(found[2]) == {"win"}
    assert found[5] == {}


AGAINST_5 = dict.fromkeys((1, 4, 6, 7, 8, 9), 5) | dict.fromkeys((2, 3, 5, 10), 10)
AGAINST_5_BY_ONE = dict.fromkeys((1, 4, 6, 7, 8), 5) | dict.fromkeys((2, 3, 5, 10), 10)


def test_s13_a_vote_against_town_costs_more_when_it_is_critical() -> None:
    def cost(votes: Mapping[Seat, Seat], *gone: Seat) -> dict[str, float]:
        events: list[ev.Event] = [
            *(left(seat, Cause.SHOT) for seat in gone),
            day(1),
            ballot(votes, 5, 10),
            left(5),
            MAFIA_WINS,
        ]
        return paid(*events)[4]

    assert cost(AGAINST_5) == {"vote_against_town": -0.05}
    assert cost(AGAINST_5_BY_ONE) == {"decisive_vote_against_town": -0.10}
    assert cost(AGAINST_5, 6, 7) == {"critical_vote_against_town": -0.15}, "five and three are alive"
    assert cost(AGAINST_5_BY_ONE, 6, 7) == {"critical_decisive_vote_against_town": -0.25}


def test_town_killed_in_the_first_night_of_a_lost_game_is_paid() -> None:
    assert paid(*night(1, 5), MAFIA_WINS)[5] == {"killed_first_night_and_lost": 0.10}
    assert paid(*night(1, 5), MAFIA_WINS, system="max_mafia")[5] == {"killed_first_night_and_lost": 0.15}
    assert paid(*night(1, None), *night(2, 5), MAFIA_WINS)[5] == {}
    assert "killed_first_night_and_lost" not in paid(*night(1, 5), TOWN_WINS)[5]


def test_a_crown_pays_giver_and_receiver() -> None:
    def crowned(to: Seat, system: str) -> tuple[dict[str, float], dict[str, float]]:
        found = paid(left(5), ev.CrownGiven(at=5, by=5, to=to), MAFIA_WINS, system=system)
        return found[5], found[to]

    assert crowned(6, "classic") == ({"crown_to_town": 0.10}, {"crown_received": 0.05})
    assert crowned(6, "max_mafia")[0] == {"crown_to_town": 0.15}
    assert crowned(2, "classic")[0] == {"crown_to_mafia": -0.05}
    assert crowned(2, "max_mafia")[1]["crown_received"] == 0.05


# --- what the mafia does --------------------------------------------------------------------------


def test_a_mafioso_is_paid_for_a_decisive_vote_against_town_alone() -> None:
    assert paid(day(1), ballot(AGAINST_5_BY_ONE, 5, 10), left(5), MAFIA_WINS)[1]["decisive_vote_against_town"] == 0.10
    assert set(paid(day(1), ballot(AGAINST_5, 5, 10), left(5), MAFIA_WINS)[1]) == {"win", "alive_at_win"}


def test_the_mafia_alive_when_it_first_becomes_critical_is_paid_once() -> None:
    shot = [left(seat, Cause.SHOT) for seat in (9, 10)]
    found = paid(day(0), *shot, day(1), day(2), TOWN_WINS)
    assert [found[seat].get("alive_when_critical") for seat in (1, 2, 3)] == [0.05] * 3
    assert "alive_when_critical" not in paid(day(0), left(10, Cause.SHOT), day(1), TOWN_WINS)[1]


def test_the_sheriff_shot_in_the_first_night_pays_each_shooter() -> None:
    found = paid(*night(1, 4), TOWN_WINS)
    assert [found[seat]["sheriff_shot_first_night"] for seat in (1, 2, 3)] == [0.10] * 3
    assert "sheriff_shot_first_night" not in paid(*night(2, 4), TOWN_WINS)[1]


def test_the_don_who_finds_the_sheriff_is_paid_more_at_his_first_check() -> None:
    found = ev.DonChecked(at=4, seat=1, target=4, sheriff=True)
    wrong = ev.DonChecked(at=4, seat=1, target=5, sheriff=False)
    assert paid(found, TOWN_WINS)[1] == {"sheriff_found_at_first_check": 0.10}
    assert paid(wrong, found, TOWN_WINS)[1] == {"sheriff_found_later": 0.05}


def test_the_mafia_alive_at_the_win_is_paid() -> None:
    found = paid(left(2), MAFIA_WINS)
    assert found[1]["alive_at_win"] == 0.10
    assert "alive_at_win" not in found[2]


def test_a_vote_against_a_partner_costs_in_max_mafia_and_a_decisive_one_always() -> None:
    plain, decisive = (day(1), ballot(SIX_FOUR, 2, 9), left(2)), (day(1), ballot(FIVE_FOUR, 2, 9), left(2))
    assert paid(*plain, TOWN_WINS)[1] == {}
    assert paid(*plain, TOWN_WINS, system="max_mafia")[1] == {"vote_against_partner": -0.05}
    assert paid(*decisive, TOWN_WINS)[1] == {"decisive_vote_against_partner": -0.10}
    assert paid(*decisive, TOWN_WINS, system="max_mafia")[1] == {"decisive_vote_against_partner": -0.20}


@pytest.mark.parametrize(("system", "first", "later"), [("classic", -0.10, -0.20), ("max_mafia", -0.15, -0.30)])
def test_a_miss_costs_each_living_mafioso(system: str, first: float, later: float) -> None:
    found = paid(*night(1, None), left(2), *night(2, None), TOWN_WINS, system=system)
    assert found[1] == {"first_miss": first, "later_miss": later}
    assert found[2] == {"first_miss": first}
    assert set(found[5]) == {"win"}


@pytest.mark.parametrize(("system", "cost"), [("classic", -0.10), ("max_mafia", -0.20)])
def test_a_self_shot_costs_its_shooters_when_the_town_wins(system: str, cost: float) -> None:
    found = paid(*night(1, 3), TOWN_WINS, system=system)
    assert [found[seat] for seat in (1, 2, 3)] == [{"self_shot_and_town_won": cost}] * 3
    assert "self_shot_and_town_won" not in paid(*night(1, 3), MAFIA_WINS, system=system)[1]


def test_a_mafioso_is_worth_more_after_self_shots() -> None:
    def vote_after(*shot: Seat) -> float:
        events: list[ev.Event] = [event for number, seat in enumerate(shot, 1) for event in night(number, seat)]
        votes = {seat: 1 for seat in SEATS if seat not in shot}
        return paid(*events, day(3), ballot(votes, 1, 9), left(1), TOWN_WINS)[5]["vote"]

    assert (vote_after(), vote_after(3), vote_after(3, 2)) == (0.10, 0.15, 0.20)


# --- discipline and bounds ------------------------------------------------------------------------


@pytest.mark.parametrize(("system", "town", "mafia"), [("classic", -0.10, -0.10), ("max_mafia", -0.10, -0.15)])
def test_s17_a_technical_foul_costs(system: str, town: float, mafia: float) -> None:
    fouls = [ev.TechnicalFouled(at=4, seat=seat, count=1) for seat in (2, 5)]
    found = paid(*fouls, MAFIA_WINS, system=system)
    assert (found[5]["technical_foul"], found[2]["technical_foul"]) == (town, mafia)


@pytest.mark.parametrize(("system", "town", "mafia"), [("classic", -0.50, -0.50), ("max_mafia", -0.50, -0.75)])
def test_s19_who_is_removed_keeps_the_result_of_his_team(system: str, town: float, mafia: float) -> None:
    removed = [left(5, Cause.DISQUALIFIED), left(2, Cause.ABSENT)]
    found = paid(*removed, TOWN_WINS, system=system)
    assert (found[5]["removed"], found[2]["removed"]) == (town, mafia)
    assert found[5]["win"] > 0
    late = paid(left(5), ev.FarewellLost(at=4, seat=5, cause=Cause.DISQUALIFIED), TOWN_WINS, system=system)
    assert late[5]["removed"] == town


def test_s16_a_foul_costs_nothing_unless_a_table_wants_it() -> None:
    foul = ev.Fouled(at=4, seat=5, count=1)
    assert paid(foul, MAFIA_WINS)[5] == {}
    assert paid(foul, MAFIA_WINS, scoring={"classic": Scoring(foul=-0.02)})[5] == {"foul": -0.02}


def test_what_is_paid_for_play_is_bounded_and_discipline_is_not() -> None:
    rich = paid(*night(1, 5), ev.TestamentGiven(at=5, by=5, suspects=(1, 2, 3)), left(5), TOWN_WINS, system="max_mafia")
    assert rich[5]["bounds"] == pytest.approx(1.00 - 0.90 - 0.30)
    poor = paid(*(event for number in range(1, 5) for event in night(number, None)), left(2, Cause.ABSENT), TOWN_WINS)
    assert poor[1]["bounds"] == pytest.approx(0.20), "-0.70 is kept at -0.50"
    assert sum(poor[2].values()) == pytest.approx(-1.0)


def test_a_lift_pays_half_for_each_of_the_group() -> None:
    votes = {seat: seat in (1, 4, 5, 6, 7, 8) for seat in SEATS}
    lift = ev.LiftDecided(at=2, candidates=(2, 9), votes=votes, lifted=True)
    found = paid(day(1), lift, left(2, Cause.LIFT), left(9, Cause.LIFT), MAFIA_WINS)
    assert found[4] == {"decisive_vote": 0.10, "decisive_vote_against_town": -0.05}, "six of ten is one above half"
    assert found[10] == {}
    assert found[1]["decisive_vote_against_partner"] == -0.05


# --- margin and decisive votes --------------------------------------------------------------------


def test_s13_the_margin_of_error() -> None:
    assert [critical((town, 3)) for town in (7, 6, 5, 4)] == [False, False, True, True]
    assert [critical((town, 1)) for town in (4, 3)] == [False, True]
    assert not critical((7, 3), (1, 1))
    assert critical((6, 3), (2, 0))
    assert count_teams(ROLES, (1, 2, 5)) == (1, 2)


SEATED = st.integers(3, 10)


@for_all(living=SEATED, wanted=st.lists(st.integers(0, 4), min_size=10, max_size=10), few=st.integers(2, 5))
def test_s14_both_ways_find_the_same_decisive_votes(living: int, wanted: list[int], few: int) -> None:
    """The recount is the definition; the lead is the check. Only a settled round has decisive votes in use."""
    candidates = tuple(range(1, few + 1))
    votes = {seat: candidates[wanted[seat - 1] % few] for seat in SEATS[:living]}
    leaders = {
        seat
        for seat in candidates
        if list(votes.values()).count(seat) == max(map(list(votes.values()).count, candidates))
    }
    if len(leaders) == 1:
        assert decisive_votes(votes, candidates) == decisive_by_lead(votes, candidates)


def test_s14_a_lift_vote_decides_when_one_fewer_would_not_have_lifted() -> None:
    living = SEATS[:9]
    five = {seat: seat <= 5 for seat in living}
    six = {seat: seat <= 6 for seat in living}
    assert decisive_lift_votes(five, living) == frozenset(range(1, 6))
    assert decisive_lift_votes(six, living) == frozenset()
    assert decisive_lift_votes({seat: seat <= 4 for seat in living}, living) == frozenset()


# --- whole games ----------------------------------------------------------------------------------


def test_each_line_names_the_event_that_earned_it() -> None:
    game = given(gone=(10, 9, 8, 7))
    lines, points = game.last(ev.Scored).lines["classic"], game.last(ev.Scored).points["classic"]
    assert {type(game.log[line.event]).__name__ for line in lines[1]} == {"GameEnded", "DayBegan"}
    assert points == totals({"classic": lines})["classic"]
    assert points[1] == pytest.approx(1.15)


def test_the_numbers_are_in_the_configuration() -> None:
    assert load_rules("classic").scoring == {"classic": CLASSIC, "max_mafia": MAX_MAFIA}
    assert {role.team for role in Role} == set(Team)
