"""The moderator's voice in ten booths: what is said where, one line at a time.

Eleven queues run side by side, one for each booth and one for the table. A public line goes into all of them and
sounds at the same moment in every booth that is free; a whisper goes into its own booths only. The table's queue
holds public lines alone: it is the timeline by which a public line counts as heard, so a whisper that makes one
booth hear the next public line later never delays the others, and tells nothing.

Private lines are spoken as their booth has chosen (`BoothSettings`), public ones alike for all. An answer that a player
has asked for (private and LOW) gives way to whatever else is ready in his booth.

Time is counted in frames taken (`frames`), never read from a clock. Lines are synthesised ahead of their turn.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from moderator.model import SEATS, Seat
from moderator.narration import Cue, Priority
from voice.booth_settings import ALONE_LEAST, BoothSettings
from voice.earcons import ALONE, Earcon, earcon, night_bed, sound_before
from voice.phrasebook import Phrasebook
from voice.ports import FRAME_S, FRAME_SAMPLES, RATE_HZ, Pcm, Setting, Synthesizer, VoiceSpec
from voice.routing import GALLERY
from voice.wire import Line

log = logging.getLogger(__name__)

GAP: Pcm = np.zeros(RATE_HZ // 10, dtype=np.int16)
"""Between a sound and its words, and after each line."""
CHARS_PER_S = 14.0
"""How fast a line is spoken, as long as its sound is not known."""
NIGHT_KEYS = frozenset({"night"})
MORNING_KEYS = frozenset({"day", "morning", "morning-miss"})
TABLE = GALLERY
"""The queue of the table's own timeline, beside those of the seats 1 to 10: what spectators hear."""


@dataclass(slots=True, eq=False)
class Handle:
    """One line on its way. `dropped`: it was too late, or cut off, before it had been heard to its end."""

    cue: Cue
    text: str
    waits_in: set[int]
    """Queues where its end still counts."""
    dropped: bool = False
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def heard(self) -> None:
        """Returns when the line has been heard to its end where it counts, or was dropped.

        A public line counts on the table's timeline, a private one when the last of its booths has heard it.
        """
        await self.over.wait()


@dataclass(slots=True, eq=False)
class Spoken:
    """A line in one or more queues, in one voice. `pcm` None: still being synthesised.

    `sound_samples`: so many of them, the first ones, are not words.
    """

    handle: Handle
    text: str
    voice: VoiceSpec
    asked_at: int
    pcm: Pcm | None = None
    sound_samples: int = 0

    @property
    def private(self) -> bool:
        return self.handle.cue.audience is not None

    @property
    def gives_way(self) -> bool:
        """An answer that was asked for: it can be asked for again."""
        return self.private and self.handle.cue.priority is Priority.LOW


class Queue:
    """The lines of one booth, or of the table: one sounds, the others wait in order of priority and arrival."""

    def __init__(self) -> None:
        self.waiting: list[Spoken] = []
        self.current: Spoken | None = None
        self.last: Spoken | None = None
        self.sounds = 1.0
        """How loud what is not words is here."""
        self._position = 0

    def add(self, line: Spoken) -> None:
        priority = line.handle.cue.priority
        place = next((i for i, other in enumerate(self.waiting) if other.handle.cue.priority > priority), None)
        self.waiting.insert(len(self.waiting) if place is None else place, line)

    def giving_way(self) -> Spoken | None:
        """The answer that sounds, when something else is ready."""
        ready = any(line.pcm is not None and not line.gives_way for line in self.waiting)
        return self.current if self.current is not None and self.current.gives_way and ready else None

    def start_next(self) -> Spoken | None:
        """Begin the first line that is ready; a line may pass one of the other kind that is not, never its own kind."""
        if self.current is not None:
            return None
        blocked: set[bool] = set()
        for line in self.waiting:
            if line.pcm is not None and line.private not in blocked:
                self.waiting.remove(line)
                self.current, self.last, self._position = line, line, 0
                return line
            blocked.add(line.private)
        return None

    def advance(self) -> tuple[Pcm | None, Spoken | None]:
        """The next frame, and the line that ends with it."""
        line = self.current
        if line is None or line.pcm is None:
            return None, None
        frame = line.pcm[self._position : self._position + FRAME_SAMPLES]
        if self._position < line.sound_samples and self.sounds != 1.0:
            frame = self._at_level(frame, line)
        self._position += FRAME_SAMPLES
        if self._position < len(line.pcm):
            return frame, None
        self.current = None
        return np.pad(frame, (0, FRAME_SAMPLES - len(frame))), line

    def _at_level(self, frame: Pcm, line: Spoken) -> Pcm:
        level = max(self.sounds, ALONE_LEAST) if line.handle.cue.key in ALONE else self.sounds
        sound = slice(0, line.sound_samples - self._position)
        changed = frame.copy()
        changed[sound] = np.clip(frame[sound] * level, -32768, 32767).astype(np.int16)
        return changed

    def left_samples(self) -> int:
        return 0 if self.current is None or self.current.pcm is None else len(self.current.pcm) - self._position

    def lines(self) -> Iterator[Spoken]:
        if self.current is not None:
            yield self.current
        yield from self.waiting


