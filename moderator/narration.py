"""What the moderator says: event -> cues. No words in here: a cue names a sentence of `prompts/narration.*.ftl`.

Pure. The same event gives the same sentence whoever is alive, and at night no call names anybody: only the
length of the step goes in. Roles, checks and shots are whispered to their own seat.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import assert_never

from moderator import events as ev
from moderator.discipline import remedy, said_at_once
from moderator.model import SEATS, Cause, Motion, MotionKind, Offence, RefusalCode, Role, Seat, Step, StepKind
from moderator.state import GameState
from moderator.view import Audience, view

Arg = int | str | tuple[int, ...]


class Priority(IntEnum):
    """NOW goes before everything that waits and cuts a LOW line; NORMAL lines are always said to their end."""

    NOW = 0
    NORMAL = 1
    LOW = 2


@dataclass(frozen=True, slots=True)
class Cue:
    """One sentence to say: `key` and `args` of `prompts/`; `audience` None is the whole table.

    Args hold seats, numbers of seconds or of votes, tuples of seats. `expires_s`: not worth saying when it
    could not start this long after it was asked for.
    """

    key: str
    args: dict[str, Arg]
    audience: Audience = None
    priority: Priority = Priority.NORMAL
    expires_s: float | None = None


WARNING_EXPIRES_S = 3.0
ECHO_EXPIRES_S = 6.0
NOTICE_EXPIRES_S = 15.0
INTO_A_SPEECH = (ev.Nominated, ev.NominationWithdrawn, ev.Noticed)
"""What is said of these waits for a pause of the speaker, who gets the time back."""


def cues(event: ev.Event, state_before: GameState, state_after: GameState) -> tuple[Cue, ...]:
    """The sentences that a stored event calls for, in the order in which they are said.

    Secret ballots give none: the shell echoes each to its voter before it is cast, and the count reads them out.
    """
    match event:
        case ev.GameOpened():
            return _public("welcome")
        case ev.RoleDealt():
            return (_role(event),)
        case ev.StepCalled(step=step):
            return *(_notices(state_before) if step.kind.spoken else ()), *_call(step)
        case ev.Noticed(seat=seat, offences=offences):
            return (_notice(seat, offences),) if said_at_once(state_before, seat) else ()
        case ev.TimeWarned(left_s=left_s):
            return (Cue("time-warning", {"seconds": round(left_s)}, expires_s=WARNING_EXPIRES_S),)
        case ev.StepClosed(kind=StepKind.MEETING):
            return _public("meeting-end")
        case ev.StepClosed(kind=StepKind.SPEECH | StepKind.SPLIT_SPEECH | StepKind.FAREWELL, by="time"):
            return (Cue("time-up", {}, priority=Priority.NOW, expires_s=WARNING_EXPIRES_S),)
        case ev.DayBegan(day=day, order=order):
            return _public("day", seat=order[0]) if day == 0 else ()
        case ev.SpeechLost(seat=seat):
            return _public("speech-lost", seat=seat)
        case ev.Nominated(target=target):
            return _public("nominated", seat=target)
        case ev.NominationWithdrawn(target=target):
            return _public("withdrawn", seat=target)
        case ev.VoteSkipped(reason=reason):
            return _public("vote-skipped-" + reason.replace("_", "-"))
        case ev.VoteCancelled():
            return _public("vote-cancelled")
        case ev.BallotCast(seat=seat, target=target, public=True, default=False):
            return _public("ballot-open", seat=seat, target=target)
        case ev.LiftCast(seat=seat, lift=lift, public=True, default=False):
            return _public("lift-open-for" if lift else "lift-open-against", seat=seat)
        case ev.BallotCounted():
            return _count(event)
        case ev.LiftDecided():
            return _lift(event)
        case ev.LiftSkipped(reason=reason):
            return _public("lift-skipped-" + reason.replace("_", "-"))
        case ev.PlayerLeft(seat=seat, cause=cause):
            if cause is Cause.SHOT:
                return ()
            return _public(f"left-{cause}".replace("_", "-") if cause.removal else "left", seat=seat)
        case ev.FarewellLost(seat=seat):
            return _public("farewell-lost", seat=seat)
        case ev.TestamentGiven(suspects=suspects):
            return _public("testament", seats=suspects) if suspects else _public("testament-none")
        case ev.CrownGiven(to=to):
            return _public("crown", seat=to)
        case ev.NightBegan():
            return _public("night")
        case ev.ShotFired(seat=seat, target=target):
            return (_whisper(seat, "shot-noted", seat=target),)
        case ev.DonChecked(seat=seat, target=target, sheriff=sheriff):
            return (_whisper(seat, "don-found" if sheriff else "don-missed", seat=target),)
        case ev.SheriffChecked(seat=seat, target=target, mafia=mafia):
            return (_whisper(seat, "check-mafia" if mafia else "check-town", seat=target),)
        case ev.NightEnded(night=night, killed=killed):
            return () if night == 0 else _public("morning-miss") if killed is None else _public("morning", seat=killed)
        case ev.Fouled(seat=seat, reason=reason, costs_speech=costs):
            key = "foul-costs-speech" if costs else "foul" if reason == "interpellation" else "foul-warning"
            return (Cue(key, {"seat": seat}, priority=Priority.NOW),)
        case ev.TechnicalFouled(seat=seat):
            return _public("technical-foul", seat=seat)
        case ev.MotionOpened(motion=motion):
            return _motion(motion)
        case ev.MotionDecided(carried=carried, void=void):
            return _public("motion-void" if void else "motion-carried" if carried else "motion-rejected")
        case ev.SignalGiven(seat=seat, signal=signal):
            return (Cue("signal", {"seat": seat, "signal": signal}, priority=Priority.NOW),)
        case ev.WentAbsent(seat=seat):
            return _public("went-absent", seat=seat)
        case ev.CameBack(seat=seat):
            return _public("came-back", seat=seat)
        case ev.InterpellationClosed():
            speaker = state_before.step.seat if state_before.step else None
            return () if speaker is None else (Cue("floor-back", {"seat": speaker}, priority=Priority.NOW),)
        case ev.Suspended():
            return (Cue("suspended", {}, priority=Priority.NOW),)
        case ev.Resumed():
            return _public("resumed")
        case ev.GameEnded(winner=winner, reason=reason):
            return _public(f"won-{winner or 'nobody'}-{reason}".replace("_", "-"))
        case ev.RolesRevealed(roles=roles):
            return (_reveal(roles),)
        case ev.Scored(points=points):
            return _scores(points)
        case (
            ev.DealSealed()
            | ev.StepOpened()
            | ev.StepClosed()
            | ev.TimeCredited()
            | ev.OrderSet()
            | ev.BallotCast()
            | ev.LiftCast()
            | ev.InterpellationOpened()
            | ev.MotionVoteCast()
        ):
            return ()
    assert_never(event)


def _public(key: str, **args: Arg) -> tuple[Cue, ...]:
    return (Cue(key, args),)


def _whisper(to: Seat, key: str, **args: Arg) -> Cue:
    return Cue(key, args, audience=frozenset({to}))


def _role(event: ev.RoleDealt) -> Cue:
    if event.role is Role.DON:
        return _whisper(event.seat, "role-don", mates=tuple(sorted(event.mates)))
    if event.role is Role.MAFIOSO:
        don = next(seat for seat, role in event.mates.items() if role is Role.DON)
        mates = tuple(sorted(seat for seat in event.mates if seat != don))
        return _whisper(event.seat, "role-maf", don=don, mates=mates)
    return _whisper(event.seat, f"role-{event.role}")


def _call(step: Step) -> tuple[Cue, ...]:
    """The sentence that opens a step; a ballot's list of candidates comes before its call."""
    seconds = round(step.duration_s)
    match step.kind:
        case StepKind.SPEECH | StepKind.SPLIT_SPEECH | StepKind.FAREWELL:
            assert step.seat is not None
            if step.lost:
                return _public("nomination-only-call", seat=step.seat, seconds=seconds)
            return _public(f"{step.kind}-call".replace("_", "-"), seat=step.seat, seconds=seconds)
        case StepKind.BALLOT:
            listed = "ballot-list" if step.round <= 1 else "revote-list"
            return *_public(listed, seats=step.candidates), *_public("ballot-call", seconds=seconds)
        case StepKind.LIFT:
            return _public("lift-call", seats=step.candidates)
        case StepKind.DEAL | StepKind.GREETING | StepKind.SHOTS | StepKind.DON_CHECK | StepKind.SHERIFF_CHECK:
            return _public(f"{step.kind}-call".replace("_", "-"))
        case StepKind.MEETING:
            return _public("meeting-call", seconds=seconds)
    assert_never(step.kind)


