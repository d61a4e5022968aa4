"""The documents of a recording from elsewhere. All that is in them was heard, nothing was ruled."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from moderator.model import Seat
from voice.captions import subrip, timestamp, webvtt
from voice.heard import Heard
from voice.plots_pygal import bars
from voice.ports import Lang, Utterance
from voice.recordings import Recording, Sounds
from voice.review_html import Moments, markup, render
from voice.review_md import MARKUP, table
from voice.review_words import Words, clock

UNKNOWN = 0
"""The seat of a line of which nobody knows who spoke."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """`transcript` in the order of time, seat 0 where nobody knows whose; `heard` points into it."""

    files: tuple[Path, ...]
    transcript: tuple[Utterance, ...]
    heard: tuple[Heard, ...]

    @property
    def spoken_s(self) -> dict[Seat, float]:
        seats = sorted({line.seat for line in self.transcript})
        return {
            seat: round(sum(line.ended_s - line.started_s for line in self.transcript if line.seat == seat), 1)
            for seat in seats
        }


def documents(recorded: Recorded, lang: Lang, folder: Path | None) -> dict[str, Callable[[], str]]:
    """By format. `folder`: where the page will lie."""
    words = Words(lang)
    return {
        "md": lambda: to_markdown(recorded, words),
        "json": lambda: json.dumps(to_json(recorded, lang), ensure_ascii=False) + "\n",
        "html": lambda: to_html(recorded, words, folder),
        "vtt": lambda: webvtt(recorded.transcript, who) + "\n",
        "srt": lambda: subrip(recorded.transcript, who) + "\n",
    }


def who(seat: Seat) -> str:
    return "?" if seat == UNKNOWN else str(seat)


def to_json(recorded: Recorded, lang: Lang) -> dict[str, Any]:
    """`heard.at` is when the line of its words began."""
    return {
        "ruled": False,
        "lang": lang,
        "files": [path.name for path in recorded.files],
        "spoken_s": recorded.spoken_s,
        "heard": [asdict(one) | {"at": recorded.transcript[one.line].started_s} for one in recorded.heard],
        "transcript": [asdict(line) for line in recorded.transcript],
    }


def to_markdown(recorded: Recorded, words: Words) -> str:
    rows = []
    for one in recorded.heard:
        line = recorded.transcript[one.line]
        mark = f" ({words('heard-doubtful')})" if one.doubtful else ""
        rows.append([clock(line.started_s), who(line.seat), _what(one, words) + mark, one.quote.translate(MARKUP)])
    head = [words(key) for key in ("time", "seat", "heard-what", "words")]
    lines = [
        f"* {timestamp(line.started_s)} **{who(line.seat)}** {line.text.translate(MARKUP)}"
        for line in recorded.transcript
    ]
    spoken = [[who(seat), words("seconds", n=round(seconds))] for seat, seconds in recorded.spoken_s.items()]
    parts = [
        f"# {_title(recorded, words).translate(MARKUP)}",
        words("recording-intro"),
        f"## {words('section-heard')}",
        table(head, rows) if rows else words("heard-none"),
        f"## {words('section-speaking')}",
        table([words("seat"), words("spoke")], spoken),
        f"## {words('section-transcript')}",
        "\n".join(lines) or words("transcript-none"),
    ]
    return "\n\n".join(parts) + "\n"


def to_html(recorded: Recorded, words: Words, folder: Path | None) -> str:
    """Moments of a mixed recording are links into it; of several files each seat has its own."""
    length_s = max((line.ended_s for line in recorded.transcript), default=0.0)
    mixed = [Recording(recorded.files[0], 0.0, length_s)] if len(recorded.files) == 1 else []
    moments = Moments(Sounds(mixed), folder)
    spoken = {who(seat): seconds for seat, seconds in recorded.spoken_s.items()}
    return render(
        "recording.html.j2",
        words.lang,
        title=_title(recorded, words),
        contents=[(key, f"section-{key}") for key in ("heard", "speaking", "transcript")],
        heard=[
            {
                "moment": moments.at(recorded.transcript[one.line].started_s),
                "who": who(one.seat),
                "text": _what(one, words),
                "doubtful": one.doubtful,
                "quote": one.quote,
                "line": one.line,
            }
            for one in recorded.heard
        ],
        spoken=[(seat, words("seconds", n=round(seconds))) for seat, seconds in spoken.items()],
        speaking_plot=markup(bars(spoken, words("spoke"))) if spoken else "",
        lines=[
            {
                "moment": moments.at(line.started_s),
                "seat": who(line.seat),
                "who": who(line.seat),
                "text": line.text,
                "public": True,
            }
            for line in recorded.transcript
        ],
        seats=list(spoken),
        files=moments.files(),
        apart=moments.apart(),
    )


def _title(recorded: Recorded, words: Words) -> str:
    return words("recording-title", file=", ".join(path.name for path in recorded.files))


def _what(one: Heard, words: Words) -> str:
    return words(f"heard-{one.kind}", **({} if one.target is None else {"seat": one.target}))
