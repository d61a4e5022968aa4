"""Lines for and against fair play, for the tests of the phrases and for those with the model."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

from moderator.model import Offence
from voice.config import parse_yaml, read_yaml
from voice.ports import Lang

LANGS: tuple[Lang, ...] = get_args(Lang)
HERE = Path(__file__).parent
OTHER_AUTHORS = ("-e-", "-g-", "-h-")
"""In the ids of lines of people who knew neither phrases nor lines: their test half was only ever counted."""


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
    return [row for row in kept if any(of in row["id"] for of in OTHER_AUTHORS) == another_author]


PLAIN: list[tuple[Lang, str, set[Offence]]] = [
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
]
"""What is game and what is not."""

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
        "fr": "Je vais te casser les dents.",
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
