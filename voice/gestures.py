"""Gestures by voice: "signe : d'accord", said by itself, is the signal that the key gives (S23)."""

from moderator import narration
from moderator.commands import GiveSignal
from moderator.model import Refusal
from voice.dialogue import Desk, Heard
from voice.intents import sentences
from voice.parts import Speaker
from voice.ports import Lang


class GesturesByVoice:
    def __init__(self, desk: Desk, speaker: Speaker, lang: Lang) -> None:
        self._desk, self._speaker, self._sentences = desk, speaker, sentences(lang)

    async def hear(self, heard: Heard) -> bool:
        """True: the words were a gesture, and are for nothing else."""
        name = None if heard.doubtful else self._sentences.gesture(heard.text)
        if name is None:
            return False
        given = await self._desk.submit(GiveSignal(at=self._desk.now(), seat=heard.seat, signal=name))
        cue = narration.refused(given.code, heard.seat, None) if isinstance(given, Refusal) else None
        if cue is not None:
            self._speaker.say(cue)
        return True
