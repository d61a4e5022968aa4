"""Opening a motion by voice: what moves, and that nothing is opened without a yes."""

from pathlib import Path

import pytest
import yaml
from kit import Kit

from moderator.events import Fouled, MotionDecided, MotionOpened, Nominated, PlayerLeft
from moderator.model import Cause, Seat
from voice.motions import read
from voice.ports import Lang
from voice.wire import Asked, Caption, Closed, Line

Message = Line | Caption | Asked | Closed
LANGS: tuple[Lang, ...] = ("fr", "en", "ru")

MOVES: dict[Lang, dict[str, tuple[str, Seat | None]]] = {
    "fr": {
        "Faute technique pour le neuf, insulte.": ("technical_foul", 9),
        "Narrateur, faute technique contre le joueur 4.": ("technical_foul", 4),
        "Euh, je demande une faute technique au sept.": ("technical_foul", 7),
        "Je demande la disqualification du numéro deux.": ("disqualification", 2),
        "Arrêt de la partie, Opponent Victory.": ("stop", None),
        "Arrêt de la partie par la faute du huit !": ("stop", 8),
        "Narrateur, j'abandonne la partie.": ("give_up", None),
    },
    "en": {
        "Technical on nine, insult.": ("technical_foul", 9),
        "Moderator, technical foul for player 4.": ("technical_foul", 4),
        "I move a technical foul against seven.": ("technical_foul", 7),
        "I ask for the disqualification of number two.": ("disqualification", 2),
        "Stop the game, opponent victory.": ("stop", None),
        "Stop the game because of eight!": ("stop", 8),
        "I give up the game.": ("give_up", None),
    },
    "ru": {
        "Техфол девятому, оскорбление.": ("technical_foul", 9),
        "Ведущий, технический фол для игрока номер 4.": ("technical_foul", 4),
        "Прошу технический фол седьмому.": ("technical_foul", 7),
        "Прошу дисквалифицировать игрока номер два.": ("disqualification", 2),
        "ППК, останавливаем игру.": ("stop", None),
        "Прошу остановить игру из-за восьмого!": ("stop", 8),
        "Я выхожу из игры.": ("give_up", None),
    },
}
TALK: dict[Lang, tuple[str, ...]] = {
    "fr": (
        "Faute technique pour le neuf ?",
        "Le neuf mérite une faute technique.",
        "Hier on a demandé une faute technique pour le neuf, c'était exagéré.",
        "Faute technique.",
        "Faute technique pour le neuf et le dix.",
        "Arrêtez de mentir.",
        "J'abandonne, je ne sais plus qui est noir.",
        "Le six abandonne la partie.",
    ),
    "en": (
        "Technical foul on nine?",
        "Nine deserves a technical foul.",
        "Yesterday you asked for a technical foul on nine, that was too much.",
        "Technical foul.",
        "Technical foul on nine and ten.",
        "Stop, the game is lost.",
        "I give up on nine.",
    ),
    "ru": (
        "Техфол девятому?",
        "Девятый заслужил техфол.",
        "Вчера просили техфол девятому, и зря.",
        "Техфол.",
        "Техфол девятому и десятому.",
        "Стоп, игра проиграна.",
        "Пятый выходит из игры.",
    ),
}


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang in LANGS for text in MOVES[lang]])
def test_what_moves(lang: Lang, text: str) -> None:
    wish = read(lang, text)
    assert wish is not None
    assert (wish.kind, wish.accused) == MOVES[lang][text]


@pytest.mark.parametrize(("lang", "text"), [(lang, text) for lang in LANGS for text in TALK[lang]])
def test_what_is_talk(lang: Lang, text: str) -> None:
    assert read(lang, text) is None


@pytest.mark.parametrize("lang", LANGS)
def test_no_act_of_the_game_moves_anything(lang: Lang) -> None:
    path = Path(__file__).parent / f"sentences.{lang}.yaml"
    tasks = yaml.load(path.read_text("utf-8"), Loader=yaml.BaseLoader)
    for text in (text for groups in tasks.values() for lines in groups.values() for text in lines):
        assert read(lang, text) is None, text


async def moved_by_six(answer: str | None, words: str = "Faute technique pour le neuf, insulte.") -> Kit:
    """Seat 6 says it in the first speech; everybody else votes against."""

    def player(seat: Seat, message: Message) -> str | None:
        match message:
            case Asked(what="speech") if seat == 1:
                kit.say(6, words)
            case Asked(what="question") if seat == 6:
                return answer
            case Asked(what="motion") if seat != 6:
                return "Non."
        return None

    kit = Kit(player)
    await kit.play(48)
    return kit


@pytest.mark.parametrize(("answer", "accused"), [("Oui.", 9), ("Non, le huit.", 8)])
async def test_a_motion_is_opened_after_a_yes(answer: str, accused: Seat) -> None:
    kit = await moved_by_six(answer)
    (opened,) = kit.of(MotionOpened)
    assert (opened.motion.by, opened.motion.accused, opened.motion.kind) == (6, accused, "technical_foul")
    assert [event.carried for event in kit.of(MotionDecided)] == [False]
    assert not kit.of(Fouled)
    asked = [
        seat for seat, message in kit.room.sent if isinstance(message, Line) and message.key.startswith("ask-motion")
    ]
    assert asked == [6], "in his own booth"


@pytest.mark.parametrize("answer", ["Non.", None])
async def test_no_and_silence_open_nothing_and_that_is_said(answer: str | None) -> None:
    kit = await moved_by_six(answer)
    assert not kit.of(MotionOpened)
    assert kit.room.keys(6).count("nothing-noted") == 1
    assert "nothing-noted" not in kit.room.keys(7)


async def test_what_the_rules_refuse_is_said_at_once_to_the_mover() -> None:
    kit = await moved_by_six("Oui.", "Faute technique pour le six.")
    assert "refused-not-oneself" in kit.room.keys(6)
    assert "refused-not-oneself" not in kit.room.keys(1)
    assert not kit.of(MotionOpened)


async def test_inside_ones_own_speech_the_speech_goes_on_after_a_no() -> None:
    def player(seat: Seat, message: Message) -> str | None:
        match message:
            case Asked(what="speech") if seat == 1:
                kit.say(1, "Faute technique pour le neuf.")
                kit.say(1, "Je nomine le six.", after_s=9.0)
            case Asked(what="question"):
                return "Non."
        return None

    kit = Kit(player)
    await kit.play(45)
    assert not kit.of(MotionOpened)
    assert [event.target for event in kit.of(Nominated)] == [6]


@pytest.mark.parametrize(("answer", "gone"), [("Oui.", [6]), ("Non.", []), (None, [])])
async def test_who_gives_up_by_word_is_asked_once_and_leaves_after_a_yes_alone(answer: str, gone: list[Seat]) -> None:
    kit = await moved_by_six(answer, "J'abandonne la partie.")
    assert [event.seat for event in kit.of(PlayerLeft) if event.cause is Cause.GAVE_UP] == gone
    assert kit.room.keys(6).count("ask-give-up") == 1
    assert not any("ask-give-up" in kit.room.keys(seat) for seat in (1, 7))
