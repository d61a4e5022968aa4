"""What a ruling rests on beside its words: how they were read, and what was asked and answered about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moderator.model import Seat
from voice.ports import Utterance
from voice.ports_store import Understood

SAME_S = 0.001


@dataclass(frozen=True, slots=True)
class Basis:
    """`read`: how the words were read; `answer`: the reading of what was answered to a question about them, if any."""

    read: Understood
    answer: Understood | None

    @property
    def asked(self) -> Seat | None:
        """The seat that a question was about: asked because of these words, or answered by them."""
        return self.read.asked if self.answer is None else self.answer.asked


def basis(line: Utterance, notes: Sequence[Understood]) -> Basis | None:
    """`notes` in order. The first reading of this line, and the answer to its question, if that came next."""
    own = [note for note in notes if note.seat == line.seat and note.at_s >= line.ended_s - SAME_S]
    place = next((place for place, note in enumerate(own) if note.text.endswith(line.text)), None)
    if place is None:
        return None
    after = own[place + 1 : place + 2]
    answer = after[0] if after and after[0].asked is not None and own[place].asked is None else None
    return Basis(own[place], answer)


def bases(lines: Mapping[int, int], transcript: Sequence[Utterance], notes: Sequence[Understood]) -> dict[int, Basis]:
    """`lines`: the place in the transcript of each ruling, by the ruling's place in the log."""
    found = {event: basis(transcript[line], notes) for event, line in lines.items()}
    return {event: one for event, one in found.items() if one is not None}
