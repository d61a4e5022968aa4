"""The heart: a command comes in, events come out, events make the state.

    decide(state, command)  -> list[Event] | Refusal    what happens; pure, total, never raises on a player's input
    evolve(state, event)    -> GameState                what is so afterwards
    advance(state, command) -> Advanced | Refusal       both in one: the events and the state after them
    replay(events)          -> Replay                   the state of a stored game
    next_at(state)          -> float | None             when the next `Tick` will do something

The table is always in one step (a speech, a ballot, the shots, ...), until the game is over. A step is called,
opened when its call has been heard, and closed by the clock or by those it waits for; `moderator.flow` knows
what follows. Time, chance and words come from outside, as data.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from moderator import acts, commands, conduct, flow
from moderator.commands import Command, Credit, Deal, Open, Resume, SeatCommand, Suspend, Tick
from moderator.draft import Draft
from moderator.events import (
    DealSealed,
    Event,
    GameOpened,
    Resumed,
    RoleDealt,
    Suspended,
    TimeCredited,
    TimeWarned,
)
from moderator.evolve import evolve
from moderator.integrity import misfit
from moderator.model import SEATS, Phase, Refusal, RefusalCode, Role, Step, StepKind, Team
from moderator.seal import seal
from moderator.state import GameState

__all__ = ["Advanced", "Replay", "advance", "decide", "evolve", "next_at", "replay"]

DEALT = Counter({Role.CIVILIAN: 6, Role.MAFIOSO: 2, Role.DON: 1, Role.SHERIFF: 1})


def decide(state: GameState, command: Command) -> list[Event] | Refusal:
    """The events to store, in order (none: nothing changes), or why the command changes nothing."""
    advanced = advance(state, command)
    return advanced if isinstance(advanced, Refusal) else advanced.events


class Advanced(NamedTuple):
    events: list[Event]
    state: GameState


def advance(state: GameState, command: Command) -> Advanced | Refusal:
    """What `decide` answers, and the state that `evolve` makes of it."""
    draft = Draft(state, command.at)
    refused = _barred(state, command) or _ANSWERS[type(command)](draft, command)
    if refused is not None:
        return Refusal(code=refused, seat=command.seat if isinstance(command, SeatCommand) else None)
    return Advanced(draft.events, draft.state)


class Replay(NamedTuple):
    """The first `applied` events gave `state`; `error` says what is wrong with the next one, None: all were applied."""

    state: GameState
    applied: int
    error: str | None


def replay(events: Iterable[Event]) -> Replay:
    """The state of a stored game; of a damaged log, that of its valid prefix."""
    state, applied = GameState(), 0
    for event in events:
        if fault := misfit(state, event):
            return Replay(state, applied, f"event {applied} ({event.type}): {fault}")
        state, applied = evolve(state, event), applied + 1
    return Replay(state, applied, None)


def next_at(state: GameState) -> float | None:
    """The game second of the next deadline; None while no clock runs (before the deal, suspended, over)."""
    due = _due(state)
    return None if due is None else due[0]


def _due(state: GameState) -> tuple[float, Callable[[Draft], None]] | None:
    """The next deadline and what it does; of several at once, in this order."""
    step = state.step
    if step is None:
        return None
    if state.suspended_at is not None and state.pause is None:
        return None
    if state.pause is None and not state.absent:
        return _step_due(state, step)
    dues: list[tuple[float, Callable[[Draft], None]]] = []
    if state.pause is not None:
        dues.append((state.pause[1], conduct.end_pause))
    for seat, removed_at in state.absent.items():
        dues.append((removed_at, partial(conduct.end_absence, seat=seat)))
    if state.suspended_at is None:
        dues.append(_step_due(state, step))
    return min(dues, key=itemgetter(0))


def _step_due(state: GameState, step: Step) -> tuple[float, Callable[[Draft], None]]:
    """What interrupts a step ends before it: its own end has moved by as much, or comes at the same moment."""
    if step.ends_at is None:
        return step.called_at + state.rules.open_within_s, flow.open_step
    if state.motion is not None:
        return state.motion.ends_at, conduct.decide_motion
    if state.interpellation is not None and state.interpellation[1] <= step.ends_at:
        return state.interpellation[1], flow.close_interpellation
    if _to_warn(state, step):
        return step.ends_at - state.rules.warn_s, _warn
    return step.ends_at, flow.time_over


def _warn(draft: Draft) -> None:
    step = draft.state.step
    assert step is not None and step.seat is not None and step.ends_at is not None
    if draft.at >= step.ends_at:  # the clock was late: the end comes at once
        flow.time_over(draft)
    else:
        draft.add(TimeWarned(at=draft.at, seat=step.seat, left_s=step.ends_at - draft.at))


def _to_warn(state: GameState, step: Step) -> bool:
    """Once a speech, and not when it is shorter than two warnings: it would come before the speaker got going."""
    warn_s = state.rules.warn_s
    return step.kind.spoken and not state.warned and 0 < 2 * warn_s <= step.duration_s


_WHILE_SUSPENDED = Resume | Suspend | commands.Absent | commands.Return | commands.Stop


def _barred(state: GameState, command: Command) -> RefusalCode | None:
    """What stands before any rule: the game is not on, or the seat is not in it."""
    if isinstance(command, Deal):
        return None if state.phase is Phase.NEW else RefusalCode.ALREADY_STARTED
    if state.phase is Phase.NEW:
        return RefusalCode.NOT_STARTED
    if state.over:
        return RefusalCode.OVER
    if state.suspended_at is not None and not isinstance(command, _WHILE_SUSPENDED):
        return None if isinstance(command, Tick) and state.pause is not None else RefusalCode.SUSPENDED
    if isinstance(command, SeatCommand) and command.seat not in state.alive:
        step = state.step
        leaving = step is not None and step.kind is StepKind.FAREWELL and step.seat == command.seat
        return None if leaving else RefusalCode.NOT_ALIVE
    return None


def _deal(draft: Draft, command: Deal) -> RefusalCode | None:
    if set(command.roles) != set(SEATS) or Counter(command.roles.values()) != DEALT:
        return RefusalCode.BAD_DEAL
    draft.add(GameOpened(at=draft.at, game=command.game, rules=command.rules))
    if command.salt:
        draft.add(DealSealed(at=draft.at, seal=seal(command.roles, command.salt), salt=command.salt))
    mafia = {seat: role for seat, role in sorted(command.roles.items()) if role.team is Team.MAFIA}
    for seat in SEATS:
        mates = {mate: role for mate, role in mafia.items() if mate != seat} if seat in mafia else {}
        draft.add(RoleDealt(at=draft.at, seat=seat, role=command.roles[seat], mates=mates))
    flow.call(draft, StepKind.DEAL, command.rules.deal_s)
    return None


def _open(draft: Draft, command: Open) -> None:
    """A confirmation that is older than the call belongs to a step before."""
    step = draft.state.step
    if step is not None and step.opened_at is None and command.at >= step.called_at:
        flow.open_step(draft)


def _tick(draft: Draft, command: Tick) -> None:
    """Everything that is due by now, in order."""
    while (due := _due(draft.state)) is not None and due[0] <= draft.at:
        due[1](draft)


def _credit(draft: Draft, command: Credit) -> None:
    step = draft.state.step
    if step is not None and step.ends_at is not None and command.seconds > 0:
        draft.add(TimeCredited(at=draft.at, seconds=command.seconds, ends_at=step.ends_at + command.seconds))


def _suspend(draft: Draft, command: Suspend) -> None:
    if draft.state.pause is not None:  # the service stands still: that is no time for anybody to come back in
        conduct.end_pause(draft)
    if draft.state.suspended_at is None:
        draft.add(Suspended(at=draft.at))


def _resume(draft: Draft, command: Resume) -> None:
    if draft.state.suspended_at is not None:
        draft.add(Resumed(at=draft.at, pause_s=draft.at - draft.state.suspended_at))


_ANSWERS: dict[type, Callable[[Draft, Any], RefusalCode | None]] = {
    Deal: _deal,
    Open: _open,
    Tick: _tick,
    Credit: _credit,
    Suspend: _suspend,
    Resume: _resume,
    commands.EndSpeech: acts.end_speech,
    commands.Nominate: acts.nominate,
    commands.Withdraw: acts.withdraw,
    commands.Vote: acts.vote,
    commands.LiftVote: acts.lift_vote,
    commands.GiveTestament: acts.give_testament,
    commands.GiveCrown: acts.give_crown,
    commands.Shoot: acts.shoot,
    commands.Check: acts.check,
    commands.Interpellate: conduct.interpellate,
    commands.Warn: conduct.warn,
    commands.Notice: conduct.notice,
    commands.Remove: conduct.remove,
    commands.Stop: conduct.stop,
    commands.SetOrder: conduct.set_order,
    commands.Absent: conduct.absent,
    commands.Return: conduct.come_back,
    commands.Move: conduct.move,
    commands.VoteMotion: conduct.vote_motion,
    commands.GiveSignal: conduct.give_signal,
    commands.GiveUp: conduct.give_up,
}