def _notices(state: GameState) -> tuple[Cue, ...]:
    """Between two speeches, what was noticed in the last one."""
    return tuple(_notice(seat, offences) for seat, offences in state.noticed.items())


def _notice(seat: Seat, offences: tuple[Offence, ...]) -> Cue:
    """What it may have been, never the words themselves: who repeats an insult insults."""
    return Cue("notice", {"seat": seat, "offence": offences[0], "motion": remedy(offences)}, expires_s=NOTICE_EXPIRES_S)


def _motion(motion: Motion) -> tuple[Cue, ...]:
    """What is moved, and against whom; then everybody is asked."""
    kind = motion.kind if motion.accused is not None or motion.kind is not MotionKind.STOP else "plain-stop"
    named: dict[str, Arg] = {} if motion.accused is None else {"seat": motion.accused}
    return Cue(f"motion-{kind}".replace("_", "-"), named, priority=Priority.NOW), *_public("motion-call")


def _count(event: ev.BallotCounted) -> tuple[Cue, ...]:
    """Candidate by candidate with his voters, the defaults said to be defaults, then what follows from it."""
    if event.sole:
        return _public("sole-candidate", seat=event.leaders[0])
    said: list[Cue] = []
    for candidate in event.candidates:
        voters = tuple(
            sorted(
                voter for voter, target in event.votes.items() if target == candidate and voter not in event.defaults
            )
        )
        if voters:
            said += _public("count", seat=candidate, votes=len(voters), seats=voters)
    if event.defaults:
        said += _public("count-defaults", seat=event.candidates[-1], seats=tuple(sorted(event.defaults)))
    if len(event.leaders) > 1:
        said += _public("tie", seats=event.leaders)
    return tuple(said)


