"""What holds in every game, whatever is said in it: over hundreds of random games under all kinds of rules."""

from random import Random
from typing import get_args

import pytest
from engine_kit import silent
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from moderator import commands as c
from moderator import mgn
from moderator.commands import Command
from moderator.engine import advance, decide, evolve, next_at, replay
from moderator.events import Event, GameEnded
from moderator.invariants import Broken, Invariants
from moderator.model import SEATS, MotionKind, Refusal, RefusalCode, StepKind
from moderator.rules import Rules
from moderator.simulate import deal, legal_wishes, play, simulate
from moderator.state import GameState

COMMAND: TypeAdapter[Command] = TypeAdapter(Command)
EVENT: TypeAdapter[Event] = TypeAdapter(Event)

TABLES = (
    Rules(),
    Rules(name="turbo", speech_s=25, split_s=12, farewell_s=25, ballot_s=8, lift_s=8, check_s=7),
    Rules(name="club", day_zero="talk", night_killed_nominates=True, withdrawal="replace", fouls_remove_at=4),
    Rules(name="strict", day_zero="none", withdrawal="none", ballot_closes_early=False, shot_player_checks=False),
    Rules(name="wide", day_zero="lift_only", lift_three_of_nine=True, lift_two_of_four=False, final_speech=True),
    Rules(name="hasty", interpellation_pauses=False, greeting_s=0, quiet_rounds=1, lost_speech_nominate_s=0),
    Rules(
        name="other",
        ballots="open",
        lift_default="for",
        lift_tests_win="after_each",
        checks_after_last_shot=False,
        suspects_may_be_out=False,
        fouls_a_speech=1,
        technical_fouls_remove_at=1,
        technical_foul_needs="unanimous",
        disqualification_needs="majority",
        motions_a_day=3,
        reconnection_pauses=100,
        away_s=5,
        reconnection_pause_s=20,
        stalemate="town_at_four",
    ),
)
"""Between them every choice of a rule that is not a number is made."""


def noise(state: GameState, chance: Random) -> list[Command]:
    """What players do, and now and then anything at all from anybody, early or late."""
    wishes = legal_wishes(state, chance)
    for _ in range(chance.randint(0, 3)):
        at = max(0.0, state.at + chance.uniform(-5, 70 if chance.random() < 0.1 else 3))
        seat, target = chance.choice(SEATS), chance.choice(SEATS)
        wish = chance.choice(
            (
                c.Open(at=at),
                c.Tick(at=at),
                c.Credit(at=at, seconds=3),
                c.EndSpeech(at=at, seat=seat),
                c.Nominate(at=at, seat=seat, target=target),
                c.Withdraw(at=at, seat=seat),
                c.Vote(at=at, seat=seat, target=target),
                c.LiftVote(at=at, seat=seat, lift=True),
                c.GiveTestament(at=at, seat=seat, suspects=(target, seat, target)),
                c.GiveCrown(at=at, seat=seat, to=target),
                c.Shoot(at=at, seat=seat, target=target),
                c.Check(at=at, seat=seat, target=target),
                c.Interpellate(at=at, seat=seat),
                c.Warn(at=at, seat=seat),
                c.Move(at=at, seat=seat, kind=chance.choice(list(MotionKind)), accused=target),
                c.VoteMotion(at=at, seat=seat, yes=True),
                c.GiveSignal(at=at, seat=seat, signal=chance.choice(("agree", "mockery", "none such"))),
                c.Absent(at=at, seat=seat),
                c.Return(at=at, seat=seat),
                c.SetOrder(at=at, order=(seat, target)),
                c.GiveUp(at=at, seat=seat) if chance.random() < 0.05 else c.Tick(at=at),
                c.Remove(at=at, seat=seat) if chance.random() < 0.05 else c.Tick(at=at),
                c.Stop(at=at, culprit=chance.choice((seat, None))) if chance.random() < 0.02 else c.Tick(at=at),
            )
        )
        wishes.insert(chance.randint(0, len(wishes)), wish)
    if chance.random() < 0.05:
        wishes += [c.Suspend(at=state.at + 1), c.Interpellate(at=state.at + 2, seat=1), c.Resume(at=state.at + 60)]
    return wishes


@pytest.mark.parametrize("seed", range(50))
def test_what_holds_in_seven_random_games(seed: int) -> None:
    """350 games in all: 50 under each of seven tables' rules."""
    for number, rules in enumerate(TABLES):
        chance = Random(f"{seed}:{number}")
        witness = Invariants()
        log = play(chance, rules, deal(chance), witness.watch, noise)
        assert log == witness.log
        assert [event.at for event in log] == sorted(event.at for event in log)
        assert [event.type for event in log[-3:]] == ["game_ended", "roles_revealed", "scored"]
        assert sum(isinstance(event, GameEnded) for event in log) == 1
        assert replay(log) == (witness.state, len(log), None)
        if seed % 5 == 0:
            assert mgn.read(mgn.write(log)) == log
        _ticks_alone_end_it(replay(log[: chance.randrange(1, len(log))]).state)


