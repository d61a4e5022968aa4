"""The shape that the project promises: which way imports go, what is light, what names mean."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PURE = sorted((ROOT / "moderator").rglob("*.py"))
SHELL = sorted((ROOT / "voice").rglob("*.py"))
STDLIB_OF_THE_PURE = {
    "bisect", "collections", "dataclasses", "enum", "functools", "itertools", "math", "random", "re", "typing",
}  # fmt: skip
"""`random` for its type alone: the caller brings the chance."""

COMPOSITION = {
    "cli",
    "__main__",
    "game",
    "demo",
    "doctor",
    "engines",
    "bench_rooms",
    "transcribe",
    "extract",
    "recorder",
    "stored",
}
"""The modules that choose and join adapters."""


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", PURE, ids=lambda path: path.stem)
def test_the_rules_import_nothing_but_pydantic_and_a_little_of_the_library(path: Path) -> None:
    tops = {name.split(".")[0] for name in imported(path)}
    assert tops <= STDLIB_OF_THE_PURE | {"pydantic", "moderator"}


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


@pytest.mark.parametrize("path", [*PURE, *SHELL], ids=lambda path: path.stem)
def test_files_are_short_and_named_for_what_they_hold(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 430
    assert path.stem not in {"utils", "util", "common", "helpers", "helper", "manager", "misc"}


def test_nothing_heavy_is_loaded_before_it_is_chosen() -> None:
    """The default install has no torch; `--help` needs no engine at all."""
    script = (
        "import sys\n"
        "heavy = ('torch', 'transformers', 'whisper', 'livekit', 'onnxruntime', 'ctranslate2', 'faster_whisper',"
        " 'xllamacpp', 'kokoro_onnx', 'pyttsx3', 'av')\n"
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
