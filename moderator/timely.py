"""Whether words were spoken in time: while their step was open, however late they were understood."""

from moderator.commands import SeatCommand
from moderator.model import RefusalCode, StepKind
from moderator.state import GameState


def untimely(state: GameState, command: SeatCommand, *kinds: StepKind) -> RefusalCode | None:
    """Why `command` comes at the wrong time for steps of these kinds; None: in time."""
    step = state.step
    if step is None or step.kind not in kinds:
        return RefusalCode.NOT_NOW
    if step.opened_at is None or step.ends_at is None or command.at < step.opened_at:
        return RefusalCode.TOO_EARLY
    if state.motion is not None and command.at > state.motion.opened_at:
        return RefusalCode.MOTION_RUNNING
    return RefusalCode.TOO_LATE if command.at > step.ends_at else None
