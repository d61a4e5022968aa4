"""A table without sound: real loop, dialogues, narrator, grammar and rules; the words of the players are scripted.

Time is virtual. A player answers what his client is asked (`wire.Asked`), in words, like anybody else.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from moderator.commands import Deal
from moderator.events import Event, EventBase
from moderator.model import SEATS, Role, Seat
from moderator.rules import Rules
from voice.clock import VirtualClock
from voice.narrator import Narrator
from voice.nearness import FRAME
from voice.noted import NotedReader
from voice.parts import Parts
from voice.ports import (
    FRAME_S,
    RATE_HZ,
    Clip,
    Context,
    Frame,
    Hint,
    Lang,
    Likely,
    Message,
    Pcm,
    Presence,
    Reading,
    Segment,
    Task,
    Ticket,
    Transcript,
    Utterance,
    VoiceSpec,
)
from voice.ports_store import Understood
from voice.table import Table
from voice.understanding import Understanding
from voice.wire import TO_CLIENT, Asked, Caption, Closed, Line
from voice.wire import Table as Standing

ROLES: dict[Seat, Role] = {
    1: Role.DON,
    2: Role.MAFIOSO,
    3: Role.MAFIOSO,
    4: Role.SHERIFF,
    **dict.fromkeys(range(5, 11), Role.CIVILIAN),
}
QUICK = Rules(name="quick", deal_s=1, meeting_s=5, greeting_s=1, speech_s=25, split_s=12, farewell_s=25)

E = TypeVar("E", bound=EventBase)
Player = Callable[[Seat, Line | Caption | Asked | Closed], str | None]
"""What the seat says to a message of its client, one second later; None: nothing."""


class TextRoom:
    """Booths that carry messages only."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.silent: dict[Seat, float] = {}
        self.joins: Counter[Seat] = Counter()
        self.ours = True
        self.tables: list[tuple[Seat, Standing]] = []
        """How the table stands, as each booth was told."""
        self.sent: list[tuple[Seat, Line | Caption | Asked | Closed]] = []
        self.inbox: list[Message] = []
        self.on_message: Callable[[Seat, Line | Caption | Asked | Closed], None] | None = None

    def send(self, seat: Seat, body: bytes) -> None:
        message = TO_CLIENT.validate_json(body)
        if isinstance(message, Standing):
            self.tables.append((seat, message))
            return
        self.sent.append((seat, message))
        if self.on_message is not None:
            self.on_message(seat, message)

    def receive(self) -> Sequence[Message]:
        messages, self.inbox = self.inbox, []
        return messages

    def lines(self, seat: Seat) -> list[str]:
        return [message.text for to, message in self.sent if to == seat and isinstance(message, Line)]

    def keys(self, seat: Seat) -> list[str]:
        return [message.key for to, message in self.sent if to == seat and isinstance(message, Line)]

    async def open(self) -> None: ...
    async def hear_out(self) -> None: ...
    async def close(self) -> None: ...
    def ticket(self, seat: Seat) -> Ticket:
        return Ticket(seat, "", "")

    def read(self, seat: Seat) -> Sequence[Frame]:
        return ()

    def write(self, seat: Seat, pcm: Pcm) -> None: ...
    def present(self) -> frozenset[Seat]:
        return frozenset(SEATS)

    def presence(self, seat: Seat) -> Presence:
        """Everybody is there, but who has gone `silent`: since that moment; `joins`: who joined again."""
        return Presence(self.silent.get(seat, self.clock.now()), self.joins[seat], self.ours)


class ScriptedTranscriber:
    """Knows the words of each clip; `delay_s` is what a slow machine needs for them."""

    def __init__(self, clock: VirtualClock, delay_s: float = 0.4) -> None:
        self.clock, self.delay_s = clock, delay_s
        self.words: dict[int, str] = {}
        self.doubts: dict[str, float] = {}
        """Words of which the recogniser is this sure; of all others it is sure."""
        self.soft: set[str] = set()
        """Words that are spoken low, or far away."""

    def clip(self, seat: Seat, text: str, started_s: float, ended_s: float) -> Clip:
        number = len(self.words)
        self.words[number] = text
        sound = np.full(10 * FRAME, 30 if text in self.soft else 3000)
        return Clip(seat, np.append(number, sound).astype(np.int16), started_s, ended_s)

    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def transcribe(self, clip: Clip, hint: Hint) -> Transcript:
        await self.clock.sleep_until(self.clock.now() + self.delay_s)
        text = self.words[int(clip.pcm[0])]
        sure = self.doubts.get(text, 0.9)
        return Transcript(text, sure, (Segment(0, 1, text, sure),), self.delay_s)


class SlowModel:
    """Thinks for so long about conduct, and finds nothing; of all else it is unsure."""

    def __init__(self, clock: VirtualClock, thinks_s: float) -> None:
        self.clock, self.thinks_s = clock, thinks_s

    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        return Reading((), True, 0.0)

    async def conduct(self, lang: Lang, sentence: str) -> Likely:
        await self.clock.sleep_until(self.clock.now() + self.thinks_s)
        return {}


