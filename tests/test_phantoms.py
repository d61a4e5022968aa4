"""What a recogniser makes up is thrown away; what players say is not, however short or repeated."""

import pytest

from voice.config import read_yaml
from voice.hearing import prompt_for
from voice.phantoms import is_phantom
from voice.ports import Lang, Task

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("fr", "Sous-titrage ST' 501"),
        ("fr", "Sous-titres réalisés para la communauté d'Amara.org"),
        ("fr", "Merci d'avoir regardé cette vidéo !"),
        ("fr", " ...  "),
        ("fr", "♪♪♪"),
        ("fr", ""),
        ("en", "you"),
        ("en", "Thanks for watching!"),
        ("ru", "Редактор субтитров А.Семкин Корректор А.Егорова"),
        ("ru", "Продолжение следует..."),
    ],
)
def test_known_inventions(lang: Lang, text: str) -> None:
    assert is_phantom(text, lang)


@pytest.mark.parametrize(
    "text",
    [
        "le le le",
        "Contre le 6. Contre le 6. Contre le 6.",
        "je nomine " + "le 4 " * 20,
        "4 " * 5,
        "Le 1, contre " * 4 + "le 1",
    ],
)
def test_loops(text: str) -> None:
    assert is_phantom(text, "fr")


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("fr", "Oui."),
        ("fr", "Non, non, non !"),
        ("fr", "Non non, le 8."),
        ("fr", "Merci, j'ai fini."),
        ("fr", "Le 4, le 4."),
        ("fr", "1, 2, 3."),
        ("fr", "4, 4, 4."),
        ("en", "Thank you."),
        ("en", "No, no, no, no."),
        ("en", "Six."),
        ("ru", "Да, да, да."),
        ("ru", "Спасибо, у меня всё."),
    ],
)
def test_what_players_say_stays(lang: Lang, text: str) -> None:
    assert not is_phantom(text, lang)


@pytest.mark.parametrize("lang", LANGS)
def test_every_language_has_its_lists_as_they_are_compared(lang: Lang) -> None:
    known = read_yaml("prompts", "phantoms.yaml")[lang]
    assert set(known) == {"anywhere", "alone", "repeated"}
    for phrases in known.values():
        assert phrases
        for phrase in phrases:
            assert isinstance(phrase, str)
            assert phrase == phrase.casefold()
    for phrase in known["anywhere"]:
        assert is_phantom(phrase.capitalize() + "!", lang)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("task", Task)
def test_what_the_recogniser_is_told_to_expect_is_no_phantom(lang: Lang, task: Task) -> None:
    prompt = prompt_for(task, lang)
    assert not prompt or not is_phantom(prompt, lang)
