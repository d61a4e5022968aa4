"""Shots and checks (rules 9-12, 49-51)."""

from typing import Any

import pytest
from engine_kit import MAFIA, TOWN, Game, given

from moderator import commands as c
from moderator.events import DonChecked, GameEnded, NightEnded, PlayerLeft, SheriffChecked, ShotFired, StepOpened
from moderator.model import Cause, RefusalCode, StepKind, Team
from moderator.night import victim, winner

NIGHT_STEPS = (StepKind.SHOTS, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK)


def night(kind: StepKind = StepKind.SHOTS, **options: Any) -> Game:
    """Night 1, at this step."""
    game = given(**options)
    game.until(kind)
    return game


# --- order and length -----------------------------------------------------------------------------


def test_rule_9_shots_then_the_don_then_the_sheriff() -> None:
    game = night()
    game.shot(None)
    called = [step for step in game.called() if step.kind in NIGHT_STEPS]
    assert [(step.kind, step.duration_s) for step in called] == list(zip(NIGHT_STEPS, (5, 10, 10), strict=True))
    assert {step.seat for step in called} == {None}, "a call names nobody"


def test_the_window_of_the_shots_is_always_full() -> None:
    game = night()
    ends_at = game.step.ends_at
    for seat in MAFIA:
        game.accept(c.Shoot, seat, target=10)
    assert (game.step.kind, game.step.ends_at) == (StepKind.SHOTS, ends_at)


def test_a_check_does_not_end_its_step() -> None:
    game = night(StepKind.DON_CHECK)
    ends_at = game.step.ends_at
    game.accept(c.Check, 1, target=4)
    assert (game.step.kind, game.step.ends_at) == (StepKind.DON_CHECK, ends_at)


@pytest.mark.parametrize("out", [1, 4])
def test_rule_10_a_dead_dons_or_sheriffs_phase_takes_the_same_time(out: int) -> None:
    timelines = []
    for voted in (out, 5):
        game = given(gone=(10, voted))
        game.shot(9)
        opened = [(event.kind, event.ends_at - event.at) for event in game.all(StepOpened)]
        timelines.append((opened, game.last(NightEnded).at))
    assert timelines[0] == timelines[1]


def test_rule_10_nobody_answers_for_a_dead_don() -> None:
    game = given(gone=(10, 1))
    game.until(StepKind.DON_CHECK)
    assert game.refused(c.Check, 1, target=4) is RefusalCode.NOT_ALIVE
    assert game.refused(c.Check, 2, target=4) is RefusalCode.NOT_YOUR_ROLE


def test_rule_11_a_sheriff_shot_this_night_still_checks() -> None:
    game = night()
    for seat in MAFIA:
        game.accept(c.Shoot, seat, target=4)
    game.until(StepKind.SHERIFF_CHECK)
    game.accept(c.Check, 4, target=1)
    assert game.last(SheriffChecked).mafia is True
    assert 4 in game.state.alive
    game.pass_step()
    assert game.last(PlayerLeft).seat == 4


def test_rule_12_parity_by_a_shot_ends_the_game_in_the_morning_after_the_checks() -> None:
    game = given(gone=(10, 9, 8))
    game.voted_out(7)
    assert game.last(GameEnded).winner is Team.MAFIA
    game = given(gone=(10, 9, None, 8))
    game.until(StepKind.SHOTS)
    assert len(game.state.alive) == 7
    game.shots(dict.fromkeys(MAFIA, 7))
    assert [event.type for event in game.log[-5:]] == [
        "night_ended",
        "player_left",
        "game_ended",
        "roles_revealed",
        "scored",
    ]
    assert game.last(GameEnded).reason == "parity"
    assert [step.kind for step in game.called()[-3:]] == list(NIGHT_STEPS)


# --- shots ----------------------------------------------------------------------------------------


def test_s7_all_shots_on_one_target_kill() -> None:
    game = night()
    game.shots(dict.fromkeys(MAFIA, 7))
    assert game.last(NightEnded).killed == 7
    left = game.last(PlayerLeft)
    assert (left.seat, left.cause, left.day) == (7, Cause.SHOT, 1)


@pytest.mark.parametrize("shots", [{1: 5, 2: 5, 3: 6}, {1: 5, 2: 5}, {}])
def test_rule_49_different_or_missing_shots_are_a_miss(shots: dict[int, int]) -> None:
    game = night()
    game.shots(shots)
    assert game.last(NightEnded).killed is None
    assert game.count(PlayerLeft) == 0
    assert game.step.kind is StepKind.SPEECH


