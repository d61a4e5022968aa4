"""Public bug reports of other games and moderators, as cases for this one. Each cites its report."""

from copy import copy
from random import Random
from typing import Any

import pytest
from engine_kit import ROLES, Game, given, silent, split
from pydantic import TypeAdapter

from moderator import commands as c
from moderator import engine
from moderator.events import (
    BallotCast,
    BallotCounted,
    Event,
    GameEnded,
    LiftDecided,
    NightEnded,
    PlayerLeft,
    SheriffChecked,
    StepClosed,
    StepOpened,
    TimeWarned,
)
from moderator.model import SEATS, Cause, RefusalCode, Role, Step, StepKind, Team
from moderator.narration import cues
from moderator.view import redact, targets

EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def keys(game: Game, event: Event) -> list[str]:
    """The sentences that this stored event calls for."""
    before = engine.replay(game.log[: game.log.index(event)]).state
    return [cue.key for cue in cues(event, before, engine.evolve(before, event))]


def tied_twice(*candidates: int) -> Game:
    """Day 0: all ten vote, the candidates tie in the vote and in the revote."""
    game = given().nominated(*candidates)
    for _ in range(2):
        game.votes(split(game, *((seat, 10 // len(candidates)) for seat in candidates)))
    return game


# --- ties, votes, wins ----------------------------------------------------------------------------


def test_tie_does_not_kill_everyone() -> None:
    """https://github.com/chrisgillis/slackwolf/issues/33"""
    game = given().nominated(2, 4, 6, 8, 10)
    game.votes(split(game, (2, 2), (4, 2), (6, 2), (8, 2), (10, 2)))
    assert game.count(PlayerLeft) == 0
    assert game.last(BallotCounted).leaders == (2, 4, 6, 8, 10)
    revote = game.until(StepKind.BALLOT)
    assert [step.seat for step in game.called(StepKind.SPLIT_SPEECH)] == [2, 4, 6, 8, 10]
    assert (revote.round, revote.candidates) == (2, (2, 4, 6, 8, 10))
    game.votes(split(game, (2, 2), (4, 2), (6, 2), (8, 2), (10, 2)))
    game.lift(dict.fromkeys(range(1, 7), True))
    assert [event.seat for event in game.all(PlayerLeft)] == [2, 4, 6, 8, 10]


def test_all_tied_has_a_spoken_outcome() -> None:
    """https://github.com/lykoss/lykos/issues/397"""
    game = tied_twice(5, 6)
    game.lift(dict.fromkeys(range(1, 6), True))
    decided = game.last(LiftDecided)
    assert (decided.lifted, game.count(PlayerLeft)) == (False, 0)
    assert keys(game, decided)[-1] == "not-lifted"


def test_lift_ballot_is_not_a_vote_for_seat_one() -> None:
    """fjfalcon/polemicagame_phil_extension: AGENTS.md sec. 4.8, docs/fixtures/match_598995.json"""
    game = given(gone=(10, 1, 9, None, 8)).nominated(4, 5)
    assert len(game.state.alive) == 6
    for _ in range(2):
        game.votes(split(game, (4, 3), (5, 3)))
    game.lift(dict.fromkeys(game.state.alive, True))
    lifted = [(event.seat, event.cause) for event in game.all(PlayerLeft) if event.cause is Cause.LIFT]
    assert lifted == [(4, Cause.LIFT), (5, Cause.LIFT)]
    assert not any(event.target == 1 for event in game.all(BallotCast) if not event.default)
    stored = [EVENT.validate_json(EVENT.dump_json(event)) for event in game.log]
    assert stored == game.log
    assert engine.replay(stored).state == game.state


def test_silent_voters_count_against_last_nominee() -> None:
    """https://github.com/Mafia-Hands/Mafia/issues/159"""
    game = given(gone=(10,)).nominated(3, 7)
    game.votes({1: 3, 2: 3})
    defaults = [event for event in game.all(BallotCast) if event.default]
    counted = game.last(BallotCounted)
    assert [event.target for event in defaults] == [7] * 7
    assert (len(counted.votes), counted.leaders) == (9, (7,))
    assert game.last(PlayerLeft).seat == 7
    assert "count-defaults" in keys(game, counted)


def test_only_last_vote_recorded() -> None:
    """https://github.com/FoundationAgents/MetaGPT/issues/1919"""
    ballots = {1: 5, 2: 5, 3: 6, 4: 6, 5: 6, 6: 5, 7: 5, 8: 6, 9: 5, 10: 5}
    before, results = given().nominated(5, 6), set()
    for seed in range(200):
        chance, game = Random(seed), copy(before)
        game.log = list(before.log)
        spoken = [(game.now + chance.uniform(0, 0.4), seat) for seat in chance.sample(SEATS, 10)]
        for at, seat in spoken:
            game.accept(c.Vote, seat, target=ballots[seat], at=at)
        assert [event.kind for event in game.all(StepClosed)].count(StepKind.BALLOT) == 1
        counted = game.last(BallotCounted)
        assert counted.votes == ballots
        results.add((counted.leaders, counted.defaults))
    assert results == {((5,), ())}


def test_dead_never_in_lists_or_matrix() -> None:
    """https://github.com/SecUSo/privacy-friendly-werewolf/issues/27 , https://github.com/aogara-ds/hoodwinked/issues/1"""
    game = given(gone=(4, 1, None)).nominated(5, 6)
    assert game.refused(c.Vote, 7, target=4) is RefusalCode.TARGET_NOT_ALIVE
    game.accept(c.Vote, 7, target=5)
    assert game.state.ballots == {7: 5}
    assert targets(game.state, 8) == (5, 6)
    game.votes({})
    assert not {1, 4} & set(game.last(BallotCounted).votes)
    assert not {1, 4} & set(game.state.alive)


@pytest.mark.parametrize("by", ["shot", "vote"])
def test_parity_ends_the_game_at_once(by: str) -> None:
    """https://github.com/GreyWolfDev/Werewolf/issues/126 , https://github.com/lykoss/lykos/issues/419"""
    game = given(gone=(10, 1, 9, 2, 8, 7, 6))
    assert game.state.alive == (3, 4, 5)
    if by == "vote":
        game.voted_out(5)
    else:
        game.until(StepKind.SHOTS)
        game.shot(5)
    (end,) = game.all(GameEnded)
    assert (end.winner, end.reason) == (Team.MAFIA, "parity")
    assert game.called()[-1].kind is not StepKind.FAREWELL
    assert keys(game, end) == ["won-mafia-parity"]


@pytest.mark.parametrize("how", ["vote", "lift", "self-shot"])
def test_win_checked_in_every_phase(how: str) -> None:
    """https://github.com/GreyWolfDev/Werewolf/issues/465"""
    game = given(gone=(10, 1, 9, 2))
    if how == "self-shot":
        game.shot(3)
    elif how == "vote":
        game.shot(None)
        game.voted_out(3)
    else:
        game.shot(8)
        game.voted_out(None)
        game.shot(7)
        game.nominated(3, 4)
        for _ in range(2):
            game.votes({3: 4, 4: 3, 5: 3, 6: 4})
        game.lift(dict.fromkeys((4, 5, 6), True))
    (end,) = game.all(GameEnded)
    assert (end.winner, end.reason) == (Team.TOWN, "mafia_gone")
    assert keys(game, end) == ["won-town-mafia-gone"]


@pytest.mark.parametrize("options", [{}, {"day_zero": "talk"}, {"final_speech": True}, {"quiet_rounds": 10}])
def test_stalemate_ends(options: dict[str, Any]) -> None:
    """https://github.com/lykoss/lykos/pull/433"""
    game = silent(**options)
    (end,) = game.all(GameEnded)
    assert (end.winner, end.reason) == (None, "quiet_draw")


# --- night ----------------------------------------------------------------------------------------


def test_mixed_targets_is_a_miss() -> None:
    """https://github.com/ulab-uiuc/MARBLE/issues/244"""
    said = []
    for shots in ({1: 5, 2: 5, 3: 6}, {1: 5, 2: 5}, {}):
        game = given()
        game.shots(shots)
        assert game.last(NightEnded).killed is None
        assert game.step.kind is StepKind.SPEECH
        said.append(keys(game, game.last(NightEnded)))
    assert said == [["morning-miss"]] * 3


def test_night_does_not_wait_for_the_dead() -> None:
    """https://github.com/spencerpogo/murdermystery/issues/73 , https://github.com/foin137/werwolfonline.eu/issues/26"""
    mornings = []
    for voted_out, answers in ((1, False), (5, True)):
        game = given(gone=(10, voted_out))
        if answers:
            game.until(StepKind.DON_CHECK)
            game.accept(c.Check, 1, target=4)
            game.until(StepKind.SHERIFF_CHECK)
            game.accept(c.Check, 4, target=1)
        else:
            game.until(StepKind.SHERIFF_CHECK)
        game.pass_step()
        lengths = [event.ends_at - event.at for event in game.all(StepOpened) if "check" in event.kind]
        assert set(lengths) == {game.rules.check_s}
        mornings.append(game.last(NightEnded).at)
    assert mornings[0] == mornings[1]


@pytest.mark.parametrize("allowed", [True, False])
def test_check_by_the_one_shot_tonight_follows_a_rule(allowed: bool) -> None:
    """https://github.com/hjwylde/werewolf/issues/184 , https://github.com/wolfiabot/Wolfia/issues/2"""
    game = given(roles=ROLES | {3: Role.SHERIFF, 4: Role.MAFIOSO}, shot_player_checks=allowed)
    game.until(StepKind.SHOTS)
    for seat in (1, 2, 4):
        game.accept(c.Shoot, seat, target=3)
    step = game.until(StepKind.SHERIFF_CHECK)
    answer = game.accept(c.Check, 3, target=1)
    assert [type(event) for event in answer] == ([SheriffChecked] if allowed else [])
    assert (game.step.opened_at, game.step.ends_at) == (step.opened_at, step.ends_at)
    assert 3 in game.state.alive
    assert not any(isinstance(event, PlayerLeft) for seat in SEATS for event in redact(game.log, seat))
    game.until(StepKind.SHOTS)
    game.until(StepKind.SHERIFF_CHECK)
    assert game.refused(c.Check, 3, target=1) is RefusalCode.NOT_ALIVE


# --- time -----------------------------------------------------------------------------------------


def test_pause_keeps_the_remaining_time() -> None:
    """https://github.com/AlecM33/Werewolf/issues/73"""
    game = given()
    step: Step = game.until(StepKind.SPEECH)
    assert step.ends_at is not None
    game.wait(15)
    stale = c.Tick(at=step.ends_at)
    game.give(c.Suspend(at=game.now))
    game.now += 300
    game.give(c.Resume(at=game.now))
    assert game.step.ends_at is not None
    assert game.step.ends_at - game.now == 45.0
    assert game.give(stale) == []
    game.wait(44.9)
    assert [event.left_s for event in game.all(TimeWarned)] == [10.0]
    assert game.step.seat == 1
    game.wait(0.1)
    assert game.step.seat == 2
