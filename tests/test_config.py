"""Configuration: the shipped files are valid, a wrong one is explained in one line."""

from pathlib import Path

import pytest

from moderator.rules import Rules
from voice.cli import main
from voice.config import RULES, ConfigError, data_path, load_rules, load_voice_config, read_yaml
from voice.hearing import prompt_for
from voice.ports import Lang, Task


def test_the_shipped_rules_say_what_the_page_says() -> None:
    classic, turbo, club = (load_rules(name) for name in ("classic", "turbo", "club"))
    assert (classic.speech_s, classic.farewell_s, classic.meeting_s) == (60, 60, 60)
    assert (turbo.speech_s, turbo.farewell_s, turbo.meeting_s, turbo.split_s) == (25, 25, 60, 12)
    assert classic == Rules(name="classic")
    assert club.day_zero == "talk" and club.night_killed_nominates


def test_the_calm_table_is_the_classic_one_with_more_time_for_everything() -> None:
    classic, calm = (load_rules(name).model_dump() for name in ("classic", "calm"))
    changed = {key for key in classic if calm[key] != classic[key]} - {"name"}
    assert all(key.endswith("_s") and calm[key] >= 1.5 * classic[key] for key in changed)
    assert {"speech_s", "farewell_s", "ballot_s", "lift_s", "shot_s", "check_s", "motion_s"} <= changed


def test_a_wrong_key_is_named_with_what_is_meant(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nspech_s: 30\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"mine\.yaml: spech_s: unknown key; did you mean speech_s\?"):
        load_rules(str(path))


def test_a_wrong_value_is_named_with_what_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("day_zero: maybe\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"day_zero: must be 'standard', 'none', 'lift_only' or 'talk', got \"maybe"):
        load_rules(str(path))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"- a list\n", "mine.yaml: must be a mapping of keys to values"),
        (b"name: mine\nspeech_s: [unclosed\n", "mine.yaml, line 3: is no YAML: expected ',' or ']'"),
        (b"name: mine\nspeech_s: 3: 4\n", "mine.yaml, line 2: is no YAML: mapping values are not allowed"),
        (b"\x00", "mine.yaml: is no YAML"),
        (b"name: \xff\n", "mine.yaml: is no text in UTF-8"),
        (None, "mine.yaml: no such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_line(tmp_path: Path, text: bytes | None, says: str) -> None:
    path = tmp_path / "mine.yaml"
    if text is not None:
        path.write_bytes(text)
    with pytest.raises(ConfigError) as refused:
        load_rules(str(path))
    assert str(refused.value).startswith(f"{tmp_path}/{says}") and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["blitz", "/tmp", ""])
def test_unknown_rules_name_the_shipped_ones_and_no_other_file(name: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load_rules(name)
    assert str(refused.value) == (
        f"rules {name}: unknown; there are classic, turbo, calm, club, or the path of a YAML file"
    )
    assert all(load_rules(shipped).name == shipped for shipped in RULES)


def test_of_many_known_keys_some_are_named(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("zzz: 1\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_rules(str(path))
    assert str(refused.value).startswith(f"{path}: zzz: unknown key; known: name, deal_s, meeting_s, ")
    assert str(refused.value).endswith(f" and {len(Rules.model_fields) - 12} more")


def test_the_torch_stack_changes_both_engines() -> None:
    config = load_voice_config()
    assert (config.stt.engine, config.llm.engine) == ("faster-whisper", "llamacpp")
    torch = config.with_stack("torch")
    assert (torch.stt.engine, torch.llm.engine) == ("openai-whisper", "transformers")


@pytest.mark.parametrize("lang", ["fr", "en", "ru"])
def test_every_task_has_its_prompt(lang: Lang) -> None:
    """An empty one is a choice (a prompt can be heard instead of what was said); a missing one is a mistake."""
    prompts = read_yaml("prompts", f"hearing.{lang}.yaml")
    assert set(prompts) == {task.value for task in Task}
    assert all(prompt_for(task, lang) == prompts[task.value] for task in Task)


def test_data_is_found() -> None:
    assert data_path("prompts", "narration.fr.ftl").is_file()


def test_a_file_of_ones_own_wins_and_the_rest_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "turbo.yaml").write_text("name: mine\nspeech_s: 20\n", encoding="utf-8")
    monkeypatch.setenv("MODERATOR_DATA", str(tmp_path))
    assert (load_rules("turbo").name, load_rules("classic").name) == ("mine", "classic")


@pytest.mark.parametrize("there", [False, True], ids=["no folder", "nothing of ours in it"])
def test_a_data_folder_that_says_nothing_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], there: bool
) -> None:
    own = tmp_path if there else tmp_path / "nosuch"
    monkeypatch.setenv("MODERATOR_DATA", str(own))
    assert main(["simulate", "--games", "1"]) == 2
    says = f"MODERATOR_DATA={own}: holds no configs/ or prompts/; make it, or unset the variable"
    assert capsys.readouterr().err == f"moderator simulate: {says}\n"


def test_what_is_wrong_deeper_is_named_with_its_section(tmp_path: Path) -> None:
    path = tmp_path / "voice.yaml"
    path.write_text("stt:\n  worker: 3\n  beam: 99\nllm:\n  engine: oracle\n", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        load_voice_config(path)
    said = str(refused.value)
    assert "stt.worker: unknown key; did you mean workers?" in said
    assert "stt.beam: must be 10 or less, got 99" in said
    assert "llm.engine: must be 'llamacpp', 'transformers', 'openai' or 'none', got \"oracle\"" in said
    assert "\n" not in said
