"""The ports of the shell and the values that cross them. One adapter a file, `<port>_<technology>.py`.

Sound inside the service is mono 16-bit PCM at 48 kHz, in frames of 20 ms (960 samples).
Times are seconds on the `Clock` of the game (float, monotonic), durations carry their unit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from moderator.model import Offence, Seat
from moderator.state import CLASSIC

RATE_HZ = 48_000
FRAME_MS = 20
FRAME_S = FRAME_MS / 1000
FRAME_SAMPLES = RATE_HZ * FRAME_MS // 1000

Pcm = npt.NDArray[np.int16]
SILENCE: Pcm = np.zeros(FRAME_SAMPLES, dtype=np.int16)
"""A frame in which nothing sounds."""
Lang = Literal["fr", "en", "ru"]
Setting = Literal["mafia", "loup-garou"]
"""The same game in other scenery: other sentences, no other rule."""


class Clock(Protocol):
    """The game's own time. Virtual in tests."""

    def now(self) -> float: ...

    async def sleep_until(self, at_s: float) -> None: ...


# --- room -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ticket:
    """What one player needs to join his booth, and nobody else may see."""

    seat: Seat
    url: str
    token: str


@dataclass(frozen=True, slots=True)
class Frame:
    """20 ms of one seat's microphone; `captured_s` is when its first sample arrived, game clock."""

    pcm: Pcm
    captured_s: float


@dataclass(frozen=True, slots=True)
class Message:
    """Bytes that a seat's client sent to the moderator. Untrusted."""

    seat: Seat
    body: bytes
    at_s: float


@dataclass(frozen=True, slots=True)
class Presence:
    """What is known of the line to one seat's client.

    `seen_s`: the game second of its last sign of life, a message or a packet of sound; `joins`: how often it has
    joined; `ours`: the service's own side of the booth stands (False: nothing can be said of the client).
    """

    seen_s: float
    joins: int
    ours: bool = True


class Room(Protocol):
    """Ten booths, one a seat, each holding that player and the moderator only; and a gallery, if the table has one.

    The moderator pulls what each microphone captured and pushes what each listener shall hear, once a frame. A
    listener is a seat, or `routing.GALLERY`: what goes there is dropped where there is no gallery.
    Nothing here knows the game; who may hear whom is `routing.routes`.
    """

    async def open(self) -> None: ...

    def ticket(self, seat: Seat) -> Ticket: ...

    def read(self, seat: Seat) -> Sequence[Frame]:
        """Frames captured since the last read, oldest first; bounded (the oldest are dropped and counted)."""
        ...

    def write(self, listener: int, pcm: Pcm) -> None:
        """Queue one frame (960 samples) for the listener's ears. Never blocks; drops when 100 ms are queued."""
        ...

    def send(self, listener: int, body: bytes) -> None:
        """Send a message (JSON, see `voice.wire`) to the listener's client. Never blocks."""
        ...

    def receive(self) -> Sequence[Message]: ...

    def present(self) -> frozenset[Seat]:
        """Seats whose client is connected and publishes a microphone."""
        ...

    def presence(self, seat: Seat) -> Presence:
        """Is the seat's client there?"""
        ...

    async def hear_out(self) -> None:
        """After the last word: close the booths, and wait until the gallery has heard what it is behind."""
        ...

    async def close(self) -> None: ...


# --- ears -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clip:
    """One utterance of one seat: mono 16-bit PCM at 16 kHz, with pre-roll and tail, capture times."""

    seat: Seat
    pcm: Pcm
    started_s: float
    ended_s: float


@dataclass(frozen=True, slots=True)
class Hint:
    """What is known before listening. The language is fixed, never detected."""

    lang: Lang
    prompt: str = ""
    urgent: bool = True
    """False: may wait behind urgent clips (words out of turn)."""
    closed: bool = False
    """A short answer, of which few are possible: worth several readings, so that it is known how sure it is."""


@dataclass(frozen=True, slots=True)
class Segment:
    start_s: float
    end_s: float
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class Transcript:
    """Empty text: nothing was said (silence, noise, an invented phrase). `confidence` in 0..1."""

    text: str
    confidence: float
    segments: tuple[Segment, ...] = ()
    seconds: float = 0.0
    """Time the engine took."""
    with_seat: str = ""
    """Where no seat is named in the text: another likely reading of the sound that names one."""


class Transcriber(Protocol):
    """Speech to text, in processes of its own: the audio loop never waits for it."""

    async def open(self) -> None: ...

    async def transcribe(self, clip: Clip, hint: Hint) -> Transcript:
        """Never raises on bad sound; a dead worker is restarted and the clip tried once more."""
        ...

    async def close(self) -> None: ...


