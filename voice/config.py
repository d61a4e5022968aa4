"""Reads what lies in `configs/` and `prompts/`. An error names the file, the key and what is allowed."""

import difflib
import functools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from moderator.faults import plain
from moderator.rules import Rules, Signal
from moderator.scoring import Scoring

ROOT = Path(__file__).resolve().parent
"""Data lies beside the package when it is installed, and beside its parent in a checkout."""

RULES = ("classic", "turbo", "calm", "club")
"""Those that are shipped for games."""
LISTED_MOST = 12
Model = TypeVar("Model", bound=BaseModel)


class ConfigError(ValueError):
    """One line: file, key, what is wrong, what is allowed."""


class Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SttConfig(Section):
    """The ears."""

    engine: Literal["faster-whisper", "openai-whisper", "transformers"] = "faster-whisper"
    weights: str = ""
    """A folder of CTranslate2 weights; empty: the installed package, then the hub."""
    tuned: bool = True
    """The installed package's decoder tuned to table talk; other weights are taken as they are."""
    workers: Annotated[int, Field(ge=1, le=16)] = 2
    threads: Annotated[int, Field(ge=1, le=64)] = 1
    beam: Annotated[int, Field(ge=1, le=10)] = 5
    deadline_s: Annotated[float, Field(gt=0, le=120)] = 10.0
    """A clip that takes longer costs its process its life, and is tried once more in a new one."""


class TtsConfig(Section):
    """The narrator's voice."""

    engine: Literal["pyttsx3", "kokoro", "festival"] = "pyttsx3"
    voice: str = ""
    rate_wpm: Annotated[int, Field(ge=90, le=450)] = 190
    workers: Annotated[int, Field(ge=1, le=8)] = 1


class LlmConfig(Section):
    """The second reader."""

    engine: Literal["llamacpp", "transformers", "openai", "none"] = "llamacpp"
    base_url: str = ""
    api_key: str = ""
    model: str = ""
    adapter: str = ""
    """A LoRA in a GGUF file; empty: the shipped one, where the weights are the shipped ones; "none"."""
    threads: Annotated[int, Field(ge=1, le=64)] = 1


class ScoringFile(Section):
    """`configs/scoring.yaml`: what every scoring system pays."""

    scoring: dict[str, Scoring]


SLOW_ENGINE_S = 60.0
"""openai-whisper on a busy processor needs many times what faster-whisper does."""


class VoiceConfig(Section):
    stt: SttConfig = SttConfig()
    tts: TtsConfig = TtsConfig()
    llm: LlmConfig = LlmConfig()

    def with_stack(self, stack: str) -> "VoiceConfig":
        """`torch`: openai-whisper and transformers in process, the rest as configured."""
        if stack != "torch":
            return self
        return self.model_copy(
            update={
                "stt": self.stt.model_copy(update={"engine": "openai-whisper", "deadline_s": SLOW_ENGINE_S}),
                "llm": self.llm.model_copy(update={"engine": "transformers"}),
            }
        )


def data_path(kind: Literal["configs", "prompts"], name: str) -> Path:
    """A file of yours under $MODERATOR_DATA (`configs/...`, `prompts/...`) wins over the one that was shipped."""
    found = find_data(kind, name)
    if found is None:
        raise ConfigError(f"{kind}/{name}: no such file")
    return found


def find_data(kind: Literal["configs", "prompts"], name: str) -> Path | None:
    places = (folder / kind / name for folder in (*own_data(), ROOT / "data", ROOT.parent))
    return next((place for place in places if place.is_file()), None)


def own_data() -> list[Path]:
    """The folder that $MODERATOR_DATA names, if it is set. A name that says nothing would be passed over in silence."""
    own = os.environ.get("MODERATOR_DATA")
    if own and not any((Path(own) / kind).is_dir() for kind in ("configs", "prompts")):
        raise ConfigError(f"MODERATOR_DATA={own}: holds no configs/ or prompts/; make it, or unset the variable")
    return [Path(own)] if own else []


@functools.cache
def read_yaml(kind: Literal["configs", "prompts"], name: str) -> Any:
    return parse_yaml(data_path(kind, name))


def parse_yaml(path: Path, loader: type[yaml.BaseLoader | yaml.SafeLoader] = yaml.SafeLoader) -> Any:
    """`yaml.BaseLoader`: every value is text, "no" and "on" too."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), loader) or {}
    except OSError as error:
        raise ConfigError(f"{path}: {(error.strerror or 'cannot be read').lower()}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is no text in UTF-8") from error
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(f"{path}{line}: is no YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: is no YAML: {' '.join(str(error).split())}") from error


def load_rules(name: str) -> Rules:
    """By name (`classic`, `turbo`, `calm`, `club`) or by path; signals and points are in files of their own."""
    path = rules_path(name)
    signals = [
        {key: value for key, value in row.items() if key in Signal.model_fields}
        for row in read_yaml("configs", "signals.yaml")["signals"]
    ]
    scoring = validated(data_path("configs", "scoring.yaml"), ScoringFile).scoring
    return validated(path, Rules, {"signals": signals, "scoring": scoring})


def rules_path(name: str) -> Path:
    if name.endswith((".yaml", ".yml")):
        return Path(name)
    found = find_data("configs", f"{name}.yaml")
    if found is None:
        raise ConfigError(f"rules {name}: unknown; there are {', '.join(RULES)}, or the path of a YAML file")
    return found


def load_voice_config(path: Path | None = None) -> VoiceConfig:
    return validated(path or data_path("configs", "voice.yaml"), VoiceConfig)


def validated(path: Path, model: type[Model], elsewhere: Mapping[str, Any] | None = None) -> Model:
    """`elsewhere`: keys that come from other files, where this one does not set them."""
    found = parse_yaml(path)
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: must be a mapping of keys to values, not {type(found).__name__}")
    try:
        return model.model_validate({**(elsewhere or {}), **found})
    except ValidationError as error:
        raise ConfigError("; ".join(explain(path, model, fault) for fault in error.errors())) from error


def explain(path: Path, model: type[BaseModel], fault: Any) -> str:
    if fault["type"] != "extra_forbidden":
        return f"{path}: {plain(fault)}"
    known = list(_fields(model, fault["loc"][:-1]))
    close = difflib.get_close_matches(str(fault["loc"][-1]), known, 1)
    return f"{path}: {plain(fault)}; {f'did you mean {close[0]}?' if close else f'known: {few(known)}'}"


def few(names: Sequence[str]) -> str:
    """So many as a person reads."""
    more = len(names) - LISTED_MOST
    return ", ".join([*names[:LISTED_MOST], *([f"and {more} more"] if more > 0 else [])])


def _fields(model: type[BaseModel], loc: tuple[Any, ...]) -> dict[str, Any]:
    """The keys allowed at a place inside the model; a name in a mapping or a position in a list is a step, too."""
    inner: Any = model
    for part in loc:
        known = isinstance(inner, type) and issubclass(inner, BaseModel)
        inner = (
            inner.model_fields[str(part)].annotation if known else get_args(inner)[0 if isinstance(part, int) else -1]
        )
    return dict(inner.model_fields)
