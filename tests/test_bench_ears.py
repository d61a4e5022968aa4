"""Each recogniser is given the same lines; one that is not installed says so and costs the others nothing."""

import contextlib
from collections.abc import AsyncIterator

import numpy as np
import pytest

from voice import bench_ears, bench_hearing, engines
from voice.bench_hearing import Row
from voice.config import SttConfig
from voice.ports import RATE_HZ, Clip, Hint, MissingPart, Pcm, Transcript

LINE = Row.model_validate(
    {
        "id": "x-1",
        "task": "vote",
        "text": "Contre le quatre.",
        "context": {"speaker": 1, "alive": [1, 2, 3, 4], "nominated": [2, 4]},
        "gold": {"seat": 4},
    }
)


class Hears:
    """Always the same, whatever was said."""

    async def open(self) -> None: ...

    async def transcribe(self, clip: Clip, hint: Hint) -> Transcript:
        return Transcript("Contre le 4.", 1.0)

    async def close(self) -> None: ...


async def test_engines_are_compared_on_the_same_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextlib.asynccontextmanager
    async def transcriber(config: SttConfig) -> AsyncIterator[Hears]:
        if config.engine == "transformers":
            raise MissingPart("transformers", "install the extra torch")
        yield Hears()

    async def speakers(*_: object) -> list[object]:
        return []

    async def speak(*_: object) -> Pcm:
        return np.zeros(RATE_HZ, dtype=np.int16)

    for module in (bench_ears, bench_hearing):
        monkeypatch.setattr(module, "clips", lambda pcm: [Clip(1, pcm[::3], 0.0, 1.0)])
    for name, fake in {"rows": lambda *_: [LINE] * 3, "speakers": speakers, "speak": speak}.items():
        monkeypatch.setattr(bench_ears, name, fake)
    monkeypatch.setattr(engines, "transcriber", transcriber)
    found = await bench_ears.run("fr", "dev", 1, ["clean"])
    assert found["lines"] == 3
    for engine in ("faster-whisper", "openai-whisper"):
        assert found[engine]["clean"]["all"] == {"lines": 3, "right": 100.0, "asked": 0.0, "missed": 0.0, "false": 0.0}
        assert found[engine]["ten_ballots_s"] >= 0
    assert "install the extra torch" in found["transformers"]["missing"]
