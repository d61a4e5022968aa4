#!/usr/bin/env python3
"""Known holes in what this project depends on, and secrets among what it commits: `make scan`.

The work is done by pip-audit, npm and detect-secrets. Exit code 1: something was found; with `--report-holes`, a secret
was found: a hole that became known since yesterday breaks no build of what worked then, but is said. Where the
advisories cannot be reached nothing is known, which is said last and aloud, and fails nothing.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
BASELINE = ".secrets.baseline"
LIMIT_S = 60


class Unknown(Exception):
    """Nothing could be learnt; the message says why."""


def run(*command: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=LIMIT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unknown(f"{Path(command[0]).name}: {error}") from error


def python_packages() -> list[str]:
    """What PyPI knows of each installed package."""
    return in_pip_audit(run(BIN / "pip-audit", "--local", "--skip-editable", "--progress-spinner=off", "--format=json"))


def in_pip_audit(done: subprocess.CompletedProcess[str]) -> list[str]:
    """It passes over a package that it cannot look up, and is content: so are counted those that it did look up."""
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        raise Unknown(f"pip-audit: {last_line(done.stderr)}") from None
    skipped = [each["name"] for each in packages if "skip_reason" in each]
    if len(skipped) == len(packages):
        raise Unknown(f"pip-audit: PyPI's advisories were reached for none of {len(packages)} packages")
    if skipped:
        print(f"pip-audit: of {', '.join(skipped)} nothing is known", file=sys.stderr)
    return [
        f"{each['name']} {each['version']}: {hole['id']}, mended in {', '.join(hole['fix_versions']) or 'no version'}"
        for each in packages
        for hole in each.get("vulns", ())
    ]


def client_packages() -> list[str]:
    """What npm's registry knows of the packages of the web client."""
    return in_npm_audit(run("npm", "audit", "--json", cwd=ROOT / "voice" / "client"))


def in_npm_audit(done: subprocess.CompletedProcess[str]) -> list[str]:
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        raise Unknown(f"npm audit: {last_line(done.stderr)}") from None
    if "vulnerabilities" not in answer:
        raise Unknown(f"npm audit: {answer.get('message', 'the registry gave no advisories')}")
    holes = answer["vulnerabilities"]
    return [f"{name} {hole['range']}: {hole['severity']}; cure: npm audit fix" for name, hole in holes.items()]


def secrets() -> list[str]:
    """What looks like a key or a password in a committed file and is not in the baseline."""
    files = run("git", "ls-files", "-z").stdout.split("\0")[:-1]
    done = run(BIN / "detect-secrets-hook", "--baseline", BASELINE, *files)
    if done.returncode == 0:
        return []
    cure = f"if it is none: {BIN / 'detect-secrets'} scan --slim --baseline {BASELINE}"
    return [*filter(None, (line.strip() for line in (done.stdout or done.stderr).splitlines())), cure]


def last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1]


def main(report_holes: bool = False) -> int:
    holes: list[str] = []
    leaks: list[str] = []
    unknown: list[str] = []
    looks: tuple[tuple[Callable[[], list[str]], list[str]], ...] = (
        (python_packages, holes),
        (client_packages, holes),
        (secrets, leaks),
    )
    for look, found in looks:
        try:
            found += look()
        except Unknown as why:
            unknown.append(str(why))
    for each in holes + leaks:
        print(f"scan: {each}", file=sys.stderr)
    for each in unknown:
        print(f"scan: !!! NOT CHECKED, NOTHING IS KNOWN: {each}", file=sys.stderr)
    if not holes + leaks:
        print(f"scan: nothing found in {len(looks) - len(unknown)} of {len(looks)} looks")
    return 1 if leaks or (holes and not report_holes) else 0


if __name__ == "__main__":
    sys.exit(main("--report-holes" in sys.argv[1:]))
