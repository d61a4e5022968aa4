"""Votes, ties and lifts (rules 21-39)."""

from typing import Any

import pytest
from engine_kit import Game, given, split

from moderator import ballot
from moderator import commands as c
from moderator.events import (
    BallotCast,
    BallotCounted,
    GameEnded,
    LiftCast,
    LiftDecided,
    LiftSkipped,
    NightBegan,
    PlayerLeft,
    StepClosed,
    VoteSkipped,
)
from moderator.model import Cause, RefusalCode, StepKind, Team


def nominated(*candidates: int, **options: Any) -> Game:
    """The ballot of day 0 with these candidates."""
    return given(**options).nominated(*candidates)


def day_of_nine(*candidates: int, **options: Any) -> Game:
    """The ballot of day 1: seat 10 was shot."""
    return given(gone=(10,), **options).nominated(*candidates)


def left(game: Game) -> list[tuple[int, Cause]]:
    return [(event.seat, event.cause) for event in game.all(PlayerLeft)]


# --- whether there is a vote ----------------------------------------------------------------------


def test_rule_21_nobody_nominated_no_vote() -> None:
    game = given()
    game.until(StepKind.SHOTS)
    assert game.last(VoteSkipped).reason == "no_candidates"
    assert left(game) == []


def test_rule_22_one_candidate_on_day_0_no_vote() -> None:
    game = given()
    game.nominations([(1, 5)])
    game.until(StepKind.SHOTS)
    assert game.last(VoteSkipped).reason == "one_candidate_day_zero"
    assert left(game) == []


def test_rule_23_one_candidate_on_a_later_day_leaves_without_a_ballot() -> None:
    game = given(gone=(10, 9))
    assert game.called(StepKind.BALLOT) == []
    counted = game.last(BallotCounted)
    assert (counted.sole, counted.leaders, set(counted.votes.values())) == (True, (9,), {9})
    assert set(counted.votes) == set(range(1, 10))
    assert left(game)[-1] == (9, Cause.VOTE)


def test_rule_24_standard_is_an_ordinary_vote() -> None:
    game = nominated(5, 6)
    game.votes(split(game, (5, 6), (6, 4)))
    assert left(game) == [(5, Cause.VOTE)]


def test_rule_24_none_skips_the_vote_of_day_0_only() -> None:
    game = given(day_zero="none")
    game.nominations([(1, 5), (2, 6)])
    game.until(StepKind.SHOTS)
    assert game.last(VoteSkipped).reason == "day_zero_rule"
    game.shot(10)
    game.nominations([(2, 5), (3, 6)])
    assert game.until(StepKind.BALLOT).candidates == (5, 6)


def test_rule_24_lift_only_spares_a_lone_leader_and_lets_a_lift_remove() -> None:
    game = nominated(5, 6, day_zero="lift_only")
    game.votes(split(game, (5, 6), (6, 4)))
    assert (left(game), game.step.kind) == ([], StepKind.SHOTS)
    tied = nominated(5, 6, day_zero="lift_only")
    for _ in range(2):
        tied.votes(split(tied, (5, 5), (6, 5)))
    tied.lift(dict.fromkeys(range(1, 7), True))
    assert left(tied) == [(5, Cause.LIFT), (6, Cause.LIFT)]


def test_rule_24_talk_lets_the_leader_talk_and_stay() -> None:
    game = nominated(5, 6, day_zero="talk")
    game.votes(split(game, (5, 6), (6, 4)))
    step = game.until(StepKind.SPLIT_SPEECH)
    assert (step.seat, step.duration_s) == (5, 60)
    game.pass_step()
    assert (left(game), game.step.kind) == ([], StepKind.SHOTS)


def test_rule_24_talk_has_no_lift() -> None:
    game = nominated(5, 6, day_zero="talk")
    for _ in range(2):
        game.votes(split(game, (5, 5), (6, 5)))
    assert (left(game), game.step.kind) == ([], StepKind.SHOTS)


# --- the ballot -----------------------------------------------------------------------------------


def test_rule_25_most_votes_not_more_than_half() -> None:
    game = nominated(5, 6, 7)
    game.votes(split(game, (5, 4), (6, 3), (7, 3)))
    assert left(game) == [(5, Cause.VOTE)]


def test_rule_26_candidates_stand_in_the_order_of_nomination() -> None:
    assert nominated(8, 2, 5).step.candidates == (8, 2, 5)


def test_rule_27_silent_voter_counts_against_last_candidate() -> None:
    game = nominated(5, 6)
    game.votes({1: 5, 2: 5, 3: 5})
    counted = game.last(BallotCounted)
    assert counted.defaults == (4, 5, 6, 7, 8, 9, 10)
    assert counted.votes == {1: 5, 2: 5, 3: 5} | dict.fromkeys(range(4, 11), 6)
    assert {event.seat for event in game.all(BallotCast) if event.default} == set(counted.defaults)
    assert left(game) == [(6, Cause.VOTE)]


