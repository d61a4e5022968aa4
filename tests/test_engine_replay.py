"""A stored game is read back; a damaged log gives its valid prefix and the first fault."""

from random import Random

import pytest

from moderator.engine import replay
from moderator.events import Event
from moderator.rules import Rules
from moderator.simulate import deal, play
from moderator.state import GameState

LOG = play(Random(8), Rules(), deal(Random(8)))
UNMISSED = {
    "game_opened",
    "role_dealt",
    "step_called",
    "step_opened",
    "step_closed",
    "day_began",
    "night_began",
    "ballot_cast",
    "player_left",
    "game_ended",
}
"""Without one of these the rest of the log does not fit; every other loss changes no later decision."""

REPEATABLE = {"testament_given", "crown_given", "roles_revealed", "scored", "vote_skipped", "time_warned"}
"""Said twice they change nothing."""


def first(kind: str, log: list[Event] = LOG) -> int:
    return next(index for index, event in enumerate(log) if event.type == kind)


def test_an_empty_log_is_a_game_not_dealt() -> None:
    assert replay([]) == (GameState(), 0, None)


def test_a_whole_log_and_every_prefix_are_read_back() -> None:
    assert replay(LOG).state.over
    for end in range(0, len(LOG), 17):
        assert replay(LOG[:end]).applied == end
        assert replay(LOG[:end]).error is None


@pytest.mark.parametrize("kind", sorted({event.type for event in LOG} & UNMISSED))
def test_a_lost_event_is_noticed(kind: str) -> None:
    index = first(kind)
    found = replay(LOG[:index] + LOG[index + 1 :])
    assert found.error is not None
    assert found.applied >= index
    assert found.error.startswith(f"event {found.applied} (")


@pytest.mark.parametrize("kind", sorted({event.type for event in LOG} - REPEATABLE))
def test_a_doubled_event_is_noticed(kind: str) -> None:
    index = first(kind)
    found = replay([*LOG[: index + 1], LOG[index], *LOG[index + 1 :]])
    assert (found.applied, found.state) == (index + 1, replay(LOG[: index + 1]).state)
    assert found.error is not None


def test_events_out_of_order_are_noticed() -> None:
    index = first("step_opened")
    found = replay([*LOG[: index - 1], LOG[index], LOG[index - 1], *LOG[index + 1 :]])
    assert (found.applied, found.error) == (index - 1, f"event {index - 1} (step_opened): deal was not called")


def test_time_that_runs_backwards_is_noticed() -> None:
    index = first("day_began")
    log = [*LOG[:index], LOG[index].model_copy(update={"at": 1.0}), *LOG[index + 1 :]]
    found = replay(log)
    assert (found.applied, found.error) == (index, f"event {index} (day_began): is at 1.0, before {LOG[index - 1].at}")


def test_nothing_follows_the_end() -> None:
    found = replay([*LOG, LOG[-4].model_copy(update={"at": LOG[-1].at})])
    assert found.applied == len(LOG)
    assert found.error is not None
    assert "after the end" in found.error


def test_a_log_that_starts_in_the_middle_gives_nothing() -> None:
    assert replay(LOG[5:]) == (GameState(), 0, f"event 0 ({LOG[5].type}): comes before the game is opened")
