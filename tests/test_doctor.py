"""The doctor: what a part does when it is used is what is said of it, and only a needed part makes it fail."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from voice import doctor, engines, livekit_server
from voice.cli import main
from voice.config import LlmConfig, VoiceConfig
from voice.ports import Context, Lang, MissingPart, Reading, Task

PARTS = ("voice", "natural_voice", "recogniser", "model", "livekit", "store")
NEEDED = {"voice", "recogniser", "livekit", "store"}


def check(result: str | Exception) -> Callable[[VoiceConfig, Lang], Awaitable[str]]:
    async def made(config: VoiceConfig, lang: Lang) -> str:
        if isinstance(result, Exception):
            raise result
        return result

    return made


@pytest.fixture
def healthy(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A machine that has everything."""
    for part in PARTS:
        monkeypatch.setattr(doctor, part, check("works"))
    return monkeypatch


def findings(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    said = capsys.readouterr()
    found = {one["part"]: one for one in json.loads(said.out)["findings"]}
    assert all(f"{part:<14}{one['state']}" in said.err for part, one in found.items())
    return found


def test_a_healthy_machine_passes(healthy: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    found = findings(capsys)
    assert [one["state"] for one in found.values()] == ["ok"] * 7
    assert found["web client"]["state"] == "ok" and "3 files" in str(found["web client"]["says"])


@pytest.mark.parametrize("part", PARTS)
def test_a_missing_part_is_named_with_its_cure(
    part: str, healthy: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    healthy.setattr(doctor, part, check(MissingPart("the thing", "apt-get install thing")))
    assert main(["doctor"]) == (1 if part in NEEDED else 0)
    found = findings(capsys)[part.replace("_", " ")]
    assert (found["state"], found["says"], found["cure"]) == ("missing", "the thing", "apt-get install thing")


def test_a_part_that_breaks_does_not_break_the_doctor(
    healthy: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    healthy.setattr(doctor, "recogniser", check(RuntimeError("ended with code -11")))
    assert main(["doctor"]) == 1
    found = findings(capsys)
    assert found["recogniser"]["says"] == "RuntimeError: ended with code -11"
    assert found["store"]["state"] == "ok"


def test_each_part_is_told_as_soon_as_it_is_known(
    healthy: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def store(config: VoiceConfig, lang: Lang) -> str:
        said = capsys.readouterr()
        seen.append((said.out, said.err))
        return "works"

    seen: list[tuple[str, str]] = []
    healthy.setattr(doctor, "store", store)
    assert main(["doctor"]) == 0
    ((out, err),) = seen
    assert out == "" and err.endswith("livekit       ok        works\nstore         ")


async def test_without_a_model_it_says_what_follows() -> None:
    config = VoiceConfig(llm=LlmConfig(engine="none"))
    found = await doctor.examined("model", False, doctor.model, config, "fr")
    assert found.state == "missing"
    assert found.says == "none is configured: what is not plain will be asked"
    assert found.cure == "set llm.engine in configs/voice.yaml"


async def test_a_model_that_does_not_open_is_closed_and_says_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    class Empty:
        async def open(self) -> None:
            raise MissingPart("no weights", "pip install weights")

        async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
            raise AssertionError

        async def close(self) -> None:
            closed.append(True)

    monkeypatch.setattr(engines, "make_extractor", lambda config, lang: Empty())
    found = await doctor.examined("model", False, doctor.model, VoiceConfig(), "fr")
    assert (found.says, found.cure) == ("no weights: what is not plain will be asked", "pip install weights")
    assert closed


async def test_the_store_is_tried_where_games_will_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODERATOR_HOME", str(tmp_path / "not" / "yet"))
    found = await doctor.examined("store", True, doctor.store, VoiceConfig(), "fr")
    assert (found.state, found.says) == ("ok", f"SQLite in {tmp_path} keeps what it is given (1 of 1 events)")
    assert not list(tmp_path.iterdir())


async def test_a_missing_server_is_named_with_the_command_that_builds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIVEKIT_URL", raising=False)
    monkeypatch.setenv("MODERATOR_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    found = await doctor.examined("livekit", True, doctor.livekit, VoiceConfig(), "fr")
    assert found.state == "missing"
    assert livekit_server.VERSION in found.says
    assert found.cure == livekit_server.INSTALL_COMMAND


def test_the_torch_stack_is_looked_at(healthy: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    async def engine(config: VoiceConfig, lang: Lang) -> str:
        return f"{config.stt.engine}, {config.llm.engine}"

    healthy.setattr(doctor, "recogniser", engine)
    assert main(["doctor", "--stack", "torch"]) == 0
    assert findings(capsys)["recogniser"]["says"] == "openai-whisper, transformers"
