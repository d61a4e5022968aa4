"""A player in Chromium who does not look at his screen: he hears the narrator, and answers by key or by voice.

What he hears is measured in the page, at its one audio element. The words of a line are those that the booth sent with
its sound, taken when the sound has ended; what the page shows is never read.
"""

import asyncio
import base64
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from playwright.async_api import Page

from moderator.model import SEATS, Role, Seat
from voice.ports import Pcm
from voice.robots.mind import ROLES

EARS = """
(() => {
  const parse = JSON.parse;
  JSON.parse = (...given) => {
    const read = parse(...given);
    if (read?.type === 'line') window.onLine({...read, at_ms: performance.now()});
    return read;
  };
  let stream = null, analyser = null;
  const samples = new Float32Array(1024);
  window.ears = {loud_ms: -1e9};
  setInterval(() => {
    const heard = document.querySelector('audio')?.srcObject;
    if (!heard || !document.querySelector('.play')) return;
    if (heard !== stream) {
      stream = heard;
      const context = new AudioContext();
      analyser = new AnalyserNode(context, {fftSize: 1024});
      context.createMediaStreamSource(stream).connect(analyser);
    }
    analyser.getFloatTimeDomainData(samples);
    if (samples.some((sample) => Math.abs(sample) > 0.012)) window.ears.loud_ms = performance.now();
  }, 20);
})();
"""
"""`loud_ms`: when more than the night's soft noise was heard last."""

MOUTH = """
(() => {
  let context = null, microphone = null;
  navigator.mediaDevices.getUserMedia = async () => {
    context ??= new AudioContext({sampleRate: 48000});
    await context.resume();
    microphone = context.createMediaStreamDestination();
    return microphone.stream;
  };
  window.say = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const pcm = new Int16Array(bytes.buffer);
    const sound = context.createBuffer(1, pcm.length, 48000);
    sound.getChannelData(0).set(Float32Array.from(pcm, (sample) => sample / 32768));
    const source = new AudioBufferSourceNode(context, {buffer: sound});
    source.connect(microphone);
    source.start();
    await new Promise((ended) => (source.onended = ended));
  };
})();
"""
"""A microphone that is silent until something is said into it."""

QUIET_MS = 250
OF_CALLS = {"shots-call": "shot", "don-check-call": "check", "sheriff-check-call": "check", "ballot-call": "vote"}
SIGNS = {
    "nomination": ("nominated", "ask-nomination"),
    "vote": ("echo-ballot", "ask-ballot"),
    "shot": ("echo-shot", "ask-shot"),
    "check": ("echo-check", "ask-check"),
    "testament": ("testament", "ask-testament", "ask-testament-crown"),
    "interpellation": ("foul", "foul-costs-speech"),
}
"""By which lines he hears that he was understood, or is asked whether he was."""


@dataclass(frozen=True, slots=True)
class Line:
    key: str
    text: str
    args: dict[str, Any]
    private: bool
    at_ms: float
    """When its words came, with the beginning of its sound: on the page's clock."""


@dataclass(frozen=True, slots=True)
class Meant:
    """What he wants to do: the task, its seats, and in a farewell who gets the crown."""

    task: str
    targets: tuple[Seat, ...]
    day: int
    crown: Seat | None = None


