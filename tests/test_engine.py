"""The order of play (rules 1-14) and the clock."""

import pytest
from engine_kit import MAFIA, ROLES, Game, given, silent

from moderator import commands as c
from moderator import engine
from moderator.events import (
    DayBegan,
    Event,
    GameEnded,
    GameOpened,
    NightBegan,
    NightEnded,
    PlayerLeft,
    RoleDealt,
    RolesRevealed,
    Scored,
    StepCalled,
    StepClosed,
    StepOpened,
    TimeCredited,
    TimeWarned,
)
from moderator.flow import order_of_speech
from moderator.model import SEATS, Phase, Refusal, RefusalCode, Role, StepKind, Team
from moderator.rules import Rules
from moderator.state import GameState


def deal(roles: dict[int, Role]) -> c.Deal:
    return c.Deal(at=0, game="test", rules=Rules(), roles=roles)


# --- S1, S2: table and deal -----------------------------------------------------------------------


def test_s2_each_seat_learns_its_role_and_the_mafia_one_another() -> None:
    dealt = {event.seat: event for event in given().all(RoleDealt)}
    assert {seat: event.role for seat, event in dealt.items()} == ROLES
    assert dealt[2].mates == {1: Role.DON, 3: Role.MAFIOSO}
    assert all(not dealt[seat].mates for seat in SEATS if seat not in MAFIA)


@pytest.mark.parametrize(
    "roles",
    [
        {},
        dict.fromkeys(SEATS, Role.CIVILIAN),
        {**ROLES, 5: Role.DON},
        {seat: role for seat, role in ROLES.items() if seat != 10},
    ],
)
def test_s1_another_deal_than_six_one_two_one_is_refused(roles: dict[int, Role]) -> None:
    assert engine.decide(GameState(), deal(roles)) == Refusal(code=RefusalCode.BAD_DEAL)


def test_a_game_is_dealt_once_and_nothing_happens_before() -> None:
    assert engine.decide(GameState(), c.Tick(at=1)) == Refusal(code=RefusalCode.NOT_STARTED)
    assert engine.next_at(GameState()) is None
    assert engine.decide(given().state, deal(ROLES)) == Refusal(code=RefusalCode.ALREADY_STARTED)


# --- order of play --------------------------------------------------------------------------------


def test_rule_1_the_first_night_has_the_meeting_and_the_greeting_and_no_shots() -> None:
    game = given()
    game.until(StepKind.SPEECH)
    assert [step.kind for step in game.called()] == [
        StepKind.DEAL,
        StepKind.MEETING,
        StepKind.GREETING,
        StepKind.SPEECH,
    ]
    assert [event.night for event in game.all(NightBegan)] == [0]


def test_rule_1_the_first_shots_come_in_night_1() -> None:
    game = given()
    game.until(StepKind.SHOTS)
    assert (game.state.night, game.state.day) == (1, 0)


def test_rule_2_the_meeting_always_takes_its_full_time() -> None:
    game = given()
    step = game.until(StepKind.MEETING)
    assert step.ends_at == game.now + 60
    for seat in SEATS:
        assert game.refused(c.EndSpeech, seat) is RefusalCode.NOT_NOW
    game.wait(59.9)
    assert game.called()[-1].kind is StepKind.MEETING
    game.wait(0.1)
    assert game.called()[-1].kind is StepKind.GREETING


def test_a_step_of_no_length_passes_at_once() -> None:
    game = given(greeting_s=0)
    game.until(StepKind.MEETING)
    game.pass_step()
    game.open()
    assert (game.step.kind, game.step.seat) == (StepKind.SPEECH, 1)


def test_rule_3_seat_1_opens_day_0_and_speech_goes_round_the_table() -> None:
    game = given()
    game.until(StepKind.SHOTS)
    assert [step.seat for step in game.called(StepKind.SPEECH)] == list(SEATS)
    assert game.all(DayBegan)[0].order == SEATS


def test_rule_4_the_next_living_seat_opens_the_next_day() -> None:
    game = given(gone=(10,))
    assert game.last(DayBegan).order == (2, 3, 4, 5, 6, 7, 8, 9, 1)


def test_rule_4_yesterdays_opener_need_not_be_alive() -> None:
    game = given(gone=(10, 2, 9))
    assert game.last(DayBegan).order[0] == 3


