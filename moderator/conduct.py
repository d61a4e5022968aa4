"""Conduct at the table: fouls, signals, motions, lost lines, and who is removed (S15-S20, S23).

Like `moderator.acts`: each command adds its events to the draft, or is refused with a code.
"""

from moderator import discipline, flow
from moderator.commands import (
    Absent,
    GiveSignal,
    GiveUp,
    Interpellate,
    Move,
    Notice,
    Remove,
    Return,
    SetOrder,
    Stop,
    VoteMotion,
    Warn,
)
from moderator.draft import Draft
from moderator.events import (
    CameBack,
    Fouled,
    InterpellationOpened,
    MotionDecided,
    MotionOpened,
    MotionVoteCast,
    Noticed,
    OrderSet,
    Resumed,
    SignalGiven,
    Suspended,
    TechnicalFouled,
    WentAbsent,
)
from moderator.model import Cause, Motion, MotionKind, Phase, RefusalCode, Seat, StepKind
from moderator.state import GameState
from moderator.timely import untimely

Refused = RefusalCode | None

SPEECHES = (StepKind.SPEECH, StepKind.SPLIT_SPEECH)


# --- fouls ----------------------------------------------------------------------------------------


def interpellate(draft: Draft, command: Interpellate) -> Refused:
    """Out of turn, into somebody else's speech: the foul is booked even if nothing is said (rule 55)."""
    state, seat = draft.state, command.seat
    if refused := untimely(state, command, *SPEECHES):
        return refused
    if state.step is not None and state.step.seat == seat:
        return RefusalCode.NOT_NOW
    if state.interpellation is not None:
        return RefusalCode.FLOOR_TAKEN
    _foul(draft, seat, "interpellation")
    if seat in draft.state.alive and not draft.state.over:
        draft.add(InterpellationOpened(at=draft.at, seat=seat, ends_at=draft.at + state.rules.interpellation_s))
    return None


def warn(draft: Draft, command: Warn) -> Refused:
    if not flow.in_play(draft.state, command.seat):
        return RefusalCode.TARGET_NOT_ALIVE
    _foul(draft, command.seat, "warning")
    return None


def _foul(draft: Draft, seat: Seat, reason: str) -> None:
    rules, count = draft.state.rules, draft.state.fouls.get(seat, 0) + 1
    costs = discipline.costs_a_speech(rules, count)
    draft.add(
        Fouled.model_validate({"at": draft.at, "seat": seat, "count": count, "reason": reason, "costs_speech": costs})
    )
    if rules.fouls_remove_at is not None and count >= rules.fouls_remove_at:
        flow.remove(draft, seat, Cause.FOULS)


# --- signals --------------------------------------------------------------------------------------


def give_signal(draft: Draft, command: GiveSignal) -> Refused:
    """By day only: at night a sound would tell who is awake."""
    state, rules = draft.state, draft.state.rules
    signal = next((signal for signal in rules.signals if signal.name == command.signal), None)
    if signal is None:
        return RefusalCode.UNKNOWN_SIGNAL
    if state.phase is not Phase.DAY or command.seat not in state.alive:
        return RefusalCode.NOT_NOW
    last_at = state.signals.get(command.seat)
    if last_at is not None and draft.at < last_at + rules.signal_every_s:
        return RefusalCode.TOO_SOON
    draft.add(SignalGiven(at=draft.at, seat=command.seat, signal=signal.name))
    if signal.forbidden and _motion_possible(draft.state):
        _open_motion(draft, MotionKind.TECHNICAL_FOUL, None, command.seat)
    return None


# --- fair play ------------------------------------------------------------------------------------


def notice(draft: Draft, command: Notice) -> Refused:
    """By day, once a day for each seat: an offer repeated is a punishment (S22)."""
    state, seat = draft.state, command.seat
    if not state.rules.notices or state.phase is not Phase.DAY:
        return RefusalCode.NOT_NOW
    if not flow.in_play(state, seat):
        return RefusalCode.TARGET_NOT_ALIVE
    if seat in state.noticed or seat in state.offered:
        return RefusalCode.ALREADY_DONE
    draft.add(Noticed(at=draft.at, seat=seat, offences=command.offences))
    return None


# --- motions --------------------------------------------------------------------------------------


def move(draft: Draft, command: Move) -> Refused:
    """One motion at a time, in the day's speeches (rule 57)."""
    state, seat = draft.state, command.seat
    if state.motion is not None:
        return RefusalCode.MOTION_RUNNING
    if not _motion_possible(state) or seat not in state.alive:
        return RefusalCode.NOT_NOW
    if command.accused is None and command.kind is not MotionKind.STOP:
        return RefusalCode.NO_ACCUSED
    if command.accused == seat:
        return RefusalCode.NOT_ONESELF
    if command.accused is not None and not flow.in_play(state, command.accused):
        return RefusalCode.TARGET_NOT_ALIVE
    if state.moves_today.get(seat, 0) >= state.rules.motions_a_day:
        return RefusalCode.MOVED_TODAY
    _open_motion(draft, command.kind, seat, command.accused)
    return None


