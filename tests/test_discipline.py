"""Fouls, technical fouls, motions, gestures, lost lines and removals (S15-S20, S23)."""

from typing import Any

import pytest
from engine_kit import Game, given

from moderator import commands as c
from moderator import engine
from moderator import events as ev
from moderator.model import SEATS, Cause, MotionKind, Phase, Refusal, RefusalCode, StepKind, Team
from moderator.rules import Rules, Signal


def speaking(seat: int = 1, **options: Any) -> Game:
    """Day 0, this seat has the floor."""
    game = given(**options)
    game.until(StepKind.SPEECH, seat)
    return game


def moved(game: Game, kind: MotionKind, by: int, accused: int | None, yes: int) -> ev.MotionDecided:
    """A motion for which `yes` seats vote, the mover among them; the others are against it."""
    game.accept(c.Move, by, kind=kind, accused=accused)
    voters = [seat for seat in game.state.alive if seat not in (by, accused)]
    for number, seat in enumerate(voters, 2):
        if game.state.motion is not None:
            game.accept(c.VoteMotion, seat, yes=number <= yes)
    return game.last(ev.MotionDecided)


# --- fouls ----------------------------------------------------------------------------------------


def test_s16_the_third_foul_costs_a_speech_and_nothing_else() -> None:
    game = speaking()
    for _ in range(3):
        game.give(c.Warn(at=game.now, seat=5))
    assert [event.costs_speech for event in game.all(ev.Fouled)] == [False, False, True]
    game.until(StepKind.SPEECH, 5)
    assert game.count(ev.SpeechLost) == 1
    assert 5 in game.state.alive


def test_rule_53_in_a_club_the_fourth_foul_removes() -> None:
    game = speaking(fouls_remove_at=4)
    for _ in range(4):
        game.give(c.Warn(at=game.now, seat=5))
    assert (game.last(ev.PlayerLeft).seat, game.last(ev.PlayerLeft).cause) == (5, Cause.FOULS)
    assert game.give(c.Warn(at=game.now, seat=5)) == Refusal(code=RefusalCode.TARGET_NOT_ALIVE)


def test_rule_53_how_many_fouls_cost_a_speech_is_the_tables_choice() -> None:
    game = speaking(fouls_a_speech=1)
    game.accept(c.Interpellate, 5)
    assert game.last(ev.Fouled).costs_speech


def test_who_is_removed_by_an_interpellation_does_not_get_the_floor() -> None:
    game = speaking(fouls_remove_at=1)
    game.accept(c.Interpellate, 5)
    assert game.count(ev.InterpellationOpened) == 0
    assert game.state.left[5] is Cause.FOULS
    assert game.step.seat == 1, "the speaker goes on"


# --- motions --------------------------------------------------------------------------------------


def test_s18_rule_57_a_technical_foul_needs_more_than_half_without_the_accused() -> None:
    assert not moved(speaking(), MotionKind.TECHNICAL_FOUL, 2, 5, yes=4).carried
    game = speaking()
    decided = moved(game, MotionKind.TECHNICAL_FOUL, 2, 5, yes=5)
    assert (decided.carried, decided.electorate) == (True, tuple(seat for seat in SEATS if seat != 5))
    assert (game.last(ev.TechnicalFouled).seat, game.last(ev.TechnicalFouled).count) == (5, 1)
    assert 5 in game.state.alive


@pytest.mark.parametrize(("needs", "enough"), [("majority", 5), ("two_thirds", 6), ("unanimous", 9)])
def test_rule_57_the_thresholds_are_the_tables_choice(needs: str, enough: int) -> None:
    for yes in (enough - 1, enough):
        game = speaking(disqualification_needs=needs)
        assert moved(game, MotionKind.DISQUALIFICATION, 2, 5, yes).carried == (yes == enough)


def test_s17_two_technical_fouls_disqualify() -> None:
    game = speaking()
    moved(game, MotionKind.TECHNICAL_FOUL, 2, 5, yes=9)
    moved(game, MotionKind.TECHNICAL_FOUL, 3, 5, yes=9)
    assert game.state.left[5] is Cause.TECHNICAL_FOULS
    assert 5 not in [step.seat for step in game.called(StepKind.FAREWELL)], "no farewell, no testament"


def test_rule_57_removal_needs_two_thirds() -> None:
    game = speaking()
    assert not moved(game, MotionKind.DISQUALIFICATION, 2, 5, yes=5).carried
    game = speaking()
    assert moved(game, MotionKind.DISQUALIFICATION, 2, 5, yes=6).carried
    assert game.state.left[5] is Cause.DISQUALIFIED