# --- voice ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VoiceSpec:
    """`name` is the engine's own voice name ("" = the language's first); rate in words a minute.

    `kept` False: the sound is written nowhere, since the words are a player's own.
    """

    lang: Lang
    name: str = ""
    rate_wpm: int = 180
    kept: bool = True


class Synthesizer(Protocol):
    """Text to speech, in processes of its own."""

    async def open(self) -> None:
        """Raises `MissingPart` when the engine or a voice of the language is missing: never a wrong voice."""
        ...

    async def synthesize(self, text: str, voice: VoiceSpec) -> Pcm:
        """PCM at 48 kHz. Raises `SynthesisFailed` after the deadline; the worker is restarted."""
        ...

    async def close(self) -> None: ...


class SynthesisFailed(Exception):
    pass


class MissingPart(Exception):
    """A real part (binary, weights, voice) is not there. The message names it; `cure` is a command."""

    def __init__(self, what: str, cure: str) -> None:
        super().__init__(f"{what}; cure: {cure}")
        self.what = what
        self.cure = cure


# --- understanding --------------------------------------------------------------------------------


class Task(StrEnum):
    """What a piece of speech is read for; each task allows a few kinds of act."""

    NOMINATION = "nomination"
    TESTAMENT = "testament"
    VOTE = "vote"
    LIFT = "lift"
    SHOT = "shot"
    CHECK = "check"
    CONFIRM = "confirm"
    CLAIMS = "claims"
    OUT_OF_TURN = "out_of_turn"


class ActKind(StrEnum):
    NOMINATE = "nominate"
    WITHDRAW = "withdraw"
    SUSPECT = "suspect"
    CROWN = "crown"
    VOTE = "vote"
    SHOOT = "shoot"
    CHECK = "check"
    YES = "yes"
    NO = "no"
    END_SPEECH = "end_speech"
    INTERPELLATE = "interpellate"
    CLAIM_SHERIFF = "claim_sheriff"
    CLAIM_RED = "claim_red"
    CLAIM_BLACK = "claim_black"


@dataclass(frozen=True, slots=True)
class Act:
    """`seat` is the seat the act is about (a literal number heard, alive or not), None for yes/no/end.

    `quote` is a literal piece of the transcript on which it rests.
    """

    kind: ActKind
    seat: Seat | None
    quote: str


@dataclass(frozen=True, slots=True)
class Context:
    """What the speaker himself may know; nothing secret of others ever enters."""

    speaker: Seat
    alive: tuple[Seat, ...]
    nominated: tuple[Seat, ...] = ()
    names: dict[Seat, str] = field(default_factory=dict)
    asked: Seat | None = None
    """Task.CONFIRM: the seat that the question was about."""
    suspects: int = CLASSIC.suspects
    """Task.TESTAMENT: the most that the rules let him name."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one reader found. `unsure`: it found something that it would not act on."""

    acts: tuple[Act, ...] = ()
    unsure: bool = False
    confidence: float = 1.0


class Extractor(Protocol):
    """The language model as a reader. Slow, fallible, never trusted alone."""

    async def open(self) -> None: ...

    async def read(self, task: Task, lang: Lang, text: str, context: Context) -> Reading:
        """Never raises on odd output: prose, broken JSON or an impossible seat give `unsure` and no acts."""
        ...

    async def close(self) -> None: ...


Likely = Mapping[Offence, float]
"""How likely a sentence breaks each rule of fair play, 0..1; empty: nobody can tell."""


@runtime_checkable
class ConductReader(Protocol):
    """An `Extractor` that has learnt fair play, too."""

    async def conduct(self, lang: Lang, sentence: str) -> Likely:
        """Never raises. Empty where there is no answer."""
        ...


@dataclass(frozen=True, slots=True)
class Proposal:
    """Both readers together. `ask`: do nothing, ask the player (about `acts`, or say that it was not understood)."""

    acts: tuple[Act, ...] = ()
    ask: bool = False
    confidence: float = 1.0
    source: Literal["grammar", "model", "both", "none"] = "none"
    quote: str = ""
    grammar: Reading | None = None
    model: Reading | None = None
    """What each reader found; None: it was not asked."""


@dataclass(frozen=True, slots=True)
class Breach:
    """Words against fair play. `quote` is a literal piece of what was said; not `sure`: nothing is made of it.

    `source`: who found it. What a phrase found counts only where the model does not think it harmless.
    """

    offence: Offence
    quote: str
    sure: bool
    source: Literal["grammar", "model"] = "grammar"


# --- store ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Utterance:
    """One line of the transcript, kept apart from the events: it can be deleted without them."""

    seat: Seat
    started_s: float
    ended_s: float
    text: str
    confidence: float