def test_rule_27_in_a_revote_it_counts_against_the_last_of_the_tied() -> None:
    game = nominated(5, 6, 7)
    game.votes(split(game, (5, 5), (6, 5)))
    game.votes({})
    assert set(game.last(BallotCounted).votes.values()) == {6}
    assert left(game) == [(6, Cause.VOTE)]


def test_rule_28_voting_for_oneself_is_allowed_and_candidates_vote() -> None:
    game = nominated(5, 6)
    game.accept(c.Vote, 5, target=5)
    game.accept(c.Vote, 6, target=5)
    assert game.state.ballots == {5: 5, 6: 5}


def test_rule_29_the_first_vote_stands() -> None:
    game = nominated(5, 6)
    game.accept(c.Vote, 1, target=5)
    assert game.refused(c.Vote, 1, target=6) is RefusalCode.ALREADY_DONE
    assert game.state.ballots == {1: 5}


def test_only_candidates_can_be_voted_for_and_only_the_living_vote() -> None:
    game = day_of_nine(5, 6)
    assert game.refused(c.Vote, 1, target=7) is RefusalCode.NOT_A_CANDIDATE
    assert game.refused(c.Vote, 1, target=10) is RefusalCode.TARGET_NOT_ALIVE
    assert game.refused(c.Vote, 10, target=5) is RefusalCode.NOT_ALIVE


def test_a_ballot_ends_when_all_have_voted() -> None:
    game = nominated(5, 6)
    game.votes(split(game, (5, 6), (6, 4)))
    assert (game.last(StepClosed).kind, game.last(StepClosed).by) == (StepKind.BALLOT, "complete")


def test_a_ballot_that_does_not_close_early_takes_its_time() -> None:
    game = nominated(5, 6, ballot_closes_early=False)
    for seat in range(1, 11):
        game.accept(c.Vote, seat, target=5)
    assert game.step.kind is StepKind.BALLOT
    game.pass_step()
    assert game.last(StepClosed).by == "time"


def test_a_vote_counts_by_the_moment_it_was_spoken() -> None:
    game = nominated(5, 6)
    opened_at, ends_at = game.step.opened_at, game.step.ends_at
    assert opened_at is not None
    assert ends_at is not None
    assert game.refused(c.Vote, 1, target=5, at=opened_at - 0.1) is RefusalCode.TOO_EARLY
    assert game.refused(c.Vote, 1, target=5, at=ends_at + 0.1) is RefusalCode.TOO_LATE
    game.accept(c.Vote, 2, target=5, at=ends_at)
    game.accept(c.Vote, 1, target=5, at=opened_at)
    game.give(c.Tick(at=ends_at + 4))
    assert game.refused(c.Vote, 3, target=5, at=ends_at) is RefusalCode.NOT_NOW
    assert 3 in game.last(BallotCounted).defaults


# --- ties -----------------------------------------------------------------------------------------


def test_rule_31_the_tied_speak_again_in_voting_order_then_a_vote_among_them() -> None:
    game = nominated(8, 2, 5)
    game.votes(split(game, (8, 5), (5, 5)))
    step = game.until(StepKind.BALLOT)
    assert [split_speech.seat for split_speech in game.called(StepKind.SPLIT_SPEECH)] == [8, 5]
    assert (step.round, step.candidates) == (2, (8, 5))
    assert game.state.ballots == {}
    assert game.refused(c.Vote, 1, target=2) is RefusalCode.NOT_A_CANDIDATE
    game.votes(split(game, (5, 6), (8, 4)))
    assert left(game) == [(5, Cause.VOTE)]


def test_rule_32_a_revote_that_ties_fewer_is_voted_again() -> None:
    game = day_of_nine(5, 6, 7)
    game.votes(split(game, (5, 3), (6, 3), (7, 3)))
    game.votes(split(game, (5, 4), (6, 4), (7, 1)))
    step = game.until(StepKind.BALLOT)
    assert (step.round, step.candidates) == (3, (5, 6))
    assert [speech.seat for speech in game.called(StepKind.SPLIT_SPEECH)] == [5, 6, 7, 5, 6]
    game.votes(split(game, (5, 4), (6, 5)))
    assert left(game)[-1] == (6, Cause.VOTE)


def test_rule_33_the_same_number_tied_twice_running_goes_to_the_lift() -> None:
    game = nominated(5, 6, 7)
    game.votes(split(game, (5, 5), (6, 5)))
    game.votes(split(game, (6, 5), (5, 5)))
    assert game.until(StepKind.LIFT).candidates == (5, 6)


# --- the lift -------------------------------------------------------------------------------------