def test_nothing_breaks_in_six_hundred_and_fifty_more_games() -> None:
    """A thousand with those above; `moderator simulate --games 20000 --check` plays more."""
    assert simulate(650, 2024, check=True)["games"] == 650


def test_a_contradiction_is_named() -> None:
    """The watch that all these games pass can fail."""
    opening = c.Deal(at=0, game="g", rules=Rules(), roles=deal(Random(1)))
    advanced = advance(GameState(), opening)
    assert not isinstance(advanced, Refusal)
    with pytest.raises(Broken, match="deal: the stored log gives the same state"):
        Invariants().watch(opening, advanced.events, advanced.state.but(day=9))
    with pytest.raises(Broken, match="role_dealt: fits: seat 1 has a role"):
        Invariants().watch(opening, [*advanced.events[:2], advanced.events[1]], advanced.state)
    with pytest.raises(Broken, match="deal: a refusal changes nothing"):
        Invariants().watch(opening, Refusal(code=RefusalCode.OVER), advanced.state)


def _ticks_alone_end_it(state: GameState) -> None:
    """From any moment on: a table that falls silent reaches the end of the game."""
    if state.suspended_at is not None or (state.step is None and not state.over):
        return
    for _ in range(2000):
        due_at = next_at(state)
        if due_at is None:
            break
        result = decide(state, c.Tick(at=due_at))
        assert isinstance(result, list)
        assert result, "a due tick does something"
        for event in result:
            state = evolve(state, event)
    assert state.over


@pytest.mark.parametrize("rules", TABLES, ids=lambda rules: str(rules.name))
def test_ten_silent_players_reach_the_end(rules: Rules) -> None:
    game = silent(rules=rules)
    assert game.last(GameEnded).reason == "quiet_draw"


def test_decide_is_pure() -> None:
    states: list[GameState] = []
    play(Random(5), Rules(), deal(Random(5)), lambda *seen: states.append(seen[2]))
    for state in states[::7]:
        before = state.model_dump()
        tick = c.Tick(at=(next_at(state) or 0) + 1)
        assert decide(state, tick) == decide(state, tick)
        assert state.model_dump() == before


values = (
    st.none() | st.booleans() | st.integers(-1, 12) | st.floats() | st.text(max_size=4) | st.lists(st.integers(0, 11))
)
keys = st.sampled_from(["at", "seat", "target", "suspects", "to", "lift", "seconds", "roles", "rules", "game", "x"])
types = st.sampled_from([kind.model_fields["type"].default for kind in get_args(get_args(Command)[0])])
MIDGAME = replay(play(Random(3), Rules(), deal(Random(3)))[:120]).state


@settings(max_examples=150, deadline=None)
@given(raw=values | st.builds(lambda kind, rest: {**rest, "type": kind}, types, st.dictionaries(keys, values)))
def test_junk_is_a_clean_error_or_a_command_that_is_answered(raw: object) -> None:
    try:
        command = COMMAND.validate_python(raw)
    except ValidationError:
        return
    for state in (GameState(), MIDGAME):
        assert isinstance(decide(state, command), list | Refusal)


@given(text=st.text(max_size=60) | st.binary(max_size=60))
def test_junk_json_is_a_clean_error(text: str | bytes) -> None:
    with pytest.raises(ValidationError):
        COMMAND.validate_json(text)


moments = st.floats(0, 1.7e308) | st.floats(1000, 3000)
seats = st.integers(1, 10)


@settings(max_examples=150, deadline=None)
@given(
    command=st.one_of(
        st.builds(c.Tick, at=moments),
        st.builds(c.Open, at=moments),
        st.builds(c.Suspend, at=moments),
        st.builds(c.Credit, at=moments, seconds=st.floats(0, 600)),
        st.builds(c.Vote, at=moments, seat=seats, target=seats),
        st.builds(c.Shoot, at=moments, seat=seats, target=seats),
        st.builds(c.Check, at=moments, seat=seats, target=seats),
        st.builds(c.Interpellate, at=moments, seat=seats),
        st.builds(c.GiveTestament, at=moments, seat=seats, suspects=st.lists(seats).map(tuple)),
        st.builds(c.GiveCrown, at=moments, seat=seats, to=seats),
    )
)
def test_any_command_is_answered_in_any_state(command: Command) -> None:
    for state in STATES:
        assert isinstance(decide(state, command), list | Refusal)


def _states() -> list[GameState]:
    """One state of each step, before and after its opening."""
    found: dict[tuple[StepKind, bool], GameState] = {}

    def keep(command: Command, result: list[Event] | Refusal, state: GameState) -> None:
        if state.step is not None:
            found.setdefault((state.step.kind, state.step.opened_at is None), state)

    for seed in range(20):
        play(Random(seed), Rules(), deal(Random(seed)), keep)
    return list(found.values())


STATES = _states()


def test_every_step_is_among_the_states_looked_at() -> None:
    assert {state.step.kind for state in STATES if state.step is not None} == set(StepKind)


def test_the_same_seed_gives_the_same_games() -> None:
    first = simulate(5, 11)
    assert first == simulate(5, 11) != simulate(5, 12)
    assert first["games"] == 5
