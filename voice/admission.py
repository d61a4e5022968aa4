"""Whether a player may join, and what one who is barred is told (S19): why, until when, and how to contest it."""

from datetime import datetime

from babel.dates import format_date

from voice.bars import Appeal, Bar, Bars
from voice.config import Section, data_path, validated
from voice.ports import Lang


class Sentences(Section):
    """`prompts/bars.<lang>.yaml`. What stands in braces is filled in."""

    until: str
    for_good: str
    contest: str
    waiting: str
    refused: str


def refusal(bars: Bars, person: str, lang: Lang, now: datetime) -> str | None:
    """What the barred player reads, and nobody else; None: welcome. Raises `BadStore`."""
    bar = bars.barred(person, now)
    if bar is None:
        return None
    appeal = next((appeal for known, appeal in bars.all() if known.id == bar.id), None)
    return _told(validated(data_path("prompts", f"bars.{lang}.yaml"), Sentences), bar, appeal, lang)


def _told(sentences: Sentences, bar: Bar, appeal: Appeal | None, lang: Lang) -> str:
    if appeal is None:
        contest = sentences.contest.format(bar=bar.id)
    else:
        contest = sentences.waiting if appeal.granted is None else sentences.refused
    if bar.until is None:
        return f"{sentences.for_good.format(reason=bar.reason)} {contest}"
    until = format_date(bar.until, "long", locale=lang)
    return f"{sentences.until.format(until=until, reason=bar.reason)} {contest}"
