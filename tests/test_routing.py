"""The privacy policy of the sound: who may hear whom, in every step."""

from random import Random

import pytest
from test_properties import TABLES, noise

from moderator.engine import evolve
from moderator.model import SEATS, Motion, MotionKind, Phase, Role, Step, StepKind
from moderator.rules import Rules
from moderator.simulate import deal, play
from moderator.state import GameState
from moderator.view import view
from voice.routing import GALLERY, LISTENERS, floor_holder, routes

ROLES = {1: Role.DON, 2: Role.MAFIOSO, 3: Role.MAFIOSO, 4: Role.SHERIFF, **dict.fromkeys(range(5, 11), Role.CIVILIAN)}
SPOKEN = (StepKind.SPEECH, StepKind.SPLIT_SPEECH, StepKind.FAREWELL)


def state(kind: StepKind, seat: int | None = None, **more: object) -> GameState:
    step = Step(kind=kind, seat=seat, duration_s=60, opened_at=100, ends_at=160)
    return GameState(phase=Phase.DAY, roles=ROLES, alive=SEATS, step=step).model_copy(update=more)


@pytest.mark.parametrize("kind", SPOKEN)
def test_everybody_else_hears_the_floor_holder(kind: StepKind) -> None:
    heard = routes(state(kind, 7), 120)
    assert heard == {listener: frozenset() if listener == 7 else frozenset({7}) for listener in LISTENERS}


def test_those_who_left_listen_but_are_not_heard() -> None:
    heard = routes(state(StepKind.SPEECH, 7, alive=tuple(seat for seat in SEATS if seat != 2)), 120)
    assert heard[2] == {7}
    assert all(2 not in sources for sources in heard.values())


def test_the_floor_closes_at_the_very_end_of_the_time() -> None:
    assert floor_holder(state(StepKind.SPEECH, 7), 159.99) == 7
    assert floor_holder(state(StepKind.SPEECH, 7), 160) is None


def test_nobody_is_heard_before_the_call_was_heard() -> None:
    called = state(StepKind.SPEECH, 7, step=Step(kind=StepKind.SPEECH, seat=7, duration_s=60))
    assert not any(routes(called, 120).values())


def test_an_interpellation_takes_the_floor_and_gives_it_back() -> None:
    interrupted = state(StepKind.SPEECH, 7, interpellation=(3, 125.0))
    assert floor_holder(interrupted, 124) == 3
    assert floor_holder(interrupted, 125) is None
    assert floor_holder(state(StepKind.SPEECH, 7), 125.1) == 7


def test_the_mafia_meets_and_neither_the_seven_nor_the_gallery_hear_anything() -> None:
    heard = routes(state(StepKind.MEETING), 120)
    assert heard[1] == {2, 3} and heard[2] == {1, 3} and heard[3] == {1, 2}
    assert not any(heard[listener] for listener in LISTENERS if listener not in (1, 2, 3))


@pytest.mark.parametrize("kind", [kind for kind in StepKind if kind not in (*SPOKEN, StepKind.MEETING)])
def test_outside_speeches_and_meeting_nobody_hears_anybody(kind: StepKind) -> None:
    assert not any(routes(state(kind), 120).values())


def test_a_suspended_table_is_silent() -> None:
    assert not any(routes(state(StepKind.SPEECH, 7, suspended_at=110.0), 120).values())
    assert not any(routes(state(StepKind.MEETING, suspended_at=110.0), 120).values())


def test_while_a_motion_is_voted_nobody_has_the_floor() -> None:
    motion = Motion(kind=MotionKind.STOP, by=3, accused=None, opened_at=119, ends_at=129)
    assert floor_holder(state(StepKind.SPEECH, 7, motion=motion), 120) is None


@pytest.mark.parametrize("kind", [kind for kind in StepKind if kind is not StepKind.MEETING])
def test_outside_the_meeting_roles_change_nothing(kind: StepKind) -> None:
    """Two worlds: swap roles, the sound goes the same ways."""
    swapped = {seat: ROLES[11 - seat] for seat in SEATS}
    assert routes(state(kind, 7), 120) == routes(state(kind, 7, roles=swapped), 120)


# --- the gallery, in whatever state a game can be -------------------------------------------------

NIGHT = (StepKind.MEETING, StepKind.GREETING, StepKind.SHOTS, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK)


def moments(state: GameState) -> set[float]:
    """Now, and the edges of what runs."""
    ends = [state.step.ends_at] if state.step is not None else []
    ends += [state.interpellation[1]] if state.interpellation is not None else []
    return {state.at} | {at + shift for at in ends if at is not None for shift in (-0.01, 0, 0.01)}


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: rules.name)
def test_the_gallery_hears_what_every_other_seat_hears_and_knows_nothing_else(rules: Rules) -> None:
    """In each state of random games: who is public is decided by the ten seats' ears, and by no role."""
    heard_somebody = 0
    for seed in range(12):
        chance, state = Random(f"gallery:{seed}:{rules.name}"), GameState()
        for event in play(chance, rules, deal(chance), wishes=noise):
            state = evolve(state, event)
            dealt = len(state.roles) == len(SEATS)
            others = state.but(roles={seat: state.roles[11 - seat] for seat in SEATS}) if dealt else state
            for now_s in moments(state):
                hears = routes(state, now_s)
                public = {seat for seat in SEATS if all(seat in hears[other] for other in SEATS if other != seat)}
                assert hears[GALLERY] == public == routes(others, now_s)[GALLERY]
                assert not (hears[GALLERY] and state.step is not None and state.step.kind in NIGHT)
                heard_somebody += bool(public)
            seen = view(state, GALLERY)
            assert not any((seen.role, seen.mates, seen.ballot, seen.lift_ballot, seen.shot, seen.checks))
            assert seen.motion is None or set(seen.motion.votes) <= {seen.motion.by}
            assert seen == view(others, GALLERY)
    assert heard_somebody > 100