def _motion_possible(state: GameState) -> bool:
    """In an open speech: a ballot and a night have no room for a second vote."""
    step = state.step
    spoken = step is not None and step.kind.spoken and step.opened_at is not None
    return spoken and state.interpellation is None and state.motion is None


def _open_motion(draft: Draft, kind: MotionKind, by: Seat | None, accused: Seat | None) -> None:
    """Who moves is for it."""
    votes = {} if by is None else {by: True}
    ends_at = draft.at + draft.state.rules.motion_s
    motion = Motion(kind=kind, by=by, accused=accused, opened_at=draft.at, ends_at=ends_at, votes=votes)
    draft.add(MotionOpened(at=draft.at, motion=motion))


def vote_motion(draft: Draft, command: VoteMotion) -> Refused:
    state, seat, motion = draft.state, command.seat, draft.state.motion
    if motion is None:
        return RefusalCode.NO_MOTION
    if command.at < motion.opened_at:
        return RefusalCode.TOO_EARLY
    if command.at > motion.ends_at:
        return RefusalCode.TOO_LATE
    voters = discipline.electorate(state.alive, motion.accused)
    if seat not in voters:
        return RefusalCode.NOT_NOW
    if seat in motion.votes:
        return RefusalCode.ALREADY_DONE
    draft.add(MotionVoteCast(at=draft.at, seat=seat, yes=command.yes))
    if len(motion.votes) + 1 == len(voters):
        decide_motion(draft)
    return None


def decide_motion(draft: Draft) -> None:
    """All have answered, or its time is over."""
    state, motion = draft.state, draft.state.motion
    assert motion is not None
    voters = discipline.electorate(state.alive, motion.accused)
    carried = discipline.carried(state.rules, motion.kind, motion.votes, voters)
    draft.add(
        MotionDecided(
            at=draft.at,
            kind=motion.kind,
            by=motion.by,
            accused=motion.accused,
            votes=motion.votes,
            electorate=voters,
            carried=carried,
        )
    )
    if not carried:
        return
    if motion.kind is MotionKind.STOP:
        flow.stop(draft, motion.accused)
    elif motion.accused is not None and motion.kind is MotionKind.DISQUALIFICATION:
        flow.remove(draft, motion.accused, Cause.DISQUALIFIED)
    elif motion.accused is not None:
        _technical_foul(draft, motion.accused)


def _technical_foul(draft: Draft, seat: Seat) -> None:
    limit, count = draft.state.rules.technical_fouls_remove_at, draft.state.technical_fouls.get(seat, 0) + 1
    draft.add(TechnicalFouled(at=draft.at, seat=seat, count=count))
    if limit is not None and count >= limit:
        flow.remove(draft, seat, Cause.TECHNICAL_FOULS)


# --- leaving --------------------------------------------------------------------------------------


def remove(draft: Draft, command: Remove) -> Refused:
    if not flow.in_play(draft.state, command.seat):
        return RefusalCode.TARGET_NOT_ALIVE
    flow.remove(draft, command.seat, command.cause)
    return None


def give_up(draft: Draft, command: GiveUp) -> Refused:
    if not flow.in_play(draft.state, command.seat):
        return RefusalCode.NOT_ALIVE
    flow.remove(draft, command.seat, Cause.GAVE_UP)
    return None


def stop(draft: Draft, command: Stop) -> Refused:
    flow.stop(draft, command.culprit)
    return None


def set_order(draft: Draft, command: SetOrder) -> Refused:
    """Before the day begins; it then changes no more."""
    if draft.state.phase is Phase.DAY:
        return RefusalCode.NOT_NOW
    draft.add(OrderSet(at=draft.at, order=tuple(dict.fromkeys(command.order))))
    return None


# --- lost lines -----------------------------------------------------------------------------------


def absent(draft: Draft, command: Absent) -> Refused:
    """The clock of the absence runs; the first one of a game suspends the table as well (rule 59)."""
    state, rules, seat = draft.state, draft.state.rules, command.seat
    if seat not in state.alive:
        return RefusalCode.TARGET_NOT_ALIVE
    if seat in state.absent:
        return None
    since = draft.at if command.since is None else command.since
    draft.add(WentAbsent(at=draft.at, seat=seat, removed_at=max(draft.at, since + rules.away_s)))
    if state.suspended_at is None and state.pauses < rules.reconnection_pauses and rules.reconnection_pause_s > 0:
        draft.add(Suspended(at=draft.at, waits_for=seat, ends_at=draft.at + rules.reconnection_pause_s))
    return None


def come_back(draft: Draft, command: Return) -> Refused:
    if command.seat not in draft.state.absent:
        return None
    draft.add(CameBack(at=draft.at, seat=command.seat))
    pause = draft.state.pause
    if pause is not None and pause[0] == command.seat:
        end_pause(draft)
    return None


def end_pause(draft: Draft) -> None:
    """The awaited player is back, or has had his time."""
    suspended_at = draft.state.suspended_at
    assert suspended_at is not None
    draft.add(Resumed(at=draft.at, pause_s=draft.at - suspended_at))


def end_absence(draft: Draft, seat: Seat) -> None:
    """Away for too long."""
    if draft.state.suspended_at is not None:
        end_pause(draft)
    flow.remove(draft, seat, Cause.ABSENT)