def _lift(event: ev.LiftDecided) -> tuple[Cue, ...]:
    said: list[Cue] = []
    for key, lift in (("lift-for", True), ("lift-against", False)):
        voters = sorted(seat for seat, vote in event.votes.items() if vote is lift and seat not in event.defaults)
        if voters:
            said += _public(key, seats=tuple(voters))
    if event.defaults:
        said += _public("lift-defaults", seats=tuple(sorted(event.defaults)))
    return *said, *_public("lifted" if event.lifted else "not-lifted")


def _reveal(roles: dict[Seat, Role]) -> Cue:
    seats = {role: tuple(sorted(seat for seat in roles if roles[seat] is role)) for role in Role}
    return Cue("roles-revealed", {"don": seats[Role.DON], "mafia": seats[Role.MAFIOSO], "sheriff": seats[Role.SHERIFF]})


def _scores(points: dict[str, dict[Seat, float]]) -> tuple[Cue, ...]:
    """The best of the first scoring system; nothing when all ten are level."""
    scores = next(iter(points.values()), {})
    best = tuple(sorted(seat for seat, score in scores.items() if score == max(scores.values())))
    return (Cue("scores", {"seats": best}, priority=Priority.LOW),) if len(best) < len(scores) else ()


# --- what no event says: questions, echoes, refusals ----------------------------------------------


def echo(kind: StepKind, seat: Seat, target: Seat) -> Cue:
    """To the voter, shooter or checker alone: the answer as it was heard, before it counts."""
    return _answer("echo", kind, seat, target)


def ask_answer(kind: StepKind, seat: Seat, target: Seat) -> Cue:
    """To that seat alone: was it `target` you said?"""
    return _answer("ask", kind, seat, target)


def _answer(form: str, kind: StepKind, seat: Seat, target: Seat) -> Cue:
    name = {StepKind.BALLOT: "ballot", StepKind.SHOTS: "shot"}.get(kind, "check")
    return Cue(f"{form}-{name}", {"seat": target}, frozenset({seat}), expires_s=ECHO_EXPIRES_S)


def echo_lift(seat: Seat, *, lift: bool) -> Cue:
    return Cue("echo-lift-yes" if lift else "echo-lift-no", {}, frozenset({seat}), expires_s=ECHO_EXPIRES_S)


def ask_lift(seat: Seat, *, lift: bool) -> Cue:
    return Cue("ask-lift-yes" if lift else "ask-lift-no", {}, frozenset({seat}), expires_s=ECHO_EXPIRES_S)


def ask_nomination(target: Seat) -> Cue:
    """Aloud, inside the speech: do you nominate `target`?"""
    return Cue("ask-nomination", {"seat": target}, expires_s=ECHO_EXPIRES_S)


def ask_withdrawal(target: Seat) -> Cue:
    return Cue("ask-withdrawal", {"seat": target}, expires_s=ECHO_EXPIRES_S)


