"""The deterministic reader, sentence by sentence; the sentences stand in sentences.<lang>.yaml."""

import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from voice.grammar import PLAIN, read, seat_spans
from voice.ports import ActKind, Context, Lang, Reading, Task

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")
SEATS = tuple(range(1, 11))
NAMES = {
    "fr": {7: "Léa", 9: "Karim"},
    "en": {7: "Lea", 9: "Karim"},
    "ru": {7: "Лея", 9: "Карим"},
}
LABELS = {ActKind.END_SPEECH: "end", ActKind.CLAIM_SHERIFF: "sheriff", ActKind.CLAIM_RED: "red"}
LABELS |= {ActKind.CLAIM_BLACK: "black", ActKind.SHOOT: "shoot"}


def sentences(lang: Lang) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = yaml.load(
        (Path(__file__).parent / f"sentences.{lang}.yaml").read_text("utf-8"), Loader=yaml.BaseLoader
    )
    return found


def every() -> list[Any]:
    return [
        pytest.param(lang, Task(task), text, label, id=f"{lang}-{task}-{group}-{text[:40]}")
        for lang in LANGS
        for task, groups in sentences(lang).items()
        for group, lines in groups.items()
        for text, label in lines.items()
    ]


def context(lang: Lang) -> Context:
    return Context(1, SEATS, names=NAMES[lang], asked=4)


def label_of(reading: Reading) -> str:
    acts = [f"{LABELS.get(act.kind, act.kind.value)} {act.seat or ''}".strip() for act in reading.acts]
    return " ".join((["ask"] if reading.unsure else []) + acts) or "nothing"


@pytest.mark.parametrize(("lang", "task", "text", "label"), every())
def test_sentence(lang: Lang, task: Task, text: str, label: str) -> None:
    reading = read(task, lang, text, context(lang))
    assert label_of(reading) == label
    assert all(act.quote and act.quote in text for act in reading.acts)


@pytest.mark.parametrize("lang", LANGS[1:])
def test_languages_mirror_one_another(lang: Lang) -> None:
    ours, french = sentences(lang), sentences("fr")
    assert {task: list(groups) for task, groups in ours.items()} == {
        task: list(groups) for task, groups in french.items()
    }


@pytest.mark.parametrize("lang", LANGS)
def test_a_sentence_fits_one_intent(lang: Lang) -> None:
    """Yes is never no, a remark is no interpellation, and a closed answer nominates nobody."""
    tasks = sentences(lang)
    for task in (Task.CONFIRM, Task.LIFT):
        for lines in tasks[task].values():
            for text in lines:
                kinds = {act.kind for act in read(task, lang, text, context(lang)).acts}
                assert not {ActKind.YES, ActKind.NO} <= kinds, text
    for lines in tasks["nomination"].values():
        for text, label in lines.items():
            if label == "nothing":
                assert not read(Task.OUT_OF_TURN, lang, text, context(lang)).acts, text
    for name in ("vote", "lift", "confirm", "out_of_turn"):
        for lines in tasks[name].values():
            for text in lines:
                kinds = {act.kind for act in read(Task.NOMINATION, lang, text, context(lang)).acts}
                assert ActKind.NOMINATE not in kinds, text


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_plain_is_confident_and_what_is_doubtful_is_not(lang: Lang) -> None:
    tasks = sentences(lang)
    for text in tasks["vote"]["plain"]:
        assert read(Task.VOTE, lang, text, context(lang)).confidence >= PLAIN, text
    for text, label in [*tasks["nomination"]["corrected"].items(), *tasks["nomination"]["planned"].items()]:
        if label != "nothing":
            assert read(Task.NOMINATION, lang, text, context(lang)).confidence < PLAIN, text


@pytest.mark.parametrize("lang", LANGS)
def test_a_number_amid_other_words_is_no_plain_ballot(lang: Lang) -> None:
    """A television names numbers too; what stands alone behind a long sentence needs the other reader as well."""
    talk = {"fr": "Les meilleurs buteurs du vestiaire 4", "en": "The leading helpers of the locker room 4"}.get(
        lang, "Лучшие игроки из раздевалки 4"
    )
    tail = {"fr": "et nous passons maintenant à la météo de ce soir, 4.", "en": "and now over to the weather, 4."}.get(
        lang, "а теперь переходим к прогнозу погоды на вечер, 4."
    )
    for text in (f"{talk}...", f"{talk}, {tail}"):
        reading = read(Task.VOTE, lang, text, context(lang))
        assert reading.confidence < PLAIN or not reading.acts, text


@pytest.mark.parametrize("lang", LANGS)
def test_numbers_outside_the_table_give_no_act(lang: Lang) -> None:
    for said in {"fr": ("Je nomine le douze.", "Je nomine le zéro.", "Je nomine le 0.", "Je nomine le 47.")}.get(
        lang, ("I nominate twelve.", "I nominate 0.") if lang == "en" else ("Выставляю двенадцатого.", "Выставляю 0.")
    ):
        assert read(Task.NOMINATION, lang, said, context(lang)).acts == ()
    unknown = {"fr": "Le douze.", "en": "Twelve.", "ru": "Двенадцатый."}[lang]
    reading = read(Task.VOTE, lang, unknown, context(lang))
    assert reading.unsure and not reading.acts


@pytest.mark.parametrize("lang", LANGS)
def test_a_dead_seat_is_still_what_was_said(lang: Lang) -> None:
    said = {"fr": "Je nomine le quatre.", "en": "I nominate four.", "ru": "Выставляю четвёртого."}[lang]
    reading = read(Task.NOMINATION, lang, said, Context(1, (1, 2, 3, 5)))
    assert [act.seat for act in reading.acts] == [4]


