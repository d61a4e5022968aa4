"""The tuned reader: a LoRA for the base model in one GGUF file, for llama.cpp as it is and for transformers merged."""

from pathlib import Path
from typing import Any

from voice.config import data_path
from voice.ports import MissingPart

SHIPPED = "reader.gguf"
ARCHITECTURE = "gemma3"
NONE = "none"
NAMES = {
    "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}  # fmt: skip
"""What GGUF calls the adapted matrices of a layer, and what transformers does."""


def adapter_file(named: str = "", weights: str = "") -> Path | None:
    """The adapter `named` in the configuration; unnamed, the shipped one beside the shipped weights. "none": none.

    Raises `MissingPart` when there is no such file.
    """
    if named == NONE or (weights and not named):
        return None
    if not named:
        return data_path("prompts", SHIPPED)
    if not Path(named).is_file():
        raise MissingPart(f"language model: the adapter {named} is no file", "set llm.adapter in configs/voice.yaml")
    return Path(named)


def write_adapter(path: Path, pairs: dict[str, tuple[Any, Any]], alpha: float) -> None:
    """`pairs`: by GGUF name of the matrix ("blk.0.attn_q") A (rank, in) and B (out, rank) as arrays."""
    import gguf
    import numpy as np

    writer = gguf.GGUFWriter(path, ARCHITECTURE)
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for name, (down, up) in pairs.items():
        writer.add_tensor(f"{name}.weight.lora_a", np.ascontiguousarray(down, dtype=np.float16))
        writer.add_tensor(f"{name}.weight.lora_b", np.ascontiguousarray(up, dtype=np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def merge(model: Any, path: Path) -> None:
    """Adds the adapter to the matrices of a transformers model: W + alpha / rank * B A."""
    import gguf
    import torch

    reader = gguf.GGUFReader(path)
    alpha = reader.fields["adapter.lora.alpha"].contents()
    tensors = {tensor.name: torch.tensor(tensor.data).float() for tensor in reader.tensors}
    for name, down in tensors.items():
        matrix = name.removesuffix(".weight.lora_a")
        if matrix == name:
            continue
        _, layer, short = matrix.split(".")
        weight = model.model.layers[int(layer)].get_submodule(NAMES[short]).weight
        up = tensors[f"{matrix}.weight.lora_b"]
        weight.data += (alpha / down.shape[0] * up @ down).to(weight.dtype)
