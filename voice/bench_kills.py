"""Does a game survive whatever dies? `moderator bench kills`.

Scripted games over the real service, real rooms and real parts. In each phase of each game one part is ended by
SIGKILL; six games end each of six parts once in each of ten phases. A person would start the service again by systemd:
here it is started again at once. After each kill it is looked at whether the game goes on in time, its log is what it
was and more, one moderator speaks, and the interrupted step has kept its time; at the end of a game, whether every
ballot and shot has counted.
"""

import asyncio
import contextlib
import itertools
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from moderator.engine import replay
from moderator.events import BallotCounted, Event, LiftDecided, NightEnded, Nominated, PlayerLeft, Resumed, Suspended
from moderator.model import SEATS, Seat
from moderator.state import GameState
from voice.bench_players import ScriptedPlayer, Told, speeches
from voice.bench_service import Seated, Serving, serving
from voice.store_sql import SqlStore

PARTS = ("game", "livekit", "web", "recogniser", "voice", "model")
INTERRUPTING = ("game", "livekit", "web")
"""Without these there is no sound: the table is told that the game goes on. The others are replaced unheard."""
PHASES = ("deal", "meeting", "speech", "ballot", "revote", "lift", "farewell", "shots", "check", "end")
PHASE_OF = {"split_speech": "", "greeting": "", "don_check": "check", "sheriff_check": "check"}
GO_ON_S = 10.0
LOST_S = 1.0
"""A step may lose at most this much of its time, to what noticing takes."""
GIVE_UP_S = 90.0
LOOK_S = 0.2
GAME_S = 900.0


@dataclass(slots=True)
class Kill:
    part: str
    phase: str
    goes_on_s: float | None = None
    """Until "on reprend" was heard in the first booth; where the game is not interrupted, until its next event."""
    time_lost_s: float | None = None
    """What was left of the step when the part died, less what is left of it after."""
    faults: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Log:
    """The stored game, and when it was read."""

    events: Sequence[Event]
    state: GameState
    at_s: float


async def run(games: Sequence[int]) -> dict[str, Any]:
    """`games`: numbers 0 to 5; in each, each phase has another part. Each kill is a line on standard error.

    Of several, each has a process of its own: LiveKit's client library may end the one in which its ten clients are.
    `broken_off`: the games whose process ended before its time; the kills that it told of count.
    """
    kills: list[Kill] = []
    broken_off: list[int] = []
    if len(games) == 1:
        kills += await played(games[0])
    else:
        for number in games:
            found, whole = await played_apart(number)
            kills += found
            broken_off += [] if whole else [number]
    return {**figures(kills), "broken_off": broken_off}


async def played(number: int) -> list[Kill]:
    sounds = await speeches()
    with tempfile.TemporaryDirectory() as folder:
        async with serving(Path(folder)) as service:
            try:
                return await asyncio.wait_for(Game(service, number, PHASES).play(sounds), GAME_S)
            except BaseException:
                print((Path(folder) / "serve.log").read_text()[-2000:], file=sys.stderr)
                raise


async def played_apart(number: int) -> tuple[list[Kill], bool]:
    """What its process told on standard error, and whether it ended as it should; whatever it left is ended too."""
    kills: list[Kill] = []
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voice", "bench", "kills", "--games", str(number)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        async for line in process.stderr:
            print(line.decode(errors="replace"), end="", file=sys.stderr, flush=True)
            if line.startswith(b'{"part": '):
                kills.append(Kill(**json.loads(line)))
            elif line.startswith(b'{"game": ') and kills:
                kills[-1].faults += json.loads(line)["game"]
        return kills, await process.wait() == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def figures(kills: Sequence[Kill]) -> dict[str, Any]:
    found: dict[str, Any] = {"kills": len(kills), "faults": sum(bool(kill.faults) for kill in kills)}
    for part in PARTS:
        took = sorted(kill.goes_on_s for kill in kills if kill.part == part and kill.goes_on_s is not None)
        lost = [kill.time_lost_s for kill in kills if kill.part == part and kill.time_lost_s is not None]
        if took:
            p95 = took[min(len(took) - 1, round(0.95 * len(took)))]
            goes_on_s = {"p50": statistics.median(took), "p95": p95, "max": took[-1]}
            found[part] = {"kills": len(took), "goes_on_s": goes_on_s, "time_lost_max_s": max(lost, default=None)}
    return found