@pytest.mark.parametrize("lang", LANGS)
def test_the_rules_say_how_many_suspects_are_too_many(lang: Lang) -> None:
    four = {"fr": "Noirs : deux, trois, quatre, cinq.", "en": "Black: two, three, four, five."}.get(
        lang, "Чёрные: второй, третий, четвёртый, пятый."
    )
    asked = {most: read(Task.TESTAMENT, lang, four, Context(1, SEATS, suspects=most)).unsure for most in (3, 4)}
    assert asked == {3: True, 4: False}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    "text", ["", " ", "...", "?!", "#", "%", "4" * 400, "\x00\ud83d", "le " * 2000, "((((", "a" * 5000]
)
def test_odd_text_is_read_without_a_fault(lang: Lang, text: str) -> None:
    for task in Task:
        assert all(act.seat in SEATS for act in read(task, lang, text, context(lang)).acts)


@pytest.mark.parametrize("lang", LANGS)
def test_a_minute_of_speech_is_read_at_once(lang: Lang) -> None:
    lines = [text for lines in sentences(lang)["nomination"].values() for text in lines]
    minute = " ".join(lines)[:900]

    def takes_s() -> float:
        started_s = time.perf_counter()
        read(Task.NOMINATION, lang, minute, context(lang))
        return time.perf_counter() - started_s

    assert min(takes_s() for _ in range(5)) < 0.25, "50 times what it needs: a pattern that runs away takes seconds"


def test_a_suspect_taken_back_and_nobody_heard_in_his_place_is_for_two_readers() -> None:
    misheard = read(Task.TESTAMENT, "ru", "Один, три, шесть, нет. Не шесть, семей.", context("ru"))
    assert ([act.seat for act in misheard.acts], misheard.confidence < PLAIN) == ([1, 3], True)
    replaced = read(Task.TESTAMENT, "ru", "Один, три, шесть, нет. Не шесть, семь.", context("ru"))
    assert ([act.seat for act in replaced.acts], replaced.confidence >= PLAIN) == ([1, 3, 7], True)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("fr", "Je laisse le un, le trois, le six. Non, pas le six, c'est."),
        ("en", "I leave one, three, six. No, not the six, several."),
        ("ru", "Один, три, шесть. Нет, не в шестого, семей."),
    ],
)
def test_small_words_before_the_suspect_taken_back_change_nothing(lang: Lang, text: str) -> None:
    misheard = read(Task.TESTAMENT, lang, text, context(lang))
    assert ([act.seat for act in misheard.acts], misheard.confidence < PLAIN) == ([1, 3], True)


def test_one_of_them_is_no_seat_in_russian() -> None:
    reading = read(Task.TESTAMENT, "ru", "Назову одного, девятый мафия.", context("ru"))
    assert [act.seat for act in reading.acts] == [9]


@pytest.mark.parametrize("text", ["Couronne au 10, mes noirs un 4, 8.", "Je dis un 4, 9. Merci."])
def test_a_list_that_may_begin_with_one_is_asked_about(text: str) -> None:
    assert read(Task.TESTAMENT, "fr", text, context("fr")).unsure


@pytest.mark.parametrize(
    ("lang", "text", "asked"),
    [
        ("fr", "Le 3, le 8, le 5 sont noirs. Ma couronne aussi qui les avait vus.", True),
        ("fr", "La couronne ? Personne. Noirs : le 7 et le 10.", False),
        ("fr", "Noirs : 7 et 10. Pas de couronne.", False),
        ("en", "Black: 7 and 10. My crown to sex.", True),
        ("en", "No crown. Black: 7 and 10.", False),
        ("ru", "Идинички корона. Мафия: седьмой и девятый.", True),
        ("ru", "Корону не отдаю. Мафия: седьмой и девятый.", False),
    ],
)
def test_a_crown_of_nobody_that_was_heard_is_asked_about(lang: Lang, text: str, asked: bool) -> None:
    assert read(Task.TESTAMENT, lang, text, context(lang)).unsure is asked


@pytest.mark.parametrize(
    ("lang", "text", "seats"),
    [
        ("en", "Best move, 245.", [2, 4, 5]),
        ("en", "My suspects are 245, thank you.", [2, 4, 5]),
        ("fr", "Ma liste : 169.", [1, 6, 9]),
        ("ru", "Чёрные 169.", [1, 6, 9]),
        ("en", "I live at 245 Baker Street.", []),
        ("fr", "Je laisse 122.", []),
        ("ru", "Мне 169 лет.", []),
    ],
)
def test_three_seats_written_as_one_number_are_asked_about(lang: Lang, text: str, seats: list[int]) -> None:
    reading = read(Task.TESTAMENT, lang, text, context(lang))
    found = [act.seat for act in reading.acts if act.kind is ActKind.SUSPECT]
    assert (found, reading.unsure) == (seats, bool(seats))


@pytest.mark.parametrize(
    ("lang", "text", "seat"),
    [
        ("en", "Out with 10.", 10),
        ("en", "Just 5.", 5),
        ("en", "I agree with 4.", 4),
        ("en", "7's my nomination.", 7),
        ("fr", "Et la 7 noirs.", 7),
    ],
)
def test_a_seat_is_no_count(lang: Lang, text: str, seat: int) -> None:
    assert [found for found, _ in seat_spans(lang, text, {})] == [seat]
