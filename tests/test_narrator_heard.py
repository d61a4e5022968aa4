"""How the moderator's lines are tried and judged when they are heard back: `moderator bench narrator` (docs/ux.md)."""

from voice.bench_narrator import Spoken, judge, lines, numbers, words
from voice.ports import Lang

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")


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
