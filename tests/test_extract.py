"""`moderator extract`, with the grammar alone."""

import io
import json
from typing import Any

import pytest

from voice.extract import run
from voice.ports import Lang
from voice.understanding import Understanding


async def extract(*rows: object, lang: Lang | None = "fr") -> tuple[int, list[dict[str, Any]], str]:
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    out, errors = io.StringIO(), io.StringIO()
    code = await run(Understanding(), lang, io.StringIO("\n".join(lines)), out, errors)
    return code, [json.loads(line) for line in out.getvalue().splitlines()], errors.getvalue()


def row(task: str, text: str, **context: object) -> dict[str, object]:
    return {"id": "x", "task": task, "lang": "fr", "text": text, "context": {"speaker": 1, **context}}


async def test_a_nomination() -> None:
    code, (answer,), errors = await extract(row("nomination", "Bon. Je nomine le huit."))
    assert (code, errors) == (0, "")
    assert answer == {
        "id": "x", "ask": False, "nominated": [8], "withdrawn": [],
        "confidence": 1.0, "source": "grammar", "quote": "Je nomine le huit",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("task", "text", "field", "value"),
    [
        ("nomination", "Je nomine le cinq. Je retire ma nomination.", "withdrawn", [5]),
        ("testament", "Je laisse le trois et le neuf.", "suspects", [3, 9]),
        ("testament", "La couronne au deux.", "crown", 2),
        ("vote", "Contre le six.", "vote", 6),
        ("vote", "Je réfléchis encore un petit moment.", "vote", None),
        ("claims", "Je suis le shérif.", "sheriff", True),
        ("claims", "J'ai vérifié le 3, il est noir.", "checks", [{"seat": 3, "mafia": True}]),
    ],
)
async def test_each_task_has_its_fields(task: str, text: str, field: str, value: object) -> None:
    _, (answer,), _ = await extract(row(task, text))
    assert answer["ask"] is False
    assert answer[field] == value


async def test_what_the_rules_refuse_is_left_out() -> None:
    _, answers, _ = await extract(
        row("nomination", "Je nomine le huit.", alive=[1, 2, 3, 7]),
        row("nomination", "Je nomine le sept.", nominated=[7]),
        row("vote", "Le quatre.", nominated=[2, 5]),
        row("nomination", "Je vais nominer le huit.", alive=[1, 2, 3, 7]),
    )
    assert [answer.get("nominated", []) for answer in answers] == [[], [], [], []]
    assert [answer["ask"] for answer in answers] == [False] * 4
    assert answers[2]["vote"] is None


async def test_names_are_read_as_seats() -> None:
    _, (answer,), _ = await extract(row("nomination", "Je nomine Léa.", names={"7": "Léa"}))
    assert (answer["nominated"], answer["quote"]) == ([7], "Je nomine Léa")


async def test_a_doubt_asks_and_names_what_about() -> None:
    _, (answer,), _ = await extract(row("nomination", "Je vais nominer le huit."))
    assert (answer["ask"], answer["nominated"]) == (True, [8])


async def test_conduct() -> None:
    _, (clean, insult, both, likely), _ = await extract(
        row("conduct", "Je parie que le 4 est noir."),
        row("conduct", "Le quatre est un abruti."),
        row("conduct", "Abruti, je vais te casser la gueule."),
        row("conduct", "Mon Dieu, le quatre."),
    )
    assert clean == {"id": "x", "ask": False, "kinds": [], "confidence": 1.0, "source": "none", "quote": ""}
    assert (insult["ask"], insult["kinds"], insult["source"]) == (False, ["insult"], "grammar")
    assert insult["quote"] in "Le quatre est un abruti."
    assert both["kinds"] == ["threat", "insult"], "the weightiest first"
    assert (likely["ask"], likely["kinds"]) == (True, ["religion"]), "may be meant so: nothing is done"


async def test_bad_lines_are_named_and_the_rest_is_done() -> None:
    code, answers, errors = await extract(
        "{nonsense", "[1]", {"id": 1}, row("vote", "Le deux.", alive=[12]), {**row("vote", "x"), "task": "poll"}, "",
        row("vote", "Le deux."),
    )  # fmt: skip
    assert code == 2
    assert [answer["vote"] for answer in answers] == [2]
    lines = errors.splitlines()
    assert [line.split(":")[1].strip() for line in lines] == [f"line {n}" for n in (1, 2, 3, 4, 5)]
    assert "not JSON" in lines[0]
    assert "task" in lines[2]
    assert "context.alive.0" in lines[3]


async def test_the_language_may_come_from_the_command() -> None:
    without = {key: value for key, value in row("vote", "Le deux.").items() if key != "lang"}
    assert (await extract(without))[1][0]["vote"] == 2
    code, answers, errors = await extract(without, lang=None)
    assert (code, answers) == (2, [])
    assert "--lang" in errors
