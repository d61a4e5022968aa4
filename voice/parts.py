"""What a table joins: the ports, and those of our own parts that it sees from one side only."""

from dataclasses import dataclass
from typing import Protocol

from moderator.commands import Command
from moderator.events import Event
from moderator.model import Refusal, Seat
from moderator.narration import Cue
from moderator.state import GameState
from voice.booth_settings import BoothSettings
from voice.ports import Breach, Clip, Clock, Context, Lang, Pcm, Proposal, Room, Task, Transcriber, VoiceSpec
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

    async def voice_of(self, seat: Seat, text: str) -> Pcm:
        """A seat's own words in another voice than the narrator's. Kept nowhere. Raises what the engine raises."""
        ...


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

    def running(self, seat: Seat) -> Clip | None:
        """What the seat has said of its running utterance."""
        ...

    def say_for(self, seat: Seat, pcm: Pcm) -> None:
        """Sound in the place of that seat's microphone: it goes where his voice would go, and nowhere else."""
        ...

    def unsaid_s(self, seat: Seat) -> float:
        """How much of it has not sounded yet."""
        ...

    def hush(self, seat: Seat) -> None:
        """Forget the rest of it."""
        ...


class Listening(Protocol):
    """The table, as those see it who follow what a seat says."""

    state: GameState
    ears: Ears | None

    def now(self) -> float: ...
    async def sleep(self, seconds: float) -> None: ...
    def heard_by(self, seat: Seat) -> frozenset[int]: ...


class Reader(Protocol):
    """Both readers together; `voice.understanding.Understanding` is the real one."""

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Proposal: ...

    async def conduct(self, lang: Lang, text: str) -> tuple[Breach, ...]: ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The real parts that a table joins."""

    clock: Clock
    room: Room
    transcriber: Transcriber
    reader: Reader
    narrator: Speaker
    store: Store
