"""What breaks fair play in a text (S22), by the phrases alone: much of it is noticed, and nothing else."""

from collections import Counter
from pathlib import Path

import pytest
from conduct_kit import GAME, LANGS, PLAIN, UNFAIR, game_talk, judged, rows, texts
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.model import Offence
from voice import conduct, training
from voice.config import parse_yaml
from voice.grammar.conduct import accepts, phrases
from voice.ports import Lang

FALSE_AT_MOST = 0.01
FOUND_AT_LEAST = 0.85


def noticed(lang: Lang, text: str) -> set[Offence]:
    return {breach.offence for breach in conduct.read(lang, text) if breach.sure}


def test_s22_next_to_nothing_is_found_wrongly() -> None:
    clean = [row for row in judged(another_author=False) if not row["gold"]["kinds"]]
    assert len(clean) == 189
    assert sum(bool(noticed(row["lang"], row["text"])) for row in clean) <= FALSE_AT_MOST * len(clean)


@pytest.mark.parametrize("lang", LANGS)
def test_s22_enough_is_found(lang: Lang) -> None:
    found, there = Counter[str](), Counter[str]()
    for row in judged(another_author=False):
        for kind in row["gold"]["kinds"] if row["lang"] == lang else ():
            there[kind] += 1
            found[kind] += bool(noticed(lang, row["text"]))
    assert set(there) == set(Offence)
    for kind in (Offence.INSULT, Offence.THREAT, Offence.BET):
        assert found[kind] >= FOUND_AT_LEAST * there[kind] or found[kind] >= there[kind] - 1, kind


@settings(max_examples=60, deadline=None)
@given(lang=st.sampled_from(LANGS), data=st.data())
def test_s22_game_talk_in_any_order_gives_no_notice(lang: Lang, data: st.DataObject) -> None:
    said = data.draw(st.lists(st.sampled_from(game_talk(lang)), min_size=1, max_size=6))
    assert noticed(lang, " ".join(said)) == set()


@pytest.mark.parametrize("lang", LANGS)
def test_s22_every_sentence_of_game_talk_is_clean(lang: Lang) -> None:
    assert [text for text in game_talk(lang) if noticed(lang, text)] == []


@settings(max_examples=100, deadline=None)
@given(lang=st.sampled_from(LANGS), text=st.text(max_size=200) | st.text(alphabet="aé' ,.?!#4дя", max_size=200))
def test_whatever_is_said_it_is_read_and_quoted_literally(lang: Lang, text: str) -> None:
    for breach in conduct.read(lang, text):
        assert breach.quote in text


def test_a_long_text_takes_no_longer_a_word_than_a_short_one() -> None:
    """Every piece is read by itself: what breaks fair play at its end is found, and nothing grows beyond it."""
    text = "je te tu es le 4 " * 3000
    assert noticed("fr", f"{text}. Espèce d'idiot.") == {Offence.INSULT}


@pytest.mark.parametrize(("lang", "text", "offences"), PLAIN)
def test_s22_what_is_game_and_what_is_not(lang: Lang, text: str, offences: set[Offence]) -> None:
    assert noticed(lang, text) == offences


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", GAME)
def test_s22_what_sounds_unfair_and_is_game(kind: str, lang: Lang) -> None:
    assert noticed(lang, GAME[kind][lang]) == set()


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", UNFAIR)
def test_s22_beside_it_what_is_unfair_is_noticed(kind: Offence, lang: Lang) -> None:
    assert noticed(lang, UNFAIR[kind][lang]) == {kind}


def test_a_phrase_counts_only_where_the_model_does_not_find_the_sentence_harmless() -> None:
    text = "I bet you ten euros."
    assert [breach.offence for breach in conduct.read("en", text)] == [Offence.BET]
    assert [breach.offence for breach in conduct.read("en", text, likely={text: {Offence.BET: 0.5}})] == [Offence.BET]
    assert conduct.read("en", text, likely={text: {Offence.BET: 0.001}}) == ()
    (surer,) = conduct.read("en", text, likely={text: {Offence.BET: 0.001, Offence.INSULT: 0.99}})
    assert (surer.offence, surer.source) == (Offence.INSULT, "model")


def test_without_a_phrase_the_model_must_be_sure_and_is_not_asked_about_what_is_told_of_others() -> None:
    def noticed_at(text: str, likelihood: float) -> bool:
        found = conduct.read("en", text, likely={text: {Offence.INSULT: likelihood}})
        assert all(breach.source == "model" and breach.quote == text for breach in found)
        return bool(found)

    text = "Four thinks as fast as paint dries."
    assert noticed_at(text, conduct.SURE) and not noticed_at(text, conduct.SURE - 0.001)
    assert not noticed_at("He called me an idiot.", 1.0)


def texts_learnt(lang: Lang) -> list[str]:
    blocks = texts(parse_yaml(Path(training.__file__).with_name(f"conduct.{lang}.yaml")), keys=False)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize("lang", LANGS)
def test_what_is_learnt_from_is_no_line_of_the_bench(lang: Lang) -> None:
    learnt = set(texts_learnt(lang))
    assert len(learnt) >= 600
    assert learnt.isdisjoint(row["text"] for row in rows(lang))


@pytest.mark.parametrize(
    ("lang", "yes", "no"),
    [
        ("fr", ["Motion.", "Oui, motion.", "Je demande la motion.", "motion"], ["Oui.", "Pas de motion.", "Non."]),
        ("en", ["Motion.", "Yes, motion.", "I move the motion."], ["Yes.", "No motion.", "What motion?"]),
        ("ru", ["Предлагаю.", "Да, предлагаю.", "Моция."], ["Да.", "Не предлагаю.", "Предлагаю девятого."]),
    ],
)
def test_s22_only_the_plain_word_takes_up_what_was_offered(lang: Lang, yes: list[str], no: list[str]) -> None:
    assert [text for text in yes if not accepts(lang, text)] == []
    assert [text for text in no if accepts(lang, text)] == []


@pytest.mark.parametrize("lang", LANGS)
def test_every_language_has_phrases_of_every_kind(lang: Lang) -> None:
    assert set(type(phrases(lang)).model_fields) >= set(Offence) - {Offence.LANGUAGE}


def test_the_bench_is_what_it_says() -> None:
    ids = set[str]()
    for lang in LANGS:
        lines = rows(lang)
        ids |= {row["id"] for row in lines}
        assert len(lines) >= 120
        assert sum(not row["gold"]["kinds"] for row in lines) >= 0.4 * len(lines)
        assert {row["lang"] for row in lines} == {lang}
    assert len(ids) == sum(len(rows(lang)) for lang in LANGS)