@dataclass
class Memory:
    """What he knows from what he has heard."""

    seat: Seat
    role: Role | None = None
    mates: frozenset[Seat] = frozenset()
    alive: set[Seat] = field(default_factory=lambda: set(SEATS))
    candidates: list[Seat] = field(default_factory=list)
    day: int = -1
    nominee: Seat | None = None
    interrupted: bool = False

    def hear(self, line: Line) -> Meant | None:
        """What to do now, if anything."""
        named = int(line.args["seat"]) if str(line.args.get("seat", "")).isdigit() else None
        if line.key in ROLES:
            self.role = ROLES[line.key]
            self.mates = frozenset(
                int(mate) for name in ("mates", "don") for mate in str(line.args.get(name, "")).split()
            )
        elif line.key == "night":
            self.day, self.candidates, self.nominee = self.day + 1, [], None
        elif line.key == "nominated" and named is not None:
            self.candidates.append(named)
        elif line.key in ("left", "morning") and named is not None:
            self.alive.discard(named)
        elif line.key == "speech-call" and named == self.seat:
            self.nominee = self.suspect()
            return self.meant("nomination", self.nominee)
        elif line.key == "speech-call" and named in (5, 6) and not self.interrupted and self.day == 0:
            self.interrupted = True
            return self.meant("interpellation")
        elif line.key == "farewell-call" and named == self.seat:
            return self.testament()
        elif line.key in OF_CALLS and self.seat in self.alive:
            return self.called(line.key)
        return None

    def called(self, key: str) -> Meant | None:
        mafia = self.role in (Role.DON, Role.MAFIOSO)
        if key == "ballot-call":
            return self.meant("vote", self.nominee or self.candidates[0])
        if key == "shots-call" and mafia:
            return self.meant("shot", min(self.alive - self.mates - {self.seat}))
        if (key, self.role) in (("don-check-call", Role.DON), ("sheriff-check-call", Role.SHERIFF)):
            return self.meant("check", min(self.alive - self.mates - {self.seat}))
        return None

    def suspect(self) -> Seat:
        """Somebody of whom nobody has spoken yet."""
        round_the_table = [(self.seat + step) % 10 + 1 for step in range(9)]
        return next(seat for seat in round_the_table if seat in self.alive and seat not in self.candidates)

    def testament(self) -> Meant:
        suspects = sorted(self.alive - {self.seat})
        return Meant("testament", (suspects[0], suspects[-1]), self.day, suspects[1])

    def meant(self, task: str, *targets: Seat) -> Meant:
        return Meant(task, targets, self.day)


class Hand(Protocol):
    """How he answers: by keys or by voice."""

    async def do(self, player: "Screenless", meant: Meant) -> None:
        """The narrator is silent: do it now, and listen whether it was understood."""
        ...


@dataclass
class Screenless:
    page: Page
    memory: Memory
    hand: "Hand"
    heard: list[Line] = field(default_factory=list)
    done: list[Meant] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    async def play(self, over: Callable[[], Awaitable[bool]]) -> None:
        """Until the game is over."""
        seen = 0
        while not await over():
            while seen < len(self.heard):
                line = self.heard[seen]
                seen += 1
                meant = self.memory.hear(line)
                if meant is not None:
                    await self.silence()
                    self.done.append(meant)
                    await self.hand.do(self, meant)
            await self.next_line(0.5)

    async def next_line(self, within_s: float) -> None:
        self.news.clear()
        try:
            await asyncio.wait_for(self.news.wait(), within_s)
        except TimeoutError:
            return

    def take(self, said: dict[str, Any]) -> None:
        self.heard.append(Line(said["key"], said["text"], said["args"], said["private"], said["at_ms"]))
        self.news.set()

    async def silence(self) -> None:
        """Returns when the sound of the last line has come and gone. A line without sound was not heard."""
        deadline_s, said = time.monotonic() + 15, self.heard[-1]
        while await self.page.evaluate("window.ears.loud_ms") < said.at_ms:
            assert time.monotonic() < deadline_s, f"no sound came with {said.key}"
            await asyncio.sleep(0.03)
        while await self.page.evaluate("performance.now() - window.ears.loud_ms") < QUIET_MS:
            assert time.monotonic() < deadline_s, "the narrator never stops"
            await asyncio.sleep(0.03)

    async def sign(self, meant: Meant, since: int, within_s: float) -> Line | None:
        """The line by which he hears that he was understood, or is asked; None: there is none in this time."""
        deadline_s = time.monotonic() + within_s
        while time.monotonic() < deadline_s:
            for line in self.heard[since:]:
                if line.key in SIGNS[meant.task] or line.key == "say-the-number":
                    return line
            await self.next_line(0.1)
        return None

    async def speak(self, sound: Pcm) -> None:
        await self.page.evaluate("(sound) => window.say(sound)", base64.b64encode(sound.tobytes()).decode())


async def sit_down(page: Page, hand: Hand) -> Screenless:
    """His ears and his mouth, before the page is opened; the seat is known later."""
    player = Screenless(page, Memory(0), hand)

    await page.expose_function("onLine", player.take)
    await page.add_init_script(EARS + MOUTH)
    return player