def test_rule_4_after_the_last_seat_the_first_opens() -> None:
    game = given(quiet_rounds=10)
    for _ in range(9):
        game.shot(None)
    assert [event.order[0] for event in game.all(DayBegan)] == list(SEATS)
    assert order_of_speech(game.state) == SEATS


def test_rule_5_a_player_shot_last_night_neither_opens_nor_speaks() -> None:
    game = given(gone=(2,), roles={**ROLES, 2: Role.CIVILIAN, 5: Role.MAFIOSO})
    assert game.last(DayBegan).order == (3, 4, 5, 6, 7, 8, 9, 10, 1)


def test_rule_6_the_morning_announces_the_night_then_the_farewell_then_speeches() -> None:
    game = given(gone=(10,))
    ended = game.log.index(game.last(NightEnded))
    assert [type(event) for event in game.log[ended:]] == [NightEnded, PlayerLeft, DayBegan, StepCalled]
    assert (game.step.kind, game.step.seat) == (StepKind.FAREWELL, 10)
    game.pass_step()
    assert (game.step.kind, game.step.seat) == (StepKind.SPEECH, 2)


@pytest.mark.parametrize(("speech_s", "split_s", "farewell_s"), [(60, 30, 60), (25, 12, 25)])
def test_rule_7_lengths_come_from_the_rules(speech_s: float, split_s: float, farewell_s: float) -> None:
    game = given(speech_s=speech_s, split_s=split_s, farewell_s=farewell_s)
    game.nominations([(1, 5), (2, 6)])
    game.votes({1: 5, 2: 5, 3: 5, 4: 5, 5: 5, 6: 6, 7: 6, 8: 6, 9: 6, 10: 6})
    game.until(StepKind.SPLIT_SPEECH)
    game.votes(dict.fromkeys(SEATS, 5))
    game.until(StepKind.FAREWELL)
    lengths = {step.kind: step.duration_s for step in game.called()}
    assert lengths[StepKind.SPEECH] == speech_s
    assert lengths[StepKind.SPLIT_SPEECH] == split_s
    assert lengths[StepKind.FAREWELL] == farewell_s


def test_rule_13_the_departure_that_ends_the_game_has_no_farewell() -> None:
    game = given(gone=(10, 1, 9, 2, 8, 3))
    assert game.last(GameEnded).winner is Team.TOWN
    assert game.last(GameEnded).reason == "mafia_gone"
    assert 3 not in [step.seat for step in game.called(StepKind.FAREWELL)]


def test_rule_13_final_speech_gives_it_one_and_then_ends() -> None:
    game = given(gone=(10, 1, 9, 2, 8, 3), final_speech=True)
    assert (game.step.kind, game.step.seat) == (StepKind.FAREWELL, 3)
    assert game.count(GameEnded) == 0
    game.pass_step()
    assert game.last(GameEnded).winner is Team.TOWN


def test_rule_13_final_speech_after_a_shot() -> None:
    game = given(gone=(10, 9, 8, 7), final_speech=True)
    assert game.step.kind is StepKind.FAREWELL
    game.pass_step()
    assert game.last(GameEnded).winner is Team.MAFIA


def test_the_end_tells_the_winner_then_the_roles_then_the_points() -> None:
    game = given(gone=(10, 9, 8, 7))
    assert [type(event) for event in game.log[-3:]] == [GameEnded, RolesRevealed, Scored]
    assert game.last(RolesRevealed).roles == ROLES
    assert (game.state.phase, game.state.step, engine.next_at(game.state)) == (Phase.OVER, None, None)
    assert game.give(c.Tick(at=game.now + 1)) == Refusal(code=RefusalCode.OVER)
    assert game.refused(c.Vote, 1, target=2) is RefusalCode.OVER


def test_s21_both_systems_pay_the_win() -> None:
    def wins(game: Game, system: str) -> dict[int, float]:
        lines = game.last(Scored).lines[system]
        return {seat: line.value for seat in lines for line in lines[seat] if line.reason == "win"}

    mafia_won, town_won = given(gone=(10, 9, 8, 7)), given(gone=(10, 1, 9, 2, 8, 3))
    assert wins(mafia_won, "classic") == dict.fromkeys((1, 2, 3), 1.0)
    assert wins(mafia_won, "max_mafia") == dict.fromkeys((1, 2, 3), 0.85)
    assert wins(town_won, "classic") == dict.fromkeys(range(4, 11), 1.0)
    assert wins(town_won, "max_mafia") == dict.fromkeys(range(4, 11), 1.35)


