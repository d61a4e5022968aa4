"""Nominations (15-20), farewells (42-48), interpellations and fouls (52-55)."""

from typing import Any

import pytest
from engine_kit import Game, given

from moderator import commands as c
from moderator import events as ev
from moderator.events import (
    CrownGiven,
    Fouled,
    InterpellationClosed,
    InterpellationOpened,
    Nominated,
    NominationWithdrawn,
    SpeechLost,
    TimeWarned,
)
from moderator.model import RefusalCode, StepKind


def speech(seat: int = 1, **options: Any) -> Game:
    game = given(**options)
    game.until(StepKind.SPEECH, seat)
    return game


def farewell(seat: int = 10, **options: Any) -> Game:
    game = given(gone=(seat,), **options)
    game.until(StepKind.FAREWELL, seat)
    return game


# --- nominations ----------------------------------------------------------------------------------


def test_rule_15_one_nomination_a_day() -> None:
    game = speech()
    game.accept(c.Nominate, 1, target=5)
    assert game.refused(c.Nominate, 1, target=6) is RefusalCode.ALREADY_DONE
    assert game.state.nominations == ((1, 5),)


def test_rule_15_the_next_day_starts_empty() -> None:
    game = given()
    game.nominations([(1, 5)])
    game.shot(None)
    game.until(StepKind.SPEECH, 2)
    assert game.state.candidates == ()
    game.accept(c.Nominate, 2, target=5)


def test_rule_16_a_name_already_on_the_list_leaves_the_speaker_his_right() -> None:
    game = given()
    game.nominations([(1, 5)])
    game.until(StepKind.SPEECH, 2)
    assert game.refused(c.Nominate, 2, target=5) is RefusalCode.ALREADY_NOMINATED
    game.accept(c.Nominate, 2, target=6)
    assert game.state.candidates == (5, 6)


def test_nobody_nominates_a_player_who_is_out() -> None:
    game = given(gone=(10,))
    game.until(StepKind.SPEECH, 2)
    assert game.refused(c.Nominate, 2, target=10) is RefusalCode.TARGET_NOT_ALIVE


def test_rule_18_oneself_is_allowed() -> None:
    game = speech(7)
    game.accept(c.Nominate, 7, target=7)
    assert game.last(Nominated).target == 7


def test_rule_19_a_nomination_is_withdrawn_inside_ones_own_speech() -> None:
    game = speech()
    assert game.refused(c.Withdraw, 1) is RefusalCode.NOTHING_TO_WITHDRAW
    game.accept(c.Nominate, 1, target=5)
    game.accept(c.Withdraw, 1)
    assert (game.last(NominationWithdrawn).by, game.last(NominationWithdrawn).target) == (1, 5)
    game.accept(c.Nominate, 1, target=6)
    game.accept(c.EndSpeech, 1)
    game.open()
    assert game.refused(c.Withdraw, 1) is RefusalCode.NOT_YOUR_TURN
    assert game.refused(c.Withdraw, 2) is RefusalCode.NOTHING_TO_WITHDRAW
    assert game.state.candidates == (6,)


def test_rule_19_a_withdrawn_name_is_free_and_comes_last_when_named_again() -> None:
    game = given()
    game.nominations([(1, 5)])
    game.until(StepKind.SPEECH, 2)
    game.accept(c.Nominate, 2, target=6)
    game.accept(c.Withdraw, 2)
    game.accept(c.EndSpeech, 2)
    game.nominations([(3, 7), (4, 6)])
    assert game.state.candidates == (5, 7, 6)


def test_rule_19_replace_takes_the_new_name_for_the_old() -> None:
    game = speech(withdrawal="replace")
    game.accept(c.Nominate, 1, target=5)
    events = game.accept(c.Nominate, 1, target=6)
    assert [type(event) for event in events] == [NominationWithdrawn, Nominated]
    assert game.state.candidates == (6,)


