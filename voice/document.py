"""A stored game as a document, in the formats that people and programs ask for."""

from typing import Literal, get_args

from moderator import mgn
from moderator.review import facts
from voice.captions import webvtt
from voice.review_md import to_markdown
from voice.stored import StoredGame

Format = Literal["md", "json", "vtt", "mgn"]
FORMATS: tuple[Format, ...] = get_args(Format)


class NoTranscript(Exception):
    """The format holds what was said, and nothing of that is kept here."""


def render(game: StoredGame, form: Format) -> str:
    """`game` holds at least one event. Raises `NoTranscript`."""
    if form == "vtt":
        if not game.utterances:
            raise NoTranscript
        return webvtt(game.utterances) + "\n"
    if form == "mgn":
        return mgn.write(game.events)
    if form == "json":
        return facts(game.events).model_dump_json() + "\n"
    return to_markdown(facts(game.events), game.utterances)
