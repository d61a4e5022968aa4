"""Who may know what: audiences, redaction, views."""

import hashlib
from random import Random
from typing import get_args

import pytest
from engine_kit import MAFIA, given

from moderator import commands as c
from moderator.commands import Command
from moderator.engine import decide, evolve
from moderator.events import (
    BallotCast,
    DealSealed,
    DonChecked,
    Event,
    GameEnded,
    LiftCast,
    MotionVoteCast,
    PlayerLeft,
    RoleDealt,
    RolesRevealed,
    Scored,
    SheriffChecked,
    ShotFired,
)
from moderator.model import SEATS, Phase, Refusal, Role, Seat, StepKind
from moderator.rules import Rules
from moderator.seal import seal, sealed_text
from moderator.simulate import deal, play
from moderator.state import GameState
from moderator.view import audience, redact, targets, view

PRIVATE = {RoleDealt, BallotCast, LiftCast, MotionVoteCast, ShotFired, DonChecked, SheriffChecked}
EVENTS: tuple[type, ...] = get_args(get_args(Event)[0])


def test_exactly_these_events_are_private_to_their_seat() -> None:
    log = [event for seed in range(20) for event in play(Random(seed), Rules(), deal(Random(seed)))]
    for event in log:
        to = audience(event)
        if type(event) in PRIVATE:
            assert to == frozenset({event.model_dump()["seat"]})
        else:
            assert to is None
    assert {type(event) for event in log} >= PRIVATE


def test_no_public_event_holds_a_role_before_the_end() -> None:
    public = [kind for kind in EVENTS if kind not in PRIVATE]
    telling = {kind.__name__ for kind in public if "role" in repr(getattr(kind, "model_fields", {})).lower()}
    assert telling == {"RolesRevealed"}


def test_the_seal_of_the_deal_is_for_all_and_its_salt_for_nobody() -> None:
    roles, salt = deal(Random(1)), "0f" * 16
    dealt = decide(GameState(), c.Deal(at=0, game="sealed", rules=Rules(), roles=roles, salt=salt))
    assert not isinstance(dealt, Refusal)
    state = GameState()
    for event in dealt:
        state = evolve(state, event)
    (sealed,) = (event for event in dealt if isinstance(event, DealSealed))
    assert audience(sealed) == frozenset()
    for seat in (0, *SEATS):
        assert (
            view(state, seat).seal == seal(roles, salt) == hashlib.sha256(sealed_text(roles, salt).encode()).hexdigest()
        )
        assert salt not in view(state, seat).model_dump_json()
        assert salt not in "".join(event.model_dump_json() for event in redact(dealt, seat))
    assert seal(deal(Random(2)), salt) != seal(roles, salt) != seal(roles, "f0" * 16)


def test_redact_leaves_the_public_facts_and_ones_own() -> None:
    game = given()
    game.shots(dict.fromkeys(MAFIA, 10))
    seen = redact(game.log, 2)
    assert [event.seat for event in seen if isinstance(event, RoleDealt)] == [2]
    assert [event.seat for event in seen if isinstance(event, ShotFired)] == [2]
    assert sum(audience(event) is None for event in game.log) == len(seen) - 2


def test_a_view_holds_ones_own_secrets_only() -> None:
    game = given(gone=(10, 9))
    game.until(StepKind.SHOTS)
    game.accept(c.Shoot, 2, target=5)
    mafioso, citizen = view(game.state, 2), view(game.state, 5)
    assert (mafioso.role, mafioso.mates, mafioso.shot) == (Role.MAFIOSO, {1: Role.DON, 3: Role.MAFIOSO}, 5)
    assert (citizen.role, citizen.mates, citizen.shot) == (Role.CIVILIAN, {}, None)
    assert citizen.alive == (1, 2, 3, 4, 5, 6, 7, 8)
    assert view(GameState(), 1).role is None


def test_a_view_holds_ones_own_ballots_and_checks() -> None:
    game = given().nominated(5, 6)
    game.accept(c.Vote, 7, target=5)
    assert (view(game.state, 7).ballot, view(game.state, 8).ballot) == (5, None)
    game.votes(dict.fromkeys((1, 2, 3, 4), 5))
    game.votes(dict.fromkeys((1, 2, 3, 4, 7), 5))
    game.until(StepKind.LIFT)
    game.accept(c.LiftVote, 7, lift=True)
    assert (view(game.state, 7).lift_ballot, view(game.state, 8).lift_ballot) == (True, None)
    game.until(StepKind.DON_CHECK)
    game.accept(c.Check, 1, target=4)
    assert [view(game.state, seat).checks for seat in (1, 2, 4)] == [{4: True}, {}, {}]


