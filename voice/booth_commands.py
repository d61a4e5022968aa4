"""What a player asks of the narrator in his own booth, by word or key, at any time, and what he sets there.

Every answer is private to the asker and made from his own view. Nothing here waits, costs a foul or reaches the table
but a break (`voice.breaks`), and the rate of public lines, which follows the wishes of more than half.
"""

from collections import deque
from dataclasses import replace
from typing import Protocol

from moderator import queries
from moderator.model import SEATS, Phase, Seat
from moderator.narration import Arg, Cue, Priority
from moderator.queries import ANSWER_EXPIRES_S, Query
from moderator.state import GameState
from moderator.view import SeatView, view
from voice.booth_settings import RATE_STEP, table_rate
from voice.breaks import Breaks
from voice.dialogue import SURE, Heard
from voice.earcons import Earcon
from voice.intents import Intent, sentences
from voice.parts import Speaker
from voice.phrasebook import Detail
from voice.ports import Lang
from voice.routing import concerned

DETAIL_OF: dict[Intent, Detail] = {Intent.NOVICE: "novice", Intent.NORMAL: "normal", Intent.EXPERT: "expert"}

AT_MOST, WITHIN_S = 8, 10.0
"""So many wishes of one seat count in so many seconds: a client that floods its booth keeps no voice busy."""


class Host(Protocol):
    """The table."""

    state: GameState

    def now(self) -> float: ...


class BoothCommands:
    def __init__(self, host: Host, speaker: Speaker, breaks: Breaks, lang: Lang) -> None:
        self._host, self._speaker, self._breaks = host, speaker, breaks
        self._sentences = sentences(lang)
        self._usual_wpm = speaker.voice.rate_wpm
        self._lately: dict[Seat, deque[float]] = {seat: deque(maxlen=AT_MOST) for seat in SEATS}
        """When each seat wished something."""

    def hear(self, heard: Heard, confidence: float, *, aloud: bool) -> Heard | None:
        """Do the wish that was said, and give back what else was said; None: nothing.

        `confidence`: the recogniser's own, 0..1; it is told what may be wished, and may hear it in a mumble. `aloud`:
        the seat's microphone reaches others, so only what is plainly meant for the narrator counts.
        """
        wish = None if confidence < SURE else self._sentences.read(heard.text, aloud=aloud)
        if wish is None or (wish.intent is Intent.RESUME and not self._breaks.on):
            return heard
        self.do(heard.seat, wish.intent, aloud=aloud)
        return replace(heard, text=wish.rest) if wish.rest else None

    def press(self, seat: Seat, name: str, *, aloud: bool) -> None:
        """A key; an unknown name does nothing."""
        if name in set(Intent):
            self.do(seat, Intent(name), aloud=aloud)

    def do(self, seat: Seat, intent: Intent, *, aloud: bool) -> None:
        """Nothing, where the seat has wished too much lately."""
        lately, now = self._lately[seat], self._host.now()
        if len(lately) == AT_MOST and now - lately[0] < WITHIN_S:
            return
        lately.append(now)
        match intent:
            case Intent.REPEAT:
                self._speaker.repeat(seat)
            case Intent.ROLE if aloud:
                self._say(seat, "answer-microphone-open")
            case Intent.PAUSE:
                self._breaks.ask(seat)
            case Intent.RESUME:
                self._breaks.end(seat)
            case Intent.SOUNDS:
                self._teach_sounds(seat)
            case Intent.LOUDER | Intent.SOFTER:
                self._set_sounds(seat, louder=intent is Intent.LOUDER)
            case Intent.SLOWER | Intent.FASTER | Intent.USUAL_RATE:
                self._set_rate(seat, intent)
            case Intent.NOVICE | Intent.NORMAL | Intent.EXPERT | Intent.DETAIL | Intent.VOICE:
                self._set_manner(seat, intent)
            case _:
                for cue in queries.answer(Query(intent), self._view(seat), self._host.state.rules, self._host.now()):
                    self._speaker.say(cue)

    def step_opened(self) -> None:
        """Who wants it is told how to answer and how long there is, in his own booth."""
        for seat in concerned(self._host.state):
            if self._speaker.booth(seat).detail == "novice":
                for cue in queries.how(self._view(seat), self._host.state.rules):
                    self._speaker.say(cue)

    def _view(self, seat: Seat) -> SeatView:
        return view(self._host.state, seat)

    # --- settings ---------------------------------------------------------------------------------

    def _set_rate(self, seat: Seat, intent: Intent) -> None:
        booth = self._speaker.booth(seat)
        rate_wpm = booth.voice.rate_wpm
        wanted = {Intent.SLOWER: rate_wpm / RATE_STEP, Intent.FASTER: rate_wpm * RATE_STEP}.get(intent, self._usual_wpm)
        changed = booth.at_rate(wanted)
        self._speaker.set_booth(seat, changed)
        living = self._host.state.alive or SEATS
        wishes = [self._speaker.booth(other).voice.rate_wpm for other in living]
        self._speaker.set_rate(table_rate(self._speaker.voice.rate_wpm, wishes))
        if intent is Intent.USUAL_RATE:
            self._say(seat, "rate-usual")
        elif intent is Intent.SLOWER:
            self._say(seat, "rate-slower" if changed != booth else "rate-slowest")
        else:
            self._say(seat, "rate-faster" if changed != booth else "rate-fastest")

    def _set_manner(self, seat: Seat, intent: Intent) -> None:
        booth, names = self._speaker.booth(seat), self._speaker.voices
        if intent is Intent.VOICE:
            self._speaker.set_booth(seat, booth.next_voice(names))
            self._say(seat, "voice-changed" if len(names) > 1 else "voice-only")
            return
        changed = booth.with_detail(DETAIL_OF[intent]) if intent in DETAIL_OF else booth.next_detail()
        self._speaker.set_booth(seat, changed)
        self._say(seat, f"detail-{changed.detail}")

    def _set_sounds(self, seat: Seat, *, louder: bool) -> None:
        booth = self._speaker.booth(seat)
        changed = booth.louder(1 if louder else -1)
        self._speaker.set_booth(seat, changed)
        if louder:
            self._say(seat, "sounds-louder" if changed != booth else "sounds-loudest")
        else:
            self._say(seat, "sounds-softer" if changed.sounds else "sounds-off")

    def _teach_sounds(self, seat: Seat) -> None:
        """Each sound and its name; for those who are out, so that nobody takes a lesson for the game."""
        if seat in self._host.state.alive and self._host.state.phase is not Phase.OVER:
            self._say(seat, "sounds-later")
            return
        for sound in Earcon:
            self._say(seat, f"sound-{sound}")

    def _say(self, seat: Seat, key: str, **args: Arg) -> None:
        self._speaker.say(Cue(key, args, frozenset({seat}), Priority.LOW, ANSWER_EXPIRES_S))