def test_rule_19_none_lets_nothing_be_taken_back() -> None:
    game = speech(withdrawal="none")
    game.accept(c.Nominate, 1, target=5)
    assert game.refused(c.Withdraw, 1) is RefusalCode.NOTHING_TO_WITHDRAW
    assert game.refused(c.Nominate, 1, target=6) is RefusalCode.ALREADY_DONE


def test_rule_20_no_nomination_in_another_speech() -> None:
    game = speech(2)
    assert game.refused(c.Nominate, 1, target=5) is RefusalCode.NOT_YOUR_TURN


def test_rule_20_no_nomination_in_an_interpellation() -> None:
    game = speech(2)
    game.accept(c.Interpellate, 5)
    assert game.refused(c.Nominate, 5, target=6) is RefusalCode.NOT_YOUR_TURN


def test_rule_20_no_nomination_in_a_split_speech_or_a_farewell() -> None:
    game = given()
    game.nominations([(1, 5), (2, 6)])
    game.votes({1: 5, 2: 5, 3: 5, 4: 5, 5: 5})
    game.until(StepKind.SPLIT_SPEECH, 5)
    assert game.refused(c.Nominate, 5, target=7) is RefusalCode.NOT_NOW
    assert farewell().refused(c.Nominate, 10, target=7) is RefusalCode.NOT_NOW


def test_rule_20_where_the_club_wants_it_a_player_shot_at_night_nominates_in_his_farewell() -> None:
    game = farewell(night_killed_nominates=True)
    game.accept(c.Nominate, 10, target=7)
    game.accept(c.Withdraw, 10)
    game.accept(c.Nominate, 10, target=8)
    assert game.refused(c.Nominate, 10, target=9) is RefusalCode.ALREADY_DONE
    game.until(StepKind.SPEECH)
    assert game.state.candidates == (8,)


def test_rule_20_a_player_voted_out_never_nominates() -> None:
    game = given(gone=(10, 9), night_killed_nominates=True)
    game.until(StepKind.FAREWELL, 9)
    assert game.refused(c.Nominate, 9, target=7) is RefusalCode.NOT_NOW


# --- farewells ------------------------------------------------------------------------------------


def test_rule_42_everyone_shot_or_voted_out_gives_a_testament_in_his_farewell() -> None:
    game = given(gone=(10, 9))
    game.until(StepKind.FAREWELL, 9)
    game.accept(c.GiveTestament, 9, suspects=(1, 2))
    assert game.last(ev.TestamentGiven).suspects == (1, 2)
    assert game.refused(c.GiveTestament, 10, suspects=(1,)) is RefusalCode.NOT_ALIVE
    assert game.refused(c.GiveTestament, 3, suspects=(1,)) is RefusalCode.NOT_YOUR_TURN


def test_rule_42_the_last_testament_given_stands() -> None:
    game = farewell()
    game.accept(c.GiveTestament, 10, suspects=(1,))
    game.accept(c.GiveTestament, 10, suspects=(2, 3))
    assert [event.suspects for event in game.all(ev.TestamentGiven)] == [(1,), (2, 3)]


def test_rule_43_three_names_each_once_never_oneself_also_of_players_who_are_out() -> None:
    game = given(gone=(10, 9))
    game.until(StepKind.FAREWELL, 9)
    game.accept(c.GiveTestament, 9, suspects=(9, 10, 3, 10, 2, 1))
    assert game.last(ev.TestamentGiven).suspects == (10, 3, 2)


def test_rule_43_a_testament_may_be_empty() -> None:
    game = farewell()
    game.accept(c.GiveTestament, 10, suspects=())
    assert game.last(ev.TestamentGiven).suspects == ()


