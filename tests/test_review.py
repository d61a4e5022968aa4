"""The facts of a game from its log alone, and the document that is made of them."""

import asyncio
import hashlib
import json
import random
from collections.abc import Iterable

import pytest
from engine_kit import Game, given, silent

from moderator import commands as c
from moderator import events as ev
from moderator.engine import decide
from moderator.events import Event
from moderator.model import SEATS, Cause, Role, StepKind, Team
from moderator.review import Review, facts
from moderator.rules import Rules
from moderator.simulate import deal, play
from moderator.state import GameState
from voice.dossier import Dossier, assemble
from voice.ports import Utterance
from voice.review_html import to_html
from voice.review_md import to_markdown
from voice.understanding import Understanding


def review(game: Game) -> Review:
    return facts(game.log)


def dossier(log: Iterable[Event], *lines: Utterance) -> Dossier:
    return asyncio.run(assemble(log, lines, "en", Understanding()))


def document(game: Game, *lines: Utterance) -> str:
    return to_markdown(dossier(game.log, *lines))


# --- facts ----------------------------------------------------------------------------------------


def test_an_empty_log_has_no_facts() -> None:
    found = facts([])
    assert (found.roles, found.days, found.nights, found.winner, found.reason) == ({}, (), (), None, None)


def test_a_ballot_keeps_who_voted_for_whom_and_who_did_not_answer() -> None:
    game = given().nominated(5, 6)
    game.votes({1: 5, 2: 5, 3: 6})
    (day,) = review(game).days
    assert day.nominations == ((1, 5), (2, 6))
    (ballot,) = day.ballots
    assert (ballot.votes[1], ballot.votes[3], ballot.votes[10]) == (5, 6, 6)
    assert ballot.defaults == (4, 5, 6, 7, 8, 9, 10)
    assert ballot.leaders == (6,)
    (gone,) = review(game).departures
    assert (gone.seat, gone.cause, gone.day) == (6, Cause.VOTE, 0)


def test_a_withdrawn_nomination_does_not_stand() -> None:
    game = given()
    game.until(StepKind.SPEECH, 1)
    game.accept(c.Nominate, 1, target=5)
    game.accept(c.Withdraw, 1)
    game.accept(c.Nominate, 1, target=6)
    assert review(game).days[0].nominations == ((1, 6),)


def test_a_tie_twice_and_the_lift() -> None:
    game = given().nominated(5, 6)
    for _ in range(2):
        game.votes({seat: 5 if seat <= 5 else 6 for seat in SEATS})
    game.lift(dict.fromkeys((1, 2, 3, 4, 7, 8), True))
    found = review(game)
    assert [ballot.leaders for ballot in found.days[0].ballots] == [(5, 6), (5, 6)]
    (lift,) = found.days[0].lifts
    assert (sum(lift.votes.values()), lift.defaults, lift.lifted) == (6, (5, 6, 9, 10), True)
    assert [(one.seat, one.cause) for one in found.departures] == [(5, Cause.LIFT), (6, Cause.LIFT)]


def test_a_night_keeps_shots_and_checks() -> None:
    game = given()
    game.until(StepKind.SHOTS)
    for seat, target in ((1, 9), (2, 9), (3, 9)):
        game.accept(c.Shoot, seat, target=target)
    game.until(StepKind.DON_CHECK)
    game.accept(c.Check, 1, target=4)
    game.until(StepKind.SHERIFF_CHECK)
    game.accept(c.Check, 4, target=5)
    game.pass_step()
    night = review(game).nights[1]
    assert (night.night, night.shots, night.killed) == (1, {1: 9, 2: 9, 3: 9}, 9)
    assert (night.don_check, night.sheriff_check) == ((4, True), (5, False))


def test_a_farewell_keeps_testament_and_crown() -> None:
    game = given(gone=(10,))
    game.until(StepKind.FAREWELL, 10)
    game.accept(c.GiveTestament, 10, suspects=(1, 2, 7))
    game.accept(c.GiveCrown, 10, to=4)
    (gone,) = review(game).departures
    assert (gone.seat, gone.cause, gone.suspects, gone.crown) == (10, Cause.SHOT, (1, 2, 7), 4)


def test_speaking_time_is_that_of_the_open_floor() -> None:
    """Seat 1 speaks 20 s of 60, is interrupted by 7 for 5 s, goes on for 10 s and gives the floor back."""
    game = given()
    game.until(StepKind.SPEECH, 1)
    game.wait(20)
    game.accept(c.Interpellate, 7)
    game.wait(15)
    game.accept(c.EndSpeech, 1)
    found = review(game)
    assert (found.speaking_s, found.fouls) == ({1: 30.0, 7: 5.0}, {7: 1})