class Narrator:
    """Says cues. `on_line(listener, line)` is called when a line's sound starts in a seat's booth, or for the gallery.

    `say` needs a running event loop; `frames` is called once every 20 ms and never waits.
    """

    def __init__(
        self,
        synthesizer: Synthesizer,
        voice: VoiceSpec,
        on_line: Callable[[int, Line], None],
        setting: Setting = "mafia",
        other_voices: tuple[str, ...] = (),
    ) -> None:
        self._synthesizer, self._on_line = synthesizer, on_line
        self.voice = voice
        """Of public lines."""
        self.voices = (voice.name, *(name for name in other_voices if name != voice.name))
        """Those that a booth may choose among."""
        self._booths: dict[Seat, BoothSettings] = dict.fromkeys(SEATS, BoothSettings(voice))
        self._phrases = Phrasebook(voice.lang, setting)
        self._queues: dict[int, Queue] = {seat: Queue() for seat in (TABLE, *SEATS)}
        self._ticks = 0
        self._night = False
        self._tasks: set[asyncio.Task[None]] = set()

    # --- asking -----------------------------------------------------------------------------------

    def say(self, cue: Cue) -> Handle:
        """Queue a sentence for its audience; await the handle's `heard`. Raises ValueError for a whisper to nobody."""
        if cue.audience is not None and not cue.audience:
            raise ValueError(f"sentence {cue.key!r} is private and has nobody to go to")
        spoken = {TABLE: BoothSettings(self.voice)} if cue.audience is None else self._settings_of(cue.audience)
        handle = Handle(cue, self._phrases.render(cue.key, cue.args), set(spoken))
        alike: dict[tuple[str, VoiceSpec], list[int]] = defaultdict(list)
        for place, settings in spoken.items():
            alike[self._phrases.render(cue.key, cue.args, settings.detail), settings.voice].append(place)
        for (text, voice), places in alike.items():
            line = Spoken(handle, text, voice, self._ticks)
            self._enqueue(line, (TABLE, *SEATS) if cue.audience is None else tuple(places))
            task = asyncio.create_task(self._prepare(line))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return handle

    def _settings_of(self, seats: frozenset[Seat]) -> dict[int, BoothSettings]:
        return {seat: self._booths[seat] for seat in sorted(seats)}

    def booth(self, seat: Seat) -> BoothSettings:
        return self._booths[seat]

    def set_booth(self, seat: Seat, settings: BoothSettings) -> None:
        """From the next line on."""
        self._booths[seat] = settings
        self._queues[seat].sounds = settings.sounds

    def set_rate(self, rate_wpm: int) -> None:
        """Of public lines, from the next one on."""
        self.voice = replace(self.voice, rate_wpm=rate_wpm)

    def repeat(self, seat: Seat) -> Handle | None:
        """Say again, to that seat alone, the line it heard last; None when there was none."""
        last = self._queues[seat].last
        if last is None:
            return None
        cue = last.handle.cue
        return self.say(Cue(cue.key, cue.args, frozenset({seat}), Priority.LOW))

    async def voice_of(self, seat: Seat, text: str) -> Pcm:
        """A seat's own words, in another voice than the narrator's where there is one. Raises as the engine does."""
        others = self.voices[1:] or self.voices
        voice = replace(self.voice, name=others[seat % len(others)], kept=False)
        return await self._synthesizer.synthesize(text, voice)

    def interrupt(self, seat: Seat | None = None) -> None:
        """Cut off and forget the whispers and LOW lines of one booth; None: all lines everywhere."""
        for place in (TABLE, *SEATS) if seat is None else (seat,):
            queue = self._queues[place]
            for line in list(queue.lines()):
                if seat is None or line.private or line.handle.cue.priority is Priority.LOW:
                    self._remove(line, place)

    @property
    def speaking(self) -> bool:
        """The table hears a public line now."""
        return self._queues[TABLE].current is not None

    @property
    def idle(self) -> bool:
        """Nothing sounds and nothing waits, in no booth."""
        return not any(True for queue in self._queues.values() for _ in queue.lines())

    @property
    def expected_s(self) -> float:
        """How long the public lines that sound and wait still take; estimated where they are not synthesised yet."""
        queue = self._queues[TABLE]
        waiting = sum(
            len(line.text) / CHARS_PER_S if line.pcm is None else len(line.pcm) / RATE_HZ for line in queue.waiting
        )
        return queue.left_samples() / RATE_HZ + waiting

    # --- sounding ---------------------------------------------------------------------------------

    def frames(self) -> Mapping[int, Pcm]:
        """The next 20 ms (960 samples) of every listener for whom something sounds; who is left out hears silence."""
        for place, queue in self._queues.items():
            self._drop_expired(place, queue)
            if (answer := queue.giving_way()) is not None:
                self._remove(answer, place)
            line = queue.start_next()
            if line is not None:
                self._started(place, line)
        sounding: dict[int, Pcm] = {}
        for place, queue in self._queues.items():
            frame, ended = queue.advance()
            if frame is not None:
                sounding[place] = frame
            if ended is not None:
                self._over(ended, place)
        self._ticks += 1
        bed = self._bed()
        heard = {place: _over_bed(sounding.get(place), bed) for place in self._queues}
        return {place: frame for place, frame in heard.items() if frame is not None}

    def _bed(self) -> Pcm | None:
        """At night every booth hears the same soft noise, whoever speaks beneath it."""
        if not self._night:
            return None
        start = self._ticks * FRAME_SAMPLES % len(night_bed())
        return night_bed()[start : start + FRAME_SAMPLES]

    def _started(self, place: int, line: Spoken) -> None:
        cue = line.handle.cue
        if place == TABLE:
            self._night = (self._night or cue.key in NIGHT_KEYS) and cue.key not in MORNING_KEYS
        assert line.pcm is not None
        self._on_line(
            place,
            Line(
                key=cue.key,
                text=line.text,
                args={
                    name: value if isinstance(value, int | str) else " ".join(map(str, value))
                    for name, value in cue.args.items()
                },
                private=line.private,
                duration_ms=len(line.pcm) * 1000 // RATE_HZ,
            ),
        )

    # --- keeping the queues -----------------------------------------------------------------------

    def _enqueue(self, line: Spoken, places: tuple[int, ...]) -> None:
        for place in places:
            queue = self._queues[place]
            now = line.handle.cue.priority is Priority.NOW
            if now and queue.current is not None and queue.current.handle.cue.priority is Priority.LOW:
                self._remove(queue.current, place)
            queue.add(line)

    def _drop_expired(self, place: int, queue: Queue) -> None:
        for line in list(queue.waiting):
            expires_s = line.handle.cue.expires_s
            if expires_s is not None and (self._ticks - line.asked_at) * FRAME_S > expires_s:
                self._remove(line, place)

    def _remove(self, line: Spoken, place: int) -> None:
        queue = self._queues[place]
        if queue.current is line:
            queue.current = None
        else:
            queue.waiting.remove(line)
        if place in line.handle.waits_in:
            line.handle.dropped = True
        self._over(line, place)

    def _over(self, line: Spoken, place: int) -> None:
        line.handle.waits_in.discard(place)
        if not line.handle.waits_in:
            line.handle.over.set()

    # --- making the sound -------------------------------------------------------------------------

    async def _prepare(self, line: Spoken) -> None:
        """Fill in the sound. When there is no voice for it a sound marks the line, and its words go out as text."""
        cue = line.handle.cue
        before = sound_before(cue.key, cue.args)
        parts = [] if before is None else [before, GAP]
        line.sound_samples = 0 if before is None else len(before)
        if cue.key not in ALONE:
            words = await self._spoken(line)
            parts = [*parts, words, GAP] if words is not None else parts or [earcon(Earcon.HEARD), GAP]
        line.pcm = np.concatenate(parts)

    async def _spoken(self, line: Spoken) -> Pcm | None:
        """Where the booth's own voice fails, the table's speaks; None: it fails as well."""
        for voice in dict.fromkeys((line.voice, replace(self.voice, rate_wpm=line.voice.rate_wpm))):
            try:
                return await self._synthesizer.synthesize(line.text, voice)
            except Exception as failure:  # whatever is wrong with the voice, the game goes on
                log.warning("a line has no voice: %r", failure)
        return None


def _over_bed(frame: Pcm | None, bed: Pcm | None) -> Pcm | None:
    if frame is None or bed is None:
        return bed if frame is None else frame
    mixed: Pcm = np.clip(frame.astype(np.int32) + bed, -32768, 32767).astype(np.int16)
    return mixed