def test_rule_57_one_motion_at_a_time_and_one_a_day_each() -> None:
    game = speaking()
    game.accept(c.Move, 2, kind=MotionKind.STOP, accused=None)
    assert game.refused(c.Move, 3, kind=MotionKind.STOP, accused=None) is RefusalCode.MOTION_RUNNING
    game.wait(10)
    assert not game.last(ev.MotionDecided).carried, "who does not answer is against"
    assert game.refused(c.Move, 2, kind=MotionKind.STOP, accused=None) is RefusalCode.MOVED_TODAY
    assert game.accept(c.Move, 3, kind=MotionKind.STOP, accused=None)


def test_a_motion_names_somebody_in_play_but_not_its_mover() -> None:
    game = given(gone=(10,))
    game.until(StepKind.SPEECH)
    kind = MotionKind.DISQUALIFICATION
    assert game.refused(c.Move, 2, kind=kind, accused=None) is RefusalCode.NO_ACCUSED
    assert game.refused(c.Move, 2, kind=kind, accused=2) is RefusalCode.NOT_ONESELF
    assert game.refused(c.Move, 2, kind=kind, accused=10) is RefusalCode.TARGET_NOT_ALIVE
    assert game.refused(c.VoteMotion, 2, yes=True) is RefusalCode.NO_MOTION


def test_a_motion_is_voted_once_by_everybody_but_the_accused_and_in_its_time() -> None:
    game = speaking()
    game.accept(c.Move, 2, kind=MotionKind.TECHNICAL_FOUL, accused=5)
    assert game.refused(c.VoteMotion, 5, yes=False) is RefusalCode.NOT_NOW
    assert game.refused(c.VoteMotion, 2, yes=False) is RefusalCode.ALREADY_DONE
    assert game.refused(c.VoteMotion, 3, yes=True, at=game.now - 1) is RefusalCode.TOO_EARLY
    assert game.refused(c.VoteMotion, 3, yes=True, at=game.now + 11) is RefusalCode.TOO_LATE


def test_the_speaker_gets_the_time_of_a_motion_back_and_nothing_else_goes_on() -> None:
    game = speaking()
    game.wait(20)
    ends_at = game.step.ends_at
    game.accept(c.Move, 2, kind=MotionKind.TECHNICAL_FOUL, accused=5)
    assert game.refused(c.EndSpeech, 1) is RefusalCode.MOTION_RUNNING
    assert game.refused(c.Nominate, 1, target=5, at=game.now + 1) is RefusalCode.MOTION_RUNNING
    assert game.accept(c.Nominate, 1, target=5), "said before the motion, understood after it"
    assert game.refused(c.Interpellate, 7, at=game.now + 1) is RefusalCode.MOTION_RUNNING
    game.wait(10)
    assert ends_at is not None
    assert game.step.ends_at == ends_at + 10


def test_no_motion_at_night_nor_in_a_ballot() -> None:
    game = given()
    game.until(StepKind.MEETING)
    assert game.refused(c.Move, 5, kind=MotionKind.STOP, accused=None) is RefusalCode.NOT_NOW
    game.nominated(5, 6)
    assert game.refused(c.Move, 5, kind=MotionKind.STOP, accused=None) is RefusalCode.NOT_NOW


def test_s20_rule_58_a_stop_that_names_a_culprit_is_the_victory_of_the_other_team() -> None:
    for culprit, winner in ((2, Team.TOWN), (5, Team.MAFIA)):
        game = speaking()
        moved(game, MotionKind.STOP, 1, culprit, yes=6)
        end = game.last(ev.GameEnded)
        assert (end.winner, end.reason, end.culprit) == (winner, "opponent_victory", culprit)


def test_rule_58_a_stop_without_a_culprit_has_no_result() -> None:
    game = speaking()
    moved(game, MotionKind.STOP, 1, None, yes=7)
    assert (game.last(ev.GameEnded).winner, game.last(ev.GameEnded).reason) == (None, "stopped")
    assert set(game.last(ev.Scored).points["classic"].values()) == {0.0}


def test_a_departure_voids_the_motion_which_may_be_moved_again() -> None:
    game = speaking()
    game.accept(c.Move, 2, kind=MotionKind.TECHNICAL_FOUL, accused=5)
    game.accept(c.GiveUp, 9)
    assert (game.last(ev.MotionDecided).void, game.state.motion) == (True, None)
    assert game.accept(c.Move, 2, kind=MotionKind.TECHNICAL_FOUL, accused=5)


# --- gestures -------------------------------------------------------------------------------------


def test_s23_a_signal_is_heard_by_all_and_not_too_often() -> None:
    game = speaking()
    game.accept(c.GiveSignal, 5, signal="agree")
    assert game.last(ev.SignalGiven).signal == "agree"
    assert game.refused(c.GiveSignal, 5, signal="agree") is RefusalCode.TOO_SOON
    assert game.accept(c.GiveSignal, 6, signal="disagree")
    assert game.refused(c.GiveSignal, 7, signal="wave") is RefusalCode.UNKNOWN_SIGNAL


