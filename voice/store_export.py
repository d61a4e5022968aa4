"""A whole game as JSON lines: one line of the game, one an event, one an utterance. What `restore` takes back.

{"game": ID, "begun_at": UTC, "format": 1}, then {"event": {...}} in order, then {"utterance": {...}} and
{"understood": {...}}, how texts were read, each in order, and {"name": {"seat": 4, "name": ...}} of each player who
gave one.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from moderator.engine import replay
from moderator.events import Event
from moderator.model import Seat
from voice.ports import Utterance
from voice.ports_store import BadStore, Understood


@dataclass(frozen=True, slots=True)
class Export:
    """`begun_at`: UTC, as the store keeps it."""

    game: str
    begun_at: str
    events: list[Event]
    utterances: list[Utterance]
    notes: list[Understood]
    names: dict[Seat, str]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Game(_Line):
    game: str
    begun_at: str
    format: Literal[1]


class _Event(_Line):
    event: Event


class _Utterance(_Line):
    utterance: Utterance


class _Understood(_Line):
    understood: Understood


class _Named(BaseModel):
    model_config = ConfigDict(extra="forbid")

    seat: Seat
    name: str


class _Name(_Line):
    name: _Named


Line = _Game | _Event | _Utterance | _Understood | _Name
LINE: TypeAdapter[Line] = TypeAdapter(Line)


def lines(
    game: str,
    begun_at: str,
    events: Sequence[Event],
    utterances: Sequence[Utterance],
    notes: Sequence[Understood] = (),
    names: Mapping[Seat, str] | None = None,
) -> Iterator[str]:
    yield _Game(game=game, begun_at=begun_at, format=1).model_dump_json()
    for event in events:
        yield _Event(event=event).model_dump_json()
    for utterance in utterances:
        yield _Utterance(utterance=utterance).model_dump_json()
    for note in notes:
        yield _Understood(understood=note).model_dump_json()
    for seat, name in (names or {}).items():
        yield _Name(name=_Named(seat=seat, name=name)).model_dump_json()


def is_export(text: str) -> bool:
    """Else it may be a log: events alone."""
    try:
        found: Any = json.loads(text.partition("\n")[0])
    except ValueError:
        return False
    return isinstance(found, dict) and found.keys() == {"game", "begun_at", "format"}


def read(text: str, where: str) -> Export:
    """Raises `BadStore` with the number of the line that is none; the events must follow one another."""
    head: _Game | None = None
    events: list[Event] = []
    utterances: list[Utterance] = []
    notes: list[Understood] = []
    names: dict[Seat, str] = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        try:
            found = LINE.validate_json(line)
        except ValidationError:
            raise BadStore(f"{where}: line {number} is none of an export; export the game again") from None
        match found:
            case _Game() if number == 1:
                head = found
            case _Event() if head is not None and not (utterances or notes or names):
                events.append(found.event)
            case _Utterance() if events:
                utterances.append(found.utterance)
            case _Understood() if events:
                notes.append(found.understood)
            case _Name() if events and found.name.seat not in names:
                names[found.name.seat] = found.name.name
            case _:
                raise BadStore(f"{where}: line {number} is out of order; a game, its events, its utterances, its names")
    if head is None or not events:
        raise BadStore(f"{where}: holds no game; export it again")
    wrong = replay(events).error
    if wrong is not None:
        raise BadStore(f"{where}: the events do not follow one another ({wrong}); export the game again")
    return Export(head.game, head.begun_at, events, utterances, notes, names)
