"""What follows what: the order of play of the source page, one step after the other.

A step is called (announced), opened (its time runs) and closed; closing one calls the next, so the game
is always in a step until it is over.
"""

from typing import Literal

from moderator import ballot
from moderator.discipline import lost_speech
from moderator.draft import Draft
from moderator.ending import end, end_quiet, end_won
from moderator.events import (
    BallotCast,
    BallotCounted,
    DayBegan,
    FarewellLost,
    InterpellationClosed,
    LiftCast,
    LiftDecided,
    LiftSkipped,
    MotionDecided,
    NightBegan,
    NightEnded,
    PlayerLeft,
    Resumed,
    SpeechLost,
    StepCalled,
    StepClosed,
    StepOpened,
    VoteCancelled,
    VoteSkipped,
)
from moderator.model import Cause, Seat, Step, StepKind
from moderator.night import quiet_at_nightfall, victim, winner
from moderator.state import GameState


def call(draft: Draft, kind: StepKind, duration_s: float, **more: object) -> None:
    step = Step.model_validate({"kind": kind, "duration_s": duration_s, "called_at": draft.at, **more})
    draft.add(StepCalled(at=draft.at, step=step))


def open_step(draft: Draft) -> None:
    step = draft.state.step
    assert step is not None
    draft.add(StepOpened(at=draft.at, kind=step.kind, seat=step.seat, ends_at=draft.at + step.duration_s))
    if step.duration_s == 0:
        close_step(draft, "time")


def close_step(draft: Draft, by: Literal["time", "player", "complete", "removal"]) -> None:
    """Close the running step and go on to the next one."""
    step = draft.state.step
    assert step is not None
    _shut(draft, by)
    _AFTER[step.kind](draft, step)


def time_over(draft: Draft) -> None:
    close_step(draft, "time")


def close_interpellation(draft: Draft) -> None:
    interpellation = draft.state.interpellation
    assert interpellation is not None
    draft.add(InterpellationClosed(at=draft.at, seat=interpellation[0]))


def _shut(draft: Draft, by: Literal["time", "player", "complete", "removal"]) -> None:
    step = draft.state.step
    assert step is not None
    if draft.state.interpellation is not None:
        close_interpellation(draft)
    draft.add(StepClosed(at=draft.at, kind=step.kind, seat=step.seat, by=by))


# --- first night ----------------------------------------------------------------------------------


def _after_deal(draft: Draft, step: Step) -> None:
    draft.add(NightBegan(at=draft.at, night=0))
    call(draft, StepKind.MEETING, draft.state.rules.meeting_s)


def _after_meeting(draft: Draft, step: Step) -> None:
    if draft.state.rules.greeting_s > 0:
        call(draft, StepKind.GREETING, draft.state.rules.greeting_s)
    else:
        _after_greeting(draft, step)


def _after_greeting(draft: Draft, step: Step) -> None:
    draft.add(DayBegan(at=draft.at, day=0, order=order_of_speech(draft.state)))
    _next_speech(draft)


# --- day ------------------------------------------------------------------------------------------


def _next_speech(draft: Draft) -> None:
    state = draft.state
    if not state.speeches:
        _vote(draft)
        return
    seat, duration_s, lost = state.speeches[0], state.rules.speech_s, False
    if seat in state.owed:
        duration_s, lost = lost_speech(state.rules, len(state.alive))
        draft.add(SpeechLost(at=draft.at, seat=seat))
    call(draft, StepKind.SPEECH, duration_s, seat=seat, lost=lost)


def _after_speech(draft: Draft, step: Step) -> None:
    _next_speech(draft)


def _vote(draft: Draft) -> None:
    """The day's vote, where there is one (rules 21-24, 40)."""
    state, candidates = draft.state, draft.state.candidates
    if state.cancels_vote:
        _cancel_vote(draft)
    elif skipped := _skipped(state):
        draft.add(VoteSkipped(at=draft.at, reason=skipped))
        _night(draft)
    elif len(candidates) == 1:
        votes = dict.fromkeys(state.alive, candidates[0])
        draft.add(
            BallotCounted(at=draft.at, round=1, candidates=candidates, votes=votes, leaders=candidates, sole=True)
        )
        _leave(draft, candidates, Cause.VOTE)
    else:
        call(draft, StepKind.BALLOT, state.rules.ballot_s, candidates=candidates, round=1)


def _cancel_vote(draft: Draft) -> None:
    draft.add(VoteCancelled(at=draft.at))
    _night(draft)


def _skipped(state: GameState) -> Literal["no_candidates", "day_zero_rule", "one_candidate_day_zero"] | None:
    if not state.candidates:
        return "no_candidates"
    if _day_zero(state) == "none":
        return "day_zero_rule"
    return "one_candidate_day_zero" if state.day == 0 and len(state.candidates) == 1 else None