def test_s23_the_forbidden_one_opens_a_motion() -> None:
    game = speaking(signals=(Signal(name="wave"), Signal(name="throat", forbidden=True)))
    game.accept(c.GiveSignal, 5, signal="throat")
    motion = game.state.motion
    assert motion is not None
    assert (motion.kind, motion.by, motion.accused) == (MotionKind.TECHNICAL_FOUL, None, 5)


def test_s23_no_signal_at_night() -> None:
    game = given()
    game.until(StepKind.MEETING)
    assert game.refused(c.GiveSignal, 5, signal="agree") is RefusalCode.NOT_NOW


# --- removals and the vote ------------------------------------------------------------------------


def test_rule_40_a_removal_cancels_the_vote_of_the_day() -> None:
    game = speaking(3)
    game.accept(c.Nominate, 3, target=5)
    game.give(c.Remove(at=game.now, seat=8))
    assert game.step.seat == 3, "the speech goes on"
    game.until(StepKind.SHOTS)
    assert (game.count(ev.VoteCancelled), game.count(ev.BallotCounted)) == (1, 0)
    game.nominated(5, 6)
    assert game.step.kind is StepKind.BALLOT, "only that one"


@pytest.mark.parametrize("kind", [StepKind.BALLOT, StepKind.SPLIT_SPEECH, StepKind.LIFT])
def test_rule_40_a_removal_cancels_the_vote_that_is_running(kind: StepKind) -> None:
    game = given().nominated(5, 6)
    while game.step.kind is not kind:
        if game.step.kind is StepKind.BALLOT:
            game.votes({seat: 5 if seat <= 5 else 6 for seat in SEATS})
        else:
            game.pass_step()
    game.open()
    game.give(c.Remove(at=game.now, seat=8))
    assert (game.count(ev.VoteCancelled), game.step.kind) == (1, StepKind.SHOTS)
    assert game.state.ballots == game.state.lift_ballots == {}


def test_rule_40_once_the_result_is_known_the_next_days_vote_is_cancelled() -> None:
    game = given().nominated(5, 6)
    game.votes(dict.fromkeys(SEATS, 6))
    assert game.step.kind is StepKind.FAREWELL
    game.give(c.Remove(at=game.now, seat=8))
    assert game.step.kind is StepKind.FAREWELL
    game.until(StepKind.SPEECH)
    game.nominations([(game.step.seat or 0, 9)])
    game.until(StepKind.SHOTS)
    assert game.count(ev.VoteCancelled) == 1
    assert 9 in game.state.alive


def test_rule_41_who_is_removed_in_his_farewell_cancels_nothing() -> None:
    for by_vote in (True, False):
        game = given().nominated(5, 6) if by_vote else given(gone=(6,))
        if by_vote:
            game.votes(dict.fromkeys(SEATS, 6))
        game.until(StepKind.FAREWELL, 6)
        game.give(c.Remove(at=game.now, seat=6))
        assert game.last(ev.FarewellLost).seat == 6
        assert game.step.kind is not StepKind.FAREWELL
        assert not game.state.cancels_vote


def test_a_removed_speaker_gives_way_to_the_next() -> None:
    game = speaking(3)
    game.accept(c.GiveUp, 3)
    assert (game.state.left[3], game.step.seat) == (Cause.GAVE_UP, 4)
    assert game.last(ev.StepClosed).by == "removal"


def test_a_removed_interpellator_loses_the_floor() -> None:
    game = speaking(3)
    game.accept(c.Interpellate, 7)
    game.give(c.Remove(at=game.now, seat=7))
    assert game.state.interpellation is None


@pytest.mark.parametrize("seat", [1, 5])
def test_rule_60_a_removal_tests_parity_at_once(seat: int) -> None:
    game = given(gone=(10, 2, 9, 3)) if seat == 1 else given(gone=(10, 9, 8))
    game.until(StepKind.SPEECH)
    game.give(c.Remove(at=game.now, seat=seat))
    assert game.last(ev.GameEnded).winner is (Team.TOWN if seat == 1 else Team.MAFIA)
    assert [type(event) for event in game.log[-3:]] == [ev.GameEnded, ev.RolesRevealed, ev.Scored]


# --- lost lines -----------------------------------------------------------------------------------


def test_s19_rule_59_away_for_fifteen_seconds_is_removed() -> None:
    game = speaking(3, reconnection_pauses=0)
    game.give(c.Absent(at=game.now, seat=5))
    game.wait(14.9)
    assert 5 in game.state.alive
    game.wait(0.2)
    assert (game.last(ev.PlayerLeft).seat, game.last(ev.PlayerLeft).cause) == (5, Cause.ABSENT)
    assert game.last(ev.PlayerLeft).at == game.last(ev.WentAbsent).removed_at