class Game:
    """One game, in which whatever dies is killed by us."""

    def __init__(self, service: Serving, number: int, phases: Sequence[str]) -> None:
        self._service, self._chance = service, Random(number)
        self._victims = {phase: PARTS[(number + place) % len(PARTS)] for place, phase in enumerate(PHASES)}
        self._phases = set(phases)
        self._store: SqlStore | None = None
        self._reading = asyncio.Lock()
        self._length, self._state = 0, GameState()
        self._told: list[Told] = []
        self._kills: list[Kill] = []
        self._zero_s = float("inf")
        """When its clock showed 0, or later: of each new event it is known when it was seen and what the clock showed.

        So the log is looked at all the time, and most of all while something is being killed: an event that is first
        read seconds later makes it seem as if the game had died seconds before it did.
        """
        self._moderators = 0
        """The most game processes that were seen at once."""

    async def play(self, sounds: Any) -> list[Kill]:
        """Until all phases have had their kill, or the game is over."""
        table = await self._service.seat_ten()
        players = [
            ScriptedPlayer(seat, lambda own: self._service.ticket(table, own), sounds[seat], self._told.append)
            for seat in SEATS
        ]
        tasks = [asyncio.create_task(player.stay()) for player in players]
        tasks.append(asyncio.create_task(self._watch()))
        try:
            await self._through(table, players)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            if self._store is not None:
                await self._store.close()
        return self._kills

    async def _through(self, table: Seated, players: Sequence[ScriptedPlayer]) -> None:
        seen, weary = 0, list(players)
        while self._phases:
            await asyncio.sleep(LOOK_S)
            if await self._service.state(table) in ("over", "lost"):
                break
            log = await self._log()
            phase = phase_of(log)
            if self._phases == {"end"} and phase and phase != "end" and weary:  # nothing else is waited for
                await weary.pop().give_up()
                await asyncio.sleep(1)
            if log is None or phase not in self._phases or len(log.events) == seen:
                continue
            self._phases.discard(phase)
            await asyncio.sleep(self._chance.uniform(0.3, 1.5))
            log = await self._log() or log
            if phase_of(log) == phase:
                kill = Kill(self._victims[phase], phase)
                self._kills.append(kill)
                await self._round(kill, table)
                print(json.dumps(asdict(kill)), file=sys.stderr, flush=True)
            else:  # it was over before it could be interrupted: the next one of this kind
                self._phases.add(phase)
            seen = len(log.events)
        self._conclude(await self._log())

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S / 2)
            await self._log()

    async def _log(self) -> Log | None:
        """Opened once: migrations are looked for each time."""
        async with self._reading:
            if self._store is None:
                path = self._service.store()
                if path is None:
                    return None
                self._store = SqlStore(path)
            events = await self._store.events(self._service.game)
            at_s = time.monotonic()
            if len(events) != self._length:
                self._length, self._state = len(events), replay(events).state
                self._zero_s = min(self._zero_s, at_s - self._state.at)
            return Log(events, self._state, at_s)

    # --- one kill ---------------------------------------------------------------------------------

    async def _round(self, kill: Kill, table: Seated) -> None:
        parts = self._service.parts()
        if kill.part not in parts:  # killed before, and not needed since: it is started again when it is
            kill.part = next(part for part in PARTS[::-1] if part in parts)
        before = await self._log()
        assert before is not None
        killed_s = time.monotonic()
        died_at = max(before.state.at, killed_s - self._zero_s)
        self._zero_s = float("inf")
        for pid in parts[kill.part]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if kill.part == "web":
            await self._service.wait()
            await self._service.start()
        await self._goes_on(kill, before, killed_s, table)
        after = await self._log()
        assert after is not None
        kill.faults += [
            *faults_of_log(before, after, kill, died_at),
            *self._faults_of_voices(kill, killed_s, before.state.alive),
        ]

    async def _goes_on(self, kill: Kill, before: Log, killed_s: float, table: Seated) -> None:
        while time.monotonic() < killed_s + GIVE_UP_S:
            await asyncio.sleep(LOOK_S)
            self._moderators = max(self._moderators, len(self._service.parts().get("game", [])))
            went_on_s = await self._went_on_s(kill, before, killed_s, table)
            if went_on_s is not None:
                kill.goes_on_s = round(went_on_s, 2)
                if went_on_s > GO_ON_S and kill.phase != "end":
                    kill.faults.append("late")
                await asyncio.sleep(1)  # whoever would say it twice
                return
        kill.faults.append("it did not go on")

    async def _went_on_s(self, kill: Kill, before: Log, killed_s: float, table: Seated) -> float | None:
        if kill.phase == "end":
            return time.monotonic() - killed_s if await self._service.state(table) == "over" else None
        if kill.part in INTERRUPTING:
            said = [told.at_s for told in self._told if told.key == "resumed" and told.at_s > killed_s]
            return min(said) - killed_s if said else None
        log = await self._log()
        return log.at_s - killed_s if log is not None and len(log.events) > len(before.events) else None

    def _faults_of_voices(self, kill: Kill, killed_s: float, alive: Sequence[Seat]) -> list[str]:
        """That it goes on is heard once, by all who are in the game; those who are out may come back later."""
        said = Counter(told.seat for told in self._told if told.key == "resumed" and told.at_s > killed_s)
        faults = ["two moderators"] if self._moderators > 1 else []
        if said and kill.part not in INTERRUPTING:
            faults.append("interrupted")
        if any(count > 1 for count in said.values()):
            faults.append("said twice")
        if kill.part in INTERRUPTING and kill.phase != "end" and set(alive) - set(said):
            faults.append(f"not heard by {len(set(alive) - set(said))} of {len(alive)}")
        return faults

    def _conclude(self, log: Log | None) -> None:
        """What the kills may have cost."""
        faults: list[str] = []
        events = log.events if log is not None else ()
        stayed = itertools.takewhile(lambda event: not (isinstance(event, PlayerLeft) and event.cause.removal), events)
        for event in stayed:
            if isinstance(event, BallotCounted | LiftDecided) and event.defaults:
                faults.append(f"{len(event.defaults)} ballots lost")
            elif isinstance(event, NightEnded) and event.killed is None and event.night > 0:
                faults.append("a shot lost")
        stored = {event.target for event in events if isinstance(event, Nominated)}
        if any(told.key == "nominated" and told.seat_named not in stored for told in self._told):
            faults.append("said and not stored")
        if self._kills and faults:
            self._kills[-1].faults += faults
            print(json.dumps({"game": faults}), file=sys.stderr, flush=True)


