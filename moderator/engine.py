"""The heart: a command comes in, events come out, events make the state.

    decide(state, command) -> list[Event] | Refusal     what happens; pure, total, never raises on a player's input
    evolve(state, event)   -> GameState                 what is so afterwards
    replay(events)         -> Replay                    the state of a stored game
    next_at(state)         -> float | None              when the next `Tick` will do something

Nothing happens outside a step (see `moderator.flow`). Time, chance and words come from outside, as data.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from moderator import flow
from moderator.commands import (
    Check,
    Command,
    Credit,
    Deal,
    EndSpeech,
    GiveCrown,
    GiveTestament,
    Interpellate,
    LiftVote,
    Nominate,
    Open,
    Resume,
    Shoot,
    Suspend,
    Tick,
    Vote,
    Withdraw,
)
from moderator.draft import Draft
from moderator.events import (
    BallotCast,
    CrownGiven,
    DonChecked,
    Event,
    Fouled,
    GameOpened,
    InterpellationClosed,
    InterpellationOpened,
    LiftCast,
    Nominated,
    NominationWithdrawn,
    Resumed,
    RoleDealt,
    SheriffChecked,
    ShotFired,
    Suspended,
    TestamentGiven,
    TimeCredited,
    TimeWarned,
)
from moderator.evolve import evolve
from moderator.model import (
    SEATS,
    Cause,
    GameState,
    Phase,
    Refusal,
    RefusalCode,
    Role,
    Seat,
    Step,
    StepKind,
    Team,
)
from moderator.night import victim

SPOKEN = (StepKind.SPEECH, StepKind.SPLIT_SPEECH, StepKind.FAREWELL)
DEAL = Counter({Role.CIVILIAN: 6, Role.MAFIOSO: 2, Role.DON: 1, Role.SHERIFF: 1})

__all__ = ["Replay", "decide", "evolve", "next_at", "replay"]


class Replay(NamedTuple):
    """`applied` events gave `state`; `error` names what is wrong with the next one, None when all were applied."""

    state: GameState
    applied: int
    error: str | None


def replay(events: Iterable[Event]) -> Replay:
    state, applied = GameState(), 0
    for event in events:
        if (event.at < state.at) or (state.phase is Phase.NEW) != isinstance(event, GameOpened):
            return Replay(state, applied, f"event {applied} ({event.type}) cannot follow")
        state, applied = evolve(state, event), applied + 1
    return Replay(state, applied, None)


def decide(state: GameState, command: Command) -> list[Event] | Refusal:
    """Events to store, in order (none: nothing changes), or why the command changes nothing."""
    if isinstance(command, Deal):
        return _deal(state, command)
    code = _standing(state, command)
    if code is not None:
        return Refusal(code=code, seat=getattr(command, "seat", None))
    draft = Draft(state, command.at)
    refused = _HANDLERS[type(command)](draft, command)
    if refused is not None:
        return Refusal(code=refused, seat=getattr(command, "seat", None))
    return draft.events


def next_at(state: GameState) -> float | None:
    step = state.step
    if step is None or state.over or state.suspended_at is not None:
        return None
    if step.ends_at is None:
        return step.called_at + state.rules.open_within_s
    if state.interpellation is not None:
        return min(state.interpellation[1], step.ends_at)
    return _warn_at(state, step) or step.ends_at


# --- commands of the clock ------------------------------------------------------------------------


def _standing(state: GameState, command: Command) -> RefusalCode | None:
    if state.phase is Phase.NEW:
        return RefusalCode.NOT_STARTED
    if state.over:
        return RefusalCode.OVER
    if state.suspended_at is not None and not isinstance(command, Resume | Suspend):
        return RefusalCode.SUSPENDED
    return None


def _deal(state: GameState, command: Deal) -> list[Event] | Refusal:
    if state.phase is not Phase.NEW:
        return Refusal(code=RefusalCode.ALREADY_STARTED)
    if set(command.roles) != set(SEATS) or Counter(command.roles.values()) != DEAL:
        return Refusal(code=RefusalCode.BAD_DEAL)
    draft = Draft(state, command.at)
    draft.add(GameOpened, game=command.game, rules=command.rules)
    mafia = {seat: role for seat, role in sorted(command.roles.items()) if role.team is Team.MAFIA}
    for seat in SEATS:
        mates = {mate: role for mate, role in mafia.items() if mate != seat} if seat in mafia else {}
        draft.add(RoleDealt, seat=seat, role=command.roles[seat], mates=mates)
    flow.call(draft, StepKind.DEAL, command.rules.deal_s)
    return draft.events


def _open(draft: Draft, command: Open) -> None:
    if draft.state.step is not None and draft.state.step.opened_at is None:
        flow.open_step(draft)


def _tick(draft: Draft, command: Tick) -> None:
    while True:
        state, due_at = draft.state, next_at(draft.state)
        if due_at is None or due_at > draft.at or state.step is None:
            return
        if state.step.ends_at is None:
            flow.open_step(draft)
        elif state.interpellation is not None and state.interpellation[1] <= draft.at:
            draft.add(InterpellationClosed, seat=state.interpellation[0])
        elif due_at < state.step.ends_at and state.step.seat is not None:
            draft.add(TimeWarned, seat=state.step.seat, left_s=state.step.ends_at - due_at)
        else:
            flow.close_step(draft, "time")


def _warn_at(state: GameState, step: Step) -> float | None:
    warn_s = state.rules.warn_s
    if state.warned or step.kind not in SPOKEN or step.duration_s < 2 * warn_s or step.ends_at is None or not warn_s:
        return None
    return step.ends_at - warn_s


def _credit(draft: Draft, command: Credit) -> None:
    step = draft.state.step
    if step is not None and step.ends_at is not None and command.seconds > 0:
        draft.add(TimeCredited, seconds=command.seconds, ends_at=step.ends_at + command.seconds)


def _suspend(draft: Draft, command: Suspend) -> None:
    if draft.state.suspended_at is None:
        draft.add(Suspended)


def _resume(draft: Draft, command: Resume) -> None:
    if draft.state.suspended_at is not None:
        draft.add(Resumed, pause_s=draft.at - draft.state.suspended_at)


# --- commands of a seat ---------------------------------------------------------------------------


def _timely(state: GameState, at: float, *kinds: StepKind) -> RefusalCode | None:
    """A word counts when it was spoken while its step was open, however late it was understood."""
    step = state.step
    if step is None or step.kind not in kinds:
        return RefusalCode.NOT_NOW
    if step.opened_at is None or step.ends_at is None or at < step.opened_at:
        return RefusalCode.TOO_EARLY
    return RefusalCode.TOO_LATE if at > step.ends_at else None


def _own_speech(state: GameState, seat: Seat, at: float, *kinds: StepKind) -> RefusalCode | None:
    if state.step is not None and state.step.kind in SPOKEN and state.step.seat != seat:
        return RefusalCode.NOT_YOUR_TURN
    return _timely(state, at, *kinds)


def _end_speech(draft: Draft, command: EndSpeech) -> RefusalCode | None:
    state = draft.state
    if state.interpellation is not None and state.interpellation[0] == command.seat:
        draft.add(InterpellationClosed, seat=command.seat)
        return None
    refused = _own_speech(state, command.seat, command.at, *SPOKEN)
    if refused is None:
        flow.close_step(draft, "player")
    return refused


def _nominate(draft: Draft, command: Nominate) -> RefusalCode | None:
    state, seat, target = draft.state, command.seat, command.target
    shot = state.rules.night_killed_nominates and state.left.get(seat) is Cause.SHOT
    kinds = (StepKind.SPEECH, StepKind.FAREWELL) if shot else (StepKind.SPEECH,)
    if refused := _own_speech(state, seat, command.at, *kinds):
        return refused
    if target not in state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    if target in state.candidates:
        return RefusalCode.ALREADY_NOMINATED
    own = _own_nomination(state, seat)
    if own is not None and state.rules.withdrawal != "replace":
        return RefusalCode.ALREADY_DONE
    if own is not None:
        draft.add(NominationWithdrawn, by=seat, target=own)
    draft.add(Nominated, by=seat, target=target)
    return None


def _withdraw(draft: Draft, command: Withdraw) -> RefusalCode | None:
    if refused := _own_speech(draft.state, command.seat, command.at, StepKind.SPEECH):
        return refused
    own = _own_nomination(draft.state, command.seat)
    if own is None or draft.state.rules.withdrawal == "none":
        return RefusalCode.NOTHING_TO_WITHDRAW
    draft.add(NominationWithdrawn, by=command.seat, target=own)
    return None


def _own_nomination(state: GameState, seat: Seat) -> Seat | None:
    return next((target for by, target in state.nominations if by == seat), None)


def _vote(draft: Draft, command: Vote) -> RefusalCode | None:
    state, step = draft.state, draft.state.step
    if command.seat not in state.alive:
        return RefusalCode.NOT_ALIVE
    if refused := _timely(state, command.at, StepKind.BALLOT):
        return refused
    if command.seat in state.ballots:
        return RefusalCode.ALREADY_DONE
    if command.target not in state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    if step is None or command.target not in step.candidates:
        return RefusalCode.NOT_A_CANDIDATE
    draft.add(BallotCast, seat=command.seat, target=command.target)
    if state.rules.ballot_closes_early and len(draft.state.ballots) == len(state.alive):
        flow.close_step(draft, "complete")
    return None


def _lift_vote(draft: Draft, command: LiftVote) -> RefusalCode | None:
    state = draft.state
    if command.seat not in state.alive:
        return RefusalCode.NOT_ALIVE
    if refused := _timely(state, command.at, StepKind.LIFT):
        return refused
    if command.seat in state.lift_ballots:
        return RefusalCode.ALREADY_DONE
    draft.add(LiftCast, seat=command.seat, lift=command.lift)
    if state.rules.ballot_closes_early and len(draft.state.lift_ballots) == len(state.alive):
        flow.close_step(draft, "complete")
    return None


def _give_testament(draft: Draft, command: GiveTestament) -> RefusalCode | None:
    if refused := _own_speech(draft.state, command.seat, command.at, StepKind.FAREWELL):
        return refused
    named = tuple(seat for seat in dict.fromkeys(command.suspects) if seat != command.seat)
    draft.add(TestamentGiven, by=command.seat, suspects=named[: draft.state.rules.suspects])
    return None


def _give_crown(draft: Draft, command: GiveCrown) -> RefusalCode | None:
    if refused := _own_speech(draft.state, command.seat, command.at, StepKind.FAREWELL):
        return refused
    if command.to == command.seat:
        return RefusalCode.NOT_ONESELF
    if command.to not in draft.state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    draft.add(CrownGiven, by=command.seat, to=command.to)
    return None


def _shoot(draft: Draft, command: Shoot) -> RefusalCode | None:
    state = draft.state
    if command.seat not in state.alive:
        return RefusalCode.NOT_ALIVE
    if refused := _timely(state, command.at, StepKind.SHOTS):
        return refused
    if state.roles[command.seat].team is not Team.MAFIA:
        return RefusalCode.NOT_YOUR_ROLE
    if command.seat in state.shots:
        return RefusalCode.ALREADY_DONE
    if command.target not in state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    draft.add(ShotFired, seat=command.seat, target=command.target)
    return None


def _check(draft: Draft, command: Check) -> RefusalCode | None:
    state, step = draft.state, draft.state.step
    if command.seat not in state.alive:
        return RefusalCode.NOT_ALIVE
    if refused := _timely(state, command.at, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK):
        return refused
    dons = step is not None and step.kind is StepKind.DON_CHECK
    if state.roles[command.seat] is not (Role.DON if dons else Role.SHERIFF):
        return RefusalCode.NOT_YOUR_ROLE
    if command.target == command.seat:
        return RefusalCode.NOT_ONESELF
    if command.target not in state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    if state.checked:
        return RefusalCode.ALREADY_DONE
    if not state.rules.shot_player_checks and victim(state.shots, state.roles, state.alive) == command.seat:
        return RefusalCode.NOT_NOW
    role = state.roles[command.target]
    if dons:
        draft.add(DonChecked, seat=command.seat, target=command.target, sheriff=role is Role.SHERIFF)
    else:
        draft.add(SheriffChecked, seat=command.seat, target=command.target, mafia=role.team is Team.MAFIA)
    return None


def _interpellate(draft: Draft, command: Interpellate) -> RefusalCode | None:
    state, step = draft.state, draft.state.step
    if command.seat not in state.alive:
        return RefusalCode.NOT_ALIVE
    if refused := _timely(state, command.at, StepKind.SPEECH, StepKind.SPLIT_SPEECH):
        return refused
    if step is not None and step.seat == command.seat:
        return RefusalCode.NOT_NOW
    if state.interpellation is not None:
        return RefusalCode.FLOOR_TAKEN
    draft.add(Fouled, seat=command.seat, count=state.fouls.get(command.seat, 0) + 1)
    draft.add(InterpellationOpened, seat=command.seat, ends_at=draft.at + state.rules.interpellation_s)
    return None


_HANDLERS: dict[type, Callable[[Draft, Any], RefusalCode | None]] = {
    Open: _open,
    Tick: _tick,
    Credit: _credit,
    Suspend: _suspend,
    Resume: _resume,
    EndSpeech: _end_speech,
    Nominate: _nominate,
    Withdraw: _withdraw,
    Vote: _vote,
    LiftVote: _lift_vote,
    GiveTestament: _give_testament,
    GiveCrown: _give_crown,
    Shoot: _shoot,
    Check: _check,
    Interpellate: _interpellate,
}