def test_rule_47_one_crown_to_a_living_player_not_oneself() -> None:
    game = given(gone=(10, 9))
    game.until(StepKind.FAREWELL, 9)
    assert game.refused(c.GiveCrown, 9, to=9) is RefusalCode.NOT_ONESELF
    assert game.refused(c.GiveCrown, 9, to=10) is RefusalCode.TARGET_NOT_ALIVE
    assert game.refused(c.GiveCrown, 5, to=6) is RefusalCode.NOT_YOUR_TURN
    game.accept(c.GiveCrown, 9, to=4)
    assert (game.last(CrownGiven).by, game.last(CrownGiven).to) == (9, 4)


def test_rule_48_nothing_that_is_said_of_a_departure_tells_a_role() -> None:
    """The same departure of a citizen and of a mafioso reads the same, its seconds included."""
    citizen, mafioso = given(gone=(5,)), given(gone=(3,))
    for game in (citizen, mafioso):
        game.until(StepKind.SPEECH)
    assert [event.type for event in citizen.log] == [event.type for event in mafioso.log]
    assert [event.at for event in citizen.log] == [event.at for event in mafioso.log]


def test_who_left_says_nothing_outside_his_farewell() -> None:
    game = farewell()
    assert game.refused(c.Vote, 10, target=1) is RefusalCode.NOT_NOW
    assert game.refused(c.Shoot, 10, target=1) is RefusalCode.NOT_NOW
    assert game.refused(c.Interpellate, 10) is RefusalCode.NOT_NOW
    game.until(StepKind.SPEECH)
    assert game.refused(c.Nominate, 10, target=1) is RefusalCode.NOT_ALIVE
    assert game.refused(c.GiveCrown, 10, to=1) is RefusalCode.NOT_ALIVE
    assert game.refused(c.Interpellate, 10) is RefusalCode.NOT_ALIVE
    assert game.refused(c.EndSpeech, 10) is RefusalCode.NOT_ALIVE


def test_a_farewell_ends_early_or_is_warned_like_a_speech() -> None:
    game = farewell()
    game.wait(55)
    assert game.last(TimeWarned).seat == 10
    game.accept(c.EndSpeech, 10)
    assert game.step.kind is StepKind.SPEECH


# --- interpellations and fouls --------------------------------------------------------------------


def foul(game: Game, seat: int, times: int = 1) -> None:
    """During the open speech of somebody else."""
    for _ in range(times):
        game.accept(c.Interpellate, seat)
        game.accept(c.EndSpeech, seat)


def test_s15_rule_55_an_interpellation_costs_a_foul_and_gives_five_seconds() -> None:
    game = speech(2)
    game.wait(20)
    events = game.accept(c.Interpellate, 7)
    assert [type(event) for event in events] == [Fouled, InterpellationOpened]
    assert (game.last(Fouled).seat, game.last(Fouled).count) == (7, 1)
    assert game.last(InterpellationOpened).ends_at == game.now + 5
    game.wait(5)
    assert game.last(InterpellationClosed).seat == 7
    assert game.state.interpellation is None
    assert game.state.fouls == {7: 1}


def test_rule_55_the_interrupted_speaker_gets_the_time_back() -> None:
    game = speech(2)
    ends_at = game.step.ends_at
    assert ends_at is not None
    game.wait(58)
    game.accept(c.Interpellate, 7)
    game.wait(2)
    game.accept(c.EndSpeech, 7)
    assert game.step.ends_at == pytest.approx(ends_at + 2)
    game.accept(c.Interpellate, 8)
    game.give(c.Tick(at=game.now + 5.5))
    assert game.step.ends_at == pytest.approx(ends_at + 2 + 5.5), "a late tick takes nothing from the speaker"


def test_rule_55_without_pause_the_speech_goes_on_under_it() -> None:
    game = speech(2, interpellation_pauses=False)
    ends_at = game.step.ends_at
    game.wait(58)
    game.accept(c.Interpellate, 7)
    assert game.step.ends_at == ends_at
    game.wait(2)
    assert (game.state.interpellation, game.step.seat) == (None, 3)


