"""Whether a player may join, and what one who is barred is told (S19): why, until when, and how to contest it."""

from datetime import datetime

from babel.dates import format_date

from moderator.model import Cause, Offence
from voice.bars import Appeal, Bar, Bars
from voice.config import Section, data_path, validated
from voice.database import exists
from voice.ports import Lang
from voice.review_words import Words

KINDS = {
    **{cause.replace("_", " "): f"cause-{cause}" for cause in Cause if cause.removal},
    **{str(offence): f"offence-{offence}" for offence in Offence},
}
"""What a log says of a seat, and what can be heard against fair play -> its word in `prompts/review.<lang>.ftl`."""


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


def turned_away(where: str, person: str, lang: Lang, now: datetime) -> str | None:
    """As `refusal`, of the bars in a store (path or URL) that may not be there. Raises `BadStore`."""
    if not exists(where):
        return None
    bars = Bars(where)
    try:
        return refusal(bars, person, lang, now)
    finally:
        bars.close()


def _told(sentences: Sentences, bar: Bar, appeal: Appeal | None, lang: Lang) -> str:
    if appeal is None:
        contest = sentences.contest.format(bar=bar.id)
    else:
        contest = sentences.waiting if appeal.granted is None else sentences.refused
    reason = _in(lang, bar.reason)
    if bar.until is None:
        return f"{sentences.for_good.format(reason=reason)} {contest}"
    until = format_date(bar.until, "long", locale=lang)
    return f"{sentences.until.format(until=until, reason=reason)} {contest}"


def _in(lang: Lang, reason: str) -> str:
    """Kinds of reason in the reader's language, "technical fouls: 2" as well; the organiser's own words stay his."""
    words, told = Words(lang), []
    for part in reason.split(", "):
        kind, colon, number = part.partition(": ")
        told.append(f"{words(KINDS[kind])}{colon}{number}" if kind in KINDS else part)
    return ", ".join(told)