def test_rule_49_nobody_shoots_at_a_player_who_is_out() -> None:
    game = given(gone=(10,))
    game.until(StepKind.SHOTS)
    assert game.refused(c.Shoot, 1, target=10) is RefusalCode.TARGET_NOT_ALIVE
    assert victim({1: 10, 2: 10}, game.state.roles, (1, 2, 4)) is None


def test_only_the_living_mafia_need_to_agree() -> None:
    game = given(gone=(10, 1))
    game.until(StepKind.SHOTS)
    game.shots({2: 9, 3: 9})
    assert game.last(NightEnded).killed == 9


def test_the_first_shot_stands() -> None:
    game = night()
    game.accept(c.Shoot, 1, target=5)
    assert game.refused(c.Shoot, 1, target=6) is RefusalCode.ALREADY_DONE
    assert game.state.shots == {1: 5}


@pytest.mark.parametrize("seat", TOWN)
def test_nobody_of_the_town_shoots(seat: int) -> None:
    assert night().refused(c.Shoot, seat, target=1) is RefusalCode.NOT_YOUR_ROLE


def test_shots_come_only_in_their_window() -> None:
    game = night()
    ends_at = game.step.ends_at
    assert ends_at is not None
    assert game.refused(c.Shoot, 1, target=5, at=ends_at + 1) is RefusalCode.TOO_LATE
    game.accept(c.Shoot, 1, target=5, at=ends_at)
    game.pass_step()
    assert game.refused(c.Shoot, 2, target=5) is RefusalCode.NOT_NOW


def test_s8_rule_50_the_mafia_may_shoot_its_own_who_then_speaks_like_anyone() -> None:
    game = night()
    game.shots(dict.fromkeys(MAFIA, 3))
    assert game.last(PlayerLeft).seat == 3
    assert [event.target for event in game.all(ShotFired) if event.seat == 3] == [3]
    game.until(StepKind.FAREWELL, 3)
    game.accept(c.GiveTestament, 3, suspects=(5, 6, 7))


# --- checks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("target", "sheriff"), [(4, True), (5, False), (2, False)])
def test_s7_the_don_learns_whether_it_is_the_sheriff(target: int, sheriff: bool) -> None:
    game = night(StepKind.DON_CHECK)
    game.accept(c.Check, 1, target=target)
    assert (game.last(DonChecked).seat, game.last(DonChecked).sheriff) == (1, sheriff)


@pytest.mark.parametrize(("target", "mafia"), [(1, True), (2, True), (5, False)])
def test_s7_the_sheriff_learns_whether_it_is_mafia_the_don_included(target: int, mafia: bool) -> None:
    game = night(StepKind.SHERIFF_CHECK)
    game.accept(c.Check, 4, target=target)
    assert (game.last(SheriffChecked).seat, game.last(SheriffChecked).mafia) == (4, mafia)


def test_one_check_a_night_in_ones_own_step() -> None:
    game = night(StepKind.DON_CHECK)
    assert game.refused(c.Check, 4, target=1) is RefusalCode.NOT_YOUR_ROLE
    game.accept(c.Check, 1, target=5)
    assert game.refused(c.Check, 1, target=4) is RefusalCode.ALREADY_DONE
    game.until(StepKind.SHERIFF_CHECK)
    assert game.refused(c.Check, 1, target=4) is RefusalCode.NOT_YOUR_ROLE
    game.accept(c.Check, 4, target=1)
    game.shot(None)
    game.until(StepKind.DON_CHECK)
    game.accept(c.Check, 1, target=4)
    assert game.state.checks == ((1, 5, False), (4, 1, True), (1, 4, True))


def test_nobody_checks_himself() -> None:
    assert night(StepKind.DON_CHECK).refused(c.Check, 1, target=1) is RefusalCode.NOT_ONESELF


def test_a_player_who_left_may_be_checked_for_his_role_is_still_hidden() -> None:
    game = given(gone=(10, 2))
    game.until(StepKind.SHERIFF_CHECK)
    game.accept(c.Check, 4, target=2)
    assert game.last(SheriffChecked).mafia is True


# --- who has won ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alive", "won"),
    [
        ((1, 2, 3, 4, 5, 6, 7), None),
        ((1, 2, 3, 4, 5, 6), Team.MAFIA),
        ((1, 4, 5), None),
        ((1, 4), Team.MAFIA),
        ((1, 2, 4), Team.MAFIA),
        ((4, 5), Team.TOWN),
        ((), Team.TOWN),
    ],
)
def test_s12_parity_or_no_mafia(alive: tuple[int, ...], won: Team | None) -> None:
    assert winner(given().state.roles, alive) is won
