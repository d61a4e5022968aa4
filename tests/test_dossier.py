"""What a review knows beside the log: which words a ruling rests on, what was claimed, how long people spoke."""

import asyncio
import random

import pytest
from engine_kit import Game, given
from kit import Kit

from moderator import commands as c
from moderator.events import Event, GameOpened
from moderator.model import Cause, StepKind, Team
from moderator.review import facts
from moderator.rules import Rules
from moderator.simulate import deal, play
from moderator.standings import standings
from voice.dossier import Dossier, assemble
from voice.ports import ActKind, Utterance
from voice.review_html import to_html
from voice.share import NotOver, shared
from voice.stored import StoredGame
from voice.understanding import Understanding
from voice.wire import Asked


def player(seat: int, message: object) -> str | None:
    """Two are nominated on the first day and voted on, whoever leaves says farewell."""
    match message:
        case Asked(what="speech"):
            return f"Je nomine le {seat + 1}. Je passe." if seat in (4, 5) else "Je passe."
        case Asked(what="split_speech" | "farewell"):
            return "Mon testament : un, deux. La couronne au trois. Je passe."
        case Asked(what="ballot", seats=seats):
            return f"Contre le {seats[0]}."
    return None


def dossier(game: Game, *lines: Utterance) -> Dossier:
    return asyncio.run(assemble(game.log, lines, "en", Understanding()))


def said(seat: int, text: str, started_s: float, ended_s: float) -> Utterance:
    return Utterance(seat, started_s, ended_s, text, 0.9)


async def test_every_ruling_of_a_game_by_words_is_traced_to_the_very_words() -> None:
    kit = Kit(player)
    await kit.play(160)
    found = await assemble(kit.log, kit.store.words, "fr", Understanding(), notes=kit.store.notes)
    kinds = {ruling.kind for ruling in found.review.rulings}
    assert kinds >= {"nominated", "ballot_cast", "testament_given", "crown_given"}
    for ruling in found.review.rulings:
        trace = found.traces[ruling.event]
        line = found.transcript[trace.line]
        assert trace.exact and line.seat == ruling.by
        if ruling.kind == "nominated":
            assert line.text.startswith(f"Je nomine le {ruling.seats[0]}")
        if ruling.kind == "ballot_cast":
            assert line.text == f"Contre le {ruling.seats[0]}." and not found.public[trace.line]
        read = found.bases[ruling.event].read
        assert read.text.endswith(line.text) and read.proposal.grammar is not None and read.proposal.model is None
        assert ruling.seats[-1] in {act.seat for act in read.proposal.acts}


async def test_a_question_and_its_answer_are_what_a_ruling_rests_on() -> None:
    """Seat 1 says what is not plain, is asked, and answers; the ruling is that of the first words."""

    def doubtful(seat: int, message: object) -> str | None:
        match message:
            case Asked(what="speech") if seat == 1:
                return "Je vais nominer le quatre."
            case Asked(what="question", seats=(target,)):
                return f"Non, le {target + 1}." if seat == 1 else None
        return player(seat, message)

    kit = Kit(doubtful)
    await kit.play(50)
    found = await assemble(kit.log, kit.store.words, "fr", Understanding(), notes=kit.store.notes)
    ruling = next(one for one in found.review.rulings if one.by == 1)
    basis = found.bases[ruling.event]
    assert (ruling.kind, ruling.seats) == ("nominated", (5,))
    assert basis.read.text == "Je vais nominer le quatre." and basis.read.proposal.ask
    assert basis.asked == 4 and basis.answer is not None and basis.answer.text == "Non, le 5."
    page = to_html(found)
    assert "question sur 4" in page and "réponse : Non, le 5." in page


def test_what_no_words_asked_for_is_traced_to_none() -> None:
    game = given().nominated(5, 6)
    game.votes({1: 5})
    found = dossier(game, said(3, "Je passe.", 0.0, 1.0))
    cast = [ruling for ruling in found.review.rulings if ruling.kind == "ballot_cast"]
    assert [ruling.default for ruling in cast if ruling.by == 1] == [False]
    assert all(ruling.default for ruling in cast if ruling.by != 1)
    assert not found.traces


def test_words_that_ended_before_another_event_are_the_nearest() -> None:
    game = given()
    game.until(StepKind.SPEECH, 1)
    began_s = game.now
    game.wait(5)
    game.accept(c.Nominate, 1, target=4)
    near = dossier(game, said(1, "Je nomine le 4.", began_s, began_s + 3)).traces
    assert [(trace.line, trace.exact) for trace in near.values()] == [(0, False)]
    assert not dossier(game, said(2, "Je nomine le 4.", began_s, began_s + 3)).traces


