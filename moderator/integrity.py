"""Whether an event can follow a state: how a damaged log is found at the first event that does not fit."""

from moderator import events as ev
from moderator.events import Event
from moderator.model import SEATS, Phase, StepKind
from moderator.state import GameState


def misfit(state: GameState, event: Event) -> str | None:
    """Why `event` cannot have happened in `state`, in a few words; None when it can.

    A lost, doubled or displaced event shows, if not at once then where the next one builds on it. Whether
    the rules would have decided so is not asked: that is `decide`.
    """
    if event.at < state.at:
        return f"is at {event.at}, before {state.at}"
    if (state.phase is Phase.NEW) != isinstance(event, ev.GameOpened):
        return "comes before the game is opened" if state.phase is Phase.NEW else "opens a game that is open"
    if state.over != isinstance(event, ev.RolesRevealed | ev.Scored):
        return "comes after the end of the game" if state.over else "comes before the end of the game"
    if isinstance(event, ev.DealSealed) and (state.seal or state.roles):
        return "seals a deal that was made"
    if state.suspended_at is None and isinstance(event, ev.Resumed):
        return "nothing is suspended"
    if state.suspended_at is not None and not isinstance(event, ev.Resumed | ev.WentAbsent | ev.CameBack):
        return "comes while the table is suspended"
    return _step_misfit(state, event) or _seat_misfit(state, event) or _conduct_misfit(state, event)


def _step_misfit(state: GameState, event: Event) -> str | None:
    step = state.step
    match event:
        case ev.StepCalled():
            return None if step is None else f"is called while {step.kind} goes on"
        case ev.StepOpened(kind=kind, seat=seat):
            if step is None or (step.kind, step.seat) != (kind, seat) or step.opened_at is not None:
                return f"{kind} was not called"
        case ev.StepClosed(kind=kind, seat=seat, by=by):
            open_ = step is not None and (step.opened_at is not None or by == "removal")
            if step is None or (step.kind, step.seat) != (kind, seat) or not open_:
                return f"{kind} was not open"
        case ev.TimeWarned() | ev.TimeCredited() | ev.InterpellationOpened() | ev.MotionOpened():
            if step is None or step.opened_at is None:
                return "no step is open"
        case ev.InterpellationClosed(seat=seat):
            if state.interpellation is None or state.interpellation[0] != seat:
                return f"seat {seat} does not interpellate"
        case ev.DayBegan(day=day, order=order):
            night_over = state.phase is (Phase.NIGHT if state.night == 0 else Phase.DAY)
            if not night_over or day != state.night or (day > 0 and day == state.day):
                return f"day {day} does not follow night {state.night}"
            if sorted(order) != list(state.alive):
                return "the order of speech is not that of the living"
        case ev.NightBegan(night=night):
            if (state.phase, night) not in ((Phase.DEAL, 0), (Phase.DAY, state.day + 1)):
                return f"night {night} does not follow day {state.day}"
        case ev.NightEnded(night=night):
            if state.phase is not Phase.NIGHT or night != state.night:
                return f"night {night} did not begin"
    return None


def _seat_misfit(state: GameState, event: Event) -> str | None:
    kind = None if state.step is None else state.step.kind
    match event:
        case ev.RoleDealt(seat=seat):
            return f"seat {seat} has a role" if seat in state.roles else None
        case ev.StepCalled():
            return None if len(state.roles) == len(SEATS) else "a seat has no role"
        case ev.SpeechLost(seat=seat):
            return None if seat in state.owed else f"seat {seat} owes no speech"
        case ev.Nominated(target=target):
            return f"seat {target} is nominated" if target in state.candidates else _absent(state, target)
        case ev.NominationWithdrawn(by=by, target=target):
            return None if (by, target) in state.nominations else f"seat {by} has not nominated seat {target}"
        case ev.BallotCast(seat=seat):
            return f"seat {seat} has voted" if seat in state.ballots else _absent(state, seat)
        case ev.BallotCounted(votes=votes, sole=sole):
            return None if sole or votes == state.ballots else "the ballots are others"
        case ev.LiftCast(seat=seat):
            return f"seat {seat} has voted" if seat in state.lift_ballots else _absent(state, seat)
        case ev.LiftDecided(votes=votes):
            return None if votes == state.lift_ballots else "the ballots are others"
        case ev.ShotFired(seat=seat):
            return f"seat {seat} has shot" if seat in state.shots else _absent(state, seat)
        case ev.DonChecked():
            return None if kind is StepKind.DON_CHECK and not state.checked else "the Don does not check now"
        case ev.SheriffChecked():
            return None if kind is StepKind.SHERIFF_CHECK and not state.checked else "the Sheriff does not check now"
        case ev.PlayerLeft(seat=seat):
            return _absent(state, seat)
        case ev.TestamentGiven(by=by) | ev.CrownGiven(by=by):
            leaving = state.step is not None and kind is StepKind.FAREWELL and state.step.seat == by
            return None if leaving else f"seat {by} does not say farewell"
    return None


def _conduct_misfit(state: GameState, event: Event) -> str | None:
    match event:
        case ev.Fouled(seat=seat, count=count):
            return None if count == state.fouls.get(seat, 0) + 1 else f"seat {seat} has {state.fouls.get(seat, 0)}"
        case ev.TechnicalFouled(seat=seat, count=count):
            known = state.technical_fouls.get(seat, 0)
            return None if count == known + 1 else f"seat {seat} has {known}"
        case ev.InterpellationOpened():
            return None if state.interpellation is None else f"seat {state.interpellation[0]} has interrupted"
        case ev.InterpellationClosed(seat=seat):
            running = state.interpellation is not None and state.interpellation[0] == seat
            return None if running else f"seat {seat} has not interrupted"
        case ev.Noticed(seat=seat):
            told = seat in state.noticed or seat in state.offered
            return f"seat {seat} has been noticed today" if told else None
        case ev.MotionOpened():
            return None if state.motion is None else "a motion is running"
        case ev.MotionVoteCast(seat=seat):
            if state.motion is None:
                return "no motion is running"
            return f"seat {seat} has voted" if seat in state.motion.votes else _absent(state, seat)
        case ev.MotionDecided(votes=votes):
            if state.motion is None:
                return "no motion is running"
            return None if votes == state.motion.votes else "the votes are others"
        case ev.WentAbsent(seat=seat):
            return f"seat {seat} is absent" if seat in state.absent else _absent(state, seat)
        case ev.CameBack(seat=seat):
            return None if seat in state.absent else f"seat {seat} is not absent"
        case ev.FarewellLost(seat=seat):
            return None if seat in state.left else f"seat {seat} has not left"
        case ev.VoteCancelled():
            return None if state.cancels_vote else "nobody was removed"
    return None


def _absent(state: GameState, seat: int) -> str | None:
    return None if seat in state.alive else f"seat {seat} is out"
