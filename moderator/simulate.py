"""Games without voices: random legal play through the engine alone, for properties and figures."""

from collections import Counter
from collections.abc import Callable
from random import Random

from moderator import engine
from moderator.commands import (
    Absent,
    Check,
    Command,
    Credit,
    Deal,
    EndSpeech,
    GiveCrown,
    GiveSignal,
    GiveTestament,
    GiveUp,
    Interpellate,
    LiftVote,
    Move,
    Nominate,
    Notice,
    Open,
    Remove,
    Resume,
    Return,
    Shoot,
    Stop,
    Suspend,
    Tick,
    Vote,
    VoteMotion,
    Warn,
)
from moderator.events import Event, GameEnded
from moderator.invariants import Invariants
from moderator.model import SEATS, MotionKind, Offence, Refusal, Role, Seat, StepKind, Team
from moderator.rules import Rules
from moderator.state import GameState

ROLES = (Role.DON, Role.MAFIOSO, Role.MAFIOSO, Role.SHERIFF, *[Role.CIVILIAN] * 6)


def deal(chance: Random) -> dict[Seat, Role]:
    roles = list(ROLES)
    chance.shuffle(roles)
    return dict(zip(SEATS, roles, strict=True))


INCIDENTS = 0.02
"""... in so many of the steps."""
DEPARTURES = 0.05

Watch = Callable[[Command, list[Event] | Refusal, GameState], None]
Wishes = Callable[[GameState, Random], list[Command]]


def play(
    chance: Random, rules: Rules, roles: dict[Seat, Role], watch: Watch | None = None, wishes: Wishes | None = None
) -> list[Event]:
    """One game to its end. `watch` sees each command, its answer and the state after it.

    `wishes` says what is wished for in each open step; the default is what players do.
    """
    state, log = GameState(), list[Event]()

    def give(command: Command) -> None:
        nonlocal state
        result = engine.advance(state, command)
        if not isinstance(result, Refusal):
            state = result.state
            log.extend(result.events)
        if watch is not None:
            watch(command, result if isinstance(result, Refusal) else result.events, state)

    give(Deal(at=0, game="simulated", rules=rules, roles=roles))
    while not state.over:
        if state.step is not None and state.step.opened_at is None:
            give(Open(at=state.at + 1))
        for command in (wishes or legal_wishes)(state, chance):
            give(command)
        due_at = engine.next_at(state)
        if due_at is not None:
            give(Tick(at=due_at))
    return log


def legal_wishes(state: GameState, chance: Random) -> list[Command]:
    """What players might say now: mostly legal, some of it in vain (a name already on the list), some missing."""
    step, at = state.step, state.at + 1
    if step is None:
        return []

    def anyone() -> Seat:
        return chance.choice(state.alive)

    if (incident := _incident(state, chance, at)) is not None:
        return incident
    match step.kind:
        case StepKind.SPEECH if step.seat is not None:
            said: list[Command] = [Nominate(at=at, seat=step.seat, target=anyone())] if chance.random() < 0.5 else []
            if chance.random() < 0.05:
                said.append(Interpellate(at=at, seat=anyone()))
            return [*said, EndSpeech(at=at + 1, seat=step.seat)] if chance.random() < 0.8 else said
        case StepKind.SPLIT_SPEECH if step.seat is not None:
            return [EndSpeech(at=at, seat=step.seat)]
        case StepKind.FAREWELL if step.seat is not None:
            named = tuple(chance.sample(SEATS, chance.randint(0, 4)))
            return [
                GiveTestament(at=at, seat=step.seat, suspects=named),
                GiveCrown(at=at, seat=step.seat, to=anyone()),
                EndSpeech(at=at, seat=step.seat),
            ]
        case StepKind.BALLOT:
            voters = [seat for seat in state.alive if chance.random() < 0.95]
            return [Vote(at=at, seat=seat, target=chance.choice(step.candidates)) for seat in voters]
        case StepKind.LIFT:
            return [LiftVote(at=at, seat=seat, lift=chance.random() < 0.5) for seat in state.alive]
        case StepKind.SHOTS:
            agreed = anyone()
            mafia = [seat for seat in state.alive if state.roles[seat].team is Team.MAFIA]
            return [Shoot(at=at, seat=seat, target=agreed if chance.random() < 0.9 else anyone()) for seat in mafia]
        case StepKind.DON_CHECK | StepKind.SHERIFF_CHECK:
            role = Role.DON if step.kind is StepKind.DON_CHECK else Role.SHERIFF
            return [Check(at=at, seat=seat, target=anyone()) for seat in state.alive if state.roles[seat] is role]
        case _:
            return []


def _incident(state: GameState, chance: Random, at: float) -> list[Command] | None:
    """Now and then somebody breaks off the ordinary course: motions, gestures, lost lines, departures."""
    if chance.random() > INCIDENTS or state.suspended_at is not None:
        return None
    seat, other = chance.choice(state.alive), chance.choice(SEATS)
    incidents: list[Command] = [
        Absent(at=at, seat=seat),
        GiveSignal(at=at, seat=seat, signal=chance.choice(state.rules.signals).name),
        Warn(at=at, seat=other),
        Notice(at=at, seat=other, offences=(chance.choice(tuple(Offence)),)),
        *(Move(at=at, seat=seat, kind=kind, accused=other) for kind in MotionKind),
        Suspend(at=at),
        Credit(at=at, seconds=2),
    ]
    if chance.random() < DEPARTURES:
        incidents = [GiveUp(at=at, seat=seat), Remove(at=at, seat=other), Stop(at=at, culprit=seat)]
    chosen = chance.choice(incidents)
    match chosen:
        case Suspend():
            return [chosen, Resume(at=at + 3)]
        case Absent() if chance.random() < 0.7:
            return [chosen, Return(at=at + 3, seat=seat)]
        case Move() | GiveSignal():
            voters = [voter for voter in state.alive if chance.random() < 0.95]
            return [chosen, *(VoteMotion(at=at + 1, seat=voter, yes=chance.random() < 0.6) for voter in voters)]
        case _:
            return [chosen]


def simulate(games: int, seed: int, rules: Rules | None = None, check: bool = False) -> dict[str, object]:
    """`games` whole games; the same seed gives the same games. Returns counts, without the time they took.

    `check`: every invariant is looked at after every command; raises `Broken`.
    """
    rules = rules or Rules()
    winners: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    events = 0
    for number in range(games):
        chance = Random(f"{seed}:{number}")
        log = play(chance, rules, deal(chance), Invariants().watch if check else None)
        end = next(event for event in reversed(log) if isinstance(event, GameEnded))
        winners[end.winner.value if end.winner else "nobody"] += 1
        reasons[end.reason] += 1
        events += len(log)
    return {"games": games, "events": events, "winners": dict(winners), "reasons": dict(reasons)}
