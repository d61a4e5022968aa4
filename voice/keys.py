"""What a pressed key asks of the rules; keys that answer like a word are the dialogue's (`voice.table`)."""

from moderator.commands import Command, EndSpeech, GiveSignal, GiveUp, Interpellate, Move, VoteMotion
from moderator.model import MotionKind
from moderator.state import GameState
from voice.ports import Message
from voice.wire import Do


def command(do: Do, message: Message, state: GameState) -> Command | None:
    """The command of the key's own seat; None: it is no command now (yes and no without a motion, a digit)."""
    at, seat = message.at_s, message.seat
    match do.what:
        case "interpellate":
            return Interpellate(at=at, seat=seat)
        case "end_speech":
            return EndSpeech(at=at, seat=seat)
        case "give_up":
            return GiveUp(at=at, seat=seat)
        case "signal":
            return GiveSignal(at=at, seat=seat, signal=do.name or "")
        case "move" if do.name in set(MotionKind):
            return Move(at=at, seat=seat, kind=MotionKind(do.name), accused=do.seat)
        case "yes" | "no" if state.motion is not None:
            return VoteMotion(at=at, seat=seat, yes=do.what == "yes")
        case _:
            return None