def _day_zero(state: GameState) -> str:
    """The rule of today's vote: that of day 0, or the ordinary one."""
    return state.rules.day_zero if state.day == 0 else "standard"


def _after_ballot(draft: Draft, step: Step) -> None:
    state = draft.state
    votes, missing = ballot.with_defaults(state.ballots, state.alive, step.candidates)
    for seat in missing:
        draft.add(BallotCast(at=draft.at, seat=seat, target=votes[seat], default=True))
    tied = ballot.leaders(votes, step.candidates)
    draft.add(
        BallotCounted(
            at=draft.at,
            round=step.round,
            candidates=step.candidates,
            votes=votes,
            defaults=missing,
            leaders=tied,
        )
    )
    day_zero = _day_zero(state)
    if len(tied) == 1 and day_zero == "talk":
        call(draft, StepKind.SPLIT_SPEECH, state.rules.farewell_s, seat=tied[0], candidates=tied, round=step.round)
    elif len(tied) == 1 and day_zero == "lift_only":
        _night(draft)
    elif len(tied) == 1:
        _leave(draft, tied, Cause.VOTE)
    elif step.round == 1 or len(tied) < len(step.candidates):
        call(draft, StepKind.SPLIT_SPEECH, state.rules.split_s, seat=tied[0], candidates=tied, round=step.round)
    elif day_zero == "talk":
        _night(draft)
    else:
        _lift(draft, tied)


def _after_split_speech(draft: Draft, step: Step) -> None:
    rules, tied = draft.state.rules, step.candidates
    if len(tied) == 1:
        _night(draft)
    elif step.seat == tied[-1]:
        call(draft, StepKind.BALLOT, rules.ballot_s, candidates=tied, round=step.round + 1)
    else:
        after = tied[tied.index(step.seat) + 1] if step.seat is not None else tied[0]
        call(draft, StepKind.SPLIT_SPEECH, rules.split_s, seat=after, candidates=tied, round=step.round)


def _lift(draft: Draft, tied: tuple[Seat, ...]) -> None:
    forbidden = ballot.lift_forbidden(draft.state.rules, draft.state.alive, tied)
    if forbidden is not None:
        draft.add(LiftSkipped(at=draft.at, candidates=tied, reason=forbidden))
        _night(draft)
    else:
        call(draft, StepKind.LIFT, draft.state.rules.lift_s, candidates=tied)


def _after_lift(draft: Draft, step: Step) -> None:
    state = draft.state
    missing = tuple(seat for seat in state.alive if seat not in state.lift_ballots)
    for seat in missing:
        draft.add(LiftCast(at=draft.at, seat=seat, lift=state.rules.lift_default == "for", default=True))
    votes = draft.state.lift_ballots
    lifted = ballot.lifted(votes, state.alive)
    draft.add(LiftDecided(at=draft.at, candidates=step.candidates, votes=votes, defaults=missing, lifted=lifted))
    if lifted:
        _leave(draft, step.candidates, Cause.LIFT)
    else:
        _night(draft)


# --- leaving --------------------------------------------------------------------------------------


def _leave(draft: Draft, seats: tuple[Seat, ...], cause: Cause) -> None:
    """All of them leave, then the win is tested, then they say farewell in order (rules 8, 13, 39)."""
    for seat in seats:
        draft.add(PlayerLeft(at=draft.at, seat=seat, cause=cause, day=draft.state.day))
        if draft.state.rules.lift_tests_win == "after_each" and winner(draft.state.roles, draft.state.alive):
            break
    _farewells(draft)


def _farewells(draft: Draft) -> None:
    """The next farewell, or what comes after the last one."""
    state = draft.state
    won = winner(state.roles, state.alive)
    if state.farewells and (won is None or state.rules.final_speech):
        call(draft, StepKind.FAREWELL, state.rules.farewell_s, seat=state.farewells[0])
    elif won is not None:
        end_won(draft, won)
    elif state.speeches:
        _next_speech(draft)
    else:
        _night(draft)


def _after_farewell(draft: Draft, step: Step) -> None:
    _farewells(draft)


def in_play(state: GameState, seat: Seat) -> bool:
    """Alive, or out and not yet through with the farewell."""
    leaving = state.step is not None and state.step.kind is StepKind.FAREWELL and state.step.seat == seat
    return seat in state.alive or seat in state.farewells or leaving


