"""How a game process ends, for those who keep it alive."""

from enum import IntEnum


class GameExit(IntEnum):
    """Exit codes of `voice.game`. Any other is a death."""

    OVER = 0
    FAILED = 1
    """A part is missing or failed."""
    BAD_CONFIG = 2
    NOBODY_CAME = 3
    """`missing.json` names the seats."""
    IN_USE = 4
    """Another process plays on this home, or holds the game's lease."""
    UNSTORED = 5
    """The store could not be read or written; the game goes on when it can again."""
    GUEST_LEFT = 6
    """A round to practise has nobody left to practise."""
    STOPPED = 143
    """By SIGTERM; may be taken up again."""