def test_speaking_time_is_that_of_the_words_and_not_of_the_floor() -> None:
    game = given()
    game.until(StepKind.SPEECH, 1)
    began_s = game.now
    game.wait(30)
    game.accept(c.EndSpeech, 1)
    found = dossier(
        game,
        said(1, "One.", began_s + 2, began_s + 6),
        said(1, "Two.", began_s + 20, began_s + 25.5),
        said(2, "A remark without the floor.", began_s + 7, began_s + 9),
        said(1, "Said before the floor was open.", began_s - 4, began_s - 2),
    )
    assert (found.spoken_s, found.review.speaking_s) == ({1: 9.5}, {1: 30.0})
    assert [line.text for line, public in zip(found.transcript, found.public, strict=True) if public] == [
        "One.",
        "Two.",
    ]


def test_claims_are_held_against_the_log() -> None:
    """The Sheriff (4) tells the truth of the one check that he made; a citizen (5) and the Don (1) lie."""
    game = given()
    game.until(StepKind.SHERIFF_CHECK)
    game.accept(c.Check, 4, target=2)
    lines = []
    for seat, text in (
        (2, "Seven is black. I pass."),
        (4, "I am the sheriff. I checked two, black. I checked nine, red."),
        (5, "I'm the sheriff, I checked two, red."),
    ):
        game.until(StepKind.SPEECH, seat)
        lines.append(said(seat, text, game.now + 1, game.now + 4))
        game.wait(10)
        game.accept(c.EndSpeech, seat)
    found = {(claim.seat, claim.kind, claim.target): claim for claim in dossier(game, *lines).claims}
    assert set(found) == {
        (4, ActKind.CLAIM_SHERIFF, None),
        (4, ActKind.CLAIM_BLACK, 2),
        (4, ActKind.CLAIM_RED, 9),
        (5, ActKind.CLAIM_SHERIFF, None),
        (5, ActKind.CLAIM_RED, 2),
    }
    right = {key: (claim.right, claim.night) for key, claim in found.items()}
    assert right[4, ActKind.CLAIM_SHERIFF, None] == (True, None)
    assert right[4, ActKind.CLAIM_BLACK, 2] == (True, 1)
    assert right[4, ActKind.CLAIM_RED, 9] == (True, None)
    assert right[5, ActKind.CLAIM_SHERIFF, None] == (False, None)
    assert right[5, ActKind.CLAIM_RED, 2] == (False, None)


# --- a copy to give away --------------------------------------------------------------------------


def finished(seed: int = 3) -> list[Event]:
    chance = random.Random(seed)
    return play(chance, Rules(), deal(chance))


def test_a_shared_copy_has_no_private_word_no_name_and_no_id() -> None:
    log = finished()
    floor = facts(log).floors[0]
    public = said(floor.seat, "I think that Marie-Ange lies, and marie too.", floor.from_s, floor.to_s)
    private = said(3, "We shoot at four.", 1.0, 2.0)
    game = StoredGame(log, [private, public], names={7: "Marie", 2: "Marie-Ange"})
    copy = shared(game)
    assert [line.text for line in copy.utterances] == ["I think that 2 lies, and 7 too."]
    assert (copy.names, copy.folder) == ({}, None)
    opened = copy.events[0]
    assert isinstance(opened, GameOpened) and opened.game == ""
    assert facts(copy.events).points == facts(log).points


def test_a_running_game_is_not_shared() -> None:
    with pytest.raises(NotOver, match="still secret"):
        shared(StoredGame(given().nominated(5, 6).log, []))


# --- several games --------------------------------------------------------------------------------


def test_standings_sum_what_the_games_say() -> None:
    games = [facts(finished(seed)) for seed in range(6)]
    names = dict.fromkeys(range(1, 11), "")
    tables = [(game, {seat: f"p{(seat + number) % 10}" for seat in names}) for number, game in enumerate(games)]
    found = standings(tables)
    assert len(found) == 10 and all(one.games == 6 for one in found.values())
    assert sum(one.wins for one in found.values()) == sum(
        7 if game.winner is Team.TOWN else 3 if game.winner is Team.MAFIA else 0 for game in games
    )
    assert all(one.town_games + one.mafia_games == 6 == sum(one.roles.values()) for one in found.values())
    assert sum(one.roles["don"] for one in found.values() if "don" in one.roles) == 6
    named = [
        (game.roles[by].team, game.roles[to].team) for game in games for day in game.days for by, to in day.nominations
    ]
    assert sum(one.nominations for one in found.values()) == sum(by is Team.TOWN for by, _ in named)
    assert sum(one.right_nominations for one in found.values()) == named.count((Team.TOWN, Team.MAFIA))
    first = [one for game in games for one in game.departures if one.cause is Cause.SHOT and one.day == 1]
    assert sum(one.shot_first_night for one in found.values()) == len(first)
    for system in ("classic", "max_mafia"):
        total = sum(sum(game.points[system].values()) for game in games)
        assert sum(one.points[system] for one in found.values()) == pytest.approx(total)


def test_a_game_that_has_not_ended_does_not_count() -> None:
    review = facts(given().nominated(5, 6).log)
    assert standings([(review, {seat: str(seat) for seat in review.roles})]) == {}
