"""The answers of the law that have an alternative, or that hold by the shape of the game: each default, each other."""

import pytest
from engine_kit import MAFIA, Game, given, silent, split

from moderator import commands as c
from moderator import events as ev
from moderator.model import SEATS, Cause, RefusalCode, Role, StepKind, Team
from moderator.narration import SILENT_REFUSALS, cues, refused
from moderator.rules import Rules
from moderator.view import audience, redact


def spoken(game: Game, event: ev.Event) -> list[str]:
    return [cue.key for cue in cues(event, game.state, game.state)]


def test_rule_1_without_a_greeting_the_day_follows_the_meeting() -> None:
    game = given(greeting_s=0)
    game.until(StepKind.SPEECH)
    assert game.called(StepKind.GREETING) == []


def test_rule_12_the_checks_after_the_last_shot_may_be_left_out() -> None:
    """Six town and three mafiosi, then two leave by vote and two by shots: the last shot makes three to three."""
    for called, more in ((True, 1), (False, 0)):
        game = given(gone=(10, 9, 8), checks_after_last_shot=called)
        game.voted_out(None)
        game.until(StepKind.SHOTS)
        before = len(game.called(StepKind.SHERIFF_CHECK))
        for seat in MAFIA:
            game.accept(c.Shoot, seat, target=7)
        while not game.state.over:
            game.pass_step()
        assert len(game.called(StepKind.SHERIFF_CHECK)) == before + more
        assert (game.last(ev.GameEnded).winner, game.last(ev.GameEnded).reason) == (Team.MAFIA, "parity")


def test_rule_14_with_four_alive_the_town_may_win_a_stalemate() -> None:
    game = given(gone=(10, 1, 9, 2, 8, None, 7), stalemate="town_at_four")
    while not game.state.over:
        game.pass_step()
    assert len(game.state.alive) == 4
    assert (game.last(ev.GameEnded).winner, game.last(ev.GameEnded).reason) == (Team.TOWN, "stalemate")
    assert silent(stalemate="town_at_four").last(ev.GameEnded).reason == "quiet_draw", "not with ten"


def test_rule_17_accepted_is_said_and_nothing_when_it_is_not() -> None:
    game = given()
    game.nominations([(1, 5)])
    assert spoken(game, game.last(ev.Nominated)) == ["nominated"]
    game.until(StepKind.SPEECH, 2)
    assert game.refused(c.Nominate, 2, target=5) is RefusalCode.ALREADY_NOMINATED
    assert RefusalCode.ALREADY_NOMINATED in SILENT_REFUSALS
    assert refused(RefusalCode.ALREADY_NOMINATED, 2, 5) is None


def test_rule_27_in_a_lift_the_missing_answers_may_be_for_it() -> None:
    for default, lifted in (("against", False), ("for", True)):
        game = given(lift_default=default).nominated(5, 6)
        for _ in range(2):
            game.votes(split(game, (5, 5), (6, 5)))
        game.lift({})
        assert game.last(ev.LiftDecided).lifted is lifted
        assert game.last(ev.LiftDecided).defaults == SEATS


def test_rule_30_ballots_are_secret_until_they_are_counted() -> None:
    game = given().nominated(5, 6)
    game.accept(c.Vote, 3, target=5)
    cast = game.last(ev.BallotCast)
    assert audience(cast) == frozenset({3})
    assert cast not in redact(game.log, 4)
    assert spoken(game, cast) == []
    game.votes({seat: 5 for seat in SEATS if seat != 3})
    assert audience(game.last(ev.BallotCounted)) is None
    assert spoken(game, game.last(ev.BallotCounted)) == ["count"], "who voted for whom is read out"


def test_rule_30_at_an_open_table_each_vote_is_told_at_once() -> None:
    game = given(ballots="open").nominated(5, 6)
    game.accept(c.Vote, 3, target=5)
    assert audience(game.last(ev.BallotCast)) is None
    assert spoken(game, game.last(ev.BallotCast)) == ["ballot-open"]
    game.votes({seat: 6 if seat > 5 else 5 for seat in SEATS if seat != 3})
    game.until(StepKind.BALLOT)
    game.votes({seat: 6 if seat > 5 else 5 for seat in SEATS})
    game.until(StepKind.LIFT)
    game.accept(c.LiftVote, 3, lift=True)
    assert spoken(game, game.last(ev.LiftCast)) == ["lift-open-for"]


def test_rule_38_a_second_tie_goes_to_the_lift_not_to_the_night() -> None:
    game = given().nominated(5, 6)
    for _ in range(2):
        game.votes(split(game, (5, 5), (6, 5)))
    assert game.step.kind is StepKind.LIFT