def test_nobody_speaks_while_the_table_is_suspended() -> None:
    game = given()
    game.until(StepKind.SPEECH, 1)
    game.wait(10)
    game.give(c.Suspend(at=game.now))
    game.now += 100
    game.give(c.Resume(at=game.now))
    game.wait(5)
    game.accept(c.EndSpeech, 1)
    assert review(game).speaking_s == {1: 15.0}


def test_an_interruption_goes_on_after_a_suspension() -> None:
    game = given()
    game.until(StepKind.SPEECH, 1)
    game.wait(10)
    game.accept(c.Interpellate, 7)
    game.now += 2
    game.give(c.Suspend(at=game.now))
    game.now += 100
    game.give(c.Resume(at=game.now))
    game.wait(60)
    assert review(game).speaking_s[7] == 5.0


def test_a_third_foul_shows_the_lost_speech() -> None:
    game = given()
    game.until(StepKind.SPEECH, 1)
    for _ in range(3):
        game.accept(c.Interpellate, 7)
        game.wait(6)
    game.until(StepKind.SPEECH, 8)
    assert review(game).days[0].lost == (7,)
    assert [(foul.seat, foul.count, foul.reason) for foul in review(game).fouls_given] == [
        (7, count, "interpellation") for count in (1, 2, 3)
    ]
    assert "* 7 interpellated: foul 3" in document(game)
    assert "* 7 lost the speech to a third foul" in document(game)


def test_a_silent_game_says_why_there_was_no_vote_and_ends_in_a_draw() -> None:
    found = review(silent())
    assert {day.vote_skipped for day in found.days} == {"no_candidates"}
    assert (found.winner, found.reason) == (None, "quiet_draw")
    assert "Nobody won (quiet draw)" in document(silent())


@pytest.mark.parametrize("seed", range(8))
def test_the_facts_of_any_game_agree_with_one_another(seed: int) -> None:
    chance = random.Random(seed)
    log = play(chance, Rules(), deal(chance))
    found = facts(log)
    left = {one.seat for one in found.departures}
    mafia = {seat for seat, role in found.roles.items() if role.team is Team.MAFIA}
    killed = {night.killed for night in found.nights} - {None}
    assert {one.seat for one in found.departures if one.cause is Cause.SHOT} == killed
    for seat in SEATS:
        assert sum(foul.seat == seat and foul.reason != "technical" for foul in found.fouls_given) == found.fouls.get(
            seat, 0
        )
    assert found.reason in ("mafia_gone", "parity", "quiet_draw", "opponent_victory", "stopped")
    assert (mafia <= left) == (found.reason == "mafia_gone")
    assert set(found.points) == {"classic", "max_mafia"}
    assert all(set(points) == set(SEATS) for points in found.points.values())
    assert sum(found.speaking_s.values()) <= found.seconds
    assert json.loads(found.model_dump_json())["roles"]["1"] in set(Role)
    text = to_markdown(dossier(log))
    assert all(f"## Day {day.day}" in text for day in found.days)


# --- document -------------------------------------------------------------------------------------


def test_the_document_tells_the_day() -> None:
    game = given().nominated(5, 6)
    game.votes({1: 5, 2: 5, 3: 6})
    text = document(game)
    assert "The game has not ended." in text
    assert "| 6 | citizen | vote, day 0 |" in text
    assert "* 1 nominated 5\n* 2 nominated 6" in text
    assert (
        "* Ballot 1: against 5: 1, 2; against 6: 3, 4*, 5*, 6*, 7*, 8*, 9*, 10* (* did not answer, vote by default)"
        in text
    )
    assert text.index("* Ballot 1") < text.index("* 6 left")


def test_what_was_said_comes_in_the_order_of_time() -> None:
    lines = [Utterance(2, 70.0, 72.0, "Je passe.", 0.9), Utterance(1, 60.0, 65.0, "Je nomine le 5.", 0.9)]
    text = document(given(), *lines)
    assert text.endswith("* 00:01:00.000 **1** Je nomine le 5.\n* 00:01:10.000 **2** Je passe.\n")


def test_the_seal_of_the_deal_is_opened_and_tried() -> None:
    roles = deal(random.Random(8))
    dealt = decide(GameState(), c.Deal(at=0, game="sealed", rules=Rules(), roles=roles, salt="0f" * 16))
    assert isinstance(dealt, list)
    found = facts(dealt).sealed
    assert found is not None and found.holds
    assert hashlib.sha256(found.text.encode()).hexdigest() == found.seal
    don = next(seat for seat, role in roles.items() if role is Role.DON)
    changed = [
        event.but(role=Role.CIVILIAN) if isinstance(event, ev.RoleDealt) and event.seat == don else event
        for event in dealt
    ]
    broken = facts(changed).sealed
    assert broken is not None and not broken.holds
    for text in (to_html(dossier(dealt)), to_markdown(dossier(dealt))):
        assert found.seal in text and found.text in text and "sealed before the first word" in text
