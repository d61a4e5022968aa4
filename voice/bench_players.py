"""Ten players who follow a script, for the benchmarks: ordinary clients, who speak their speeches and else press keys.

The script leads through every kind of step: the first two speakers nominate, ten ballots are a tie, the second ballot
is again, all lift; the mafiosi shoot together, Don and Sheriff check. Who loses his line comes back by his PIN.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from moderator.model import SEATS, Seat
from voice.client_livekit import Player
from voice.engines import make_synthesizer
from voice.keys import NOMINATION
from voice.ports import Lang, Pcm
from voice.robots.speech import spare_voices
from voice.sound_cache import CachedSynthesizer
from voice.wire import TO_CLIENT, Asked, Closed, Do, Line, Said, Table

log = logging.getLogger(__name__)

AGAIN_S = 0.5
REACT_S = 0.5
HOLD_S = 3.0
"""The floor is given back after this long, whatever was understood."""
MATES = ("mates", "don")
OVER = "Je rends la parole."
ENGINE = "pyttsx3"
TICKET = Callable[[Seat], Awaitable[tuple[str, str] | None]]


async def speeches(lang: Lang = "fr") -> dict[Seat, Mapping[Seat, Pcm]]:
    """Of each seat: nominating each seat and giving the floor back; under its own number, the latter alone."""
    synthesizer = CachedSynthesizer(make_synthesizer(ENGINE, lang), ENGINE)
    await synthesizer.open()
    found: dict[Seat, Mapping[Seat, Pcm]] = {}
    for seat, voice in zip(SEATS, spare_voices(lang), strict=True):
        texts = {to: f"{NOMINATION[lang].format(seat=to)} {OVER}" if to != seat else OVER for to in SEATS}
        found[seat] = {to: await synthesizer.synthesize(text, voice) for to, text in texts.items()}
    await synthesizer.close()
    return found


@dataclass(frozen=True, slots=True)
class Told:
    """A message that came into one booth, how many bytes it had, and when (`time.monotonic`)."""

    at_s: float
    seat: Seat
    message: Said
    size: int

    @property
    def key(self) -> str:
        """Which sentence of the narrator; empty for another message."""
        return self.message.key if isinstance(self.message, Line) else ""

    @property
    def seat_named(self) -> int | str | None:
        return self.message.args.get("seat") if isinstance(self.message, Line) else None


class ScriptedPlayer:
    """One seat. `told` gets each message that comes into the booth, `hears` each frame of sound."""

    def __init__(
        self,
        seat: Seat,
        ticket: TICKET,
        sounds: Mapping[Seat, Pcm],
        told: Callable[[Told], None],
        hears: Callable[[Pcm], None] | None = None,
        hold_s: float = HOLD_S,
        nominates: bool = True,
        dtx: bool = True,
    ) -> None:
        self.seat, self._ticket, self._sounds, self._told = seat, ticket, sounds, told
        self._hears, self._hold_s, self._nominates, self._dtx = hears, hold_s, nominates, dtx
        self._mates: set[Seat] = set()
        self._table = Table(phase="new", day=0, alive=SEATS)
        self._player: Player | None = None
        self._answering: asyncio.Task[None] | None = None

    async def stay(self) -> None:
        """Join, and join again whenever the line is lost; until cancelled."""
        while True:
            ticket = await self._ticket(self.seat)
            if ticket is None:
                await asyncio.sleep(AGAIN_S)
                continue
            player = self._player = Player(self._hears, self._on_message, dtx=self._dtx)
            try:
                await asyncio.shield(asyncio.ensure_future(self._visit(player, *ticket)))
            finally:
                await player.leave()

    async def give_up(self) -> None:
        await self._press(Do(what="give_up"))

    async def _visit(self, player: Player, url: str, token: str) -> None:
        try:
            await player.join(url, token)
        except ConnectionError:
            await asyncio.sleep(AGAIN_S)
            return
        await player.left.wait()

    def _on_message(self, body: bytes) -> None:
        message = TO_CLIENT.validate_json(body)
        self._told(Told(time.monotonic(), self.seat, message, len(body)))
        match message:
            case Line(key=key) if key.startswith("role-"):
                self._mates = {
                    int(seat) for name in MATES for seat in str(message.args.get(name, "")).split() if seat.isdigit()
                }
            case Table():
                self._table = message
            case Asked():
                self._stop()
                self._answering = asyncio.create_task(self._answer(message))
            case Closed():
                self._stop()

    def _stop(self) -> None:
        if self._answering is not None:
            self._answering.cancel()
            self._answering = None

    async def _answer(self, asked: Asked) -> None:
        await asyncio.sleep(REACT_S)
        match asked.what:
            case "speech" | "split_speech" | "farewell":
                await self._speak(self._nominee(asked))
            case "meeting":
                assert self._player is not None
                self._player.say(self._sounds[self.seat])
            case "ballot":
                await self._press(Do(what="digit", seat=self._ballot(asked.seats)))
            case "lift" | "question":
                await self._press(Do(what="yes"))
            case "shots":
                targets = [seat for seat in self._table.alive if seat != self.seat and seat not in self._mates]
                await self._press(Do(what="digit", seat=targets[0]))
            case "don_check" | "sheriff_check":
                others = [seat for seat in self._table.alive if seat != self.seat]
                await self._press(Do(what="digit", seat=others[-1]))

    async def _speak(self, nominee: Seat) -> None:
        """What was not understood in time is said once more by key."""
        assert self._player is not None
        self._player.say(self._sounds[nominee])
        await asyncio.sleep(self._hold_s)
        if nominee != self.seat:
            await self._press(Do(what="digit", seat=nominee))
            await asyncio.sleep(REACT_S)
        await self._press(Do(what="end_speech"))

    def _nominee(self, asked: Asked) -> Seat:
        """Itself: nobody."""
        free = [seat for seat in self._table.alive if seat != self.seat and seat not in self._table.nominated]
        wanted = self._nominates and asked.what == "speech" and len(self._table.nominated) < 2
        return free[-1] if wanted else self.seat

    def _ballot(self, candidates: tuple[Seat, ...]) -> Seat:
        """Half of the living against each of two: a tie, when they are even in number."""
        return candidates[self._table.alive.index(self.seat) % len(candidates)]

    async def _press(self, do: Do) -> None:
        assert self._player is not None
        try:
            await self._player.send(do)
        except Exception as error:  # the line is down: what is asked is asked again when it is back
            log.info("seat %d: a key was not sent (%s)", self.seat, type(error).__name__)
