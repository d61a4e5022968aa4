"""Fair play (S22): a notice offers the table a motion and punishes nobody."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from engine_kit import Game, given
from kit import QUICK, Kit

from moderator import commands as c
from moderator import engine
from moderator import events as ev
from moderator.mgn import read, write
from moderator.model import MotionKind, Offence, Refusal, RefusalCode, StepKind
from moderator.narration import Cue, cues
from moderator.review import facts
from moderator.state import GameState
from voice.captions import timestamp
from voice.dossier import assemble
from voice.ports import Message as Raw
from voice.ports import Utterance
from voice.review_md import to_markdown
from voice.understanding import Understanding
from voice.wire import Asked, Caption, Closed, Line

Message = Line | Caption | Asked | Closed
INSULT = "Le quatre est un abruti."


def noticed(game: Game, seat: int, *offences: Offence) -> list[ev.Event] | Refusal:
    return game.give(c.Notice(at=game.now, seat=seat, offences=offences or (Offence.INSULT,)))


def refusal(game: Game, seat: int) -> RefusalCode:
    refused = noticed(game, seat)
    assert isinstance(refused, Refusal)
    return refused.code


def told(game: Game) -> list[Cue]:
    """Every notice that the log makes the narrator say, in order."""
    state, said = GameState(), list[Cue]()
    for event in game.log:
        before = state
        state = engine.evolve(state, event)
        said += [cue for cue in cues(event, before, state) if cue.key == "notice"]
    return said


# --- the rules ------------------------------------------------------------------------------------


def speaking(seat: int = 1, **options: Any) -> Game:
    game = given(**options)
    game.until(StepKind.SPEECH, seat)
    return game


def test_s22_a_notice_changes_nothing_but_what_is_offered() -> None:
    game = speaking()
    before = game.state
    noticed(game, 1)
    assert game.state.but(noticed={}, at=before.at, events=before.events) == before


def test_s22_it_is_said_between_two_speeches_and_stands_until_night() -> None:
    game = speaking()
    noticed(game, 1)
    assert told(game) == []
    game.accept(c.EndSpeech, 1)
    assert [cue.args for cue in told(game)] == [{"seat": 1, "offence": "insult", "motion": "technical_foul"}]
    assert game.state.offered == {1: MotionKind.TECHNICAL_FOUL}
    game.until(StepKind.SHOTS)
    assert game.state.offered == {}
    assert len(told(game)) == 1, "said once"


def test_s22_in_the_last_speech_and_in_a_farewell_it_is_said_at_once() -> None:
    game = speaking(10)
    noticed(game, 10)
    assert game.state.offered == {10: MotionKind.TECHNICAL_FOUL}
    assert [cue.args["seat"] for cue in told(game)] == [10]

    game = given(gone=(None,))
    game.voted_out(9)
    game.until(StepKind.FAREWELL)
    leaver = game.step.seat
    assert leaver is not None
    noticed(game, leaver)
    assert game.state.offered == {leaver: MotionKind.TECHNICAL_FOUL}
    assert game.accept(c.Move, 1, kind=MotionKind.TECHNICAL_FOUL, accused=leaver)


def test_s22_once_a_day_for_each_seat() -> None:
    game = speaking()
    noticed(game, 1)
    assert refusal(game, 1) is RefusalCode.ALREADY_DONE
    game.until(StepKind.SPEECH, 2)
    assert refusal(game, 1) is RefusalCode.ALREADY_DONE
    assert isinstance(noticed(game, 2), list)
    game.until(StepKind.SHOTS)
    game.until(StepKind.SPEECH)
    assert isinstance(noticed(game, 1), list), "tomorrow is another day"


def test_s22_not_at_night_nor_about_who_is_out_nor_where_the_table_wants_none() -> None:
    game = given()
    game.until(StepKind.MEETING)
    assert refusal(game, 1) is RefusalCode.NOT_NOW
    game = given(gone=(10,))
    game.until(StepKind.SPEECH)
    assert refusal(game, 10) is RefusalCode.TARGET_NOT_ALIVE
    assert refusal(speaking(notices=False), 1) is RefusalCode.NOT_NOW


def test_s19_a_threat_offers_a_disqualification() -> None:
    game = speaking(10)
    noticed(game, 10, Offence.INSULT, Offence.THREAT)
    assert game.state.offered == {10: MotionKind.DISQUALIFICATION}


def test_what_was_taken_up_or_who_is_gone_is_offered_no_more() -> None:
    game = speaking()
    noticed(game, 1)
    game.until(StepKind.SPEECH, 2)
    game.accept(c.Move, 5, kind=MotionKind.TECHNICAL_FOUL, accused=1)
    assert game.state.offered == {}
    game = speaking()
    noticed(game, 1)
    game.until(StepKind.SPEECH, 2)
    game.give(c.Remove(at=game.now, seat=1))
    assert game.state.offered == {}


def test_a_game_with_notices_goes_into_notation_and_back() -> None:
    game = speaking()
    noticed(game, 1, Offence.THREAT, Offence.BET)
    game.until(StepKind.SHOTS)
    assert "1f:threat,bet" in write(game.log)
    assert read(write(game.log)) == game.log


def test_the_review_shows_the_notice_and_when_it_was_said() -> None:
    game = speaking()
    game.now += 5
    words = Utterance(1, game.now - 2, game.now - 1, INSULT, 0.9)
    noticed(game, 1)
    review = facts(game.log)
    assert [(one.seat, one.offences) for one in review.days[0].notices] == [(1, (Offence.INSULT,))]
    text = to_markdown(asyncio.run(assemble(game.log, [words], "en", Understanding())))
    assert f"* Noticed of 1: insult ({timestamp(review.days[0].notices[0].at)})" in text
    assert INSULT in text


# --- at the table ---------------------------------------------------------------------------------


Reaction = Callable[[int, Message], str | None]


def silence(seat: int, message: Message) -> None: ...


def player(words: dict[int, str], react: Reaction) -> Reaction:
    """These seats say these words in their first speech; everybody else gives the floor back."""
    unsaid = dict(words)

    def answer(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what in ("speech", "split_speech", "farewell"):
            return unsaid.pop(seat, "Je passe.")
        return react(seat, message)

    return answer


def kit(words: dict[int, str], react: Reaction = silence, thinks_s: float | None = None, **options: Any) -> Kit:
    return Kit(player(words, react), rules=QUICK.model_copy(update=options), thinks_s=thinks_s)


async def test_s22_an_insult_is_noticed_between_the_speeches_and_nothing_else_happens() -> None:
    game = kit({1: f"{INSULT} Je passe."})
    await game.play(70)
    assert [(event.seat, event.offences) for event in game.of(ev.Noticed)] == [(1, (Offence.INSULT,))]
    for seat in (1, 4, 9):
        keys = game.room.keys(seat)
        assert keys[keys.index("notice") :][:2] == ["notice", "speech-call"]
    assert not game.of(ev.MotionOpened)
    assert not game.of(ev.Fouled)


async def test_s22_a_speech_ends_when_all_of_it_was_read_and_nothing_else_waits_for_that() -> None:
    game = kit({1: f"{INSULT} Je nomine le sept. Je passe."}, thinks_s=2.0)
    await game.play(70)
    (noticed,), (nominated,) = game.of(ev.Noticed), game.of(ev.Nominated)
    keys = game.room.keys(4)
    assert keys[keys.index("notice") :][:2] == ["notice", "speech-call"]
    assert game.log.index(nominated) < game.log.index(noticed)


async def test_the_words_themselves_are_not_said_again() -> None:
    game = kit({1: f"{INSULT} Je passe."})
    await game.play(70)
    assert "Numéro un : insulte ? Pour une faute technique, dites : motion." in game.room.lines(5)
    assert not [line for line in game.room.lines(5) if "abruti" in line]


async def test_s22_any_player_takes_the_motion_up_by_a_word() -> None:
    def react(seat: int, message: Message) -> str | None:
        if isinstance(message, Line) and message.key == "speech-call" and message.args["seat"] == 2 and seat == 7:
            return "Oui, motion."
        return "Oui." if isinstance(message, Asked) and message.what == "motion" else None

    game = kit({1: f"{INSULT} Je passe."}, react)
    await game.play(90)
    (opened,) = game.of(ev.MotionOpened)
    assert (opened.motion.kind, opened.motion.by, opened.motion.accused) == (MotionKind.TECHNICAL_FOUL, 7, 1)
    assert [(event.seat, event.count) for event in game.of(ev.TechnicalFouled)] == [(1, 1)]


async def test_s22_and_by_the_key_that_opens_any_motion() -> None:
    def react(seat: int, message: Message) -> str | None:
        if seat == 7 and isinstance(message, Caption) and message.seat == 2:
            body = b'{"what": "move", "name": "disqualification", "seat": 1}'
            game.room.inbox.append(Raw(7, body, game.clock.now()))
        return None

    game = kit({1: "Je vais te casser la gueule. Je passe.", 2: "Je regarde la table."}, react)
    await game.play(90)
    notices = [line for to, line in game.room.sent if to == 7 and isinstance(line, Line) and line.key == "notice"]
    assert [line.args["motion"] for line in notices] == ["disqualification"], "a client knows what it may open"
    assert [event.motion.by for event in game.of(ev.MotionOpened)] == [7]


async def test_the_word_motion_means_nothing_where_nothing_was_offered_and_the_accused_cannot_take_it_up() -> None:
    def react(seat: int, message: Message) -> str | None:
        if isinstance(message, Line) and message.key == "speech-call" and message.args["seat"] in (1, 3) and seat == 2:
            return "Motion."
        return None

    game = kit({2: f"{INSULT} Je passe."}, react)
    await game.play(90)
    assert game.of(ev.Noticed)
    assert not game.of(ev.MotionOpened)


@pytest.mark.parametrize("words", ["Je parie que le quatre est noir.", "Tu mens, le quatre.", "Merde, le huit."])
async def test_s22_game_talk_is_not_noticed(words: str) -> None:
    game = kit({1: f"{words} Je passe."})
    await game.play(60)
    assert not game.of(ev.Noticed)


async def test_s22_the_mafia_among_itself_and_a_table_that_wants_no_notices_are_left_alone() -> None:
    def react(seat: int, message: Message) -> str | None:
        return INSULT if isinstance(message, Line) and message.key == "meeting-call" and seat == 2 else None

    game = kit({}, react)
    await game.play(40)
    assert INSULT in [one.text for one in game.store.words]
    assert not game.of(ev.Noticed)
    game = kit({1: f"{INSULT} Je passe."}, notices=False)
    await game.play(60)
    assert not game.of(ev.Noticed)
