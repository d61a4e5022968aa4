"""What a pressed key asks of the rules, or which word it stands for."""

from moderator.commands import Command, EndSpeech, GiveSignal, GiveUp, Interpellate, Move, VoteMotion
from moderator.model import MotionKind
from moderator.state import GameState
from voice.ports import Lang, Message, Task
from voice.wire import Do

KEY_WORDS: dict[Lang, dict[str, str]] = {
    "fr": {"yes": "oui", "no": "non"},
    "en": {"yes": "yes", "no": "no"},
    "ru": {"yes": "да", "no": "нет"},
}
"""A key answers like the word."""
NOMINATION: dict[Lang, str] = {
    "fr": "Je nomine le {seat}.",
    "en": "I nominate number {seat}.",
    "ru": "Выставляю игрока номер {seat}.",
}
"""In a speech a bare number is talk; the key of a seat is meant."""
CROWN: dict[Lang, str] = {
    "fr": "La couronne au {seat}.",
    "en": "The crown goes to number {seat}.",
    "ru": "Корона игроку номер {seat}.",
}


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


def word(do: Do, lang: Lang, task: Task) -> str | None:
    """What the player might as well have said, where it is read for `task`; None: the key stands for no word."""
    if do.what == "digit" and do.seat is not None:
        return NOMINATION[lang].format(seat=do.seat) if task is Task.NOMINATION else str(do.seat)
    if do.what == "crown" and do.seat is not None:
        return CROWN[lang].format(seat=do.seat) if task is Task.TESTAMENT else None
    return KEY_WORDS[lang].get(do.what)