def test_rule_39_a_table_may_test_the_win_after_each_departure() -> None:
    """Three mafiosi and five of the town; two of each are lifted together, the town's first."""
    for tested, over in (("after_all", False), ("after_each", True)):
        game = given(gone=(10, 9, None), lift_tests_win=tested).nominated(5, 6, 2, 3)
        for _ in range(2):
            game.votes(split(game, (5, 2), (6, 2), (2, 2), (3, 2)))
        game.lift(dict.fromkeys(game.state.alive, True))
        assert game.state.over is over
        assert [event.seat for event in game.all(ev.PlayerLeft)][2:] == ([5, 6] if over else [5, 6, 2, 3])
        if over:
            assert game.last(ev.GameEnded).winner is Team.MAFIA, "three against three"


def test_rule_43_a_table_may_want_living_suspects_alone() -> None:
    for out, named in ((True, (10, 2, 3)), (False, (2, 3, 6))):
        game = given(gone=(10,), suspects_may_be_out=out)
        game.voted_out(5)
        game.until(StepKind.FAREWELL, 5)
        game.accept(c.GiveTestament, 5, suspects=(10, 2, 3, 6))
        assert game.last(ev.TestamentGiven).suspects == named


def test_rule_51_what_was_arranged_binds_nobody() -> None:
    game = given()
    game.until(StepKind.SHOTS)
    for seat, target in zip(MAFIA, (7, 7, 8), strict=True):
        game.accept(c.Shoot, seat, target=target)
    while game.count(ev.NightEnded) == 0:
        game.pass_step()
    assert game.last(ev.NightEnded).killed is None


def test_rule_56_without_the_floor_nothing_can_be_said() -> None:
    game = given()
    game.until(StepKind.SPEECH, 1)
    assert game.refused(c.Nominate, 5, target=6) is RefusalCode.NOT_YOUR_TURN
    assert game.refused(c.EndSpeech, 5) is RefusalCode.NOT_YOUR_TURN


def test_s3_the_seven_neither_hear_nor_learn_of_the_meeting() -> None:
    game = given()
    game.until(StepKind.MEETING)
    for seat in (4, 5):
        told = [event for event in redact(game.log, seat) if isinstance(event, ev.RoleDealt)]
        assert [event.seat for event in told] == [seat]
    assert game.refused(c.Shoot, 1, target=5) is RefusalCode.NOT_NOW


def test_s4_each_speaks_once_a_day_for_a_minute_or_as_the_table_says() -> None:
    for name, seconds in (("classic", 60), ("turbo", 25)):
        game = given(speech_s=seconds)
        game.until(StepKind.SHOTS)
        speeches = game.called(StepKind.SPEECH)
        assert ([step.seat for step in speeches], {step.duration_s for step in speeches}) == ([*SEATS], {seconds}), name


def test_s5_the_plurality_leaves_and_nobody_abstains() -> None:
    game = given().nominated(5, 6, 7)
    game.votes({1: 5, 2: 5, 3: 5, 4: 5, 8: 6, 9: 6, 10: 6})
    assert game.last(ev.BallotCounted).defaults == (5, 6, 7)
    assert [event.seat for event in game.all(ev.PlayerLeft)] == [5], "four against three and three"


def test_s6_a_tie_is_spoken_voted_again_and_lifted() -> None:
    game = given().nominated(5, 6)
    for _ in range(2):
        game.votes(split(game, (5, 5), (6, 5)))
    game.lift(dict.fromkeys(range(1, 7), True))
    kinds = [StepKind.SPLIT_SPEECH, StepKind.BALLOT, StepKind.LIFT]
    assert [step.kind for step in game.called(*kinds)] == [
        StepKind.BALLOT,
        StepKind.SPLIT_SPEECH,
        StepKind.SPLIT_SPEECH,
        StepKind.BALLOT,
        StepKind.LIFT,
    ]
    assert [(event.seat, event.cause) for event in game.all(ev.PlayerLeft)] == [(5, Cause.LIFT), (6, Cause.LIFT)]


@pytest.mark.parametrize("row", [9, 10, 11])
def test_s9_s10_s11_who_leaves_has_a_farewell_with_testament_and_crown(row: int) -> None:
    game = given(gone=(10,))
    game.voted_out(5)
    game.until(StepKind.FAREWELL, 5)
    assert game.step.duration_s == 60
    game.accept(c.GiveTestament, 5, suspects=(1, 2))
    game.accept(c.GiveCrown, 5, to=4)
    assert (game.last(ev.TestamentGiven).suspects, game.last(ev.CrownGiven).to) == ((1, 2), 4)
    assert not any(isinstance(event, ev.RolesRevealed) for event in game.log)


def test_s24_the_setting_changes_no_rule() -> None:
    assert "setting" not in Rules.model_fields
    assert {role.value for role in Role} == {"civ", "sheriff", "maf", "don"}