def test_rule_59_who_comes_back_in_time_stays() -> None:
    game = speaking(3, reconnection_pauses=0)
    game.give(c.Absent(at=game.now, seat=5))
    game.wait(10)
    game.give(c.Return(at=game.now, seat=5))
    game.wait(30)
    assert 5 in game.state.alive


def test_rule_59_the_first_lost_line_of_a_game_pauses_the_table() -> None:
    game = speaking(3)
    left_s = (game.step.ends_at or 0) - game.now
    game.give(c.Absent(at=game.now, seat=3))
    assert (game.last(ev.Suspended).waits_for, game.state.suspended_at) == (3, game.now)
    assert game.refused(c.Nominate, 3, target=4) is RefusalCode.SUSPENDED
    game.wait(6)
    game.give(c.Return(at=game.now, seat=3))
    assert game.state.suspended_at is None
    assert (game.step.ends_at or 0) - game.now == left_s, "not a second more, not a second less"
    game.give(c.Absent(at=game.now, seat=4))
    assert game.state.suspended_at is None, "one a game"


def test_rule_59_the_pause_ends_after_fifteen_seconds_whoever_is_missing() -> None:
    game = speaking(3, away_s=60)
    game.give(c.Absent(at=game.now, seat=5))
    game.wait(15)
    assert (game.last(ev.Resumed).pause_s, game.state.suspended_at) == (15, None)
    assert 5 in game.state.alive
    game.wait(45)
    assert game.state.left[5] is Cause.ABSENT


def test_rule_59_where_the_service_stood_still_nobody_is_removed_for_it() -> None:
    game = speaking(3, reconnection_pauses=0)
    game.give(c.Absent(at=game.now, seat=5))
    game.give(c.Suspend(at=game.now))
    game.give(c.Resume(at=game.now + 100))
    game.now += 100
    game.give(c.Return(at=game.now + 1, seat=5))
    assert 5 in game.state.alive


def test_an_absence_said_twice_or_of_somebody_who_left_changes_nothing() -> None:
    game = given(gone=(10,))
    game.until(StepKind.SPEECH)
    assert game.give(c.Absent(at=game.now, seat=10)) == Refusal(code=RefusalCode.TARGET_NOT_ALIVE)
    game.give(c.Absent(at=game.now, seat=5))
    assert game.give(c.Absent(at=game.now, seat=5)) == []
    assert game.give(c.Return(at=game.now, seat=6)) == []


def test_an_absence_at_night_is_removed_there_and_the_night_keeps_its_length() -> None:
    here, away = given(reconnection_pauses=0), given(reconnection_pauses=0)
    for game in (here, away):
        game.until(StepKind.SHOTS)
        began = game.now
        if game is away:
            game.give(c.Absent(at=game.now - 14, seat=4))
        while game.state.phase is Phase.NIGHT:
            game.pass_step()
        assert game.now - began == pytest.approx(25)
    assert away.state.left[4] is Cause.ABSENT
    assert away.state.cancels_vote


# --- orders from outside --------------------------------------------------------------------------


def test_an_order_of_speech_can_be_set_for_the_day_that_comes() -> None:
    game = given()
    game.give(c.SetOrder(at=0, order=(7, 3, 7)))
    game.until(StepKind.SPEECH)
    assert game.last(ev.DayBegan).order == (7, 3, 1, 2, 4, 5, 6, 8, 9, 10)
    assert game.give(c.SetOrder(at=game.now, order=(1,))) == Refusal(code=RefusalCode.NOT_NOW)
    game.until(StepKind.SHOTS)
    game.until(StepKind.SPEECH)
    assert game.last(ev.DayBegan).order[0] == 8, "after seat 7, who opened"


def test_the_organiser_stops_a_game_even_while_it_is_suspended() -> None:
    game = speaking()
    game.give(c.Suspend(at=game.now))
    game.give(c.Stop(at=game.now + 5, culprit=None))
    assert game.state.over
    assert engine.replay(game.log).error is None


def test_the_defaults_are_those_of_the_law() -> None:
    rules = Rules()
    needs = (rules.technical_foul_needs, rules.disqualification_needs, rules.stop_needs)
    assert needs == ("majority", "two_thirds", "two_thirds")
    assert (rules.technical_fouls_remove_at, rules.fouls_a_speech, rules.fouls_remove_at) == (2, 3, None)
    assert (rules.away_s, rules.reconnection_pauses, rules.reconnection_pause_s) == (15, 1, 15)
    assert sum(signal.forbidden for signal in rules.signals) == 1
