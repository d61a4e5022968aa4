"""Low-rank adapters: small trained matrices beside the frozen ones of the base model. Needs the extra `torch`."""

from typing import Any

from voice.llm_adapter import NAMES


def attach(model: Any, first_layer: int, rank: int, alpha: float) -> dict[str, tuple[Any, Any]]:
    """Freezes `model` and gives its layers from `first_layer` on their adapters: by GGUF name, A and B.

    A is (rank, in), B (out, rank), both float32; a layer adds `alpha / rank * B A x`. B starts at nothing.
    """
    model.requires_grad_(False)
    return {
        f"blk.{number}.{name}": _beside(layer.get_submodule(path), rank, alpha / rank)
        for number, layer in enumerate(model.model.layers)
        if number >= first_layer
        for name, path in NAMES.items()
    }


def _beside(linear: Any, rank: int, scale: float) -> tuple[Any, Any]:
    import torch

    down = torch.nn.Parameter(torch.randn(rank, linear.in_features) / linear.in_features**0.5)
    up = torch.nn.Parameter(torch.zeros(linear.out_features, rank))

    def add(_: Any, inputs: tuple[Any], output: Any) -> Any:
        (x,) = inputs
        return output + (x @ down.T.to(x.dtype)) @ up.T.to(x.dtype) * scale

    linear.register_forward_hook(add)
    return down, up
