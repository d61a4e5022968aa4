"""The shape that the project promises: which way imports go, what is light, what names mean."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PURE = sorted((ROOT / "moderator").rglob("*.py"))
SHELL = sorted((ROOT / "voice").rglob("*.py"))
STDLIB_OF_THE_PURE = {
    "collections",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "typing",
}

COMPOSITION = {
    "cli",
    "__main__",
    "game",
    "demo",
    "doctor",
    "engines",
    "bench_kills",
    "bench_lines",
    "bench_rooms",
    "bench_store",
    "bench_hearing",
    "ears_sound",
    "transcribe",
    "extract",
    "recorder",
    "stored",
    "games",
    "bench_reading",
    "corpus",
    "lora",
    "tune",
    "tune_conduct",
}
"""The modules that choose and join adapters; the last four make the adapters of the language model."""

CATALOGUES = {"events"}
"""Modules that only list values, one after the other."""

FOR_PLAYERS = (
    "moderator.model",
    "voice.client_livekit",
    "voice.config",
    "voice.engines",
    "voice.ports",
    "voice.robots",
    "voice.sound_cache",
    "voice.wire",
)
DISTRIBUTION = {
    "badwords": "badwords-py",
    "fluent": "fluent.runtime",
    "google": "protobuf",
    "jwt": "pyjwt",
    "webvtt": "webvtt-py",
    "whisper": "openai-whisper",
    "yaml": "pyyaml",
}
"""Where a package is called otherwise than its module."""


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def tops(path: Path) -> set[str]:
    return {name.split(".")[0] for name in imported(path)}


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.stem)
def test_the_rules_import_nothing_but_pydantic_and_a_little_of_the_library(path: Path) -> None:
    chance = {"random"} if path.stem == "simulate" else set()  # for its type alone: the caller brings the chance
    assert tops(path) <= STDLIB_OF_THE_PURE | {"pydantic", "moderator"} | chance


@pytest.mark.parametrize("path", [path for path in SHELL if path.stem not in COMPOSITION], ids=lambda path: path.stem)
def test_adapters_are_known_to_the_composition_alone(path: Path) -> None:
    """What a module needs it gets through a port; only its own family may name an adapter."""
    adapters = {"room", "stt", "tts", "llm", "store"}
    family = path.stem.split("_")[0]
    allowed = {family} | ({"room", "livekit"} if family in ("client", "livekit") else set())
    for name in imported(path):
        if name.startswith("voice."):
            module = name.split(".")[1]
            other = module.split("_")[0]
            assert other not in adapters or "_" not in module or other in allowed, f"{path.stem} imports {name}"


@pytest.mark.parametrize("path", [path for path in SHELL if path.stem != "__main__"], ids=lambda path: path.stem)
def test_nothing_builds_on_the_command_line(path: Path) -> None:
    assert "voice.cli" not in imported(path)


@pytest.mark.parametrize("path", sorted((ROOT / "voice" / "robots").glob("*.py")), ids=lambda path: path.stem)
def test_robots_have_no_back_door(path: Path) -> None:
    """They know what a client knows. `score` compares afterwards, from the log; no robot imports it."""
    allowed = set(FOR_PLAYERS)
    if path.stem == "score":
        allowed = {"moderator.model", "moderator.events"}
    for name in imported(path):
        if name.split(".")[0] in ("moderator", "voice"):
            assert any(name == module or name.startswith(f"{module}.") for module in allowed), name
    assert path.stem == "score" or "voice.robots.score" not in imported(path)


def test_everything_imported_is_declared() -> None:
    """What another package happens to bring is not ours to rely on; the hub's client alone is an optional guest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    requirements = project["dependencies"] + [
        each for extra in project["optional-dependencies"].values() for each in extra
    ]
    declared = {re.split(r"[=<>!\[ ]", requirement)[0].lower() for requirement in requirements}
    used = set().union(*(tops(path) for path in [*PURE, *SHELL, *(ROOT / "tests").glob("*.py")]))
    foreign = (
        used
        - set(sys.stdlib_module_names)
        - {path.stem for path in (ROOT / "tests").glob("*.py")}
        - {"moderator", "voice", "huggingface_hub"}
    )
    undeclared = {name for name in foreign if DISTRIBUTION.get(name, name.replace("_", "-")) not in declared}
    assert not undeclared


@pytest.mark.parametrize("path", [*PURE, *SHELL], ids=lambda path: path.stem)
def test_files_are_short_and_named_for_what_they_hold(path: Path) -> None:
    longest = 600 if path.stem in CATALOGUES else 400
    assert len(path.read_text(encoding="utf-8").splitlines()) <= longest
    assert path.stem not in {"utils", "util", "common", "helpers", "helper", "manager", "misc"}


def test_nothing_heavy_is_loaded_before_it_is_chosen() -> None:
    """The default install has no torch; `--help` needs no engine at all."""
    script = (
        "import sys\n"
        "heavy = ('torch', 'transformers', 'whisper', 'livekit', 'onnxruntime', 'ctranslate2', 'faster_whisper',"
        " 'xllamacpp', 'kokoro_onnx', 'pyttsx3', 'av', 'jinja2', 'pygal')\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in heavy: raise ImportError('not chosen: ' + name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "import voice.cli, voice.table, voice.narrator, voice.gate, voice.understanding, voice.robots.mind\n"
        "try: voice.cli.main(['--help'])\n"
        "except SystemExit as end: assert end.code == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "demo" in done.stdout
