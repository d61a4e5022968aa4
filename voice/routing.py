"""Who may hear whom, and who is asked: the whole privacy policy of the sound, in pure functions.

The narrator is not in here: each of his lines carries its own audience.
"""

from typing import Final

from moderator.model import SEATS, Role, Seat, StepKind, Team
from moderator.state import GameState

SPOKEN_STEPS = (StepKind.SPEECH, StepKind.SPLIT_SPEECH, StepKind.FAREWELL)
NOBODY: frozenset[Seat] = frozenset()
GALLERY: Final = 0
"""The listener who has no seat: spectators, and the recording. What is public is heard there, and nobody speaks."""
LISTENERS = (GALLERY, *SEATS)


def floor_holder(state: GameState, now_s: float) -> Seat | None:
    """The one seat whose microphone the table hears at `now_s`, or None."""
    step = state.step
    if (
        state.suspended_at is not None
        or state.motion is not None
        or step is None
        or step.ends_at is None
        or step.kind not in SPOKEN_STEPS
    ):
        return None
    if state.interpellation is not None:
        seat, ends_at = state.interpellation
        return seat if now_s < ends_at else None
    return step.seat if now_s < step.ends_at else None


def routes(state: GameState, now_s: float) -> dict[int, frozenset[Seat]]:
    """Listener, a seat or the gallery -> the seats whose microphones reach him.

    By day everybody hears the floor holder, those who left and the gallery included. In the first night's meeting the
    mafiosi hear one another and nobody else hears them. Otherwise nobody hears anybody.
    """
    step = state.step
    if step is not None and step.kind is StepKind.MEETING:
        if step.ends_at is None or now_s >= step.ends_at or state.suspended_at is not None:
            return dict.fromkeys(LISTENERS, NOBODY)
        mafia = frozenset(seat for seat in state.alive if state.roles[seat].team is Team.MAFIA)
        return {listener: mafia - {listener} if listener in mafia else NOBODY for listener in LISTENERS}
    holder = floor_holder(state, now_s)
    if holder is None:
        return dict.fromkeys(LISTENERS, NOBODY)
    return {listener: NOBODY if listener == holder else frozenset({holder}) for listener in LISTENERS}


def concerned(state: GameState) -> tuple[Seat, ...]:
    """The seats from which the current step waits for words."""
    step = state.step
    if step is None:
        return ()
    if step.kind in SPOKEN_STEPS:
        return (step.seat,) if step.seat is not None else ()
    if step.kind in (StepKind.BALLOT, StepKind.LIFT):
        return state.alive
    if step.kind in (StepKind.SHOTS, StepKind.MEETING):
        return tuple(seat for seat in state.alive if state.roles[seat].team is Team.MAFIA)
    checker = {StepKind.DON_CHECK: Role.DON, StepKind.SHERIFF_CHECK: Role.SHERIFF}.get(step.kind)
    return tuple(seat for seat in state.alive if state.roles[seat] is checker)