def remove(draft: Draft, seat: Seat, cause: Cause) -> None:
    """Out at once and without a farewell. Parity is tested, and a vote is cancelled for it (rules 40, 41, 60).

    Who has just been voted out or was shot last night only loses what is left of his farewell.
    """
    state, step = draft.state, draft.state.step
    _void_motion(draft)
    if seat not in state.alive:
        draft.add(FarewellLost(at=draft.at, seat=seat, cause=cause))
        if step is not None and step.kind is StepKind.FAREWELL and step.seat == seat:
            close_step(draft, "removal")
        return
    draft.add(PlayerLeft(at=draft.at, seat=seat, cause=cause, day=state.day, cancels_vote=True))
    won = winner(state.roles, draft.state.alive)
    if won is not None:
        end_won(draft, won)
    elif step is not None and step.kind in (StepKind.BALLOT, StepKind.LIFT, StepKind.SPLIT_SPEECH) and _voting(step):
        _shut(draft, "removal")
        _cancel_vote(draft)
    elif step is not None and step.kind.spoken and step.seat == seat:
        close_step(draft, "removal")
    elif state.interpellation is not None and state.interpellation[0] == seat:
        close_interpellation(draft)


def _voting(step: Step) -> bool:
    """Of a lone speaker after the vote the result is known already (rule 24, `talk`)."""
    return step.kind is not StepKind.SPLIT_SPEECH or len(step.candidates) > 1


def _void_motion(draft: Draft) -> None:
    """The table is no longer the one that began to vote."""
    motion = draft.state.motion
    if motion is not None:
        draft.add(
            MotionDecided(
                at=draft.at,
                kind=motion.kind,
                by=motion.by,
                accused=motion.accused,
                votes=motion.votes,
                electorate=draft.state.alive,
                carried=False,
                void=True,
            )
        )


def stop(draft: Draft, culprit: Seat | None) -> None:
    """The whole game is stopped: no result, or the other team's victory (S20, rule 58)."""
    if draft.state.suspended_at is not None:
        draft.add(Resumed(at=draft.at, pause_s=draft.at - draft.state.suspended_at))
    _void_motion(draft)
    if culprit is None:
        end(draft, None, "stopped")
    else:
        end(draft, draft.state.roles[culprit].team.other, "opponent_victory", culprit)


def _drawn(state: GameState, quiet: int) -> bool:
    """Nights and days count one each (rule 14)."""
    return quiet >= 2 * state.rules.quiet_rounds


# --- night ----------------------------------------------------------------------------------------


def _night(draft: Draft) -> None:
    state = draft.state
    if _drawn(state, quiet_at_nightfall(state)):
        end_quiet(draft)
    else:
        draft.add(NightBegan(at=draft.at, night=state.day + 1))
        call(draft, StepKind.SHOTS, state.rules.shot_s)


def _after_shots(draft: Draft, step: Step) -> None:
    """The checks are called whoever may answer (rule 10), and although the shot may have decided the game (rule 12)."""
    state = draft.state
    killed = victim(state.shots, state.roles, state.alive)
    living = tuple(seat for seat in state.alive if seat != killed)
    if state.rules.checks_after_last_shot or winner(state.roles, living) is None:
        call(draft, StepKind.DON_CHECK, state.rules.check_s)
    else:
        _morning(draft)


def _after_don_check(draft: Draft, step: Step) -> None:
    call(draft, StepKind.SHERIFF_CHECK, draft.state.rules.check_s)


def _after_sheriff_check(draft: Draft, step: Step) -> None:
    _morning(draft)


def _morning(draft: Draft) -> None:
    state = draft.state
    killed = victim(state.shots, state.roles, state.alive)
    draft.add(NightEnded(at=draft.at, night=state.night, killed=killed))
    if killed is not None:
        draft.add(PlayerLeft(at=draft.at, seat=killed, cause=Cause.SHOT, day=state.night))
    state = draft.state
    won = winner(state.roles, state.alive)
    if won is not None and not state.rules.final_speech:
        end_won(draft, won)
    elif _drawn(state, state.quiet):
        end_quiet(draft)
    else:
        draft.add(DayBegan(at=draft.at, day=state.night, order=order_of_speech(state)))
        _farewells(draft)


def order_of_speech(state: GameState) -> tuple[Seat, ...]:
    """The first living seat after yesterday's opener opens, who need not be alive himself (rules 4, 5)."""
    opener = state.opener or 0
    round_ = [seat for seat in state.alive if seat > opener] + [seat for seat in state.alive if seat <= opener]
    first = [seat for seat in state.set_order if seat in state.alive]
    return (*first, *(seat for seat in round_ if seat not in first))


_AFTER = {
    StepKind.DEAL: _after_deal,
    StepKind.MEETING: _after_meeting,
    StepKind.GREETING: _after_greeting,
    StepKind.SPEECH: _after_speech,
    StepKind.SPLIT_SPEECH: _after_split_speech,
    StepKind.FAREWELL: _after_farewell,
    StepKind.BALLOT: _after_ballot,
    StepKind.LIFT: _after_lift,
    StepKind.SHOTS: _after_shots,
    StepKind.DON_CHECK: _after_don_check,
    StepKind.SHERIFF_CHECK: _after_sheriff_check,
}
assert set(_AFTER) == set(StepKind), "every step leads somewhere"
