"""A finished game told aloud in a minute or less, in the narrator's words and with his voice."""

import wave
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from moderator import events as ev
from moderator.engine import evolve
from moderator.events import Event
from moderator.narration import cues
from moderator.state import GameState
from voice import engines
from voice.config import load_voice_config
from voice.phrasebook import Phrasebook
from voice.ports import RATE_HZ, Lang, Pcm, VoiceSpec

TOLD = (ev.NightEnded, ev.PlayerLeft, ev.GameEnded, ev.RolesRevealed, ev.Scored)
"""Who left by day and by night, who won, who was who, who earned most."""
PAUSE: Pcm = np.zeros(RATE_HZ * 2 // 5, dtype=np.int16)


def told(events: Iterable[Event], lang: Lang) -> list[str]:
    """Its sentences. Nobody has to see anything, and numbers are words."""
    book, state, sentences = Phrasebook(lang, "mafia"), GameState(), list[str]()
    for event in events:
        after = evolve(state, event)
        if isinstance(event, TOLD):
            sentences += [book.render(cue.key, cue.args) for cue in cues(event, state, after) if cue.audience is None]
        state = after
    return sentences


async def tell(events: Iterable[Event], lang: Lang, path: Path) -> float:
    """Writes a WAV file; how many seconds it lasts. Raises `MissingPart` where the voice is not installed."""
    config = load_voice_config().tts
    voice = VoiceSpec(lang, config.voice, config.rate_wpm, kept=False)
    synthesizer = engines.make_synthesizer(config.engine, lang)
    await synthesizer.open()
    try:
        parts = [await synthesizer.synthesize(sentence, voice) for sentence in told(events, lang)]
    finally:
        await synthesizer.close()
    sound = np.concatenate([piece for part in parts for piece in (part, PAUSE)])
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as out:
        out.setparams((1, 2, RATE_HZ, 0, "NONE", ""))
        out.writeframes(sound.tobytes())
    return len(sound) / RATE_HZ