def phase_of(log: Log | None) -> str:
    """Empty where nothing is killed: a step that is not open, a pause."""
    if log is None or log.state.suspended_at is not None:
        return ""
    if log.state.over:
        return "end"
    step = log.state.step
    if step is None or step.opened_at is None:
        return ""
    if step.kind == "ballot" and step.round > 1:
        return "revote"
    return PHASE_OF.get(step.kind, step.kind)


def faults_of_log(before: Log, after: Log, kill: Kill, died_at: float) -> list[str]:
    """The log after is the one before and more; the step that was open has kept its time. `died_at`: game second."""
    faults = []
    if list(after.events[: len(before.events)]) != list(before.events):
        faults.append("an event lost")
    if replay(after.events).error is not None:
        faults.append("a log that does not replay")
    new = after.events[len(before.events) :]
    pauses = sum(isinstance(event, Resumed) for event in new)
    if pauses != (kill.part in INTERRUPTING and kill.phase != "end"):
        faults.append(f"{pauses} pauses")
    suspended = next((event for event in new if isinstance(event, Suspended)), None)
    if suspended is not None and kill.phase != "end":
        kill.time_lost_s = round(suspended.at - died_at, 2)
    if kill.time_lost_s is not None and kill.time_lost_s > LOST_S:
        faults.append("time lost")
    return faults
