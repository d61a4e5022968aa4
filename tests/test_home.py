"""One process a game, and what it leaves behind when it is stopped."""

import asyncio
import itertools
import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from service_kit import PLAYED

from moderator.engine import replay
from moderator.events import Event, GameEnded, NightBegan, PlayerLeft
from moderator.model import SEATS, Seat
from voice import game
from voice.clock import RealClock, VirtualClock
from voice.game_exit import GameExit
from voice.home import InUse, sole, write_private
from voice.ports import Presence, Utterance

HOLDER = """
import sys, time
from pathlib import Path
from voice.home import sole
with sole(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_lock_is_held_by_one_process_and_freed_by_its_death(tmp_path: Path) -> None:
    lock = tmp_path / "game.lock"
    command = [sys.executable, "-c", HOLDER, str(lock)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parent.parent) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with pytest.raises(InUse, match=r"game\.lock"), sole(lock):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with sole(lock):
        pass


def test_a_second_process_does_not_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sole(tmp_path / "game.lock"):
        assert game.main(["--game", "g", "--home", str(tmp_path)]) == GameExit.IN_USE
    assert "another process" in capsys.readouterr().err


def test_a_private_file_is_for_its_owner(tmp_path: Path) -> None:
    write_private(tmp_path / "booths.json", {1: "a"})
    assert (tmp_path / "booths.json").stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / "booths.json").read_text()) == {"1": "a"}
    assert [path.name for path in tmp_path.iterdir()] == ["booths.json"]


async def test_of_a_game_without_recording_no_word_is_kept(tmp_path: Path) -> None:
    store = game.WordlessStore(tmp_path / "moderator.db")
    await store.append("g", 0, [NightBegan(at=0, night=0)])
    await store.append_utterance("g", Utterance(4, 1.0, 2.0, "Je nomine le 7.", 0.9))
    assert len(await store.events("g")) == 1 and await store.utterances("g") == []
    await store.close()


async def test_a_first_sigterm_closes_in_order() -> None:
    closed = asyncio.Event()

    async def playing() -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
            await asyncio.sleep(10)
        finally:
            await asyncio.sleep(0.01)
            closed.set()

    with pytest.raises(asyncio.CancelledError):
        await game.until_stopped(playing())
    assert closed.is_set()


class Present:
    """A room as far as `everybody_present` looks at it."""

    def __init__(self, *seats: int, alive: Sequence[int] = ()) -> None:
        """`alive`: who gives signs of life, without a microphone."""
        self.seats, self.alive = frozenset(seats), alive

    def present(self) -> frozenset[int]:
        return self.seats

    def presence(self, seat: int) -> Presence:
        return Presence(float("inf") if seat in self.alive else 0.0, 1)


class Leaving:
    """All were heard last at `seen_s`, but for who stays."""

    def __init__(self, seen_s: float, stays: Seat | None = None) -> None:
        self.seen_s, self.stays = seen_s, stays

    def presence(self, seat: Seat) -> Presence:
        return Presence(float("inf") if seat == self.stays else self.seen_s, 1)


class Silent:
    def say(self, _cue: object) -> None:
        pass


UNFINISHED = list(itertools.takewhile(lambda event: not isinstance(event, GameEnded), PLAYED))
LEFT = next(event.seat for event in UNFINISHED if isinstance(event, PlayerLeft))


@pytest.mark.parametrize(
    ("stored", "present", "missing"),
    [
        ([], SEATS, None),
        ([], SEATS[:8], [9, 10]),
        (UNFINISHED, (), list(replay(UNFINISHED).state.alive)),
        (UNFINISHED, (LEFT,), None),
        (UNFINISHED, replay(UNFINISHED).state.alive, None),
    ],
    ids=["all", "two missing", "nobody comes back", "who comes back is enough", "the dead need not come back"],
)
async def test_a_game_waits_for_those_who_play(
    stored: list[Event], present: Sequence[int], missing: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(game, "PLAYERS_S", 0.1)
    waiting = game.everybody_present(Present(*present), RealClock(), Silent(), stored)  # type: ignore[arg-type]
    if missing is None:
        await waiting
        return
    with pytest.raises(game.NobodyCame) as nobody:
        await waiting
    assert nobody.value.missing == missing


async def test_a_game_that_everybody_has_left_ends_after_ten_minutes() -> None:
    """Ten lines that fall silent at once look like the service's own fault, for which the clock stands still: a table
    whose ten pages were closed together kept its process for ever."""
    clock, room = VirtualClock(), Leaving(seen_s=100.0)
    alone = asyncio.create_task(game.in_company(room, clock, lambda: SEATS))  # type: ignore[arg-type]
    await clock.advance(100 + game.ALONE_S - 1)
    assert not alone.done()
    await clock.advance(2 * game.WAITING_EVERY_S)
    with pytest.raises(game.NobodyCame, match="600 s"):
        await alone


async def test_one_living_player_is_company_enough() -> None:
    clock = VirtualClock()
    room = Leaving(seen_s=100.0, stays=3)
    alone = asyncio.create_task(game.in_company(room, clock, lambda: [3, 5]))  # type: ignore[arg-type]
    await clock.advance(3 * game.ALONE_S)
    assert not alone.done()
    alone.cancel()


async def test_who_gives_a_sign_of_life_is_back_without_his_microphone() -> None:
    alive = replay(UNFINISHED).state.alive
    room = Present(*alive[1:], alive=alive[:1])
    async with asyncio.timeout(1):
        await game.everybody_present(room, RealClock(), Silent(), UNFINISHED)  # type: ignore[arg-type]
