"""CTranslate2 Whisper weights as an openai-whisper checkpoint: the same numbers under other names.

CTranslate2's float16 and float32 files hold every tensor; queries, keys and values are fused in one.
"""

import hashlib
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from voice.weights import building

DTYPES: dict[int, type[np.generic]] = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
OLDEST_VERSION = 5


def checkpoint(folder: Path, cache: Path) -> Path:
    """The `.pt` for the weights in `folder`, made once; `whisper.load_model` takes its path."""
    source = folder / "model.bin"
    known = source.stat()
    which = hashlib.sha256(f"{source.resolve()} {known.st_size} {known.st_mtime_ns}".encode()).hexdigest()[:8]
    made = cache / f"whisper-openai-{which}"
    with building(made) as scratch:
        if scratch is not None:
            dims, state = convert(Tensors(source))
            torch.save({"dims": dims, "model_state_dict": state}, scratch / "model.pt")
    return made / "model.pt"


class Tensors:
    """A CTranslate2 `model.bin`, read."""

    def __init__(self, path: Path) -> None:
        self._bytes, self._at = memoryview(path.read_bytes()), 0
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
        body = np.frombuffer(self._bytes[self._at : self._at + size], dtype=dtype).reshape(shape)
        self._at += size
        return name, body

    def __contains__(self, name: str) -> bool:
        return name in self._tensors or name in self._aliases

    def get(self, name: str) -> torch.Tensor:
        """In float32; quantised tensors are multiplied back by their scales."""
        name = self._aliases.get(name, name)
        body = self._tensors[name]
        if body.dtype in (np.int8, np.int16):
            scale = self._tensors[name + "_scale"].astype(np.float32)
            body = body.astype(np.float32) / (scale[:, None] if scale.ndim else scale)
        return torch.from_numpy(np.array(body, dtype=np.float32))

    def scalar(self, name: str, default: int) -> int:
        return int(self._tensors[name].reshape(-1)[0]) if name in self._tensors else default

    def layers(self, side: str) -> int:
        found = (re.match(rf"{side}/layer_(\d+)/", name) for name in self._tensors)
        return 1 + max(int(match[1]) for match in found if match)


def convert(source: Tensors) -> tuple[dict[str, int], dict[str, torch.Tensor]]:
    """(dimensions, state) as `whisper.load_model` reads them."""
    state: dict[str, torch.Tensor] = {}
    _ends(source, state)
    for layer in range(source.layers("encoder")):
        _block(source, state, f"encoder/layer_{layer}", f"encoder.blocks.{layer}", cross=False)
    for layer in range(source.layers("decoder")):
        _block(source, state, f"decoder/layer_{layer}", f"decoder.blocks.{layer}", cross=True)
    width, mels, _ = source.get("encoder/conv1/weight").shape
    words, text_width = source.get("decoder/embeddings/weight").shape
    heads = source.scalar("encoder/num_heads", width // 64)
    return {
        "n_mels": mels,
        "n_audio_ctx": source.get("encoder/position_encodings/encodings").shape[0],
        "n_audio_state": width,
        "n_audio_head": heads,
        "n_audio_layer": source.layers("encoder"),
        "n_vocab": words,
        "n_text_ctx": source.get("decoder/position_encodings/encodings").shape[0],
        "n_text_state": text_width,
        "n_text_head": source.scalar("decoder/num_heads", heads),
        "n_text_layer": source.layers("decoder"),
    }, state


def _ends(source: Tensors, state: dict[str, torch.Tensor]) -> None:
    _linear(source, state, "encoder/conv1", "encoder.conv1")
    _linear(source, state, "encoder/conv2", "encoder.conv2")
    state["encoder.positional_embedding"] = source.get("encoder/position_encodings/encodings")
    _norm(source, state, "encoder/layer_norm", "encoder.ln_post")
    state["decoder.token_embedding.weight"] = source.get("decoder/embeddings/weight")
    state["decoder.positional_embedding"] = source.get("decoder/position_encodings/encodings")
    _norm(source, state, "decoder/layer_norm", "decoder.ln")


def _block(source: Tensors, state: dict[str, torch.Tensor], old: str, new: str, *, cross: bool) -> None:
    _norm(source, state, f"{old}/self_attention/layer_norm", f"{new}.attn_ln")
    _fused(source, state, f"{old}/self_attention/linear_0", f"{new}.attn", ("query", "key", "value"))
    _linear(source, state, f"{old}/self_attention/linear_1", f"{new}.attn.out")
    if cross:
        _norm(source, state, f"{old}/attention/layer_norm", f"{new}.cross_attn_ln")
        _linear(source, state, f"{old}/attention/linear_0", f"{new}.cross_attn.query")
        _fused(source, state, f"{old}/attention/linear_1", f"{new}.cross_attn", ("key", "value"))
        _linear(source, state, f"{old}/attention/linear_2", f"{new}.cross_attn.out")
    _norm(source, state, f"{old}/ffn/layer_norm", f"{new}.mlp_ln")
    _linear(source, state, f"{old}/ffn/linear_0", f"{new}.mlp.0")
    _linear(source, state, f"{old}/ffn/linear_1", f"{new}.mlp.2")


def _fused(source: Tensors, state: dict[str, torch.Tensor], old: str, new: str, names: tuple[str, ...]) -> None:
    """One matrix in CTranslate2, several in Whisper, whose keys have no bias."""
    weights = source.get(f"{old}/weight").chunk(len(names))
    biases = source.get(f"{old}/bias").chunk(len(names))
    for name, weight, bias in zip(names, weights, biases, strict=True):
        state[f"{new}.{name}.weight"] = weight
        if name != "key":
            state[f"{new}.{name}.bias"] = bias


def _linear(source: Tensors, state: dict[str, torch.Tensor], old: str, new: str) -> None:
    state[f"{new}.weight"] = source.get(f"{old}/weight")
    if f"{old}/bias" in source:
        state[f"{new}.bias"] = source.get(f"{old}/bias")


def _norm(source: Tensors, state: dict[str, torch.Tensor], old: str, new: str) -> None:
    state[f"{new}.weight"], state[f"{new}.bias"] = source.get(f"{old}/gamma"), source.get(f"{old}/beta")
