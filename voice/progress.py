"""Shows a person what happens at the table, line by line, from the stored events and words alone."""

import sys
import time
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
