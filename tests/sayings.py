"""All that the player who has only his voice can say, and its sound, made once: tests/sayings/.

`PYTHONPATH=. python tests/sayings.py` makes what is missing there with the natural voice of a robot, and removes what
is said no more.
"""

import asyncio
import re
import unicodedata
from itertools import combinations
from pathlib import Path

import numpy as np
from screenless import Meant

from moderator.model import SEATS, Seat
from voice import ogg
from voice.config import read_yaml
from voice.engines import make_synthesizer
from voice.ports import Pcm
from voice.robots.speech import PAUSE, sentences, voices_of
from voice.sound_cache import CachedSynthesizer

FOLDER = Path(__file__).parent / "sayings"
CURE = "PYTHONPATH=. .venv/bin/python tests/sayings.py"
SPEAKER: Seat = 1
"""Whose voice it is: with the word for number before them, all ten are heard in it."""
WORKERS = 2
PHRASES = read_yaml("prompts", "robots.fr.yaml")
KEY = {"nomination": "nominate", "vote": "vote", "shot": "shoot", "check": "check", "interpellation": "interpellate"}
END, YES = "Je passe.", "Oui."


def words(meant: Meant) -> str:
    """How he says what he means."""
    number = named(meant.targets[0]) if meant.targets else ""
    if meant.task == "testament":
        assert meant.crown is not None
        suspects = ", ".join(f"le {named(target)}" for target in meant.targets)
        return f"Mon testament : {suspects}. La couronne au {named(meant.crown)}. J'ai terminé."
    return str(PHRASES[KEY[meant.task]][0]).format(t=number)


def corrected(meant: Meant) -> str:
    """What he says where another seat was understood."""
    return f"Non, le {named(meant.targets[0])}."


def named(seat: Seat) -> str:
    return f"numéro {PHRASES['numbers'][seat - 1]}"


def everything() -> set[str]:
    """Every sentence that he can come to say, whatever his seat, his role and the others' deeds."""
    acts = [Meant(task, (seat,), 0) for task in KEY for seat in SEATS]
    wills = [Meant("testament", suspects, 0, crown) for suspects in combinations(SEATS, 2) for crown in SEATS]
    said = [*map(words, [*acts, *wills]), *map(corrected, acts), END, YES]
    return {sentence for text in said for sentence in sentences(text)}


def file_of(sentence: str) -> Path:
    plain = unicodedata.normalize("NFKD", sentence.casefold()).encode("ascii", "ignore").decode()
    return FOLDER / f"{'-'.join(re.findall('[a-z]+', plain))}.opus"


def sound(text: str) -> Pcm:
    """Mono, 16 bit, 48 kHz. Raises `FileNotFoundError` with the cure for what was never made."""
    parts: list[Pcm] = []
    for sentence in sentences(text):
        if not file_of(sentence).exists():
            raise FileNotFoundError(f"nobody has said {sentence!r} yet: {CURE}")
        parts += [*ogg.read(file_of(sentence)), PAUSE]
    return np.concatenate(parts[:-1])


async def make() -> None:
    """Raises `MissingPart` where the natural voice is not installed."""
    wanted = {file_of(sentence): sentence for sentence in everything()}
    for file in set(FOLDER.glob("*.opus")) - set(wanted):
        file.unlink()
    voice, missing = voices_of("fr")[SPEAKER - 1], [file for file in wanted if not file.exists()]
    speaker = CachedSynthesizer(make_synthesizer(voice.engine, "fr", workers=WORKERS), voice.engine)
    await speaker.open()
    at_once = asyncio.Semaphore(WORKERS)

    async def one(file: Path) -> None:
        async with at_once:
            ogg.write(file, [await speaker.synthesize(wanted[file], voice.spec)])

    try:
        await asyncio.gather(*map(one, missing))
    finally:
        await speaker.close()


if __name__ == "__main__":
    asyncio.run(make())
