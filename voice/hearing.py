"""What the recogniser is told to expect, and how sure it is of what it heard, by task and language."""

import functools
from dataclasses import replace

from voice.config import read_yaml
from voice.grammar import seats_in
from voice.ports import Lang, Task, Transcript

WEIGHED_TASKS = frozenset({Task.VOTE, Task.LIFT, Task.SHOT, Task.CHECK, Task.CONFIRM, Task.TESTAMENT})
"""What counts is a seat, some seats, or yes and no: several readings tell how sure the recogniser is of it."""

NUMBER_TASKS = frozenset({Task.VOTE, Task.SHOT, Task.CHECK})


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


def awaited(task: Task, heard: Transcript) -> Transcript:
    """Where a number is awaited and none was heard: the reading that has one, so unsure that it is asked about."""
    if task not in NUMBER_TASKS or not heard.with_seat:
        return heard
    return replace(heard, text=heard.with_seat, confidence=0.0, segments=(), with_seat="")


def certainty(task: Task, heard: Transcript, lang: Lang) -> float:
    """How sure the recogniser is of what counts for the task, 0 to 1; 1 where nothing in the words does.

    In a speech that is how well the sound supports the words: of a far voice the recogniser makes its prompt.
    """
    if task is Task.TESTAMENT and not seats_in(lang, heard.text, {}):
        return 1.0
    return heard.confidence
