"""Every command that the README and the documentation show is run as in a clone, or it is said here why not; links lead
somewhere."""

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_review_exports import friday, log

from voice.arguments import parser
from voice.cli import main
from voice.store_sql import export_log

__all__ = ["friday"]
ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#\s]+)")
OURS = re.compile(r"`((?:voice|moderator|tests|configs|prompts|scripts|deploy)/[\w./-]+\.\w+)`")
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOT_RUN = {
    "moderator serve": "runs until it is stopped: tests/test_serve.py starts and stops it",
    "moderator worker": "the same: tests/test_fleet_livekit.py",
    "moderator demo": "a whole game of ten minutes: `make game`",
    "moderator doctor": "uses every real part: tests/test_doctor.py, and CI by itself",
    "moderator train": "an hour of training: tests/test_training.py takes some steps of it",
    "moderator review seat-1.wav": "needs spoken recordings: tests/test_foreign.py",
    "moderator review evening.wav": "needs spoken recordings: tests/test_foreign.py",
    "make": "installs packages, or runs these very tests",
}
"""By how a command begins; such a command still has to be one: its arguments are parsed."""


def shown() -> Iterator[tuple[str, str]]:
    """Page and command, without comments."""
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                if command := line.partition(" #")[0].strip():
                    yield page.name, command


def test_every_exception_is_still_one() -> None:
    assert {why for why in NOT_RUN if not any(command.startswith(why) for _, command in shown())} == set()


@pytest.mark.parametrize("command", sorted({command for _, command in shown() if command.startswith("moderator")}))
def test_every_command_has_arguments_that_are_taken(command: str) -> None:
    words = [word for word in shlex.split(command.replace("GAME", "g1")) if word != "..."]
    parser().parse_args(words[1:])


@pytest.fixture
def folder(friday: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone, and what the pages talk of besides: a played game, another, a log."""
    games = tmp_path / "here" / "games"
    shutil.copytree(friday, games / "friday")
    shutil.copytree(friday, games / "first")
    export_log(games.parent / "log.jsonl", log(7))
    for part in ("configs", "tests"):
        (games.parent / part).symlink_to(ROOT / part)
    monkeypatch.chdir(games.parent)
    return games.parent


def test_every_command_is_run(folder: Path) -> None:
    failed = []
    for page, command in shown():
        if any(command.startswith(beginning) for beginning in NOT_RUN):
            continue
        program, *words = [word for each in shlex.split(command.replace("GAME", "g1")) for word in expanded(each)]
        code = main(words) if program == "moderator" else subprocess.run([program, *words], check=False).returncode
        if code != 0:
            failed.append((page, command, code))
    assert failed == []


def expanded(word: str) -> list[str]:
    """As a shell does with `*`."""
    return sorted(map(str, Path().glob(word))) if "*" in word else [word]


def test_links_lead_somewhere_in_the_source_tree_too() -> None:
    """Where the pages are read as files there are no pages made from the code."""
    led = [
        (page.name, target)
        for page in [*PAGES, *ROOT.glob("*.md")]
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in target and not (page.parent / target).exists()
    ]
    assert led == []


def test_every_file_of_ours_that_is_named_is_there() -> None:
    named = [
        (page.name, file)
        for page in [*PAGES, *ROOT.glob("*.md")]
        for file in OURS.findall(page.read_text(encoding="utf-8"))
        if not (ROOT / file.replace("LANG", "fr")).exists()
    ]
    assert named == []


def test_the_site_is_built_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    """mkdocs is strict: a page outside the contents, a link or an anchor that leads nowhere ends it."""
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    commands = (tmp_path / "site" / "reference" / "commands.html").read_text(encoding="utf-8")
    assert "moderator games forget" in commands
    loaded = [
        address
        for page in (tmp_path / "site").rglob("*.html")
        for address in re.findall(
            r'<(?:script|img|link rel="stylesheet")[^>]*(?:src|href)="(https?:[^"]*)', page.read_text()
        )
    ]
    assert loaded == []
