"""What a seat may do, and when: each act adds its events to the draft, or is refused with a code.

A word counts when it was spoken while its step was open, however late it was understood. That the seat is
alive, or says farewell now, was asked before. Fouls, motions and signals are in `moderator.conduct`.
"""

from moderator import flow
from moderator.commands import (
    Check,
    EndSpeech,
    GiveCrown,
    GiveTestament,
    LiftVote,
    Nominate,
    SeatCommand,
    Shoot,
    Vote,
    Withdraw,
)
from moderator.draft import Draft
from moderator.events import (
    BallotCast,
    CrownGiven,
    DonChecked,
    InterpellationClosed,
    LiftCast,
    Nominated,
    NominationWithdrawn,
    SheriffChecked,
    ShotFired,
    TestamentGiven,
)
from moderator.model import Cause, RefusalCode, Role, Seat, StepKind, Team
from moderator.night import victim
from moderator.state import GameState
from moderator.timely import untimely

Refused = RefusalCode | None


def _no_floor(state: GameState, command: SeatCommand, *kinds: StepKind) -> Refused:
    """For what is said aloud, with the floor, in a speech of one's own."""
    if state.step is not None and state.step.kind.spoken and state.step.seat != command.seat:
        return RefusalCode.NOT_YOUR_TURN
    return untimely(state, command, *kinds)


# --- speeches -------------------------------------------------------------------------------------


def end_speech(draft: Draft, command: EndSpeech) -> Refused:
    """Gives the floor back; who interpellates gives it back to the speaker."""
    interpellation = draft.state.interpellation
    if interpellation is not None and interpellation[0] == command.seat:
        draft.add(InterpellationClosed(at=draft.at, seat=command.seat))
        return None
    if draft.state.motion is not None:
        return RefusalCode.MOTION_RUNNING
    kinds = (StepKind.SPEECH, StepKind.SPLIT_SPEECH, StepKind.FAREWELL)
    if refused := _no_floor(draft.state, command, *kinds):
        return refused
    flow.close_step(draft, "player")
    return None


def nominate(draft: Draft, command: Nominate) -> Refused:
    """One nomination a day; a name already on the list leaves the speaker his right (rules 15, 16)."""
    state, seat, target = draft.state, command.seat, command.target
    if refused := _no_floor(state, command, *_nominating_steps(state, seat)):
        return refused
    if target not in state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    if target in state.candidates:
        return RefusalCode.ALREADY_NOMINATED
    own = _own_nomination(state, seat)
    if own is not None and state.rules.withdrawal != "replace":
        return RefusalCode.ALREADY_DONE
    if own is not None:
        draft.add(NominationWithdrawn(at=draft.at, by=seat, target=own))
    draft.add(Nominated(at=draft.at, by=seat, target=target))
    return None


def withdraw(draft: Draft, command: Withdraw) -> Refused:
    state, seat = draft.state, command.seat
    if refused := _no_floor(state, command, *_nominating_steps(state, seat)):
        return refused
    own = _own_nomination(state, seat)
    if own is None or state.rules.withdrawal == "none":
        return RefusalCode.NOTHING_TO_WITHDRAW
    draft.add(NominationWithdrawn(at=draft.at, by=seat, target=own))
    return None


def _nominating_steps(state: GameState, seat: Seat) -> tuple[StepKind, ...]:
    """One's own speech; where the rules say so, also the farewell of a player shot at night (rule 20)."""
    in_farewell = state.rules.night_killed_nominates and state.left.get(seat) is Cause.SHOT
    return (StepKind.SPEECH, StepKind.FAREWELL) if in_farewell else (StepKind.SPEECH,)


def _own_nomination(state: GameState, seat: Seat) -> Seat | None:
    return next((target for by, target in state.nominations if by == seat), None)


# --- farewells ------------------------------------------------------------------------------------


