"""A stored game as a document, in the formats that people and programs ask for."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

from moderator import mgn
from voice.captions import subrip, webvtt
from voice.dossier import Dossier, assemble
from voice.ports import Lang
from voice.recordings import sounds
from voice.review_html import to_html
from voice.review_md import to_markdown
from voice.share import shared
from voice.stored import StoredGame
from voice.understanding import Understanding

Format = Literal["md", "json", "html", "vtt", "srt", "mgn"]
FORMATS: tuple[Format, ...] = get_args(Format)


class NoTranscript(Exception):
    """The format holds what was said, and nothing of that is kept here."""


def render(game: StoredGame, form: Format, lang: Lang) -> str:
    """For a page that comes over HTTP, beside which no recording lies. `game` holds at least one event.

    Raises `NoTranscript`. Not for a running event loop.
    """
    return asyncio.run(compose(replace(game, folder=None), form, lang, Understanding()))[0]


async def compose(
    game: StoredGame,
    form: Format,
    lang: Lang,
    understanding: Understanding,
    *,
    share: bool = False,
    folder: Path | None = None,
) -> tuple[str, Dossier]:
    """`share`: a copy to give away. `folder`: where a page will lie, for its links; None: beside the recordings.

    Raises `NoTranscript`, and `NotOver` for a running game that is to be given away.
    """
    if share:
        game = shared(game)
    if form in ("vtt", "srt") and not game.utterances:
        raise NoTranscript
    dossier = await assemble(
        *(game.events, game.utterances, lang, understanding, game.names, game.fault, game.notes, game.begun_at)
    )
    write: dict[Format, Callable[[], str]] = {
        "md": lambda: to_markdown(dossier),
        "json": lambda: json.dumps(dossier.to_json(), ensure_ascii=False) + "\n",
        "html": lambda: to_html(dossier, sounds(game.folder), folder),
        "vtt": lambda: webvtt(dossier.transcript, dossier.who) + "\n",
        "srt": lambda: subrip(dossier.transcript, dossier.who) + "\n",
        "mgn": lambda: mgn.write(game.events),
    }
    return write[form](), dossier
