"""What the recogniser is told to expect, by task and language."""

import functools

from voice.config import read_yaml
from voice.ports import Lang, Task


@functools.cache
def _prompts(lang: Lang) -> dict[str, str]:
    prompts = read_yaml("prompts", f"hearing.{lang}.yaml")
    missing = {task.value for task in Task} - set(prompts)
    if missing:
        raise ValueError(f"prompts/hearing.{lang}.yaml: no prompt for {', '.join(sorted(missing))}")
    return {task: str(prompt) for task, prompt in prompts.items()}


def prompt_for(task: Task, lang: Lang) -> str:
    """Empty: nothing, where a hint would do more harm than good."""
    return _prompts(lang)[task]
