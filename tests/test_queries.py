"""What may be asked at any time, over whole games of random play."""

from random import Random

from moderator.commands import Command
from moderator.events import Event
from moderator.model import SEATS, Refusal
from moderator.narration import Priority
from moderator.queries import Query, answer, how, recap
from moderator.rules import Rules
from moderator.simulate import deal, play
from moderator.state import GameState
from moderator.view import view


def test_every_state_has_an_answer_for_every_seat_and_it_is_for_that_seat_alone() -> None:
    asked = 0

    def watch(command: Command, _: list[Event] | Refusal, state: GameState) -> None:
        nonlocal asked
        seat = SEATS[asked % 10]
        mine = view(state, seat)
        for query in Query:
            said = answer(query, mine, state.rules, command.at)
            assert said
            assert all(
                cue.audience == frozenset({seat}) and cue.priority is Priority.LOW and cue.expires_s for cue in said
            )
        assert how(mine, state.rules)
        asked += 1

    for seed in range(4):
        chance = Random(seed)
        play(chance, Rules(), deal(chance), watch)
    assert asked > 500


def test_a_recap_is_the_same_whosever_view_it_is_made_from() -> None:
    """It is said aloud: nothing in it may be one seat's own."""

    def watch(command: Command, _: list[Event] | Refusal, state: GameState) -> None:
        told = {repr(recap(view(state, seat), state.rules, command.at)) for seat in SEATS}
        assert len(told) == 1
        assert all(cue.audience is None for cue in recap(view(state, 1), state.rules, command.at))

    chance = Random(1)
    play(chance, Rules(), deal(chance), watch)
