"""A copy of a finished game that may be given away: no private word, no name, no voice."""

import re
from collections.abc import Mapping
from dataclasses import replace

from moderator.events import GameEnded, GameOpened
from moderator.model import Seat
from moderator.review import facts
from voice.dossier import overlap_s
from voice.stored import StoredGame


class NotOver(ValueError):
    """The roles of a running game are nobody's to give away."""


def shared(game: StoredGame) -> StoredGame:
    """What the whole table heard and what the log tells after the end. Raises `NotOver`."""
    if not any(isinstance(event, GameEnded) for event in game.events):
        raise NotOver("the game has not ended, its roles are still secret; share it when it is over")
    events = [event.but(game="") if isinstance(event, GameOpened) else event for event in game.events]
    floors = facts(events).floors
    heard = [
        replace(line, text=without(game.names, line.text))
        for line in game.utterances
        if any(floor.seat == line.seat and overlap_s(line, floor) > 0 for floor in floors)
    ]
    return StoredGame(events, heard, game.fault)


def without(names: Mapping[Seat, str], text: str) -> str:
    """A player who is called by name is called by number."""
    for seat, name in sorted(names.items(), key=lambda item: -len(item[1])):
        if name.strip():
            text = re.sub(rf"(?<!\w){re.escape(name.strip())}(?!\w)", str(seat), text, flags=re.IGNORECASE)
    return text
