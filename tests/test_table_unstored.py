"""A store that fails in the midst of a game: the table is told, nothing false is said, and the game stops."""

import logging
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from kit import QUICK, Kit, MemoryStore, QuickVoice, ScriptedTranscriber

from moderator.engine import replay
from moderator.events import Event, Nominated, StepClosed, StepOpened
from moderator.model import SEATS, Seat, StepKind
from moderator.narration import Cue
from voice import engines, game
from voice.clock import RealClock, VirtualClock
from voice.config import VoiceConfig
from voice.ports import Utterance
from voice.ports_store import BadStore, Conflict
from voice.room_memory import MemoryRoom
from voice.routing import LISTENERS
from voice.store_sql import SqlStore
from voice.wire import Asked, Caption, Closed, Line

NOT_STORED = "La partie ne peut plus être enregistrée : elle s'arrête."
Sent = Line | Caption | Asked | Closed
At = Callable[[Event | Utterance], bool]
MOMENTS: dict[str, At] = {
    "the deal": lambda thing: True,
    "the clock": lambda thing: isinstance(thing, StepClosed) and thing.kind is StepKind.DEAL,
    "the end of an announcement": lambda thing: isinstance(thing, StepOpened) and thing.kind is StepKind.SPEECH,
    "somebody's words": lambda thing: isinstance(thing, Utterance),
    "a nomination": lambda thing: isinstance(thing, Nominated),
}


class FailingStore(MemoryStore):
    """From the first thing on to which `at` says yes it stores nothing, and raises what a real store raised."""

    def __init__(self, failure: Exception, at: At) -> None:
        super().__init__()
        self.failure, self.at, self.failed = failure, at, False

    async def append(self, game: str, first_seq: int, events: Sequence[Event]) -> None:
        self.fail_at(*events)
        await super().append(game, first_seq, events)

    async def append_utterance(self, game: str, utterance: Utterance) -> None:
        self.fail_at(utterance)
        await super().append_utterance(game, utterance)

    def fail_at(self, *things: Event | Utterance) -> None:
        self.failed = self.failed or any(map(self.at, things))
        if self.failed:
            raise self.failure


async def full(folder: Path) -> BadStore:
    """What the real store raises on a disk that is full."""
    store = SqlStore(folder / "moderator.db")
    store._database.read(lambda db: db.exec_driver_sql("pragma max_page_count = 1"))
    with pytest.raises(BadStore) as caught:
        await store.append("g", 0, [Nominated(at=1, by=1, target=4)] * 2000)
    await store.close()
    return caught.value


def nominates(seat: Seat, message: Sent) -> str | None:
    speech = isinstance(message, Asked) and message.what == "speech"
    return "Je nomine le quatre. Je passe." if speech and seat == 1 else None


def chat(kit: Kit, since: int) -> list[tuple[Seat, str]]:
    return [(seat, message.text) for seat, message in kit.room.sent[since:] if isinstance(message, Line)]


@pytest.mark.parametrize("moment", MOMENTS)
async def test_the_table_is_told_and_the_game_stops(
    moment: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kit = Kit(nominates, store=FailingStore(await full(tmp_path), MOMENTS[moment]))
    with pytest.raises(BadStore, match="database or disk is full"):
        await kit.play(600)
    told = [
        n for n, (_, message) in enumerate(kit.room.sent) if isinstance(message, Line) and message.key == "not-stored"
    ]
    assert chat(kit, told[0]) == [(listener, NOT_STORED) for listener in LISTENERS], (
        "to everybody, and nothing after it"
    )
    assert not any(isinstance(message, Asked | Closed | Caption) for _, message in kit.room.sent[told[0] :])
    keys = {message.key for _, message in kit.room.sent if isinstance(message, Line)}
    assert "nominated" not in keys or kit.of(Nominated), "an acceptance is never spoken that is not stored"
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING], "no error is lost in a log"


async def test_what_waits_to_be_said_is_dropped(tmp_path: Path) -> None:
    store = FailingStore(await full(tmp_path), MOMENTS["a nomination"])
    kit = Kit(nominates, store=store)

    def at_the_nomination(thing: Event | Utterance) -> bool:
        fails = isinstance(thing, Nominated)
        if fails:  # an echo of what is about to be stored, still in the queue
            kit.narrator.say(Cue("echo-ballot", {"seat": 4}, frozenset({1})))
            kit.narrator.say(Cue("nominated", {"seat": 4}))
        return fails

    store.at = at_the_nomination
    with pytest.raises(BadStore):
        await kit.play(600)
    assert not {"echo-ballot", "nominated"} & {key for seat in SEATS for key in kit.room.keys(seat)}
    assert kit.narrator.idle, "nor is anything said later"


async def test_the_state_of_the_table_is_that_of_the_log(tmp_path: Path) -> None:
    kit = Kit(nominates, store=FailingStore(await full(tmp_path), MOMENTS["a nomination"]))
    with pytest.raises(BadStore):
        await kit.play(600)
    assert kit.table.state.nominations == () and not kit.of(Nominated)
    again = Kit(nominates, stored=kit.log, start_s=kit.log[-1].at, until_s=kit.log[-1].at)
    await again.play(60)
    assert again.of(Nominated), "when the store works again the game goes on from where it was"


async def test_a_table_that_has_been_taken_over_leaves_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    taken = Conflict("game g has been taken over by another process")
    kit = Kit(nominates, store=FailingStore(taken, MOMENTS["a nomination"]))
    with pytest.raises(Conflict, match="taken over"):
        await kit.play(600)
    assert not any(isinstance(message, Line) and message.key == "not-stored" for _, message in kit.room.sent)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_whole_game_process_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real table, floor, narrator, recorder and store; only rooms, ears and voice are stand-ins."""
    clock = RealClock()
    room = MemoryRoom(clock)

    class SmallDisk(SqlStore):
        async def append(self, game: str, first_seq: int, events: Sequence[Event]) -> None:
            """The deal fits, and a few events more."""
            await super().append(game, first_seq, events)
            pages = self._database.read(lambda db: db.exec_driver_sql("pragma page_count").scalar())
            self._database.read(lambda db: db.exec_driver_sql(f"pragma max_page_count = {pages}"))

    with sqlite3.connect(tmp_path / "moderator.db") as small:
        small.executescript("pragma page_size = 512; create table t (x); drop table t")
    small.close()
    monkeypatch.setattr(game, "SqlStore", SmallDisk)
    monkeypatch.setattr(engines, "make_transcriber", lambda config: ScriptedTranscriber(VirtualClock()))
    monkeypatch.setattr(engines, "make_synthesizer", lambda engine, lang, workers: QuickVoice())
    monkeypatch.setenv("MODERATOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(engines, "make_extractor", lambda config, lang: None)
    settings = game.Settings("g", tmp_path, "fr", QUICK, VoiceConfig())
    with pytest.raises(BadStore, match=r"moderator\.db \(database or disk is full\); make room on its disk"):
        await game.play(settings, room, clock)

    for seat in SEATS:
        heard = [message for message in room.seats[seat].received() if isinstance(message, Line)]
        assert (heard[-1].key, heard[-1].text) == ("not-stored", NOT_STORED)
        sounded = room.seats[seat].heard[-1].captured_s
        assert clock.now() - sounded > 0.5, "the line was heard to its end before the room closed"
    store = SqlStore(tmp_path / "moderator.db")
    events = await store.events("g")
    assert events and replay(events).error is None
    assert [row.held_by for row in await store.rows()] == [None], "nobody need wait to go on with it"
    await store.close()
    assert (tmp_path / "narrator.pcm").stat().st_size > 0, "raw, until the game has gone on to its end"
