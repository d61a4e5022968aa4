"""One language's sentences and number words: key and parameters -> what is said.

Sentences are Fluent messages, `prompts/narration.<lang>.ftl`; another setting of the same game has its own for some of
them, `prompts/<setting>.<lang>.ftl`. The words for numbers are in `prompts/numbers.<lang>.yaml`. A rendered line holds
no digit: synthesisers misread them.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict

from moderator.narration import Arg
from voice.config import data_path, read_yaml
from voice.ports import Lang, Setting
from voice.signals import signals

Detail = Literal["novice", "normal", "expert"]
"""How much is said: how to answer and how long there is, too; what is needed; the least."""
DETAILS: tuple[Detail, ...] = get_args(Detail)
MINUTE_S = 60
FIRST_LETTER = re.compile(r"(?:^|[.?!] )\w")


class Numbers(BaseModel):
    """`seat`: forms of the ten seats; `cardinal`: 0 to 59 before a feminine word; the rest by plural category."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    and_: str
    seat: dict[str, list[str]]
    cardinal: list[str]
    second: dict[str, str]
    minute: dict[str, str]


class Phrasebook:
    """Sentences of one language; all are read and checked when it is made, so `render` only fails on a wrong call."""

    def __init__(self, lang: Lang, setting: Setting = "mafia") -> None:
        from babel import Locale
        from fluent.runtime import FluentBundle, FluentResource

        self.lang = lang
        self._numbers = _numbers(lang)
        self._plural = Locale.parse(lang).plural_form
        functions: dict[str, Any] = {
            "SEAT": self._seat,
            "SEATS": self._seats,
            "DURATION": self._duration,
            "COUNT": self._count,
            "SIGNAL": self._signal,
        }
        self._bundle = FluentBundle([lang], functions=functions, use_isolating=False)
        text = data_path("prompts", f"narration.{lang}.ftl").read_text(encoding="utf-8")
        self._bundle.add_resource(FluentResource(text))
        if setting != "mafia":
            scenery = data_path("prompts", f"{setting}.{lang}.ftl").read_text(encoding="utf-8")
            self._bundle.add_resource(FluentResource(scenery), allow_overrides=True)

    def render(self, key: str, args: Mapping[str, Arg], detail: Detail = "normal") -> str:
        """Raises KeyError for an unknown sentence, ValueError for a parameter that is missing or wrong.

        `detail`: a sentence may have other words (an attribute) for a level; without them its own words are said.
        """
        if not self._bundle.has_message(key):
            raise KeyError(f"narration.{self.lang}.ftl has no sentence {key!r}")
        message = self._bundle.get_message(key)
        pattern = message.attributes.get(detail, message.value)
        assert pattern is not None, key
        text, errors = self._bundle.format_pattern(pattern, {name: _plain(value) for name, value in args.items()})
        if errors:
            raise ValueError(f"sentence {key!r} with {dict(args)}: {errors[0]}")
        return FIRST_LETTER.sub(lambda found: found[0].upper(), str(text))

    # --- functions of the sentences ---------------------------------------------------------------

    def _seat(self, seat: Any, form: str = "bare") -> str:
        return self._numbers.seat[str(form)][int(seat) - 1]

    def _seats(self, seats: Any, form: str = "the") -> str:
        words = [self._seat(seat, form) for seat in str(seats).split()]
        return self._numbers.and_.join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

    def _count(self, number: Any, gender: str = "f") -> str:
        """In words; masculine forms differ for one and two only, and are those of the seats' bare numbers."""
        masculine = str(gender) == "m" and 1 <= int(number) <= len(self._numbers.seat["bare"])
        return self._seat(number) if masculine else self._numbers.cardinal[int(number)]

    def _signal(self, name: Any) -> str:
        return signals()[str(name)].words[self.lang]

    def _duration(self, seconds: Any) -> str:
        minutes, rest = divmod(int(seconds), MINUTE_S)
        return " ".join(
            f"{self._numbers.cardinal[number]} {unit.get(self._plural(number), unit['other'])}"
            for number, unit in ((minutes, self._numbers.minute), (rest, self._numbers.second))
            if number or (unit is self._numbers.second and not minutes)
        )


def _plain(value: Arg) -> int | str:
    """Fluent knows numbers and text; a list of seats travels as text."""
    return " ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value


@cache
def _numbers(lang: Lang) -> Numbers:
    raw = read_yaml("prompts", f"numbers.{lang}.yaml")
    return Numbers(and_=raw["and"], **{name: value for name, value in raw.items() if name != "and"})
