"""Public bug reports of other games and moderators, as cases for this one. Each cites its report."""

import asyncio
from collections.abc import Callable
from copy import copy
from random import Random
from typing import Any

import pytest
from engine_kit import ROLES, Game, given, silent, split
from kit import QUICK, Kit
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
    Resumed,
    SheriffChecked,
    StepClosed,
    StepOpened,
    Suspended,
    TimeWarned,
)
from moderator.model import SEATS, Cause, RefusalCode, Role, Step, StepKind, Team
from moderator.narration import Cue, cues
from moderator.view import redact, targets
from voice.ports import Message
from voice.routing import routes
from voice.wire import Asked, Caption, Closed, Line

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


@pytest.mark.parametrize("phase", ["night", "farewell", "defence", "lift", "speech"])
def test_win_checked_when_the_last_mafioso_is_lost(phase: str) -> None:
    """https://github.com/GreyWolfDev/Werewolf/issues/465"""
    game = given(gone=(10, 1, 9, 2), reconnection_pauses=0)
    if phase == "night":
        game.until(StepKind.SHOTS)
    else:
        game.shot(None if phase in ("defence", "lift") else 8)
        if phase == "farewell":
            game.until(StepKind.FAREWELL)
        elif phase == "speech":
            game.until(StepKind.SPEECH)
        else:
            game.nominated(4, 5)
            game.votes(split(game, (4, 3), (5, 3)))
            game.until(StepKind.SPLIT_SPEECH)
            if phase == "lift":
                game.votes(split(game, (4, 3), (5, 3)))
                game.until(StepKind.LIFT)
    game.give(c.Absent(at=game.now, seat=3))
    game.wait(game.rules.away_s)
    (end,) = game.all(GameEnded)
    assert (end.winner, end.reason) == (Team.TOWN, "mafia_gone")
    assert keys(game, end) == ["won-town-mafia-gone"]


# --- secrets --------------------------------------------------------------------------------------


def _acts(seat: int, message: Line | Caption | Asked | Closed) -> str | None:
    """Everybody who is asked at night answers; by day one nominates and all pass."""
    if not isinstance(message, Asked):
        return None
    answers = {
        "shots": "Je tire sur le dix.",
        "sheriff_check": "Je vérifie le six.",
        "don_check": "Je vérifie le cinq.",
    }
    passes = message.what in ("speech", "split_speech", "farewell")
    return "Je passe." if passes else answers.get(message.what)


async def test_nothing_secret_on_a_public_wire() -> None:
    """https://github.com/YAPP-Github/24th-App-Team-2-BE/pull/47"""
    swapped = {**ROLES, 3: Role.CIVILIAN, 9: Role.MAFIOSO}
    worlds = Kit(_acts), Kit(_acts, roles=swapped)
    received: list[dict[int, list[tuple[float, str]]]] = []
    for kit in worlds:
        wire: dict[int, list[tuple[float, str]]] = {seat: [] for seat in SEATS}
        react = kit.room.on_message
        assert react is not None

        def capture(
            seat: int,
            message: Line | Caption | Asked | Closed,
            kit: Kit = kit,
            wire: dict[int, list[tuple[float, str]]] = wire,
            react: Callable[[int, Line | Caption | Asked | Closed], None] = react,
        ) -> None:
            wire[seat].append((round(kit.clock.now(), 3), message.model_dump_json()))
            react(seat, message)

        kit.room.on_message = capture
        await kit.play(260)
        received.append(wire)
    for seat in (5, 6, 7, 8, 10):
        assert received[0][seat] == received[1][seat], "the same bytes at the same moments"
    with pytest.raises(ValueError, match="nobody to go to"):
        worlds[0].narrator.say(Cue("role-civ", {}, frozenset()))


@pytest.mark.parametrize("kind", [StepKind.MEETING, StepKind.SHOTS, StepKind.DON_CHECK])
def test_muting_pattern_tells_nothing(kind: StepKind) -> None:
    """https://github.com/belguawhale/Discord-Werewolf/issues/5"""
    game = given()
    game.until(kind)
    heard = routes(game.state, game.now)
    other = routes(game.state.but(roles={seat: ROLES[11 - seat] for seat in SEATS}), game.now)
    for seat in (5, 6):  # of the town in both worlds
        assert heard[seat] == other[seat] == frozenset()


LONG_DEAL = QUICK.model_copy(update={"deal_s": 12})


