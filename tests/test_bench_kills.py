"""What the bench of kills looks at, on logs made by the rules; and two real kills over the real service."""

import json
import random
from pathlib import Path

import pytest
from engine_kit import ROLES

from moderator.commands import Resume, Suspend
from moderator.engine import decide, evolve, replay
from moderator.events import Event, StepOpened
from moderator.model import Refusal
from moderator.rules import Rules
from moderator.simulate import play
from voice.bench_kills import INTERRUPTING, PHASES, Game, Kill, Log, faults_of_log, figures, phase_of
from voice.bench_players import speeches
from voice.bench_service import serving

PLAYED = play(random.Random(3), Rules(), ROLES)


def log_of(events: list[Event]) -> Log:
    return Log(events, replay(events).state, 0.0)


def until(kind: str) -> list[Event]:
    """The log up to the first open step of this kind."""
    last = next(number for number, event in enumerate(PLAYED) if isinstance(event, StepOpened) and event.kind == kind)
    return list(PLAYED[: last + 1])


def paused(events: list[Event], suspended_s: float, resumed_s: float) -> list[Event]:
    """With one pause at its end."""
    state = replay(events).state
    for command in (Suspend(at=suspended_s), Resume(at=resumed_s)):
        found = decide(state, command)
        assert not isinstance(found, Refusal)
        for event in found:
            events, state = [*events, event], evolve(state, event)
    return events


def test_a_phase_is_an_open_step() -> None:
    assert phase_of(log_of(until("speech"))) == "speech"
    assert phase_of(log_of(until("speech")[:-1])) == "", "called, and not opened"
    assert phase_of(log_of(until("sheriff_check"))) == "check"
    assert phase_of(log_of(list(PLAYED))) == "end"
    assert phase_of(None) == ""


def test_a_pause_that_gives_the_time_back_is_as_it_should_be() -> None:
    before = until("speech")
    died_at = before[-1].at + 3
    kill = Kill("game", "speech")
    after = log_of(paused(before, died_at - 2, died_at + 5))
    assert faults_of_log(log_of(before), after, kill, died_at) == []
    assert kill.time_lost_s == pytest.approx(-2)


def test_what_is_wrong_with_a_log_is_named() -> None:
    before = until("speech")
    died_at = before[-1].at + 3
    late = log_of(paused(before, died_at + 2, died_at + 5))
    assert faults_of_log(log_of(before), late, Kill("livekit", "speech"), died_at) == ["time lost"]
    assert faults_of_log(log_of(before), late, Kill("model", "speech"), died_at) == ["1 pauses", "time lost"]
    shorter = log_of(before[:-1])
    assert faults_of_log(log_of(before), shorter, Kill("voice", "speech"), died_at) == ["an event lost"]


def test_the_figures_are_by_what_was_killed() -> None:
    kills = [Kill("game", "deal", 5.0, -0.5), Kill("game", "lift", 7.0, 0.1), Kill("web", "end", 9.0, None, ["late"])]
    found = figures(kills)
    assert (found["kills"], found["faults"]) == (3, 1)
    assert found["game"] == {"kills": 2, "goes_on_s": {"p50": 6.0, "p95": 7.0, "max": 7.0}, "time_lost_max_s": 0.1}


@pytest.mark.real
@pytest.mark.livekit
@pytest.mark.whisper
@pytest.mark.tts
@pytest.mark.game
@pytest.mark.timeout(400)
async def test_a_game_survives_its_media_server_and_its_service(tmp_path: Path) -> None:
    """LiveKit is killed while the roles are whispered, the whole service in the mafia's meeting."""
    sounds = await speeches()
    async with serving(tmp_path) as service:
        kills = await Game(service, 1, PHASES[:2]).play(sounds)
    assert [kill.part for kill in kills] == ["livekit", "web"]
    assert set(INTERRUPTING) > {kill.part for kill in kills}
    faults = {fault for kill in kills for fault in kill.faults} - {"late"}
    assert not faults, json.dumps([str(kill) for kill in kills])
    assert all(kill.goes_on_s is not None and kill.goes_on_s < 60 for kill in kills), "on a busy machine; else 10"