# --- what a step allows ---------------------------------------------------------------------------


def test_targets_are_whom_the_seat_may_name_now() -> None:
    game = given(gone=(10,))
    game.until(StepKind.SPEECH, 2)
    assert targets(game.state, 2) == (1, 2, 3, 4, 5, 6, 7, 8, 9)
    assert targets(game.state, 3) == ()
    game.nominations([(2, 5)])
    game.until(StepKind.SPEECH, 3)
    assert targets(game.state, 3) == (1, 2, 3, 4, 6, 7, 8, 9)
    game.nominations([(3, 6)])
    game.until(StepKind.BALLOT)
    assert targets(game.state, 9) == (5, 6)
    game.accept(c.Vote, 9, target=5)
    assert targets(game.state, 9) == targets(game.state, 10) == ()
    game.votes({})
    game.until(StepKind.SHOTS)
    assert targets(game.state, 1) == game.state.alive
    assert targets(game.state, 4) == ()
    game.until(StepKind.SHERIFF_CHECK)
    assert targets(game.state, 4) == (1, 2, 3, 5, 6, 7, 8, 9, 10)


def test_before_a_step_is_open_and_where_nobody_is_named_there_are_no_targets() -> None:
    game = given()
    assert targets(game.state, 1) == ()
    game.until(StepKind.MEETING)
    assert targets(game.state, 1) == ()


# --- two worlds -----------------------------------------------------------------------------------


def in_other_world(script: list[Command], swap: dict[Seat, Seat], same_team: bool) -> list[Event]:
    """The same game with two seats' roles exchanged: what the role of one did at night, the other does.

    Two mafiosi both shoot in both worlds; only the Don's check changes hands between them.
    """
    exchanged = c.Check if same_team else c.Shoot | c.Check
    state, log = GameState(), list[Event]()
    for command in script:
        if isinstance(command, c.Deal):
            roles = {seat: command.roles[swap.get(seat, seat)] for seat in SEATS}
            command = command.model_copy(update={"roles": roles})
        elif isinstance(command, exchanged):
            command = command.model_copy(update={"seat": swap.get(command.seat, command.seat)})
        result = decide(state, command)
        for event in [] if isinstance(result, Refusal) else result:
            state = evolve(state, event)
            log.append(event)
    return log


def told(log: list[Event], seat: Seat, swap: dict[Seat, Seat], same_team: bool) -> list[Event]:
    """What the seat has learned as long as both worlds can be one: until the end, or until one of the two leaves."""
    events: list[Event] = []
    for event in redact(log, seat):
        if isinstance(event, RolesRevealed | Scored) or (isinstance(event, GameEnded) and event.culprit is not None):
            break  # the end tells the team of a culprit
        events.append(event)
        if not same_team and isinstance(event, PlayerLeft) and event.seat in swap:
            break
    return events


@pytest.mark.parametrize("seed", range(24))
def test_two_worlds_that_a_seat_cannot_tell_apart_look_the_same_to_the_second(seed: int) -> None:
    chance = Random(seed)
    script: list[Command] = []
    states: list[GameState] = []
    rules = Rules(shot_player_checks=seed % 2 == 0, day_zero=chance.choice(["standard", "talk", "lift_only"]))

    def record(command: Command, result: list[Event] | Refusal, state: GameState) -> None:
        script.append(command)
        states.append(state)

    log = play(chance, rules, deal(chance), record)
    roles, checks = states[-1].roles, states[-1].checks
    compared = 0
    for seat in SEATS:
        knows = {target for by, target, _ in checks if by == seat} | {seat}
        if roles[seat].team == "mafia":
            knows |= {other for other in SEATS if roles[other].team == "mafia"}
        unknown = [other for other in SEATS if other not in knows]
        pairs = [(x, y) for x in unknown for y in unknown if x < y and roles[x] != roles[y]]
        if not pairs:
            continue
        x, y = chance.choice(pairs)
        swap, same_team = {x: y, y: x}, roles[x].team is roles[y].team
        other = in_other_world(script, swap, same_team)
        assert told(log, seat, swap, same_team) == told(other, seat, swap, same_team), (seat, swap)
        compared += 1
    assert compared >= 5


def test_views_before_the_deal_tell_nothing() -> None:
    assert view(GameState(), 3).phase is Phase.NEW