async def test_role_heard_is_confirmed() -> None:
    """https://github.com/GreyWolfDev/Werewolf/issues/478"""
    told = 0

    def player(seat: int, message: Line | Caption | Asked | Closed) -> str | None:
        nonlocal told
        if seat == 6 and isinstance(message, Line) and message.key.startswith("role-"):
            told += 1
            report(0 if told <= 2 else 1500)
        if seat == 6 and isinstance(message, Line) and message.key == "check-headphones":
            asyncio.get_running_loop().call_soon(lambda: headphones.append(kit.clock.now()))
        return None

    def report(played_ms: int) -> None:
        body = b'{"type": "do", "what": "heard", "ms": %d}' % played_ms
        kit.room.inbox.append(Message(6, body, kit.clock.now()))

    headphones: list[float] = []
    kit = Kit(player, rules=LONG_DEAL)
    await kit.play(12)
    assert len(headphones) == 1
    assert kit.of(Suspended) and not kit.of(Resumed), "the table waits for seat 6"
    assert kit.table.state.step is not None and kit.table.state.step.kind is StepKind.DEAL
    told_to = [to for to, line in kit.room.sent if isinstance(line, Line) and line.key.startswith("role-")]
    assert sorted(told_to) == sorted([*SEATS, 6]), "nobody else's role is repeated"
    named = {line.text for _, line in kit.room.sent if isinstance(line, Line) and line.key == "check-headphones"}
    assert named == {"Place six, vérifiez votre casque."}


async def test_the_table_goes_on_when_the_role_is_heard_or_the_wait_is_over() -> None:
    """https://github.com/GreyWolfDev/Werewolf/issues/478"""

    def player(seat: int, message: Line | Caption | Asked | Closed) -> str | None:
        if seat == 6 and isinstance(message, Line) and message.key.startswith("role-"):
            kit.room.inbox.append(Message(6, b'{"type": "do", "what": "heard", "ms": 0}', kit.clock.now()))
        return None

    kit = Kit(player, rules=LONG_DEAL)
    await kit.play(40)
    (suspended,), (resumed,) = kit.of(Suspended), kit.of(Resumed)
    assert 14 < resumed.at - suspended.at < 17
    assert any(isinstance(event, StepClosed) and event.kind is StepKind.DEAL for event in kit.log)
    assert [to for to, line in kit.room.sent if isinstance(line, Line) and line.key == "role-civ"].count(6) == 3


def test_dead_cannot_speak_spectators_cannot_hear() -> None:
    """https://github.com/chris23lngr/TTT/issues/20 , https://github.com/guineaq/JMafia/issues/3"""
    game = given(gone=(8, 2))
    for kind in (StepKind.SHOTS, StepKind.SPEECH):
        game.until(kind)
        heard = routes(game.state, game.now)
        assert all(2 not in sources for sources in heard.values())
        assert heard[2] == heard[8], "a mafioso who left hears what a citizen who left hears"
    game.until(StepKind.SHOTS)
    assert game.refused(c.Shoot, 2, target=5) is RefusalCode.NOT_ALIVE
    after = game.log.index(next(event for event in game.log if isinstance(event, PlayerLeft) and event.seat == 2))
    assert [event for event in redact(game.log[after:], 2) if event not in redact(game.log[after:], 8)] == []


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


async def test_spoken_in_time_transcribed_late_still_counts() -> None:
    """https://github.com/QuentinFuxa/WhisperLiveKit/issues/82"""

    def player(seat: int, message: Line | Caption | Asked | Closed) -> str | None:
        if isinstance(message, Asked) and message.what == "ballot":
            kit.transcriber.delay_s = 3.0
            if seat == 9:
                kit.say(9, "Contre le quatre.", after_s=kit.rules.ballot_s - 1.2, lasts_s=1.0)
            return None
        if isinstance(message, Asked) and message.what == "speech":
            return {2: "Je nomine le quatre. Je passe.", 3: "Je nomine le cinq. Je passe."}.get(seat, "Je passe.")
        return None

    kit = Kit(player)
    await kit.play(150)
    assert kit.of(BallotCounted)[0].votes[9] == 4
    closed = next(event for event in kit.log if isinstance(event, StepClosed) and event.kind is StepKind.BALLOT)
    cast = next(event for event in kit.log if isinstance(event, BallotCast) and event.seat == 9)
    assert kit.log.index(cast) < kit.log.index(closed)
    assert not cast.default


def test_return_restores_seat_and_floor() -> None:
    """https://github.com/sahilmodi1965/house-mafia/issues/33"""
    game = given()
    step = game.until(StepKind.SPEECH, 7)
    assert step.ends_at is not None
    game.wait(10)
    role, left_s = game.state.roles[7], step.ends_at - game.now
    game.give(c.Absent(at=game.now, seat=7))
    game.wait(6)
    game.give(c.Return(at=game.now, seat=7))
    assert (game.step.seat, game.state.roles[7], game.state.fouls) == (7, role, {})
    assert game.step.ends_at is not None
    assert game.step.ends_at - game.now == left_s
    assert routes(game.state, game.now)[3] == frozenset({7})
