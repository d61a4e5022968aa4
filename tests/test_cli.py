"""The command line: results on standard output, one-line errors, exit codes."""

import json
from pathlib import Path

import pytest

from moderator.model import Role
from moderator.rules import Rules
from moderator.simulate import play
from voice.cli import main
from voice.store_sql import export_log


def test_simulate_prints_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--games", "3", "--seed", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["games"] == 3 and sum(found["winners"].values()) == 3 and found["events"] > 300


def test_simulate_is_repeatable(capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    for _ in range(2):
        main(["simulate", "--games", "3", "--seed", "5"])
        outputs.append({**json.loads(capsys.readouterr().out), "seconds": 0})
    assert outputs[0] == outputs[1]


def test_a_log_is_reviewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import random

    roles = {
        1: Role.DON,
        2: Role.MAFIOSO,
        3: Role.MAFIOSO,
        4: Role.SHERIFF,
        **dict.fromkeys(range(5, 11), Role.CIVILIAN),
    }
    export_log(tmp_path / "log.jsonl", play(random.Random(3), Rules(), roles))
    assert main(["review", str(tmp_path / "log.jsonl")]) == 0
    document = capsys.readouterr().out
    assert document.startswith("# Game simulated") and "| 1 | don |" in document and "## Night 1" in document
    assert main(["review", str(tmp_path / "log.jsonl"), "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["roles"]["4"] == "sheriff" and facts["winner"] in ("town", "mafia")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["review", "nowhere.jsonl"], "nowhere.jsonl: no such log"),
        (["review", "g", "--db", "nowhere.db"], "nowhere.db: no such store"),
        (["simulate", "--games", "1", "--rules", "blitz"], "configs/blitz.yaml: no such file"),
        (["demo", "--rules", "blitz"], "configs/blitz.yaml: no such file"),
    ],
)
def test_bad_input_is_one_line_and_2(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1


def test_a_damaged_log_names_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "log.jsonl").write_text('{"type": "night_began", "at": 1, "night": 0}\nnonsense\n')
    assert main(["review", str(tmp_path / "log.jsonl")]) == 2
    assert "event 1 is damaged" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["demo", "simulate", "extract", "transcribe", "review", "bench", "doctor"])
def test_every_command_helps(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0 and "usage" in capsys.readouterr().out


def test_bad_usage_is_2() -> None:
    with pytest.raises(SystemExit) as end:
        main(["demo", "--lang", "de"])
    assert end.value.code == 2
