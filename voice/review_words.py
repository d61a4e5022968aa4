"""The words of a review in one language: `prompts/review.<lang>.ftl`, and its numbers and times."""

from datetime import date
from typing import Any

from moderator.model import Seat
from voice.config import data_path
from voice.ports import Lang


class Words:
    """`words("day", n=1)`: one message. Raises `KeyError` for an unknown one, `ValueError` for a parameter missing."""

    def __init__(self, lang: Lang) -> None:
        from fluent.runtime import FluentBundle, FluentResource

        self.lang = lang
        self._bundle = FluentBundle([lang], use_isolating=False)
        text = data_path("prompts", f"review.{lang}.ftl").read_text(encoding="utf-8")
        self._bundle.add_resource(FluentResource(text))

    def __call__(self, key: str, **args: Any) -> str:
        if not self._bundle.has_message(key):
            raise KeyError(f"review.{self.lang}.ftl has no message {key!r}")
        pattern = self._bundle.get_message(key).value
        assert pattern is not None, key
        text, errors = self._bundle.format_pattern(pattern, args)
        if errors:
            raise ValueError(f"message {key!r} with {args}: {errors[0]}")
        return str(text)

    def system(self, name: str) -> str:
        """A scoring system of your own goes by its own name."""
        return self(f"system-{name}") if self._bundle.has_message(f"system-{name}") else name

    def points(self, value: float) -> str:
        """+0.20, with the language's decimal mark; what is paid in smaller parts shows them."""
        return self.decimal(round(value, 4) + 0.0, "+0.00##;-0.00##")

    def date(self, begun_at: str) -> str:
        """The day of a moment as the store keeps it."""
        from babel.dates import format_date

        return str(format_date(date.fromisoformat(begun_at[:10]), format="long", locale=self.lang))

    def decimal(self, value: float, pattern: str = "0.#") -> str:
        from babel.numbers import format_decimal

        return str(format_decimal(value, format=pattern, locale=self.lang))

    def seats(self, seats: tuple[Seat, ...] | list[Seat]) -> str:
        return ", ".join(map(str, seats)) or self("nobody")


def clock(seconds: float) -> str:
    """m:ss, or h:mm:ss from an hour on; what is before the deal has a minus."""
    whole = abs(int(seconds))
    hours, minutes = divmod(whole // 60, 60)
    text = f"{hours}:{minutes:02d}:{whole % 60:02d}" if hours else f"{minutes}:{whole % 60:02d}"
    return f"-{text}" if seconds <= -1 else text
