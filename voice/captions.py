"""A transcript as subtitles, WebVTT or SubRip: one cue an utterance, with its speaker."""

from collections.abc import Callable, Sequence

from voice.ports import Utterance

LEAST_S = 0.1
"""A cue has to be seen for a moment."""


def webvtt(utterances: Sequence[Utterance], name: Callable[[int], str] = str) -> str:
    """`name`: what a seat is called; a voice tag marks the speaker."""
    cues = [
        f"{timestamp(one.started_s)} --> {timestamp(max(one.ended_s, one.started_s + LEAST_S))}\n"
        f"<v {escape(name(one.seat))}>{escape(one.text)}</v>\n"
        for one in in_order(utterances)
    ]
    return "WEBVTT\n\n" + "\n".join(cues)


def subrip(utterances: Sequence[Utterance], name: Callable[[int], str] = str) -> str:
    """The format has neither voices nor escapes: the speaker stands before a colon, and marks that would be markup
    (`<`, `>`, `{`, `}`) are written as ‹ › ( )."""
    cues = [
        f"{number}\n{timestamp(one.started_s, ',')} --> {timestamp(max(one.ended_s, one.started_s + LEAST_S), ',')}\n"
        f"{plain(name(one.seat))}: {plain(one.text)}\n"
        for number, one in enumerate(in_order(utterances), 1)
    ]
    return "\n".join(cues)


def plain(text: str) -> str:
    return " ".join(text.translate(MARKUP).split())


MARKUP = str.maketrans("<>{}", "‹›()")


def in_order(utterances: Sequence[Utterance]) -> list[Utterance]:
    return sorted(utterances, key=lambda one: one.started_s)


def timestamp(seconds: float, mark: str = ".") -> str:
    """hh:mm:ss.ttt, with a comma in SubRip."""
    milliseconds = round(max(0.0, seconds) * 1000)
    minutes, rest = divmod(milliseconds, 60_000)
    return f"{minutes // 60:02d}:{minutes % 60:02d}:{rest // 1000:02d}{mark}{rest % 1000:03d}"


def escape(text: str) -> str:
    return " ".join(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").split())
