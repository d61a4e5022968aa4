"""What every client may show of the table: one message with the public facts, the same to all ten booths and to
the gallery.

While a step is open everything before it has been said, so its facts spoil nothing. Between two steps the narrator's
lines tell what changes, each when it is heard.
"""

from collections.abc import Callable

from moderator.model import Phase
from moderator.rules import Rules
from moderator.state import GameState
from moderator.view import SeatView, view
from voice.routing import LISTENERS
from voice.wire import Table, Wire


class Board:
    """Tells every listener how the table stands, each time it changes."""

    def __init__(self, send: Callable[[int, Wire], None], now: Callable[[], float]) -> None:
        self._send, self._now = send, now
        self._shown: dict[int, Table] = {}
        """What each was told last, its time left as the moment at which it ends."""

    def show(self, state: GameState) -> None:
        """To whom it is news. Secret acts change none of it, so nobody is told that there was one."""
        if not settled(state):
            return
        for listener in LISTENERS:
            facts = standing(view(state, listener), state.rules)
            if self._shown.get(listener) != facts:
                self._tell(listener, facts)

    def show_to(self, listener: int, state: GameState) -> None:
        """To a client that asks: it has just come, or has missed something. What is not said yet is not told."""
        shown = self._shown.get(listener)
        if shown is None or settled(state):
            if state.phase is not Phase.NEW:
                self._tell(listener, standing(view(state, listener), state.rules))
        else:
            self._tell(listener, shown.model_copy(update={"step": None, "speaker": None, "ends_in_s": None}))

    def _tell(self, listener: int, facts: Table) -> None:
        self._shown[listener] = facts
        left_s = None if facts.ends_in_s is None else round(max(0.0, facts.ends_in_s - self._now()), 2)
        self._send(listener, facts.model_copy(update={"ends_in_s": left_s}))


def settled(state: GameState) -> bool:
    """Everything that has happened has been said."""
    return state.step is not None and state.step.opened_at is not None


def standing(seen: SeatView, rules: Rules) -> Table:
    """The public part of what a seat knows; `ends_in_s` is the moment on the game's clock."""
    step, interrupter = seen.step, seen.interpellation
    is_open = step is not None and step.opened_at is not None
    ends_at = None if step is None else step.ends_at
    speaker = step.seat if step is not None and is_open and step.kind.spoken else None
    if interrupter is not None:
        speaker, ends_at = interrupter
    if seen.motion is not None:
        speaker, ends_at = None, seen.motion.ends_at
    if seen.suspended_at is not None:
        speaker, ends_at = None, None
    return Table(
        phase=seen.phase,
        day=seen.day,
        step=None if step is None else step.kind,
        speaker=speaker,
        ends_in_s=ends_at,
        seal=seen.seal,
        alive=seen.alive,
        nominated=tuple(target for _, target in seen.nominations) if rules.say_nominees else (),
        fouls=seen.fouls,
        absent=seen.absent,
    )
