"""The command line: results on standard output, one-line errors, exit codes."""

import argparse
import asyncio
import json
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_kit import ROLES

from moderator.events import StepOpened
from moderator.rules import Rules
from moderator.simulate import play
from voice.arguments import parser
from voice.cli import main
from voice.ports import Utterance
from voice.store_sql import SqlStore, export_log

HERE = str(Path(__file__).parent)
GAME = play(random.Random(3), Rules(), ROLES)


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
    export_log(tmp_path / "log.jsonl", GAME)
    assert main(["review", str(tmp_path / "log.jsonl")]) == 0
    document = capsys.readouterr().out
    assert document.startswith("# Partie simulated") and "| 1 | Don |" in document and "## Nuit 1" in document
    assert main(["review", str(tmp_path / "log.jsonl"), "--format", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["roles"]["4"] == "sheriff" and facts["winner"] in ("town", "mafia")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["review", "nowhere.jsonl"], "nowhere.jsonl: neither a log, nor a folder with a moderator.db"),
        (["review", "g", "--db", "nowhere.db"], "nowhere.db: no such store"),
        (
            ["review", HERE],
            "tests: a folder without a moderator.db; name one of its files, or all of them with --out",
        ),
        (["review", f"{HERE}/records/mafia.json", "--seats", "x.json"], "--seats: is for a recording from elsewhere"),
        (["simulate", "--games", "1", "--rules", "blitz"], "rules blitz: unknown; there are classic, turbo"),
        (["demo", "--rules", "blitz"], "rules blitz: unknown; there are classic, turbo"),
    ],
)
def test_bad_input_is_one_line_and_2(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["simulate", "--games", "0"], ["simulate", "--games", "x"], ["review", "g", "--format", "pdf"], []]
)
def test_bad_usage_names_what_is_allowed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_of_a_damaged_log_the_part_before_is_reviewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.jsonl"
    export_log(path, GAME)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:100], "nonsense", *lines[101:]]))
    assert main(["review", str(path)]) == 2
    said = capsys.readouterr()
    assert "event 100 is damaged" in said.err and said.err.count("\n") == 1
    assert "La partie n'est pas terminée." in said.out


def test_events_that_do_not_follow_are_damage_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    index = next(number for number, event in enumerate(GAME) if isinstance(event, StepOpened))
    export_log(tmp_path / "log.jsonl", [*GAME[:index], *GAME[index + 1 :]])
    assert main(["review", str(tmp_path / "log.jsonl")]) == 2
    assert f"event {index} (step_closed)" in capsys.readouterr().err


def test_nothing_that_can_be_read_is_reviewed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "noise.jsonl").write_bytes(bytes(range(256)))
    (tmp_path / "empty.jsonl").touch()
    for name, says in (("noise.jsonl", "is no log"), ("empty.jsonl", "holds no event")):
        assert main(["review", str(tmp_path / name)]) == 2
        said = capsys.readouterr()
        assert says in said.err and not said.out
    assert main(["review", "g", "--db", str(tmp_path / "noise.jsonl")]) == 2
    assert "cannot be used as a store" in capsys.readouterr().err


def stored(path: Path, *games: str) -> Path:
    """A store with `GAME` under each of these ids, and one spoken line in each."""

    async def fill() -> None:
        store = SqlStore(path)
        for game in games:
            await store.append(game, 0, GAME)
            await store.append_utterance(game, Utterance(4, 65.0, 67.5, "Je nomine le 7.", 0.8))
        await store.close()

    path.parent.mkdir(parents=True, exist_ok=True)
    asyncio.run(fill())
    return path


def test_a_game_is_found_by_folder_by_id_and_by_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MODERATOR_HOME", str(tmp_path))
    stored(tmp_path / "friday" / "moderator.db", "g1")
    stored(tmp_path / "moderator.db", "g2", "g3")
    by_store = ["g1", "--db", str(tmp_path / "friday" / "moderator.db")]
    for arguments in ([str(tmp_path / "friday")], ["friday"], ["g2"], by_store):
        assert main(["review", *arguments]) == 0
        assert "**4** Je nomine le 7." in capsys.readouterr().out
    assert main(["review", "g4"]) == 2
    assert "has no game g4 (there: g2, g3)" in capsys.readouterr().err
    assert main(["review", str(tmp_path)]) == 2
    assert "holds several games" in capsys.readouterr().err


def test_a_transcript_is_subtitles_and_a_log_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored(tmp_path / "moderator.db", "g1")
    assert main(["review", str(tmp_path), "--format", "vtt"]) == 0
    assert "00:01:05.000 --> 00:01:07.500\n<v 4>Je nomine le 7.</v>" in capsys.readouterr().out
    export_log(tmp_path / "log.jsonl", GAME)
    assert main(["review", str(tmp_path / "log.jsonl"), "--format", "vtt"]) == 1
    assert "no transcript" in capsys.readouterr().err


def test_a_reader_who_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    export_log(tmp_path / "log.jsonl", GAME)
    command = [sys.executable, "-m", "voice", "review", str(tmp_path / "log.jsonl")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 1


@pytest.mark.parametrize("shell", ["", "trap '' INT; "], ids=["by itself", "in the background"])
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_stopped_says_so(sign: signal.Signals, shell: str) -> None:
    """A shell's background jobs ignore Ctrl-C, and are ended all the same."""
    heeds = "" if shell else "signal.signal(signal.SIGINT, signal.default_int_handler); "  # whoever runs the tests
    script = (
        f"import signal, sys, voice.cli as cli; {heeds}print('begins', flush=True); sys.exit(cli.main(sys.argv[1:]))"
    )
    command = f"{shell}exec {sys.executable} -c {shlex.quote(script)} simulate --games 100000"
    pipe = subprocess.PIPE
    with subprocess.Popen(["sh", "-c", command], stdout=pipe, stderr=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "begins\n"
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM if shell else sign)
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, out, err) == (1, "", "moderator simulate: stopped\n")


def commands(command: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield one
                yield from commands(one)


@pytest.mark.parametrize("command", list(commands(parser())), ids=lambda command: command.prog)
def test_every_command_says_what_it_does_and_takes(command: argparse.ArgumentParser) -> None:
    assert command.description and command.description.endswith((".", "}"))
    assert all(action.help for action in command._actions if not isinstance(action, argparse._SubParsersAction))
    shown = command.format_help()
    assert not re.search(r"default: (None|False|\[|==)", shown)
    assert "_count" not in shown


def test_a_default_is_shown_also_when_it_is_nought(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["simulate", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert end.value.code == 0
    assert "the same seed gives the same games (default: 0)" in shown and "(default: classic)" in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["simulate", "--games", "x"], "--games: must be a whole number, 1 or more, not 'x'"),
        (["simulate", "--games", "0"], "--games: must be a whole number, 1 or more, not '0'"),
        (["serve", "--port", "70000"], "--port: must be a port, 1 to 65535, or 0 for any free one, not '70000'"),
        (["worker", "--port", "-1"], "--port: must be a port, 1 to 65535, or 0 for any free one, not '-1'"),
        (["bench", "table", "--tables", "1,x"], "--tables: must be a whole number, 1 or more, not 'x'"),
    ],
)
def test_a_wrong_number_is_named_with_what_is_allowed(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2 and says in capsys.readouterr().err


def test_bad_usage_is_2() -> None:
    with pytest.raises(SystemExit) as end:
        main(["demo", "--lang", "de"])
    assert end.value.code == 2
