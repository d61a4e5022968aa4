"""The one loop and the only writer of a game: words -> commands -> events -> store -> voice.

Nothing is said before it is stored. Everything slow (hearing, understanding, speaking) runs beside the
loop and comes back as a command that carries the moment its words were spoken.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Sequence
from typing import Any

from moderator import engine
from moderator.commands import Command, Credit, Deal, EndSpeech, Open, Resume, Suspend, Tick
from moderator.discipline import electorate
from moderator.events import Event, MotionOpened, StepCalled, StepClosed, StepOpened
from moderator.model import SEATS, Refusal, Seat, Step, StepKind
from moderator.narration import INTO_A_SPEECH, NOT_STORED, THINKING, Cue, cues
from moderator.state import GameState
from voice import wire
from voice.answer import AnswerDialogue
from voice.board import Board
from voice.booth_commands import BoothCommands
from voice.breaks import Breaks
from voice.dialogue import TASKS, Dialogue, Heard, OnMotion, OutOfTurn
from voice.fair_play import FairPlay
from voice.gestures import GesturesByVoice
from voice.growing import GrowingCaptions
from voice.inbox import Inbox
from voice.lines import Lines
from voice.logbook import Logbook
from voice.motions import MotionsByVoice
from voice.parts import Ears, Handle, Parts
from voice.ports import Clip, Context, Lang, Proposal, Task, Utterance
from voice.ports_store import BadStore
from voice.roles_heard import RolesHeard
from voice.routing import SPOKEN_STEPS, concerned, routes
from voice.speech import SpeechDialogue
from voice.typed import TypedWords
from voice.utterances import Utterances

log = logging.getLogger(__name__)

NIGHT_TAIL_S = 4.0
"""At night the words of a step are awaited exactly this long, whoever speaks: its length tells nothing."""
TRAVEL_S = 0.2
"""What was spoken until the very end is still on its way this long."""
THINKING_S = 2.5
"""When a step waits longer than this for words to be understood, the table is told."""
DRAIN_S = 14.0
"""By day a step waits at most this long for words spoken in time (and for one question) before it closes."""
PAUSE_OF_SPEAKER_S = 2.0
"""The narrator waits at most this long for a pause in a speech before he answers into it."""
OUT_OF_TURN_S = 3.5
"""Longer talk without the floor is no interpellation and no question to the narrator, and is not transcribed."""

OPEN_TO_INTERPELLATION = (StepKind.SPEECH, StepKind.SPLIT_SPEECH)
NIGHT_STEPS = (StepKind.SHOTS, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK)


class Table:
    """One game. `run` returns when it is over and the last word has been heard."""

    def __init__(self, game: str, lang: Lang, parts: Parts) -> None:
        self.game, self.lang, self.parts = game, lang, parts
        self.state = GameState()
        self.ears: Ears | None = None
        self._until_s = 0.0
        self.counts: list[tuple[str, Task, Seat, float]] = []
        self._log = Logbook(parts.store, game)
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._dialogues: dict[Seat, Dialogue] = {}
        self._roles_heard = RolesHeard(self)
        self._lines = Lines(self, parts.room)
        self._fair_play = FairPlay(self, parts.reader, lang)
        self._board = Board(self._send, parts.clock.now)
        self._out_of_turn = {seat: OutOfTurn(self, seat) for seat in SEATS}
        self._utterances = Utterances(self, parts.transcriber, lang)
        self._public: Handle | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._motions = MotionsByVoice(self, parts.narrator, self._start, lang)
        self._gestures = GesturesByVoice(self, parts.narrator, lang)
        self._booths = BoothCommands(self, parts.narrator, Breaks(self, parts.narrator, self._start), lang)
        self._typed = TypedWords(self, parts.narrator, self._start)
        self._growing = GrowingCaptions(self, parts.transcriber, lang, self._send)
        self._inbox = Inbox(self, self._booths, self._board, self._roles_heard, self._typed, self._start)

    # --- life -------------------------------------------------------------------------------------

    async def run(self, deal: Deal | None) -> None:
        """Play a new game, or go on with the stored one when `deal` is None.

        Raises `BadStore`, after the table has been told, when the game cannot be stored any more; `Conflict`, in
        silence, when another process has taken it over: that one speaks now.
        """
        try:
            await self._log.kept(self._play(deal))
        except BadStore:
            self._leave_off()
            self.parts.narrator.interrupt()
            await self.tell(NOT_STORED).heard()
            raise
        finally:
            self._leave_off()

    async def _play(self, deal: Deal | None) -> None:
        if deal is None:
            await self._take_up()
        for work in (*map(self._utterances.run, SEATS), self._read_messages(), self._lines.run(), self._growing.run()):
            self._start(work)
        await (self._go_on() if deal is None else self.submit(deal))
        await self._keep_time()
        await self.said()

    def _leave_off(self) -> None:
        for task in self._background:
            task.cancel()
        self._fair_play.close()
        self._close_dialogues()

    async def _take_up(self) -> None:
        """The clock of a stored game stood still. Told before anybody is listened to: what he does now is in time."""
        if self.state.suspended_at is None:
            await self.submit(Suspend(at=self._until_s))
            self.parts.narrator.interrupt()  # who sat in silence knows it
        await self.submit(Resume(at=self.now()))

    async def _go_on(self) -> None:
        step = self.state.step
        if step is not None and step.opened_at is None:
            await self._announce(step)
        elif step is not None:
            self._open_dialogues(step)

    def load(self, events: Sequence[Event], until_s: float) -> None:
        """Replay a stored game, which was played until then; `run(None)` goes on with it."""
        replayed = engine.replay(events)
        if replayed.error is not None:
            raise ValueError(f"game {self.game}: {replayed.error}")
        self.state, self._log.length, self._until_s = replayed.state, replayed.applied, until_s

    # --- the heart --------------------------------------------------------------------------------

    async def submit(self, command: Command) -> list[Event] | Refusal:
        if isinstance(command, EndSpeech):
            await self._fair_play.heard_out(command.seat)
        async with self._lock:
            result = engine.decide(self.state, command)
            if isinstance(result, Refusal) or not result:
                return result
            await self._log.append(result)
            for event in result:
                before, self.state = self.state, engine.evolve(self.state, event)
                self._follow(event, before)
            self._board.show(self.state)
            self._changed.set()
            return result

    def _follow(self, event: Event, before: GameState) -> None:
        """What a stored event sets going: words, dialogues, messages to the clients."""
        for cue in cues(event, before, self.state):
            if isinstance(event, INTO_A_SPEECH) and before.step is not None:
                self._start(self.say(cue, after_pause_of=before.step.seat))
            else:
                self.tell(cue)
        match event:
            case StepCalled(step=step):
                self._start(self._announce(step))
            case StepOpened():
                assert self.state.step is not None
                self._open_dialogues(self.state.step)
            case StepClosed(kind=kind):
                self._close_dialogues()
                for seat in concerned(before):
                    self._send(seat, wire.Closed(what=kind))
            case MotionOpened(motion=motion):
                for seat in electorate(self.state.alive, motion.accused):
                    accused = () if motion.accused is None else (motion.accused,)
                    self._send(seat, wire.Asked(what="motion", seats=accused, time_s=self.state.rules.motion_s))

    async def _announce(self, step: Step) -> None:
        """A step opens when its call has been heard to the end by the whole table."""
        await self.said()
        if self.state.step is not None and self.state.step.kind is step.kind and self.state.step.seat == step.seat:
            await self.submit(Open(at=self.parts.clock.now()))

    async def _keep_time(self) -> None:
        """The only clockwork: sleep to the next deadline of the rules, hear out what was said in time, tick."""
        while not self.state.over:
            self._changed.clear()
            next_at = engine.next_at(self.state)
            if next_at is None:
                await self._changed.wait()
                continue
            sleep = asyncio.ensure_future(self.parts.clock.sleep_until(next_at))
            change = asyncio.ensure_future(self._changed.wait())
            await asyncio.wait((sleep, change), return_when=asyncio.FIRST_COMPLETED)
            sleep.cancel()
            change.cancel()
            await self._lines.look()
            if engine.next_at(self.state) != next_at or self.parts.clock.now() < next_at:
                continue
            step = self.state.step
            if step is not None and step.ends_at == next_at:
                await self._hear_out(step)
                if engine.next_at(self.state) != next_at:
                    continue
            await self.submit(Tick(at=max(next_at, self.parts.clock.now())))

    async def _hear_out(self, step: Step) -> None:
        """Words spoken before the end count, however long the recogniser needs for them (bounded)."""
        assert step.ends_at is not None
        await self.sleep(TRAVEL_S)
        for seat in list(self._dialogues):
            if self.ears is not None:
                self.ears.flush(seat, step.ends_at)
        settled = asyncio.gather(*(self._settle(seat, dialogue) for seat, dialogue in list(self._dialogues.items())))
        limit_s = NIGHT_TAIL_S if step.kind in NIGHT_STEPS else DRAIN_S
        deadline = asyncio.ensure_future(self.parts.clock.sleep_until(step.ends_at + limit_s))
        if step.kind in NIGHT_STEPS:
            await deadline
        else:
            patience = asyncio.ensure_future(self.parts.clock.sleep_until(step.ends_at + THINKING_S))
            await asyncio.wait((settled, patience), return_when=asyncio.FIRST_COMPLETED)
            patience.cancel()
            if not settled.done() and self._utterances.busy:
                self.tell(THINKING)
            await asyncio.wait((settled, deadline), return_when=asyncio.FIRST_COMPLETED)
        settled.cancel()
        deadline.cancel()

    async def _settle(self, seat: Seat, dialogue: Dialogue) -> None:
        while self._utterances.waits(seat) or self._typed.busy(seat):
            await self.sleep(0.02)
        await self._fair_play.heard_out(seat)
        await dialogue.settle()

    async def heard_out(self, seat: Seat, dialogue: Dialogue) -> None:
        if self.ears is not None:
            self.ears.flush(seat, self.parts.clock.now())
        await self._settle(seat, dialogue)

    @property
    def decided_ms(self) -> dict[Task, list[int]]:
        return self._utterances.decided_ms

    @property
    def hears_out(self) -> bool:
        return self._utterances.busy

    def dialogue_of(self, seat: Seat) -> Dialogue | None:
        return self._dialogues.get(seat)

    # --- hearing ----------------------------------------------------------------------------------

    def on_clip(self, clip: Clip) -> None:
        """Called by the audio loop for each utterance of each microphone."""
        if self._listens_to(clip):
            self._utterances.add(clip)

    def on_ending(self, clip: Clip) -> None:
        """Called by the audio loop when an utterance has ended, if its seat does not go on at once."""
        if self.state.step is not None and clip.seat in self._dialogues:
            self._utterances.ending(clip)

    def _listens_to(self, clip: Clip) -> bool:
        if self.state.step is None:
            return False
        voting = self.state.motion is not None and clip.seat in self.state.alive
        if clip.seat in self._dialogues or voting or self.heard_by(clip.seat):
            return True
        return clip.ended_s - clip.started_s <= OUT_OF_TURN_S

    def heard_by(self, seat: Seat, at_s: float | None = None) -> frozenset[int]:
        """The listeners that this seat's voice reaches now, or reached at that moment of this step."""
        heard = routes(self.state, self.parts.clock.now() if at_s is None else at_s)
        return frozenset(listener for listener, sources in heard.items() if seat in sources)

    def task_of(self, clip: Clip) -> Task:
        """What the words in it may answer."""
        dialogue, motion = self._dialogues.get(clip.seat), self.state.motion
        if self._motions.asks(clip.seat) or (motion is not None and clip.ended_s > motion.opened_at):
            return Task.CONFIRM
        return Task.OUT_OF_TURN if dialogue is None else Task.CONFIRM if dialogue.question else dialogue.task

    async def take_words(self, said: Heard, utterance: int, audience: frozenset[int], confidence: float = 1.0) -> None:
        """Words of a seat, spoken or typed, that `audience` has heard: they are captioned, kept and understood."""
        seat, dialogue, motion = said.seat, self._dialogues.get(said.seat), self.state.motion
        heard = self._booths.hear(said, confidence, aloud=bool(audience))
        if audience or (dialogue is not None and heard is not None):
            await self._log.append_utterance(Utterance(seat, said.started_s, said.ended_s, said.text, confidence))
        for listener in audience:
            self._send(listener, wire.Caption(seat=seat, text=said.text, id=utterance))
        stopped = self.state.suspended_at is not None and said.ended_s > self.state.suspended_at
        if heard is None or stopped or seat not in (*self.state.alive, *self._dialogues):
            return
        if await self._fair_play.takes_up(heard, self.state):
            return
        self._fair_play.hear(heard, self.state, aloud=bool(audience))
        if motion is not None and said.ended_s > motion.opened_at:
            await OnMotion(self, seat).hear(heard)
        elif await self._motions.hear(heard) or await self._gestures.hear(heard):
            return
        elif dialogue is not None:
            await dialogue.hear(heard)
        elif self.state.step is not None and self.state.step.kind in OPEN_TO_INTERPELLATION:
            await self._out_of_turn[seat].hear(heard)

    def _open_dialogues(self, step: Step) -> None:
        self._close_dialogues()
        for seat in concerned(self.state):
            if step.kind in SPOKEN_STEPS:
                self._dialogues[seat] = SpeechDialogue(self, seat, step)
            elif step.kind in TASKS:
                self._dialogues[seat] = AnswerDialogue(self, seat, step)
            self.remind(seat)
        self._booths.step_opened()

    def remind(self, seat: Seat) -> None:
        """Tell a client what is asked of its seat now, if anything is."""
        step = self.state.step
        if step is not None and step.ends_at is not None and seat in concerned(self.state):
            left_s = max(0.0, step.ends_at - self.parts.clock.now())
            self._send(seat, wire.Asked(what=step.kind, seats=step.candidates, time_s=left_s))

    def _close_dialogues(self) -> None:
        for dialogue in self._dialogues.values():
            dialogue.close()
        self._dialogues = {}

    # --- what a dialogue may do (voice.dialogue.Desk) ---------------------------------------------

    def refusal(self, command: Command) -> Refusal | None:
        result = engine.decide(self.state, command)
        return result if isinstance(result, Refusal) else None

    async def understand(self, task: Task, seat: Seat, text: str, asked: Seat | None = None) -> Proposal:
        context = Context(
            seat, self.state.alive, self.state.candidates, asked=asked, suspects=self.state.rules.suspects
        )
        asked_s = self.parts.clock.now()
        proposal = await self.parts.reader.read(task, self.lang, text, context)
        log.info("read for %s by %s in %.1f s", task, proposal.source, self.parts.clock.now() - asked_s)
        return proposal

    async def say(self, cue: Cue, after_pause_of: Seat | None = None) -> None:
        started_s = self.parts.clock.now()
        if after_pause_of is not None and self.ears is not None:
            while self.ears.speaking(after_pause_of) and self.parts.clock.now() < started_s + PAUSE_OF_SPEAKER_S:
                await self.sleep(0.05)
        await self.tell(cue).heard()
        step = self.state.step
        if after_pause_of is not None and step is not None and step.seat == after_pause_of:
            await self.submit(Credit(at=self.parts.clock.now(), seconds=self.parts.clock.now() - started_s))

    def tell(self, cue: Cue) -> Handle:
        handle = self.parts.narrator.say(cue)
        if cue.audience is None:
            self._public = handle
        return handle

    async def said(self) -> None:
        if self._public is not None:
            await self._public.heard()

    def ask(self, seat: Seat, target: Seat | None, time_s: float) -> None:
        self._send(seat, wire.Asked(what="question", seats=() if target is None else (target,), time_s=time_s))

    def busy(self, seat: Seat) -> bool:
        speaks = self.ears is not None and self.ears.speaking(seat)
        return speaks or self._utterances.waits(seat) or self._typed.busy(seat)

    def count(self, outcome: str, task: Task, heard: Heard) -> None:
        self.counts.append((outcome, task, heard.seat, self.parts.clock.now() - heard.ended_s))

    def tally(self) -> Counter[str]:  # acted on, asked about, left unanswered, refused
        return Counter(outcome for outcome, *_ in self.counts)

    def now(self) -> float:
        return self.parts.clock.now()

    async def sleep(self, seconds: float) -> None:
        await self.parts.clock.sleep_until(self.parts.clock.now() + seconds)

    # --- clients ----------------------------------------------------------------------------------

    async def _read_messages(self) -> None:
        while True:
            for message in self.parts.room.receive():
                await self._inbox.take(message)
            await self.sleep(0.02)

    def _send(self, listener: int, message: wire.Wire) -> None:
        self.parts.room.send(listener, message.model_dump_json().encode())

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
