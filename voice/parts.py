"""What a table joins: the ports, and those of our own parts that it sees from one side only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moderator.model import Seat
from moderator.narration import Cue
from voice.ports import Clock, Context, Lang, Proposal, Room, Task, Transcriber
from voice.ports_store import Store


class Handle(Protocol):
    async def heard(self) -> None: ...


class Speaker(Protocol):
    """The narrator as the table sees him."""

    def say(self, cue: Cue) -> Handle: ...

    def interrupt(self) -> None: ...


class Ears(Protocol):
    """The audio loop as the table sees it."""

    def speaking(self, seat: Seat) -> bool: ...

    def flush(self, seat: Seat, at_s: float) -> None: ...


class Reader(Protocol):
    """Both readers together; `voice.understanding.Understanding` is the real one."""

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Proposal: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The real parts that a table joins."""

    clock: Clock
    room: Room
    transcriber: Transcriber
    reader: Reader
    narrator: Speaker
    store: Store
    prompt_for: Callable[[Task, Lang], str]
