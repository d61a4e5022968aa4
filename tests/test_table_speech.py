"""A speech of which some words may have been others: they are asked about, and count only after a yes."""

from collections.abc import Callable

import pytest
from kit import Kit

from moderator.events import Nominated, NominationWithdrawn
from voice.wire import Asked, Caption, Closed, Line

Message = Line | Caption | Asked | Closed
FOUR = "Je nomine le quatre."


def speech(reacts: Callable[[Kit, Message], str | None], doubted: str = FOUR) -> Kit:
    """Seat 1 nominates 4 and says what `reacts` says; of the doubted words the recogniser is not sure."""

    def player(seat: int, message: Message) -> str | None:
        if seat == 1 and isinstance(message, Asked) and message.what == "speech":
            return FOUR
        if seat == 1 and (words := reacts(kit, message)):
            return words
        to_pass = isinstance(message, Asked) and message.what in ("speech", "split_speech", "farewell")
        return "Je passe." if to_pass else None

    kit = Kit(player)
    kit.transcriber.doubts = {doubted: 0.4}
    return kit


def answers(question: str | None, then: list[str]) -> Kit:
    """He answers the question so, and then says more."""

    def reacts(kit: Kit, message: Message) -> str | None:
        if not (isinstance(message, Asked) and message.what == "question"):
            return None
        for number, text in enumerate(then):
            kit.say(1, text, after_s=(3.0 if question else 12.0) + 2 * number)
        return question

    return speech(reacts)


@pytest.mark.parametrize("answer", ["Non.", None])
async def test_what_was_denied_or_not_answered_does_not_count_with_later_words(answer: str | None) -> None:
    kit = answers(answer, ["Le sept ment.", "Je passe."])
    await kit.play(60)
    assert "ask-nomination" in kit.room.keys(1)
    assert not kit.of(Nominated)


async def test_what_is_asked_about_does_not_count_with_words_said_before_the_answer() -> None:
    def reacts(kit: Kit, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "question":
            kit.say(1, "Parce qu'il ment depuis le début.", after_s=0.5)
            kit.say(1, "Non.", after_s=3.0)
            kit.say(1, "Je passe.", after_s=6.0)
        return None

    kit = speech(reacts)
    await kit.play(60)
    assert "ask-nomination" in kit.room.keys(1)
    assert not kit.of(Nominated)


async def test_a_corrected_nomination_is_not_put_back_by_later_words() -> None:
    kit = answers("Non, le huit.", ["Le sept ment.", "Je passe."])
    await kit.play(60)
    assert [(event.by, event.target) for event in kit.of(Nominated)] == [(1, 8)]
    assert not kit.of(NominationWithdrawn)


@pytest.mark.parametrize(("answer", "withdrawn"), [("Oui.", [4]), ("Non.", []), (None, [])])
async def test_a_nomination_is_not_taken_back_by_words_that_may_have_been_others(
    answer: str | None, withdrawn: list[int]
) -> None:
    back = "Je retire ma nomination."

    def reacts(kit: Kit, message: Message) -> str | None:
        if isinstance(message, Line) and message.key == "nominated":
            return back
        if isinstance(message, Asked) and message.what == "question":
            kit.say(1, "Le sept ment.", after_s=9.0)
            kit.say(1, "Je passe.", after_s=11.0)
            return answer
        return None

    kit = speech(reacts, back)
    await kit.play(60)
    assert "ask-withdrawal" in kit.room.keys(1)
    assert [event.target for event in kit.of(NominationWithdrawn)] == withdrawn
    assert [event.target for event in kit.of(Nominated)] == [4]


async def test_another_name_of_which_the_recogniser_is_not_sure_replaces_none() -> None:
    other = "Je retire ma nomination, je nomine le six."

    def reacts(_: Kit, message: Message) -> str | None:
        if isinstance(message, Line) and message.key == "nominated" and message.args["seat"] == 4:
            return other
        if isinstance(message, Asked) and message.what == "question":
            assert message.seats == (6,)
            return "Oui. Je passe."
        return None

    kit = speech(reacts, other)
    await kit.play(60)
    assert "ask-nomination" in kit.room.keys(1)
    assert [event.target for event in kit.of(NominationWithdrawn)] == [4]
    assert [event.target for event in kit.of(Nominated)] == [4, 6]
