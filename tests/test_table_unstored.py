"""A store that fails in the midst of a game: the table is told, nothing false is said, and the game stops."""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from kit import Kit, MemoryStore

from moderator.events import Event, Nominated, StepClosed, StepOpened
from moderator.model import SEATS, Seat, StepKind
from voice.ports import BadStore, Conflict, Utterance
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
    assert chat(kit, told[0]) == [(seat, NOT_STORED) for seat in SEATS], "to everybody, and nothing after it"
    assert not any(isinstance(message, Asked | Closed | Caption) for _, message in kit.room.sent[told[0] :])
    keys = {message.key for _, message in kit.room.sent if isinstance(message, Line)}
    assert "nominated" not in keys or kit.of(Nominated), "an acceptance is never spoken that is not stored"
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING], "no error is lost in a log"


async def test_the_state_of_the_table_is_that_of_the_log(tmp_path: Path) -> None:
    kit = Kit(nominates, store=FailingStore(await full(tmp_path), MOMENTS["a nomination"]))
    with pytest.raises(BadStore):
        await kit.play(600)
    assert kit.table.state.nominations == () and not kit.of(Nominated)
    again = Kit(nominates, stored=kit.log, start_s=kit.log[-1].at)
    await again.play(60)
    assert again.of(Nominated), "when the store works again the game goes on from where it was"


async def test_a_table_that_has_been_taken_over_leaves_in_silence(caplog: pytest.LogCaptureFixture) -> None:
    taken = Conflict("game g has been taken over by another process")
    kit = Kit(nominates, store=FailingStore(taken, MOMENTS["a nomination"]))
    with pytest.raises(Conflict, match="taken over"):
        await kit.play(600)
    assert not any(isinstance(message, Line) and message.key == "not-stored" for _, message in kit.room.sent)
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