def test_rule_55_one_at_a_time() -> None:
    game = speech(2)
    game.accept(c.Interpellate, 7)
    assert game.refused(c.Interpellate, 8) is RefusalCode.FLOOR_TAKEN
    assert game.refused(c.Interpellate, 7) is RefusalCode.FLOOR_TAKEN
    assert game.state.fouls == {7: 1}


def test_rule_55_not_by_the_speaker_himself() -> None:
    assert speech(2).refused(c.Interpellate, 2) is RefusalCode.NOT_NOW


def test_rule_55_in_split_speeches_but_not_in_votes_farewells_or_nights() -> None:
    game = given()
    game.nominations([(1, 5), (2, 6)])
    game.until(StepKind.BALLOT)
    assert game.refused(c.Interpellate, 7) is RefusalCode.NOT_NOW
    game.votes({1: 5, 2: 5, 3: 5, 4: 5, 5: 5})
    game.until(StepKind.SPLIT_SPEECH)
    game.accept(c.Interpellate, 7)
    game.until(StepKind.BALLOT)
    game.votes({})
    game.until(StepKind.FAREWELL, 6)
    assert game.refused(c.Interpellate, 7) is RefusalCode.NOT_NOW
    for kind in (StepKind.SHOTS, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK):
        game.until(kind)
        assert game.refused(c.Interpellate, 7) is RefusalCode.NOT_NOW


def test_rule_55_the_speaker_may_end_his_speech_under_an_interpellation() -> None:
    game = speech(2)
    game.accept(c.Interpellate, 7)
    game.accept(c.EndSpeech, 2)
    assert (game.state.interpellation, game.step.seat) == (None, 3)


def test_rule_52_the_third_foul_leaves_ten_seconds_for_a_nomination() -> None:
    game = speech(2)
    foul(game, 7, 3)
    step = game.until(StepKind.SPEECH, 7)
    assert (step.lost, step.duration_s) == (True, 10)
    assert game.last(SpeechLost).seat == 7
    game.accept(c.Nominate, 7, target=1)
    game.pass_step()
    assert game.until(StepKind.SPEECH, 8).lost is False


def test_rule_52_thirty_seconds_when_three_or_four_are_alive() -> None:
    game = given(gone=(10, 1, 9, 2, 8))
    assert len(game.state.alive) == 5
    game.until(StepKind.SPEECH, 5)
    foul(game, 4, 3)
    game.voted_out(7)
    game.shot(None)
    assert len(game.state.alive) == 4
    step = game.until(StepKind.SPEECH, 4)
    assert (step.lost, step.duration_s) == (False, 30)
    assert game.last(SpeechLost).seat == 4


def test_rule_52_farewell_and_split_speech_stay() -> None:
    game = speech(8)
    foul(game, 5, 3)
    game.nominations([(9, 5), (10, 6)])
    game.votes({1: 5, 2: 5, 3: 5, 4: 5, 5: 5})
    assert game.until(StepKind.SPLIT_SPEECH, 5).duration_s == 30
    game.votes(dict.fromkeys(range(1, 8), 5))
    step = game.until(StepKind.FAREWELL, 5)
    assert (step.lost, step.duration_s) == (False, 60)
    assert game.state.owed == ()


def test_rule_53_every_third_foul_costs_a_speech_and_nobody_is_removed() -> None:
    game = speech(2)
    foul(game, 7, 6)
    assert 7 in game.state.alive
    lost = []
    for _ in range(3):
        lost.append(game.until(StepKind.SPEECH, 7).lost)
        game.until(StepKind.SHOTS)
    assert lost == [True, True, False]


def test_rule_54_after_ones_own_speech_it_costs_that_of_the_next_day() -> None:
    game = speech(8)
    foul(game, 7, 3)
    game.shot(None)
    assert game.until(StepKind.SPEECH, 7).lost is True
    assert game.state.day == 1