def test_rule_14_three_quiet_nights_and_days_are_a_draw() -> None:
    game = silent()
    assert (game.last(GameEnded).winner, game.last(GameEnded).reason) == (None, "quiet_draw")
    assert [event.night for event in game.all(NightEnded)] == [1, 2, 3]
    assert game.state.day == 2
    assert set(game.last(Scored).points["classic"].values()) == {0.0, -0.5}, "the town's, and the mafia's three misses"


def test_rule_14_a_departure_starts_the_count_again() -> None:
    game = given(gone=(None, None, 10))
    while not game.state.over:
        game.pass_step()
    assert game.state.night == 5, "day 2, night 3, day 3, night 4, day 4, night 5 were quiet"
    assert game.state.quiet == 6


def test_rule_14_a_draw_at_the_end_of_a_day_comes_before_night_falls() -> None:
    game = given(gone=(10, 9, None), quiet_rounds=1)
    while not game.state.over:
        game.pass_step()
    assert [event.type for event in game.log[-4:]] == ["vote_skipped", "game_ended", "roles_revealed", "scored"]
    assert game.state.night == 2


def test_rule_14_a_draw_after_a_night_comes_in_the_morning() -> None:
    game = given(gone=(10,), quiet_rounds=1)
    game.shot(None)
    assert [event.type for event in game.log[-4:]] == ["night_ended", "game_ended", "roles_revealed", "scored"]


# --- the clock ------------------------------------------------------------------------------------


def test_the_time_of_a_step_starts_when_its_call_was_heard() -> None:
    game = given()
    game.until(StepKind.MEETING)
    game.pass_step()
    game.pass_step()
    assert game.step.opened_at is None
    game.give(c.Open(at=game.now + 4.5))
    assert game.step.ends_at == pytest.approx(game.now + 60)
    opened = game.last(StepOpened)
    assert (opened.kind, opened.seat, opened.ends_at) == (StepKind.SPEECH, 1, game.step.ends_at)


def test_a_second_confirmation_changes_nothing() -> None:
    game = given()
    game.until(StepKind.SPEECH)
    assert game.give(c.Open(at=game.now + 5)) == []


def test_a_confirmation_of_the_step_before_does_not_open_the_next() -> None:
    game = given()
    game.until(StepKind.SPEECH)
    game.wait(10)
    stale = c.Open(at=game.now - 5)
    game.accept(c.EndSpeech, 1)
    assert game.give(stale) == []
    assert game.step.opened_at is None


def test_a_call_that_nobody_confirms_opens_by_itself() -> None:
    game = given(open_within_s=30)
    assert engine.next_at(game.state) == 30
    assert game.give(c.Tick(at=29)) == []
    game.give(c.Tick(at=30))
    assert game.step.opened_at == 30


def test_early_late_and_double_ticks_change_nothing() -> None:
    game = given()
    game.until(StepKind.SPEECH)
    due_at = engine.next_at(game.state)
    assert due_at is not None
    assert game.give(c.Tick(at=due_at - 1)) == []
    assert game.give(c.Tick(at=due_at)) != []
    assert game.give(c.Tick(at=due_at)) == []


def test_time_never_runs_backwards() -> None:
    game = given()
    game.until(StepKind.SPEECH)
    game.wait(20)
    game.accept(c.Nominate, 1, target=5)
    game.accept(c.EndSpeech, 1, at=game.now - 3)
    times = [event.at for event in game.log]
    assert times == sorted(times)


def test_a_speech_is_warned_once_ten_seconds_before_its_end() -> None:
    game = given()
    step = game.until(StepKind.SPEECH)
    assert step.ends_at is not None
    game.wait(50)
    warned = game.all(TimeWarned)
    assert [(event.seat, event.left_s, event.at) for event in warned] == [(1, 10, step.ends_at - 10)]
    game.give(c.Credit(at=game.now, seconds=30))
    game.wait(35)
    assert game.count(TimeWarned) == 1


def test_a_speech_shorter_than_two_warnings_is_not_warned() -> None:
    game = given(speech_s=19)
    game.until(StepKind.SHOTS)
    assert game.count(TimeWarned) == 0
    assert given(warn_s=0).count(TimeWarned) == 0


