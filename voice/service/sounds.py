"""The five sounds as files, for who wants to learn them before the game."""

import io
import wave
from functools import cache

from voice.earcons import Earcon, earcon
from voice.ports import RATE_HZ


@cache
def wav(which: Earcon) -> bytes:
    """Mono, 16 bit, 48 kHz."""
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setparams((1, 2, RATE_HZ, 0, "NONE", ""))
        file.writeframes(earcon(which).tobytes())
    return out.getvalue()