def ask_testament(suspects: tuple[Seat, ...], crown: Seat | None) -> Cue:
    """Aloud, inside the farewell. At least one of the two is given."""
    if crown is None:
        return Cue("ask-testament", {"seats": suspects})
    if not suspects:
        return Cue("ask-crown", {"seat": crown})
    return Cue("ask-testament-crown", {"seats": suspects, "seat": crown})


def ask_motion(seat: Seat, kind: MotionKind, accused: Seat | None) -> Cue:
    """To the one who moves it: does he?"""
    name = "plain-stop" if accused is None else str(kind).replace("_", "-")
    named: dict[str, Arg] = {} if accused is None else {"seat": accused}
    return Cue(f"ask-motion-{name}", named, frozenset({seat}), expires_s=ECHO_EXPIRES_S)


def ask_give_up(seat: Seat) -> Cue:
    """To the one who wants to leave the game for good: does he?"""
    return Cue("ask-give-up", {}, frozenset({seat}), expires_s=ECHO_EXPIRES_S)


def say_the_number(seat: Seat | None) -> Cue:
    """Something was said but no seat understood; to `seat`, or to all."""
    return Cue("say-the-number", {}, _only(seat), expires_s=ECHO_EXPIRES_S)


def say_yes_or_no(seat: Seat | None) -> Cue:
    return Cue("say-yes-or-no", {}, _only(seat), expires_s=ECHO_EXPIRES_S)


def nothing_noted(seat: Seat | None) -> Cue:
    """A question stayed without an answer: nothing happens."""
    return Cue("nothing-noted", {}, _only(seat), expires_s=ECHO_EXPIRES_S)


SILENT_REFUSALS = frozenset(
    {
        RefusalCode.ALREADY_NOMINATED,
        RefusalCode.OVER,
        RefusalCode.NOT_STARTED,
        RefusalCode.ALREADY_STARTED,
        RefusalCode.BAD_DEAL,
        RefusalCode.SUSPENDED,
    }
)
"""A name already on the list is passed in silence (the rules of the field); the others are never a player's doing."""


def refused(code: RefusalCode, seat: Seat | None, target: Seat | None = None) -> Cue | None:
    """Why nothing came of it, to `seat` alone (None: aloud); None where the answer is silence.

    `target` is the seat the command was about, for refusals that name it.
    """
    if code in SILENT_REFUSALS:
        return None
    if code in (RefusalCode.TARGET_NOT_ALIVE, RefusalCode.NOT_A_CANDIDATE) and target is not None:
        return Cue(f"refused-{code}".replace("_", "-"), {"seat": target}, _only(seat), expires_s=ECHO_EXPIRES_S)
    if code in (RefusalCode.TARGET_NOT_ALIVE, RefusalCode.NOT_A_CANDIDATE):
        return Cue("say-the-number", {}, _only(seat), expires_s=ECHO_EXPIRES_S)
    return Cue(f"refused-{code}".replace("_", "-"), {}, _only(seat), expires_s=ECHO_EXPIRES_S)


def waiting(present: Iterable[Seat]) -> Cue:
    """To those who have come: who is still missing."""
    here = frozenset(present)
    missing = tuple(seat for seat in SEATS if seat not in here)
    return Cue("waiting", {"seats": missing}, here or None, Priority.LOW, expires_s=5.0)


def check_headphones(seat: Seat) -> Cue:
    """Aloud: the table waits for a seat that hears nothing."""
    return Cue("check-headphones", {"seat": seat}, priority=Priority.NOW)


def role_again(state: GameState, seat: Seat) -> Cue:
    """The line that told this seat its role."""
    return _role(ev.RoleDealt(at=state.at, seat=seat, role=state.roles[seat], mates=view(state, seat).mates))


def welcome_back(state: GameState, seat: Seat) -> tuple[Cue, ...]:
    """For a player who has joined again."""
    return _whisper(seat, "welcome-back", own=seat), role_again(state, seat)


RECORDED = Cue("recorded", {})
"""Before the first word: sound and words of this game are kept."""
WATCHED = Cue("watched", {})
"""Before the first word: spectators may listen."""
NOT_STORED = Cue("not-stored", {}, priority=Priority.NOW)
"""The game cannot be stored any more, and stops."""
THINKING = Cue("thinking", {})
"""Words spoken in time are still being understood."""
NO_MODEL = Cue("no-model", {}, priority=Priority.LOW)
"""The language model is missing: everything that the grammar finds is asked."""


def _only(seat: Seat | None) -> Audience:
    return None if seat is None else frozenset({seat})
