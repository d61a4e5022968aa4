"""Gestures by voice: the formula said alone, in three languages; talk is none."""

import pytest
from kit import Kit

from moderator.events import SignalGiven
from moderator.model import Seat
from voice.intents import sentences
from voice.ports import Lang
from voice.wire import Asked, Caption, Closed, Line

SAID: dict[Lang, dict[str, str | None]] = {
    "fr": {
        "Signe : d'accord.": "agree",
        "Je fais signe : pas d'accord.": "disagree",
        "Geste, une question.": "question",
        "Signe, j'écoute.": "listen",
        "D'accord.": None,
        "Une question.": None,
        "C'est un signe, d'accord avec le six.": None,
    },
    "en": {
        "Signal: I agree.": "agree",
        "Gesture, I disagree.": "disagree",
        "Sign, a question.": "question",
        "Signal, I'm listening.": "listen",
        "I agree.": None,
        "I have a question.": None,
    },
    "ru": {
        "Жест: согласен.": "agree",
        "Знак: не согласна.": "disagree",
        "Жест, вопрос.": "question",
        "Знак: слушаю.": "listen",
        "Согласен.": None,
        "Вопрос.": None,
    },
}


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang, texts in SAID.items() for text in texts])
def test_which_gesture_a_sentence_is(lang: Lang, text: str) -> None:
    assert sentences(lang).gesture(text) == SAID[lang][text]


async def test_a_gesture_out_of_turn_is_heard_by_all_and_costs_nothing() -> None:
    def player(seat: Seat, message: Line | Caption | Asked | Closed) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            kit.say(6, "Signe : d'accord.")
        return None

    kit = Kit(player)
    await kit.play(48)
    assert [(event.seat, event.signal) for event in kit.of(SignalGiven)] == [(6, "agree")]
    assert all("signal" in kit.room.keys(seat) for seat in range(1, 11))


async def test_what_the_rules_refuse_is_said_to_him_alone() -> None:
    """At night a sound would tell who is awake."""

    def player(seat: Seat, message: Line | Caption | Asked | Closed) -> str | None:
        if isinstance(message, Asked) and message.what == "meeting" and seat == 1:
            kit.say(1, "Signe : d'accord.")
        return None

    kit = Kit(player)
    await kit.play(30)
    assert not kit.of(SignalGiven)
    assert "refused-not-now" in kit.room.keys(1) and "refused-not-now" not in kit.room.keys(6)
