"""`make scan`: what is found fails, what cannot be looked up is said aloud and does not."""

import importlib.util
import json
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
SAFE = {"name": "jinja2", "version": "3.1.6", "vulns": []}
HOLED = {"name": "jinja2", "version": "3.1.2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3.1.6"]}]}
SKIPPED = {"name": "ours", "skip_reason": "Dependency not found on PyPI and could not be audited"}


@pytest.fixture(scope="module")
def scan() -> ModuleType:
    spec = importlib.util.spec_from_file_location("scan", ROOT / "scripts" / "scan.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def said(answer: object, errors: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess((), 1, answer if isinstance(answer, str) else json.dumps(answer), errors)


def test_a_known_hole_is_named_with_its_cure(scan: ModuleType) -> None:
    assert scan.in_pip_audit(said({"dependencies": [SAFE, HOLED]})) == ["jinja2 3.1.2: PYSEC-1, mended in 3.1.6"]
    hole = {"vulnerabilities": {"esbuild": {"range": "<0.25", "severity": "moderate"}}}
    assert scan.in_npm_audit(said(hole)) == ["esbuild <0.25: moderate; cure: npm audit fix"]
    assert scan.in_pip_audit(said({"dependencies": [SAFE]})) == scan.in_npm_audit(said({"vulnerabilities": {}})) == []


def test_a_package_that_was_passed_over_is_named(scan: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert scan.in_pip_audit(said({"dependencies": [SAFE, SKIPPED]})) == []
    assert "of ours nothing is known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("look", "answer"),
    [
        ("in_pip_audit", said({"dependencies": [SKIPPED, SKIPPED]})),
        ("in_pip_audit", said("", "requests.exceptions.ConnectionError: no route")),
        ("in_npm_audit", said({"message": "405 Method Not Allowed"})),
        ("in_npm_audit", said("<html>", "npm error code ENOTFOUND")),
    ],
)
def test_advisories_that_cannot_be_reached_are_not_taken_for_none(
    scan: ModuleType, look: str, answer: subprocess.CompletedProcess[str]
) -> None:
    with pytest.raises(scan.Unknown, match=r"none of 2 packages|no route|405|ENOTFOUND"):
        getattr(scan, look)(answer)


def test_the_exit_code_tells_what_was_found_and_the_words_what_was_not_looked_at(
    scan: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def unreachable() -> list[str]:
        raise scan.Unknown("npm audit: no answer")

    monkeypatch.setattr(scan, "python_packages", list)
    monkeypatch.setattr(scan, "client_packages", unreachable)
    monkeypatch.setattr(scan, "secrets", list)
    assert scan.main() == 0
    told = capsys.readouterr()
    assert "nothing found in 2 of 3 looks" in told.out
    assert "NOT CHECKED, NOTHING IS KNOWN: npm audit: no answer" in told.err
    monkeypatch.setattr(scan, "secrets", lambda: ["voice/x.py: a key"])
    assert scan.main() == scan.main(report_holes=True) == 1
    monkeypatch.setattr(scan, "secrets", list)
    monkeypatch.setattr(scan, "python_packages", lambda: ["jinja2 3.1.2: PYSEC-1, mended in 3.1.6"])
    assert (scan.main(), scan.main(report_holes=True)) == (1, 0)
    told = capsys.readouterr()
    assert "voice/x.py: a key" in told.err and told.out == ""


def test_a_new_secret_is_found(scan: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real detect-secrets with our baseline, on a repository of two files."""
    (tmp_path / scan.BASELINE).write_text((ROOT / scan.BASELINE).read_text())
    (tmp_path / "fine.py").write_text("LIMIT_S = 60\n")
    monkeypatch.setattr(scan, "ROOT", tmp_path)
    plain_run = scan.run
    monkeypatch.setattr(scan, "run", lambda *command: plain_run(*command, cwd=tmp_path))
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    assert scan.secrets() == []
    (tmp_path / "leak.py").write_text('KEY = "AKIA' + 'Z7ABCDEFGHIJ2345"\n')
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    assert any("leak.py" in line for line in scan.secrets())
