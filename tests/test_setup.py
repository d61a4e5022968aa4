"""`make setup` says what it will do, what it does, and what comes next; a package that fails ends it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PIP = """#!/bin/sh
case "$*" in
*--editable*)
    echo 'Collecting numpy'
    echo '  Downloading numpy-2.0-cp311.whl.metadata (60 kB)'
    echo '  Downloading numpy-2.0-cp311.whl (16.4 MB)'
    exit $PIP_ENDS ;;
esac
"""


def setup(folder: Path, pip_ends: int) -> subprocess.CompletedProcess[str]:
    """On a machine that has the system packages; pip and the server's builder are stand-ins."""
    (folder / "scripts").mkdir()
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    bin_ = folder / ".venv" / "bin"
    bin_.mkdir(parents=True)
    for path, text in (
        (bin_ / "pip", PIP),
        (bin_ / "python", "#!/bin/sh\necho /the/path/of/livekit-server\n"),
        (folder / "scripts" / "system-packages", "#!/bin/sh\n"),
    ):
        path.write_text(text)
        path.chmod(0o755)
    return make_setup(folder, pip_ends)


def make_setup(folder: Path, pip_ends: int) -> subprocess.CompletedProcess[str]:
    """In an environment of its own: the tests' own make hands down what it was told."""
    return subprocess.run(
        ["make", "setup"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PIP_ENDS": str(pip_ends)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_each_step_is_one_line_and_the_last_says_what_comes_next(tmp_path: Path) -> None:
    done = setup(tmp_path, 0)
    assert done.returncode == 0, done.stderr
    first, packages, large, last = done.stdout.splitlines()
    assert "2 GB" in first and "minutes" in first
    assert "Python packages" in packages and large.split() == ["numpy-2.0-cp311.whl", "(16.4", "MB)"]
    assert "make demo" in last and ".venv/bin/moderator" in last
    again = make_setup(tmp_path, 0)
    assert again.stdout.splitlines() == [last], "nothing is missing any more"


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_package_that_cannot_be_installed_ends_it(tmp_path: Path) -> None:
    done = setup(tmp_path, 1)
    assert done.returncode != 0 and "ready" not in done.stdout
