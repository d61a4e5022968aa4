"""What the clients send: keys and typed words. Whatever else comes is dropped."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any, Protocol

from pydantic import ValidationError

from moderator.commands import Command, EndSpeech
from moderator.events import Event
from moderator.model import Refusal, Seat
from moderator.state import GameState
from voice import keys, wire
from voice.board import Board
from voice.booth_commands import BoothCommands
from voice.dialogue import Dialogue, Heard
from voice.ports import Lang, Message, Task
from voice.roles_heard import RolesHeard
from voice.typed import TypedWords

log = logging.getLogger(__name__)


class Host(Protocol):
    """The table."""

    state: GameState
    lang: Lang

    def dialogue_of(self, seat: Seat) -> Dialogue | None: ...

    def heard_by(self, seat: Seat) -> frozenset[int]: ...

    async def submit(self, command: Command) -> list[Event] | Refusal: ...

    async def heard_out(self, seat: Seat, dialogue: Dialogue) -> None:
        """Returns when what the seat has said so far is understood, and stands."""
        ...


class Inbox:
    """`start` runs something beside the loop, until the game is over."""

    def __init__(
        self,
        host: Host,
        booths: BoothCommands,
        board: Board,
        roles_heard: RolesHeard,
        typed: TypedWords,
        start: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        self._host, self._booths, self._board, self._roles_heard = host, booths, board, roles_heard
        self._typed, self._start = typed, start

    async def take(self, message: Message) -> None:
        """A key pressed, or words typed. Anything else a client sends is dropped."""
        try:
            do = wire.FROM_CLIENT.validate_json(message.body)
        except ValidationError:
            log.info("a message of a client was not understood")
            return
        seat, dialogue = message.seat, self._host.dialogue_of(message.seat)
        command = keys.command(do, message, self._host.state)
        if isinstance(command, EndSpeech) and dialogue is not None:
            self._start(self._end(command, dialogue))
        elif command is not None:
            await self._host.submit(command)
        elif do.what == "heard":
            self._start(self._roles_heard.report(seat, do.ms or 0))
        elif do.what == "ask":
            self._booths.press(seat, do.name or "", aloud=bool(self._host.heard_by(seat)))
        elif do.what == "type":
            self._typed.take(seat, do.text or "")
        elif do.what == "table":
            self._board.show_to(seat, self._host.state)
        elif dialogue is not None:
            task = Task.CONFIRM if dialogue.question else dialogue.task
            if (word := keys.word(do, self._host.lang, task)) is not None:
                await dialogue.hear(Heard(seat, word, message.at_s, message.at_s))

    async def _end(self, command: EndSpeech, dialogue: Dialogue) -> None:
        """What was said or pressed before counts: a testament stands when its farewell ends by key as by word."""
        await self._host.heard_out(command.seat, dialogue)
        if self._host.dialogue_of(command.seat) is dialogue:
            await self._host.submit(command)
