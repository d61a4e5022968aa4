"""How the table stands, as the clients are told: public facts, in time, the same in every booth."""

import pytest
from engine_kit import MAFIA, given
from kit import ROLES, Kit
from test_table import passes, speaks

from moderator import commands as c
from moderator.events import BallotCast
from moderator.model import SEATS, MotionKind, Role, Seat, StepKind
from moderator.state import GameState
from moderator.view import view
from voice.board import Board, standing
from voice.ports import Message as Raw
from voice.routing import LISTENERS
from voice.wire import Asked, Caption, Closed, Do, Line, Table, Wire

Message = Line | Caption | Asked | Closed


def acts(seat: int, message: Message) -> str | None:
    if isinstance(message, Asked) and message.what == "speech" and seat in (4, 5):
        return f"Je nomine le {seat + 1}. Je passe."
    if isinstance(message, Asked) and message.what == "ballot":
        return "Contre le cinq."
    if isinstance(message, Asked) and message.what == "shots":
        return "Je tire sur le dix."
    if isinstance(message, Asked) and message.what in ("don_check", "sheriff_check"):
        return "Je vérifie le six."
    return passes(seat, message)


async def test_two_worlds_ten_booths_and_the_gallery_are_told_the_same() -> None:
    """Swapped roles, and everybody acts: what one is told is what each is told, in both worlds."""
    worlds = Kit(acts), Kit(acts, roles={**ROLES, 3: Role.CIVILIAN, 9: Role.MAFIOSO})
    for kit in worlds:
        await kit.play(150)
    told = [[table for to, table in kit.room.tables if to == seat] for kit in worlds for seat in LISTENERS]
    assert len(told[0]) > 20
    assert {table.step for table in told[0]} >= {"speech", "ballot", "shots", "don_check", "sheriff_check", "meeting"}
    assert all(each == told[0] for each in told)


async def test_a_speech_shows_its_speaker_its_clock_and_its_nominations() -> None:
    kit = Kit(speaks({1: "Je nomine le quatre. Je passe."}))
    await kit.play(60)
    speech = [table for to, table in kit.room.tables if to == 7 and (table.step, table.speaker) == ("speech", 1)]
    assert (speech[0].ends_in_s, speech[0].nominated, speech[0].alive) == (25.0, (), SEATS)
    assert speech[-1].nominated == (4,)
    assert speech[0].ends_in_s is not None and speech[-1].ends_in_s is not None
    assert speech[-1].ends_in_s < speech[0].ends_in_s


def test_secret_acts_are_no_news() -> None:
    sent: list[tuple[Seat, Wire]] = []
    board = Board(lambda seat, message: sent.append((seat, message)), lambda: 0.0)
    game = given().nominated(5, 6)
    board.show(game.state)
    assert [seat for seat, _ in sent] == list(LISTENERS)
    game.accept(c.Vote, 7, target=5)
    assert isinstance(game.log[-1], BallotCast)
    board.show(game.state)
    game.until(StepKind.SHOTS)
    board.show(game.state)
    shown = len(sent)
    game.accept(c.Shoot, MAFIA[0], target=9)
    board.show(game.state)
    assert len(sent) == shown == 22


def test_between_two_steps_nothing_is_shown_before_it_is_said() -> None:
    sent: list[Seat] = []
    board = Board(lambda seat, message: sent.append(seat), lambda: 0.0)
    game = given()
    assert game.state.step is not None and game.state.step.opened_at is None
    board.show(game.state)
    assert sent == []


def test_the_clock_is_that_of_what_runs_now() -> None:
    game = given()
    game.until(StepKind.SPEECH, 2)
    step = game.state.step
    assert step is not None
    assert (
        standing(view(game.state, 9), game.state.rules).speaker,
        standing(view(game.state, 9), game.state.rules).ends_in_s,
    ) == (2, step.ends_at)
    game.accept(c.Interpellate, 6)
    assert game.state.interpellation is not None
    assert (
        standing(view(game.state, 9), game.state.rules).speaker,
        standing(view(game.state, 9), game.state.rules).fouls,
    ) == (6, {6: 1})
    assert standing(view(game.state, 9), game.state.rules).ends_in_s == game.state.interpellation[1]


def test_while_a_motion_runs_nobody_has_the_floor() -> None:
    game = given()
    game.until(StepKind.SPEECH, 2)
    game.accept(c.Move, 6, kind=MotionKind.TECHNICAL_FOUL, accused=2)
    assert game.state.motion is not None
    shown = standing(view(game.state, 9), game.state.rules)
    assert (shown.speaker, shown.ends_in_s) == (None, game.state.motion.ends_at)


@pytest.mark.parametrize("seat", [2, 9])
async def test_a_client_that_asks_is_told_alone(seat: Seat) -> None:
    def player(asked: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and asked == 1:
            before.append(len(kit.room.tables))
            kit.room.inbox.append(Raw(seat, Do(what="table").model_dump_json().encode(), kit.clock.now()))
            return None
        return passes(asked, message)

    before: list[int] = []
    kit = Kit(player)
    await kit.play(25)
    answered = kit.room.tables[before[0] :]
    told: list[tuple[Seat, Table]] = [each for each in answered if each[1].speaker == 1]
    assert [to for to, _ in told].count(seat) == 1 + [to for to, _ in told].count(seat % 10 + 1)


def test_who_asks_between_two_steps_learns_nothing_that_is_not_said() -> None:
    sent: list[Wire] = []
    board = Board(lambda seat, message: sent.append(message), lambda: 0.0)
    board.show_to(3, GameState())
    assert sent == []
    game = given().nominated(5, 6)
    board.show(game.state)
    game.votes(dict.fromkeys(SEATS, 5))
    assert 5 not in game.state.alive and game.state.step is not None and game.state.step.opened_at is None
    board.show_to(3, game.state)
    told = sent[-1]
    assert isinstance(told, Table)
    assert (told.alive, told.step, told.speaker, told.ends_in_s) == (SEATS, None, None, None)
    game.until(StepKind.FAREWELL)
    board.show_to(3, game.state)
    told = sent[-1]
    assert isinstance(told, Table) and 5 not in told.alive and told.speaker == 5


def test_nominees_that_players_have_to_remember_are_not_shown() -> None:
    game = given()
    game.until(StepKind.SPEECH, 2)
    game.nominations([(2, 5)])
    hidden = game.state.rules.model_copy(update={"say_nominees": False})
    assert standing(view(game.state, 9), game.state.rules).nominated == (5,)
    assert standing(view(game.state, 9), hidden).nominated == ()
