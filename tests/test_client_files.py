"""The web client as it is shipped: built from these sources, small, and complete in three languages."""

import gzip
import hashlib
import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from moderator.model import StepKind
from voice.ports import MissingPart
from voice.signals import signals
from voice.wire import Do, Said

ROOT = Path(__file__).parent.parent
CLIENT = ROOT / "voice" / "client"
DIST = CLIENT / "dist"
MAX_GZIPPED = 200_000
MAX_BYTES = 1_000_000
LANGS = ("fr", "en", "ru")
PLURALS = {"fr": {"one", "many", "other"}, "en": {"one", "other"}, "ru": {"one", "few", "many", "other"}}
"""The plural categories of each language (CLDR)."""


def words(lang: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((CLIENT / "src" / "words" / f"{lang}.json").read_text(encoding="utf-8"))
    return loaded


def test_the_build_is_fresh() -> None:
    """What is in dist/ was built from the sources beside it; the cure is `make client`."""
    sources = [path for path in (CLIENT / "src").rglob("*") if path.is_file()]
    sources += [CLIENT / name for name in ("build.mjs", "package.json", "package-lock.json", "tsconfig.json")]
    digest = hashlib.sha256()
    for path in sorted(sources, key=lambda path: path.relative_to(CLIENT).as_posix()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(CLIENT).as_posix()}\0{len(content)}\0".encode() + content)
    assert (DIST / "sources.sha256").read_text(encoding="utf-8").strip() == digest.hexdigest(), "make client"
    assert digest.hexdigest()[:12] in (DIST / "index.html").read_text(encoding="utf-8")


def test_the_build_is_small() -> None:
    files = [path.read_bytes() for path in DIST.rglob("*") if path.is_file()]
    assert sum(len(content) for content in files) < MAX_BYTES
    assert sum(len(gzip.compress(content, 9)) for content in files) < MAX_GZIPPED


def test_the_page_loads_nothing_from_elsewhere() -> None:
    page = (DIST / "index.html").read_text(encoding="utf-8")
    for address in re.findall(r'(?:src|href)="([^"]+)"', page):
        assert address.startswith("/assets/"), address
        assert (DIST / address.split("?")[0].removeprefix("/")).is_file(), address
    style = (DIST / "assets" / "app.css").read_text(encoding="utf-8")
    assert "url(" not in style and "@import" not in style


def test_the_three_languages_hold_the_same_words() -> None:
    assert set(words("fr")) == set(words("en")) == set(words("ru"))


@pytest.mark.parametrize("lang", LANGS)
def test_every_phrase_is_whole(lang: str) -> None:
    """No empty phrase; the same braces as in English; every form of number that the language has."""
    for key, english in words("en").items():
        phrase = words(lang)[key]
        assert isinstance(phrase, dict) == isinstance(english, dict), key
        forms = phrase if isinstance(phrase, dict) else {"": phrase}
        assert set(forms) == (PLURALS[lang] if isinstance(phrase, dict) else {""}), key
        braces = set(re.findall(r"\{(\w+)\}", str(english)))
        for form in forms.values():
            assert form.strip() and set(re.findall(r"\{(\w+)\}", form)) == braces, key


def test_every_word_that_the_page_uses_exists() -> None:
    used: set[str] = set()
    for path in (CLIENT / "src").rglob("*.ts*"):
        used |= set(re.findall(r'\bt\(\s*"([^"]+)"', path.read_text(encoding="utf-8")))
    assert len(used) > 80 and used <= set(words("en"))


def test_the_page_has_a_name_for_every_step_gesture_and_key() -> None:
    known = set(words("en"))
    assert {f"step.{kind}" for kind in StepKind} <= known
    assert {f"do.{name}" for name, signal in signals().items() if not signal.forbidden} <= known


def test_the_page_speaks_the_moderators_language() -> None:
    """Its types name every field of every message, and no key that voice/wire.py does not know."""
    wire = (CLIENT / "src" / "wire.ts").read_text(encoding="utf-8")
    for message in Said.__args__:
        for field in message.model_fields:
            assert re.search(rf"\b{field}: ", wire), (message.__name__, field)
    keys = re.findall(r'"(\w+)"', "".join(re.findall(r"(?:type Plain =|  what: Plain) (.*);", wire)))
    assert len(keys) > 10 and set(keys) <= set(Do.model_json_schema()["properties"]["what"]["enum"])


def test_the_build_comes_along_in_the_wheel() -> None:
    """Hatch leaves out what git ignores."""
    tracked = subprocess.run(
        ["git", "check-ignore", "voice/client/dist/index.html", "voice/client/dist/assets/app.js"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tracked.stdout == ""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert "voice" in wheel["wheel"]["packages"]
    assert not any("dist" in pattern for pattern in wheel["wheel"]["exclude"])


@pytest.mark.real
@pytest.mark.browser
def test_the_clients_own_logic() -> None:
    """The unit tests of the client, and its types, by node."""
    if not (CLIENT / "node_modules").is_dir():
        raise MissingPart("the node packages of the client", "make client")
    for script in ("check", "test"):
        done = subprocess.run(["npm", "run", script], cwd=CLIENT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
