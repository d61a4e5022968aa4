"""What a table joins: the ports, and those of our own parts that it sees from one side only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from moderator.commands import Command
from moderator.events import Event
from moderator.model import Refusal, Seat
from moderator.narration import Cue
from moderator.state import GameState
from voice.booth_settings import BoothSettings
from voice.ports import Clock, Context, Lang, Proposal, Room, Task, Transcriber, VoiceSpec
from voice.ports_store import Store


class Handle(Protocol):
    async def heard(self) -> None: ...


class Speaker(Protocol):
    """The narrator; `voice.narrator.Narrator` is the real one."""

    voice: VoiceSpec
    voices: tuple[str, ...]

    def say(self, cue: Cue) -> Handle: ...

    def interrupt(self) -> None: ...

    def repeat(self, seat: Seat) -> Handle | None: ...

    def booth(self, seat: Seat) -> BoothSettings: ...

    def set_booth(self, seat: Seat, settings: BoothSettings) -> None: ...

    def set_rate(self, rate_wpm: int) -> None: ...


class Host(Protocol):
    """The table, as those see it who do something at it beside its loop."""

    state: GameState

    async def submit(self, command: Command) -> list[Event] | Refusal: ...
    async def say(self, cue: Cue, after_pause_of: Seat | None = None) -> None: ...
    def now(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...


class Ears(Protocol):
    """The audio loop."""

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
