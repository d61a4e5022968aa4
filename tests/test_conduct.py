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
from voice import conduct, training
from voice.config import parse_yaml, read_yaml
from voice.grammar.conduct import Ground, accepts, breaches, phrases
from voice.ports import Lang

LANGS: tuple[Lang, ...] = get_args(Lang)
HERE = Path(__file__).parent
FALSE_AT_MOST = 0.01
FOUND_AT_LEAST = 0.85
ANOTHER_AUTHOR = "-e-"
"""In the ids of lines of somebody who knew neither phrases nor lines: their test half was only ever counted ..."""
FALSE_OF_ANOTHER, FOUND_OF_ANOTHER = 0.04, 0.7
"""... and does not reach the aim yet; it must get no worse."""


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


def judged(*, another_author: bool) -> list[dict[str, Any]]:
    """The rows that were never tuned on; the figures are in docs/fairness.md."""
    kept = [row for lang in LANGS for row in rows(lang) if row["half"] == "test"]
    return [row for row in kept if (ANOTHER_AUTHOR in row["id"]) == another_author]


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


def test_s22_the_words_of_another_author_are_read_no_worse_than_they_were() -> None:
    kept = judged(another_author=True)
    clean = [noticed(row["lang"], row["text"]) for row in kept if not row["gold"]["kinds"]]
    assert len(clean) == 108
    assert sum(map(bool, clean)) <= FALSE_OF_ANOTHER * len(clean)
    plain = {Offence.INSULT, Offence.THREAT, Offence.BET}
    broken = [noticed(row["lang"], row["text"]) for row in kept if plain & set(row["gold"]["kinds"])]
    assert sum(map(bool, broken)) >= FOUND_OF_ANOTHER * len(broken)


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


GAME: dict[str, dict[Lang, str]] = {
    "killing": {
        "fr": "Je vais te tuer le 3, à main levée.",
        "en": "They're going to cut your throat tonight, sheriff.",
        "ru": "Завтра я приду за тобой, пятый, с выставлением.",
    },
    "a threat to an argument": {
        "fr": "Je vais enterrer ta version pièce par pièce, numéro neuf.",
        "en": "I'm going to bury your version brick by brick, number nine.",
        "ru": "Я твою версию закопаю по кускам, девятый.",
    },
    "a bet that asks for nothing": {
        "fr": "Tu veux parier que cette nuit ils me laissent encore en vie ?",
        "en": "Want to bet they leave me alive again tonight?",
        "ru": "Десять к одному, что он вскроется шерифом до конца голосования.",
    },
    "talk about the rules": {
        "fr": "Est-ce qu'on a le droit de parier dans ce jeu ?",
        "en": "Is it allowed to bet in this game?",
        "ru": "По правилам спорить на деньги запрещено.",
    },
    "said of oneself": {
        "fr": "J'ai le cerveau qui ne marche plus.",
        "en": "My brain is completely fried.",
        "ru": "Голова уже не варит.",
    },
    "exclamations": {
        "fr": "Putain vous avez sorti un rouge.",
        "en": "Jesus Christ, could you let me finish?",
        "ru": "Господи, сколько раз повторять?",
    },
    "criticism of play": {
        "fr": "C'est un mauvais vote, un vote de paresseux, et ça aide que les noirs.",
        "en": "It's a bad vote, a lazy vote, and it helps only the black team.",
        "ru": "Плохой голос, ленивый, помогает только чёрным.",
    },
    "earlier days of this game": {
        "fr": "Depuis le début de cette partie tu votes avec le un.",
        "en": "Since the beginning of this game you've been voting with one.",
        "ru": "С самого начала этой игры ты голосуешь с первым.",
    },
    "idioms of religion": {
        "fr": "Je prie pour que le shérif soit vivant.",
        "en": "Pray that the sheriff is alive.",
        "ru": "Молитесь, чтобы шериф был жив.",
    },
    "friends at this table": {
        "fr": "C'est mon meilleur ami à cette table, c'est un rouge contrôlé.",
        "en": "He's my best friend at this table, because he's a checked red.",
        "ru": "Он мой лучший друг за этим столом, проверенный красный.",
    },
    "words taken back": {
        "fr": "Menteur, je retire ce mot.",
        "en": "Liar was too much, I take that back.",
        "ru": "Слово «врун» про четвёртого беру назад.",
    },
}

UNFAIR: dict[Offence, dict[Lang, str]] = {
    Offence.THREAT: {
        "fr": "Je vais te trancher la gorge.",
        "en": "I'm going to cut your throat.",
        "ru": "Жди меня на улице, я тебе ноги переломаю.",
    },
    Offence.BET: {
        "fr": "Tu veux parier dix euros que cette nuit ils me laissent en vie ?",
        "en": "Want to bet ten euros that they leave me alive?",
        "ru": "Спорим на сто рублей, что он вскроется шерифом.",
    },
    Offence.RELIGION: {
        "fr": "Dieu m'est témoin que je suis rouge.",
        "en": "As Jesus is my witness, I'm red.",
        "ru": "Богом клянусь, я красный.",
    },
}


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", GAME)
def test_s22_what_sounds_unfair_and_is_game(kind: str, lang: Lang) -> None:
    assert noticed(lang, GAME[kind][lang]) == set()


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("kind", UNFAIR)
def test_s22_beside_it_what_is_unfair_is_noticed(kind: Offence, lang: Lang) -> None:
    assert noticed(lang, UNFAIR[kind][lang]) == {kind}


def test_a_phrase_counts_only_where_the_second_reader_does_not_find_the_sentence_harmless() -> None:
    def agrees(kind: Offence, ground: Ground) -> bool:
        return ground is Ground.PHRASE

    def denies(kind: Offence, ground: Ground) -> bool:
        return False

    text = "I bet you ten euros."
    assert [breach.offence for breach in breaches("en", text, {}, lambda word: False, agrees)] == [Offence.BET]
    assert breaches("en", text, {}, lambda word: False, denies) == ()


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
