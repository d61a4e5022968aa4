"""Given / when / then for the rules engine: ten scripted seats in virtual time.

    game = given(gone=(10, 1))              # night 1 shot seat 10, day 1 voted out seat 1
    game.until(StepKind.BALLOT)             # everybody silent, the clock runs
    game.votes({2: 3, 5: 3})
    assert game.last(PlayerLeft).seat == 3

Default deal: the Don is 1, the mafiosi are 2 and 3, the Sheriff is 4, all others are citizens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from moderator import commands as c
from moderator import engine
from moderator.commands import Command
from moderator.events import Event, StepCalled
from moderator.model import SEATS, Refusal, RefusalCode, Role, Seat, Step, StepKind, Team
from moderator.rules import Rules
from moderator.state import GameState

ROLES: dict[Seat, Role] = {1: Role.DON, 2: Role.MAFIOSO, 3: Role.MAFIOSO, 4: Role.SHERIFF} | dict.fromkeys(
    range(5, 11), Role.CIVILIAN
)
Kind = TypeVar("Kind")


class Game:
    """A game and its clock. `now` is the moment at which the next command is spoken."""

    def __init__(self, rules: Rules, roles: Mapping[Seat, Role]) -> None:
        self.rules, self.state, self.log, self.now = rules, GameState(), list[Event](), 0.0
        self.give(c.Deal(at=0, game="test", rules=rules, roles=dict(roles)))

    # --- when -------------------------------------------------------------------------------------

    def give(self, command: Command) -> list[Event] | Refusal:
        result = engine.decide(self.state, command)
        if not isinstance(result, Refusal):
            for event in result:
                self.state = engine.evolve(self.state, event)
            self.log += result
            self.now = max(self.now, self.state.at)
        return result

    def do(self, command: type[Any], seat: Seat, **facts: Any) -> list[Event] | Refusal:
        return self.give(command(at=facts.pop("at", self.now), seat=seat, **facts))

    def accept(self, command: type[Any], seat: Seat, **facts: Any) -> list[Event]:
        result = self.do(command, seat, **facts)
        assert not isinstance(result, Refusal), f"{command.__name__} of {seat}: {result}"
        return result

    def refused(self, command: type[Any], seat: Seat, **facts: Any) -> RefusalCode:
        result = self.do(command, seat, **facts)
        assert isinstance(result, Refusal), f"{command.__name__} of {seat} gave {result}"
        assert result.seat == seat
        return result.code

    def open(self) -> None:
        """The call has been heard."""
        if self.state.step is not None and self.state.step.opened_at is None:
            self.give(c.Open(at=self.now))

    def wait(self, seconds: float) -> None:
        """Time passes, with a tick at each deadline."""
        end = self.now + seconds
        while (due_at := engine.next_at(self.state)) is not None and due_at <= end:
            self.give(c.Tick(at=due_at))
        self.now = max(self.now, end)

    def pass_step(self) -> None:
        """The current step is opened and runs out."""
        self.open()
        called = self.count(StepCalled)
        while not self.state.over and self.count(StepCalled) == called:
            due_at = engine.next_at(self.state)
            assert due_at is not None
            self.give(c.Tick(at=due_at))

    def until(self, kind: StepKind, seat: Seat | None = None) -> Step:
        """Everybody silent until this step is open. Returns the step."""
        for _ in range(200):
            step = self.state.step
            assert step is not None, f"the game ended before {kind}"
            if step.kind is kind and seat in (None, step.seat):
                self.open()
                return self.step
            self.pass_step()
        raise AssertionError(f"{kind} does not come")

    def nominations(self, pairs: Iterable[tuple[Seat, Seat]]) -> None:
        """(by, target) of today, in the order of speech; everybody else passes."""
        for by, target in pairs:
            self.until(StepKind.SPEECH, by)
            self.accept(c.Nominate, by, target=target)
            self.accept(c.EndSpeech, by)

    def nominated(self, *targets: Seat) -> Game:
        """The next speakers nominate these, one each; then the ballot is open."""
        self.until(StepKind.SPEECH)
        assert self.step.seat is not None
        self.nominations(zip((self.step.seat, *self.state.speeches), targets, strict=False))
        self.until(StepKind.BALLOT)
        return self

    def votes(self, votes: Mapping[Seat, Seat]) -> None:
        """These vote, the others do not answer."""
        self.until(StepKind.BALLOT)
        for seat, target in votes.items():
            self.accept(c.Vote, seat, target=target)
        self._run_out(StepKind.BALLOT)

    def lift(self, votes: Mapping[Seat, bool]) -> None:
        self.until(StepKind.LIFT)
        for seat, lift in votes.items():
            self.accept(c.LiftVote, seat, lift=lift)
        self._run_out(StepKind.LIFT)

    def shots(self, shots: Mapping[Seat, Seat]) -> None:
        """The night from here to the morning."""
        self.until(StepKind.SHOTS)
        for seat, target in shots.items():
            self.accept(c.Shoot, seat, target=target)
        for _ in (StepKind.SHOTS, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK):
            self.pass_step()

    def shot(self, victim: Seat | None) -> None:
        """All living mafiosi shoot at `victim`; None: nobody shoots."""
        mafia = [seat for seat in self.state.alive if self.state.roles[seat].team is Team.MAFIA]
        self.shots(dict.fromkeys(mafia, victim) if victim is not None else {})

    def voted_out(self, seat: Seat | None) -> None:
        """The only candidate of a day after the first leaves; None: nobody is nominated."""
        speaker = self.until(StepKind.SPEECH).seat
        if seat is not None and speaker is not None:
            self.nominations([(speaker, seat)])
        day = self.state.day
        while self.state.step is not None and self.state.step.kind is StepKind.SPEECH and self.state.day == day:
            self.pass_step()

    def _run_out(self, kind: StepKind) -> None:
        if self.state.step is not None and self.state.step.kind is kind and self.state.step.opened_at is not None:
            self.pass_step()

    # --- then -------------------------------------------------------------------------------------

    @property
    def step(self) -> Step:
        assert self.state.step is not None
        return self.state.step

    def all(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.log if isinstance(event, kind)]

    def last(self, kind: type[Kind]) -> Kind:
        return self.all(kind)[-1]

    def count(self, kind: type[Any]) -> int:
        return len(self.all(kind))

    def called(self, *kinds: StepKind) -> list[Step]:
        """The steps of these kinds that were called, in order."""
        return [event.step for event in self.all(StepCalled) if not kinds or event.step.kind in kinds]


def given(
    *, gone: Iterable[Seat | None] = (), rules: Rules | None = None, roles: Mapping[Seat, Role] = ROLES, **options: Any
) -> Game:
    """A game after these departures: shot in night 1, voted out on day 1, shot in night 2, ... None: nobody.

    Without any it has just been dealt; `options` are fields of `Rules`.
    """
    game = Game(rules or Rules(**options), roles)
    for number, seat in enumerate(gone):
        if number % 2 == 0:
            game.shot(seat)
        else:
            game.voted_out(seat)
    return game


def silent(**options: Any) -> Game:
    """A whole game in which nobody ever says a word."""
    game = given(**options)
    while not game.state.over:
        game.pass_step()
    return game


def split(game: Game, *shares: tuple[Seat, int]) -> dict[Seat, Seat]:
    """Ballots of the living in seat order: (target, how many), ..."""
    targets = [target for target, count in shares for _ in range(count)]
    return dict(zip(game.state.alive, targets, strict=False))


TOWN = tuple(seat for seat in SEATS if ROLES[seat].team is Team.TOWN)
MAFIA = tuple(seat for seat in SEATS if ROLES[seat].team is Team.MAFIA)
