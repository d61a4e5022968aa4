"""A CTranslate2 `model.bin`, read and changed in place: names, shapes and where each tensor lies."""

import re
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

DTYPES: dict[int, type[np.generic]] = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
OLDEST_VERSION = 5


class Ct2File:
    """The tensors of one file. Aliases are two names of one tensor."""

    def __init__(self, path: Path) -> None:
        self._bytes, self._at = bytearray(path.read_bytes()), 0
        if self._number("I") < OLDEST_VERSION:
            raise ValueError(f"{path}: too old a CTranslate2 file")
        self._text()
        self._number("I")
        self._tensors = dict(self._tensor() for _ in range(self._number("I")))
        self._aliases = {self._text(): self._text() for _ in range(self._number("I"))}

    def _number(self, kind: str) -> int:
        (value,) = struct.unpack_from("<" + kind, self._bytes, self._at)
        self._at += struct.calcsize("<" + kind)
        return int(value)

    def _text(self) -> str:
        length = self._number("H")
        body = bytes(self._bytes[self._at : self._at + length])
        self._at += length
        return body.rstrip(b"\0").decode()

    def _tensor(self) -> tuple[str, npt.NDArray[Any]]:
        name, rank = self._text(), self._number("B")
        shape = [self._number("I") for _ in range(rank)]
        dtype, size = DTYPES[self._number("B")], self._number("I")
        body = np.frombuffer(memoryview(self._bytes)[self._at : self._at + size], dtype=dtype).reshape(shape)
        self._at += size
        return name, body

    def __contains__(self, name: str) -> bool:
        return name in self._tensors or name in self._aliases

    def get(self, name: str) -> npt.NDArray[np.float32]:
        """In float32; quantised tensors are multiplied back by their scales."""
        name = self._aliases.get(name, name)
        body = self._tensors[name]
        if body.dtype in (np.int8, np.int16):
            scale = self._tensors[name + "_scale"].astype(np.float32)
            return np.asarray(body.astype(np.float32) / (scale[:, None] if scale.ndim else scale), dtype=np.float32)
        return body.astype(np.float32)

    def scalar(self, name: str, default: int) -> int:
        return int(self._tensors[name].reshape(-1)[0]) if name in self._tensors else default

    def layers(self, side: str) -> int:
        found = (re.match(rf"{side}/layer_(\d+)/", name) for name in self._tensors)
        return 1 + max(int(match[1]) for match in found if match)

    def add(self, changes: Mapping[str, npt.NDArray[np.float32]]) -> None:
        """Add to tensors of floating point, in the precision of the file. Raises KeyError and ValueError."""
        for name, change in changes.items():
            body = self._tensors[self._aliases.get(name, name)]
            if body.shape != change.shape or not np.issubdtype(body.dtype, np.floating):
                raise ValueError(f"{name}: {body.dtype} {body.shape} cannot take a change of {change.shape}")
            body[...] = (body.astype(np.float32) + change).astype(body.dtype)

    def write(self, path: Path) -> None:
        path.write_bytes(self._bytes)
