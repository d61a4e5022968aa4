"""Shows a person what happens: at the table, line by line, from the stored events and words; in long work, a bar."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TextIO

from moderator import engine
from moderator.events import Event
from moderator.narration import cues
from moderator.state import GameState
from voice.phrasebook import Phrasebook
from voice.ports import Lang, Utterance


class Progress:
    """Prints what the narrator says (to whom, when it is private) and what the players were heard to say."""

    def __init__(self, lang: Lang, started_s: float, out: TextIO = sys.stderr) -> None:
        self._phrases, self._started_s, self._out = Phrasebook(lang), started_s, out
        self._state = GameState()

    def show(self, item: Event | Utterance) -> None:
        if isinstance(item, Utterance):
            self._line(f"{item.seat:>10}", f"« {item.text} »")
            return
        before, self._state = self._state, engine.evolve(self._state, item)
        for cue in cues(item, before, self._state):
            to = "" if cue.audience is None else f" → {', '.join(map(str, sorted(cue.audience)))}"
            self._line(f"{'narrator' + to:>10}", self._phrases.render(cue.key, cue.args))

    def _line(self, who: str, text: str) -> None:
        passed_s = int(time.monotonic() - self._started_s)
        print(f"{passed_s // 60:02d}:{passed_s % 60:02d} {who}  {text}", file=self._out, flush=True)


BAR = "{desc}: {percentage:3.0f} % |{bar:20}| {n:.0f} of {total:.0f} s, {remaining} left"
NO_BAR = "{desc}: {n:.0f} s"
ON_TERMINAL_S, IN_LOG_S = 0.5, 10.0
"""A terminal is drawn anew this often; a file gets a line."""


@contextlib.contextmanager
def bar(total_s: float | None, what: str, out: TextIO | None = None) -> Iterator[Callable[[float], None]]:
    """How far long work is, and how long it will still take. What is yielded takes the seconds done so far."""
    from tqdm import tqdm

    out = out or sys.stderr
    with tqdm(
        total=total_s,
        desc=what,
        file=out,
        bar_format=BAR if total_s else NO_BAR,
        mininterval=ON_TERMINAL_S if out.isatty() else IN_LOG_S,
    ) as drawn:

        def done(done_s: float) -> None:
            drawn.update(max(0.0, min(done_s, total_s or done_s) - drawn.n))

        yield done