def lift(*candidates: int) -> Game:
    game = nominated(*candidates)
    for _ in range(2):
        game.votes(split(game, *((candidate, 10 // len(candidates)) for candidate in candidates)))
    game.until(StepKind.LIFT)
    return game


def test_rule_34_more_than_half_of_the_living_lift_all_of_them() -> None:
    game = lift(5, 6)
    game.lift(dict.fromkeys(range(1, 7), True))
    assert game.last(LiftDecided).lifted
    assert left(game) == [(5, Cause.LIFT), (6, Cause.LIFT)]


def test_rule_34_half_or_less_keeps_all() -> None:
    game = lift(5, 6)
    game.lift(dict.fromkeys(range(1, 6), True))
    assert not game.last(LiftDecided).lifted
    assert (left(game), game.step.kind) == ([], StepKind.SHOTS)


def test_rule_34_the_tied_vote_too_and_once() -> None:
    game = lift(5, 6)
    game.accept(c.LiftVote, 5, lift=True)
    assert game.refused(c.LiftVote, 5, lift=False) is RefusalCode.ALREADY_DONE
    assert game.refused(c.Vote, 1, target=5) is RefusalCode.NOT_NOW


def test_a_lift_ends_when_all_have_answered() -> None:
    game = lift(5, 6)
    game.lift(dict.fromkeys(range(1, 11), True))
    assert [event.by for event in game.all(StepClosed) if event.kind is StepKind.LIFT] == ["complete"]


def test_rule_27_who_is_silent_in_a_lift_is_against() -> None:
    game = lift(5, 6)
    game.lift({1: True})
    decided = game.last(LiftDecided)
    assert decided.votes == {1: True} | dict.fromkeys(range(2, 11), False)
    assert decided.defaults == tuple(range(2, 11))
    assert {event.seat for event in game.all(LiftCast) if event.default} == set(decided.defaults)


def test_rule_8_several_who_leave_say_farewell_in_voting_order_each_in_full() -> None:
    game = lift(6, 5)
    game.lift(dict.fromkeys(range(1, 7), True))
    game.until(StepKind.SHOTS)
    assert [(step.seat, step.duration_s) for step in game.called(StepKind.FAREWELL)] == [(6, 60), (5, 60)]


def test_rule_35_everybody_tied_with_everybody_no_lift() -> None:
    game = given(gone=(10, 1, 9, 2, 8)).nominated(3, 4, 5, 6, 7)
    for _ in range(2):
        game.votes({seat: seat for seat in game.state.alive})
    assert game.last(LiftSkipped).reason == "everybody_tied"
    assert game.step.kind is StepKind.SHOTS


@pytest.mark.parametrize("allowed", [False, True])
def test_rule_36_three_of_nine(allowed: bool) -> None:
    game = day_of_nine(5, 6, 7, lift_three_of_nine=allowed)
    for _ in range(2):
        game.votes(split(game, (5, 3), (6, 3), (7, 3)))
    if allowed:
        assert game.until(StepKind.LIFT).candidates == (5, 6, 7)
    else:
        assert game.last(LiftSkipped).reason == "three_of_nine"
        assert isinstance(game.log[-2], NightBegan)


@pytest.mark.parametrize("allowed", [True, False])
def test_rule_37_two_of_four(allowed: bool) -> None:
    game = given(gone=(10, 1, 9, 2, 8, 7, None), lift_two_of_four=allowed).nominated(4, 5)
    for _ in range(2):
        game.votes({3: 4, 4: 5, 5: 4, 6: 5})
    if allowed:
        game.lift(dict.fromkeys((3, 4, 6), True))
        assert game.last(GameEnded).winner is Team.MAFIA, "one against one"
    else:
        assert game.last(LiftSkipped).reason == "two_of_four"


def lift_of_three_of_six(*tied: int) -> Game:
    """Two mafiosi (2, 3) and four of the town (4-7); all vote to lift."""
    game = given(gone=(10, 1, 9, None, 8)).nominated(*tied)
    for _ in range(2):
        game.votes(split(game, *((seat, 2) for seat in tied)))
    game.lift(dict.fromkeys(game.state.alive, True))
    return game


def test_rule_39_a_lift_is_applied_whole_before_parity_is_tested() -> None:
    game = lift_of_three_of_six(4, 5, 2)
    assert game.count(GameEnded) == 0, "two against two on the way, one against two after it"
    assert game.state.alive == (3, 6, 7)


def test_rule_39_town_is_tested_first() -> None:
    game = lift_of_three_of_six(4, 2, 3)
    assert game.last(GameEnded).winner is Team.TOWN


# --- pure counting --------------------------------------------------------------------------------


def test_leaders_keep_the_voting_order() -> None:
    assert ballot.leaders({1: 7, 2: 3, 3: 7, 4: 3}, (7, 9, 3)) == (7, 3)
    assert ballot.leaders({1: 7, 2: 3, 3: 7}, (3, 7)) == (7,)


@pytest.mark.parametrize(("yes", "living", "lifted"), [(5, 10, False), (6, 10, True), (4, 9, False), (5, 9, True)])
def test_lifted_needs_strictly_more_than_half(yes: int, living: int, lifted: bool) -> None:
    seats = tuple(range(1, living + 1))
    assert ballot.lifted(dict.fromkeys(seats[:yes], True), seats) is lifted
