"""Lines of table talk, fair or not, that were written to learn from: `conduct.LANG.yaml`, a line a sentence or two."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml

from voice.config import parse_yaml
from voice.ports import Lang


def conduct_lines(lang: Lang) -> Mapping[str, Sequence[str]]:
    """By the name of what they break (`moderator.model.Offence`), or "clean"."""
    blocks: dict[str, str] = parse_yaml(Path(__file__).with_name(f"conduct.{lang}.yaml"), yaml.BaseLoader)
    return {kind: block.splitlines() for kind, block in blocks.items()}