def test_a_tick_after_the_end_closes_without_a_warning() -> None:
    game = given()
    game.until(StepKind.SPEECH)
    game.give(c.Tick(at=game.now + 75))
    assert game.count(TimeWarned) == 0
    assert (game.step.seat, game.last(StepClosed).by) == (2, "time")


def test_only_speeches_are_warned() -> None:
    game = given(meeting_s=60, ballot_s=60)
    game.until(StepKind.SPEECH)
    assert game.count(TimeWarned) == 0


def test_a_player_gives_the_floor_back_early() -> None:
    game = given()
    game.until(StepKind.SPEECH)
    game.wait(3)
    events = game.accept(c.EndSpeech, 1)
    assert [type(event) for event in events] == [StepClosed, StepCalled]
    assert game.last(StepClosed).by == "player"
    assert game.step.seat == 2


def test_credit_gives_time_back() -> None:
    game = given()
    step = game.until(StepKind.SPEECH)
    assert step.ends_at is not None
    game.give(c.Credit(at=game.now, seconds=4))
    assert game.last(TimeCredited).ends_at == step.ends_at + 4 == game.step.ends_at
    assert game.give(c.Credit(at=game.now, seconds=0)) == []


def test_words_count_by_when_they_were_spoken_not_understood() -> None:
    game = given()
    step = game.until(StepKind.SPEECH)
    assert step.opened_at is not None
    assert step.ends_at is not None
    assert game.refused(c.Nominate, 1, target=5, at=step.ends_at + 0.01) is RefusalCode.TOO_LATE
    game.give(c.Credit(at=step.ends_at - 1, seconds=10))
    assert game.accept(c.Nominate, 1, target=5, at=step.opened_at)
    game.accept(c.EndSpeech, 1)
    assert game.refused(c.Nominate, 2, target=6) is RefusalCode.TOO_EARLY


# --- suspension -----------------------------------------------------------------------------------


def test_while_suspended_the_clock_stands_still_and_everything_is_refused() -> None:
    game = given()
    game.until(StepKind.SPEECH)
    game.give(c.Suspend(at=game.now))
    assert engine.next_at(game.state) is None
    assert game.refused(c.Nominate, 1, target=5) is RefusalCode.SUSPENDED
    for command in (c.Tick(at=game.now + 99), c.Open(at=game.now), c.Credit(at=game.now, seconds=1)):
        assert game.give(command) == Refusal(code=RefusalCode.SUSPENDED)
    assert game.give(c.Suspend(at=game.now + 1)) == []


def test_resume_moves_every_deadline_by_the_pause() -> None:
    game = given()
    step = game.until(StepKind.SPEECH)
    game.wait(5)
    game.accept(c.Interpellate, 7)
    before = game.state
    game.give(c.Suspend(at=game.now))
    game.now += 300
    game.give(c.Resume(at=game.now))
    assert before.interpellation is not None
    assert before.step is not None
    assert before.step.ends_at is not None
    assert game.state.interpellation == (7, before.interpellation[1] + 300)
    assert game.step.ends_at == before.step.ends_at + 300
    assert game.step.opened_at == step.opened_at
    assert game.give(c.Resume(at=game.now)) == []


def test_a_call_that_was_interrupted_waits_again_for_its_confirmation() -> None:
    game = given(open_within_s=30)
    game.give(c.Suspend(at=20))
    game.give(c.Resume(at=500))
    assert engine.next_at(game.state) == 510


def test_a_vote_spoken_before_the_pause_counts_after_it() -> None:
    game = given()
    game.nominations([(1, 5), (2, 6)])
    step = game.until(StepKind.BALLOT)
    assert step.opened_at is not None
    spoken_at = step.opened_at + 1
    game.give(c.Suspend(at=spoken_at + 1))
    game.give(c.Resume(at=spoken_at + 100))
    assert game.accept(c.Vote, 3, target=5, at=spoken_at)


def kinds(events: list[Event]) -> list[str]:
    return [event.type for event in events]


def test_the_whole_consequence_of_a_command_comes_in_one_decision() -> None:
    game = given(gone=(10,))
    game.nominations([(2, 9)])
    while game.step.seat != 1:
        game.pass_step()
    game.open()
    assert kinds(game.accept(c.EndSpeech, 1)) == ["step_closed", "ballot_counted", "player_left", "step_called"]
    assert isinstance(game.log[0], GameOpened)
