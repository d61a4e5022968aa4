"""How the moderator's lines are tried and judged when they are heard back: `moderator bench narrator` (docs/ux.md); and
the lines that a game hangs on, heard back."""

import pytest

from voice.bench_narrator import Spoken, heard_back, judge, lines, numbers, plain_ear, words
from voice.engines import NATURAL
from voice.ports import Lang

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")
CUT = ("speech-call", "nominated", "echo-ballot", "ask-check", "left")
"""Whose turn it is, who is a candidate, what was understood, what is asked, who has left: each with a seat."""


def test_every_sentence_is_tried_in_every_wording() -> None:
    for lang in LANGS:
        said = lines(lang)
        assert len({line.key for line in said}) > 150
        assert {line.setting for line in said} == {"mafia", "loup-garou"}
        assert {number for line in said for number in numbers(lang, line.text)} == set(range(1, 11))


def test_a_line_is_right_with_its_numbers_and_most_of_its_words() -> None:
    line = Spoken("count", "mafia", "Contre le six, trois voix : le un, le deux et le sept.")
    assert judge(line, "Contre le 6, 3 voix, le 1, le 2 et le 7.", "fr").right
    assert not judge(line, "Contre le 10, 3 voix, le 1, le 2 et le 7.", "fr").right
    assert not judge(Spoken("left", "mafia", "Numéro six, éliminé."), "Numéro six.", "fr").right
    assert words("Numéro six, éliminé.", "fr") == ["numero", "elimine"]


@pytest.mark.real
@pytest.mark.whisper
@pytest.mark.tts
@pytest.mark.natural
@pytest.mark.parametrize(("lang", "numbers_back", "words_back"), [("fr", 4, 4), ("en", 5, 4), ("ru", 4, 3)])
async def test_the_lines_that_a_game_hangs_on_are_heard_back(lang: Lang, numbers_back: int, words_back: int) -> None:
    """By the natural voices. Numbers count most: of the words one processor's arithmetic gives back 4.5 in five lines,
    another's 4.2."""
    cut = [next(line for line in lines(lang) if line.key == key) for key in CUT]
    heard = await heard_back(cut, lang, NATURAL[lang], plain_ear())
    assert sum(one.numbers for one in heard) >= numbers_back, heard
    assert sum(one.words for one in heard) >= words_back, heard
