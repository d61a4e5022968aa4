"""Whisper's decoder, tuned to table talk: low-rank changes (`voice/training/ears.py`) added to the installed weights.

The changes are a file of 3 MB in this package, checked against its pinned SHA-256; what they are added to was
checked when it was joined. The sum lies in the cache, in CTranslate2's form; the openai-whisper engine converts that.
"""

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voice.ct2_file import Ct2File
from voice.weights import SIDE_FILES, building, cache, is_packaged, whisper_folder

ADAPTER = Path(__file__).with_name("ears.npz")
ADAPTER_SHA256 = "15db75d741d5061906dc2b0cab03f307ac8dc9db2f0623f25802be6b333f6a41"  # pragma: allowlist secret
CURE = "git checkout voice/ears.npz, or install the package again; or set stt.tuned to false"
Matrix = npt.NDArray[np.float32]


def hearing_folder(named: str, tuned: bool) -> Path:
    """The weights to hear with: `voice.weights.whisper_folder`, tuned where they are the ones that were tuned."""
    folder = whisper_folder(named)
    return tuned_folder(folder) if tuned and is_packaged(folder) else folder


def tuned_folder(base: Path, adapter: Path = ADAPTER, pinned: str = ADAPTER_SHA256) -> Path:
    """A folder like `base`, with the changes in it; made once. Raises `ValueError` for a damaged adapter."""
    found = hashlib.sha256(adapter.read_bytes()).hexdigest()
    if found != pinned:
        raise ValueError(f"tuned Whisper weights: {adapter} has the wrong checksum; cure: {CURE}")
    made = cache() / f"{base.name}-tuned-{found[:8]}"
    with building(made) as scratch:
        if scratch is not None:
            merge(base, adapter, scratch)
    return made


def merge(base: Path, adapter: Path, target: Path) -> None:
    """Write `base` with the changes of `adapter` into the folder `target`."""
    weights = Ct2File(base / "model.bin")
    weights.add(changes(adapter, weights.layers("decoder")))
    weights.write(target / "model.bin")
    for name in SIDE_FILES:
        shutil.copyfile(base / name, target / name)


def changes(adapter: Path, layers: int) -> dict[str, Matrix]:
    """By CTranslate2's names, in which queries, keys and values are fused."""
    with np.load(adapter, allow_pickle=False) as stored:
        low_rank = {name: stored[name].astype(np.float32) for name in stored.files}
    found = {}
    for layer in range(layers):
        old, new = f"blocks.{layer}", f"decoder/layer_{layer}"
        self_attention, attention = f"{new}/self_attention", f"{new}/attention"
        found[f"{self_attention}/linear_0/weight"] = _stacked(low_rank, f"{old}.attn", ("query", "key", "value"))
        found[f"{self_attention}/linear_1/weight"] = _stacked(low_rank, f"{old}.attn", ("out",))
        found[f"{attention}/linear_0/weight"] = _stacked(low_rank, f"{old}.cross_attn", ("query",))
        found[f"{attention}/linear_1/weight"] = _stacked(low_rank, f"{old}.cross_attn", ("key", "value"))
        found[f"{attention}/linear_2/weight"] = _stacked(low_rank, f"{old}.cross_attn", ("out",))
        found[f"{new}/ffn/linear_0/weight"] = _stacked(low_rank, f"{old}.mlp", ("0",))
        found[f"{new}/ffn/linear_1/weight"] = _stacked(low_rank, f"{old}.mlp", ("2",))
    return found


def _stacked(low_rank: Mapping[str, Matrix], module: str, names: tuple[str, ...]) -> Matrix:
    parts = [low_rank[f"{module}.{name}.up"] @ low_rank[f"{module}.{name}.down"] for name in names]
    return np.concatenate(parts)
