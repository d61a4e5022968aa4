"""The reading bench judges as `moderator extract` is judged, and the grammar alone keeps what it has reached."""

from argparse import Namespace
from typing import Any

import pytest

from voice.bench_reading import FOLDER, Row, judge, judged, rows, run
from voice.config import ConfigError
from voice.ports import MissingPart
from voice.understanding import Understanding

SECOND_AUTHOR = "-c-"
"""In the ids of the rows by an author who had not seen the project."""
ASKED_MAX, MISSED_MAX = {False: 0.125, True: 0.27}, {False: 0.02, True: 0.06}
"""Of our own rows and of the second author's, in each language, by the grammar alone: no model to agree with."""


def row(gold: dict[str, Any], *, clear: bool = True, task: str = "nomination") -> Row:
    return Row.model_validate({"id": "x", "task": task, "lang": "fr", "text": "…", "gold": gold, "clear": clear})


@pytest.mark.parametrize(
    ("gold", "clear", "answer", "outcome"),
    [
        ({"nominated": [4]}, True, {"ask": False, "nominated": [4]}, "right"),
        ({"nominated": [4]}, True, {"ask": True, "nominated": [4]}, "asked"),
        ({"nominated": [4]}, False, {"ask": True, "nominated": [5]}, "right"),
        ({"nominated": [4]}, True, {"ask": False, "nominated": []}, "missed"),
        ({"nominated": [4]}, True, {"ask": False, "nominated": [5]}, "false"),
        ({"nominated": []}, False, {"ask": False, "nominated": [5]}, "false"),
        ({"suspects": [4, 5], "crown": 1}, True, {"ask": False, "suspects": [4, 5], "crown": None}, "missed"),
        ({"suspects": [4, 5], "crown": None}, True, {"ask": False, "suspects": [5, 4], "crown": None}, "false"),
        ({"vote": 4}, True, {"ask": False, "vote": 4}, "right"),
        ({"sheriff": True, "checks": []}, True, {"ask": False, "sheriff": False, "checks": []}, "missed"),
        (
            {"sheriff": False, "checks": [{"seat": 3, "mafia": True}]}, True,
            {"ask": False, "sheriff": False, "checks": [{"seat": 3, "mafia": False}]}, "false",
        ),
    ],
)  # fmt: skip
def test_an_answer_is_judged(gold: dict[str, Any], clear: bool, answer: dict[str, Any], outcome: str) -> None:
    assert judge(row(gold, clear=clear), answer) == outcome


@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("lang", ["fr", "en", "ru"])
async def test_the_grammar_alone_never_acts_wrongly_and_seldom_asks(lang: str, second: bool) -> None:
    read = [row for row in rows(FOLDER / f"reading.{lang}.jsonl") if (SECOND_AUTHOR in str(row.id)) is second]
    counts = (await judged(read, Understanding(), show=False))["all"]
    assert len(read) >= 150
    assert counts["false"] == 0
    assert counts["asked"] <= ASKED_MAX[second] * len(read)
    assert counts["missed"] <= MISSED_MAX[second] * len(read)


@pytest.mark.parametrize("lang", ["fr", "en", "ru"])
def test_the_rows_are_of_every_task_and_many_kinds(lang: str) -> None:
    read = rows(FOLDER / f"reading.{lang}.jsonl")
    assert {each.task for each in read} == {"nomination", "testament", "vote", "claims"}
    assert len({tag for each in read for tag in each.tags}) >= 30
    assert len({each.id for each in read}) == len(read)


async def test_a_bench_without_its_rows_says_so(tmp_path: Any) -> None:
    with pytest.raises(MissingPart, match="--rows"):
        await run(Namespace(rows=tmp_path / "none.jsonl", lang="fr", every=1, model=False, show=False))
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": 1}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"bad\.jsonl"):
        await run(Namespace(rows=bad, lang="fr", every=1, model=False, show=False))
