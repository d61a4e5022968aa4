"""What breaks fair play in a text (S22): all of it noticed, and nothing else."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moderator.model import Offence
from voice import conduct
from voice.config import parse_yaml, read_yaml
from voice.grammar.conduct import accepts, phrases
from voice.ports import Lang

LANGS: tuple[Lang, ...] = get_args(Lang)
HERE = Path(__file__).parent
FALSE_AT_MOST = 0.01
FOUND_AT_LEAST = 0.85


def noticed(lang: Lang, text: str) -> set[Offence]:
    return {breach.offence for breach in conduct.read(lang, text) if breach.sure}


def rows(lang: Lang) -> list[dict[str, Any]]:
    lines = (HERE / "bench" / f"conduct.{lang}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def texts(node: object, *, keys: bool) -> Iterator[str]:
    """The sentences of a YAML file: the keys of its innermost mappings, or all its values."""
    if isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, dict | list):
                yield from texts(value, keys=keys)
            elif keys:
                yield str(key)
            else:
                yield str(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value, keys=keys) if isinstance(value, dict | list) else (str(value),)


@cache
def game_talk(lang: Lang) -> tuple[str, ...]:
    """What the grammar is tried on, and what the robots say: no word of it breaks fair play."""
    sentences = texts(parse_yaml(HERE / f"sentences.{lang}.yaml"), keys=True)
    robots = texts(read_yaml("prompts", f"robots.{lang}.yaml"), keys=False)
    return tuple(sorted({*sentences, *robots}))


@pytest.mark.parametrize("lang", LANGS)
def test_s22_enough_is_found_and_next_to_nothing_is_found_wrongly(lang: Lang) -> None:
    """Over the rows of the bench that were never tuned on; the figures are in docs/fairness.md."""
    kept = [row for row in rows(lang) if row["half"] == "test"]
    clean = [row["text"] for row in kept if not row["gold"]["kinds"]]
    assert sum(bool(noticed(lang, text)) for text in clean) <= FALSE_AT_MOST * len(clean)
    found, there = Counter[str](), Counter[str]()
    for row in kept:
        for kind in row["gold"]["kinds"]:
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


@pytest.mark.parametrize(
    ("lang", "text", "offences"),
    [
        ("fr", "Le 4 m'a traité d'imbécile.", set()),
        ("fr", "Quel con je suis.", set()),
        ("fr", "Tu mens, menteur.", set()),
        ("fr", "Je te jure que le 4 est noir.", set()),
        ("fr", "Je le jure sur ma mère.", {Offence.RELIGION}),
        ("fr", "Je parie que le 4 est noir.", set()),
        ("fr", "Je te parie dix euros que le 4 est noir.", {Offence.BET}),
        ("fr", "Merde, je me suis trompé.", set()),
        ("fr", "La mafia va te tuer cette nuit.", set()),
        ("fr", "Je vais te tuer pour de vrai.", {Offence.THREAT}),
        ("en", "I bet four is black.", set()),
        ("en", "I bet you.", {Offence.BET}),
        ("en", "That vote was stupid.", set()),
        ("en", "You are stupid.", {Offence.INSULT}),
        ("ru", "Ставлю четвёртого.", set()),
        ("ru", "Ставлю сто рублей, что четвёртый чёрный.", {Offence.BET}),
        ("ru", "Не спорю.", set()),
        ("ru", "Клянусь мамой.", {Offence.RELIGION}),
        ("fr", "I think that number four is the mafia.", {Offence.LANGUAGE}),
        ("en", "I think that number four is the mafia.", set()),
        ("fr", "Bon, go, check.", set()),
    ],
)
def test_s22_what_is_game_and_what_is_not(lang: Lang, text: str, offences: set[Offence]) -> None:
    assert noticed(lang, text) == offences


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