class TextEars:
    """Who is speaking. An utterance ends half a second after its last word, or when it is flushed."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.begun: dict[Seat, Callable[[], None]] = {}
        self.typed: dict[Seat, float] = dict.fromkeys(SEATS, 0.0)
        """Until when the typed words of each seat sound."""

    def speaking(self, seat: Seat) -> bool:
        return seat in self.begun or self.unsaid_s(seat) > 0

    def running(self, seat: Seat) -> Clip | None:
        return None

    def say_for(self, seat: Seat, pcm: Pcm) -> None:
        self.typed[seat] = self.clock.now() + len(pcm) / RATE_HZ

    def unsaid_s(self, seat: Seat) -> float:
        return max(0.0, self.typed[seat] - self.clock.now())

    def hush(self, seat: Seat) -> None:
        self.typed[seat] = 0.0

    def flush(self, seat: Seat, at_s: float) -> None:
        deliver = self.begun.pop(seat, None)
        if deliver is not None:
            deliver()


class QuickVoice:
    """Half a second of sound a line; how each text was asked for is kept."""

    def __init__(self) -> None:
        self.rates: dict[str, set[int]] = defaultdict(set)
        self.names: dict[str, set[str]] = defaultdict(set)

    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def synthesize(self, text: str, voice: VoiceSpec) -> Pcm:
        self.rates[text].add(voice.rate_wpm)
        self.names[text].add(voice.name)
        return np.full(RATE_HZ // 2, 1000, dtype=np.int16)


class MemoryStore:
    def __init__(self, events: Sequence[Event] = ()) -> None:
        self.log = list(events)
        self.words: list[Utterance] = []
        self.notes: list[Understood] = []

    async def append(self, game: str, first_seq: int, events: Sequence[Event]) -> None:
        assert first_seq == len(self.log)
        self.log.extend(events)

    async def append_utterance(self, game: str, utterance: Utterance) -> None:
        self.words.append(utterance)

    async def events(self, game: str) -> list[Event]:
        return list(self.log)

    async def utterances(self, game: str) -> list[Utterance]:
        return list(self.words)

    async def append_understood(self, game: str, understood: Understood) -> None:
        self.notes.append(understood)

    async def understood(self, game: str) -> list[Understood]:
        return list(self.notes)

    async def games(self) -> list[str]:
        return ["g"]

    async def close(self) -> None: ...


@dataclass
class Kit:
    """Given a deal and players, when time passes, then look at `log`, `room`, `store`."""

    player: Player
    roles: dict[Seat, Role] = field(default_factory=lambda: dict(ROLES))
    rules: Rules = QUICK
    stored: Sequence[Event] = ()
    start_s: float = 0.0
    until_s: float = 0.0
    """Until when the stored game was played."""
    store: MemoryStore = field(default_factory=MemoryStore)
    thinks_s: float | None = None
    """How long a model thinks about conduct; None: there is no model."""

    def __post_init__(self) -> None:
        self.clock = VirtualClock(self.start_s)
        self.room = TextRoom(self.clock)
        self.transcriber = ScriptedTranscriber(self.clock)
        self.store.log.extend(self.stored)
        self.voice = QuickVoice()
        self.narrator = Narrator(
            self.voice, VoiceSpec("fr"), lambda seat, line: self.room.send(seat, line.model_dump_json().encode())
        )
        model = None if self.thinks_s is None else SlowModel(self.clock, self.thinks_s)
        reader = NotedReader(Understanding(model), self.store, "g", self.clock.now)
        parts = Parts(self.clock, self.room, self.transcriber, reader, self.narrator, self.store)
        self.table = Table("g", "fr", parts)
        self.table.ears = self.ears = TextEars(self.clock)
        self.room.on_message = self._react
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def log(self) -> list[Event]:
        return self.store.log

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.log if isinstance(event, kind)]

    def say(self, seat: Seat, text: str, after_s: float = 1.0, lasts_s: float = 1.0) -> None:
        self._start(self._say(seat, text, after_s, lasts_s))

    async def play(self, limit_s: float = 3000.0) -> None:
        """To the end of the game, or until `limit_s` of game time have passed."""
        if self.stored:
            self.table.load(self.stored, self.until_s)
        deal = None if self.stored else Deal(at=self.clock.now(), game="g", rules=self.rules, roles=self.roles)
        game = asyncio.create_task(self.table.run(deal))
        frames = asyncio.create_task(self._pull_frames())
        end_s = self.clock.now() + limit_s
        while not game.done() and self.clock.now() < end_s:
            await self.clock.advance(0.1)
        frames.cancel()
        for task in self._tasks:
            task.cancel()
        if not game.done():
            game.cancel()
            await asyncio.gather(game, return_exceptions=True)
        else:
            await game

    def _react(self, seat: Seat, message: Line | Caption | Asked | Closed) -> None:
        text = self.player(seat, message)
        if text is not None:
            self.say(seat, text)

    async def _say(self, seat: Seat, text: str, after_s: float, lasts_s: float) -> None:
        started_s = self.clock.now() + after_s
        await self.clock.sleep_until(started_s)
        clip = self.transcriber.clip(seat, text, started_s, started_s + lasts_s)
        self.ears.begun[seat] = lambda: self.table.on_clip(clip)
        await self.clock.sleep_until(started_s + lasts_s + 0.3)
        self.table.on_ending(clip)
        await self.clock.sleep_until(started_s + lasts_s + 0.5)
        self.ears.flush(seat, self.clock.now())

    async def _pull_frames(self) -> None:
        while True:
            self.narrator.frames()
            await self.clock.sleep_until(self.clock.now() + FRAME_S)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
