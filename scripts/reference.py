"""The reference pages of the site, made from the code when the site is built: a hook of mkdocs."""

import argparse
import importlib
import inspect
import typing
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pydantic import BaseModel

from moderator import events, mgn
from voice.arguments import parser

CONFIGS = Path("configs")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name, page in (("commands", commands), ("config", configuration), ("events", log), ("notation", notation)):
        files.append(File.generated(config, f"reference/{name}.md", content=page()))
    return files


def commands() -> str:
    return "# Commands\n\n" + "\n".join(_command(parser()))


def _command(command: argparse.ArgumentParser) -> Iterator[str]:
    below = [one for one in command._actions if isinstance(one, argparse._SubParsersAction)]
    yield f"## {command.prog}\n\n```text\n{command.format_help()}```\n"
    for part in below:
        for one in part.choices.values():
            yield from _command(one)


def configuration() -> str:
    pages = [f"## {path.name}\n\n```yaml\n{path.read_text('utf-8')}```\n" for path in sorted(CONFIGS.glob("*.yaml"))]
    fields = importlib.import_module("moderator.rules").Rules
    about = f"## Rules\n\n{inspect.getdoc(fields)}\n\n{_fields(fields)}"
    return "# Configuration\n\nA wrong key or value is named with its file and what is allowed.\n\n" + "\n".join(
        [about, *pages]
    )


def log() -> str:
    """Every event that a log may hold."""
    union = typing.get_args(typing.get_args(events.Event)[0])
    return "# Events\n\nOne JSON object a line; `at` is the game's second.\n\n" + "\n".join(
        f"## {one.model_fields['type'].default}\n\n{inspect.getdoc(one) or ''}\n\n{_fields(one)}" for one in union
    )


def _fields(model: type[BaseModel]) -> str:
    rows = [f"| `{name}` | `{_type(field.annotation)}` |" for name, field in model.model_fields.items()]
    return "| field | type |\n| --- | --- |\n" + "\n".join(rows) + "\n"


def _type(annotation: object) -> str:
    name = annotation.__name__ if isinstance(annotation, type) and not typing.get_args(annotation) else str(annotation)
    return name.replace("typing.", "").replace("moderator.model.", "").replace("|", "\\|")


def notation() -> str:
    return f"# Notation\n\n```text\n{inspect.getdoc(mgn)}\n```\n"