def give_testament(draft: Draft, command: GiveTestament) -> Refused:
    """The first names count, each once, never the author's own; the last testament given stands (rules 42, 43)."""
    if refused := _no_floor(draft.state, command, StepKind.FAREWELL):
        return refused
    rules, alive = draft.state.rules, draft.state.alive
    named = tuple(
        seat
        for seat in dict.fromkeys(command.suspects)
        if seat != command.seat and (rules.suspects_may_be_out or seat in alive)
    )
    draft.add(TestamentGiven(at=draft.at, by=command.seat, suspects=named[: rules.suspects]))
    return None


def give_crown(draft: Draft, command: GiveCrown) -> Refused:
    """To a living player, not oneself; the last one given stands (rule 47)."""
    if refused := _no_floor(draft.state, command, StepKind.FAREWELL):
        return refused
    if command.to == command.seat:
        return RefusalCode.NOT_ONESELF
    if command.to not in draft.state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    draft.add(CrownGiven(at=draft.at, by=command.seat, to=command.to))
    return None


# --- votes ----------------------------------------------------------------------------------------


def vote(draft: Draft, command: Vote) -> Refused:
    """The first ballot stands; anybody may vote for anybody on the list, himself included (rules 28, 29)."""
    state, step = draft.state, draft.state.step
    if refused := untimely(state, command, StepKind.BALLOT):
        return refused
    if command.seat in state.ballots:
        return RefusalCode.ALREADY_DONE
    if command.target not in state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    if step is None or command.target not in step.candidates:
        return RefusalCode.NOT_A_CANDIDATE
    public = state.rules.ballots == "open"
    draft.add(BallotCast(at=draft.at, seat=command.seat, target=command.target, public=public))
    _close_when_complete(draft, len(draft.state.ballots))
    return None


def lift_vote(draft: Draft, command: LiftVote) -> Refused:
    """All of the tied leave, or all stay; the tied vote too (rule 34)."""
    state = draft.state
    if refused := untimely(state, command, StepKind.LIFT):
        return refused
    if command.seat in state.lift_ballots:
        return RefusalCode.ALREADY_DONE
    public = state.rules.ballots == "open"
    draft.add(LiftCast(at=draft.at, seat=command.seat, lift=command.lift, public=public))
    _close_when_complete(draft, len(draft.state.lift_ballots))
    return None


def _close_when_complete(draft: Draft, answers: int) -> None:
    if draft.state.rules.ballot_closes_early and answers == len(draft.state.alive):
        flow.close_step(draft, "complete")


# --- nights ---------------------------------------------------------------------------------------


def shoot(draft: Draft, command: Shoot) -> Refused:
    """Alone and unseen; the first shot stands, one's own side and oneself are targets too (S8)."""
    state = draft.state
    if refused := untimely(state, command, StepKind.SHOTS):
        return refused
    if state.roles[command.seat].team is not Team.MAFIA:
        return RefusalCode.NOT_YOUR_ROLE
    if command.seat in state.shots:
        return RefusalCode.ALREADY_DONE
    if command.target not in state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    draft.add(ShotFired(at=draft.at, seat=command.seat, target=command.target))
    return None


def check(draft: Draft, command: Check) -> Refused:
    """One check a night, of anybody but oneself: also of a player who left, whose role is still hidden.

    Where a Don or Sheriff shot this night may not check, he gets no answer and no refusal.
    """
    state, step = draft.state, draft.state.step
    if refused := untimely(state, command, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK):
        return refused
    by_don = step is not None and step.kind is StepKind.DON_CHECK
    if state.roles[command.seat] is not (Role.DON if by_don else Role.SHERIFF):
        return RefusalCode.NOT_YOUR_ROLE
    if command.target == command.seat:
        return RefusalCode.NOT_ONESELF
    if state.checked:
        return RefusalCode.ALREADY_DONE
    if not state.rules.shot_player_checks and victim(state.shots, state.roles, state.alive) == command.seat:
        return None
    role = state.roles[command.target]
    if by_don:
        found = role is Role.SHERIFF
        draft.add(DonChecked(at=draft.at, seat=command.seat, target=command.target, sheriff=found))
    else:
        found = role.team is Team.MAFIA
        draft.add(SheriffChecked(at=draft.at, seat=command.seat, target=command.target, mafia=found))
    return None
