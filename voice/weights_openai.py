"""CTranslate2 Whisper weights as an openai-whisper checkpoint: the same numbers under other names.

CTranslate2's float16 and float32 files hold every tensor; queries, keys and values are fused in one.
"""

import hashlib
from pathlib import Path

import torch

from voice.ct2_file import Ct2File
from voice.weights import building


def checkpoint(folder: Path, cache: Path) -> Path:
    """The `.pt` for the weights in `folder`, made once; `whisper.load_model` takes its path."""
    source = folder / "model.bin"
    known = source.stat()
    which = hashlib.sha256(f"{source.resolve()} {known.st_size} {known.st_mtime_ns}".encode()).hexdigest()[:8]
    made = cache / f"whisper-openai-{which}"
    with building(made) as scratch:
        if scratch is not None:
            dims, state = convert(Ct2File(source))
            torch.save({"dims": dims, "model_state_dict": state}, scratch / "model.pt")
    return made / "model.pt"


def convert(source: Ct2File) -> tuple[dict[str, int], dict[str, torch.Tensor]]:
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


def _ends(source: Ct2File, state: dict[str, torch.Tensor]) -> None:
    _linear(source, state, "encoder/conv1", "encoder.conv1")
    _linear(source, state, "encoder/conv2", "encoder.conv2")
    state["encoder.positional_embedding"] = _tensor(source, "encoder/position_encodings/encodings")
    _norm(source, state, "encoder/layer_norm", "encoder.ln_post")
    state["decoder.token_embedding.weight"] = _tensor(source, "decoder/embeddings/weight")
    state["decoder.positional_embedding"] = _tensor(source, "decoder/position_encodings/encodings")
    _norm(source, state, "decoder/layer_norm", "decoder.ln")


def _block(source: Ct2File, state: dict[str, torch.Tensor], old: str, new: str, *, cross: bool) -> None:
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


def _fused(source: Ct2File, state: dict[str, torch.Tensor], old: str, new: str, names: tuple[str, ...]) -> None:
    """One matrix in CTranslate2, several in Whisper, whose keys have no bias."""
    weights = _tensor(source, f"{old}/weight").chunk(len(names))
    biases = _tensor(source, f"{old}/bias").chunk(len(names))
    for name, weight, bias in zip(names, weights, biases, strict=True):
        state[f"{new}.{name}.weight"] = weight
        if name != "key":
            state[f"{new}.{name}.bias"] = bias


def _linear(source: Ct2File, state: dict[str, torch.Tensor], old: str, new: str) -> None:
    state[f"{new}.weight"] = _tensor(source, f"{old}/weight")
    if f"{old}/bias" in source:
        state[f"{new}.bias"] = _tensor(source, f"{old}/bias")


def _norm(source: Ct2File, state: dict[str, torch.Tensor], old: str, new: str) -> None:
    state[f"{new}.weight"], state[f"{new}.bias"] = _tensor(source, f"{old}/gamma"), _tensor(source, f"{old}/beta")


def _tensor(source: Ct2File, name: str) -> torch.Tensor:
    return torch.from_numpy(source.get(name))
