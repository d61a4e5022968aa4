"""Captions that grow while a sentence is spoken: never shrinking, to those who hear it alone, the final words last."""

from itertools import pairwise

import numpy as np
from kit import Kit
from test_table import Message, passes

from moderator.model import SEATS, Seat
from voice.growing import Growth
from voice.ports import Clip, Hint, Transcript
from voice.wire import Asked, Caption

HEARD = ("Je pense", "Je pense que le", "Je panse que", "Je pense que le six ment", "Je pense que le six est noir et")


def test_what_was_shown_stays_and_the_last_word_is_held_back() -> None:
    growth = Growth()
    steps = [" ".join(growth.words) for text in HEARD if growth.add(text)]
    assert steps == ["Je", "Je pense que", "Je pense que le six", "Je pense que le six est noir"]


class GrowingEars:
    """Seat 1 speaks for five seconds; what is heard of it grows with the clock."""

    def __init__(self, kit: Kit, since_s: float) -> None:
        self.kit, self.since_s = kit, since_s

    def clip(self) -> Clip | None:
        spoken_s = self.kit.clock.now() - self.since_s
        if not 0 < spoken_s < 5:
            return None
        return Clip(1, np.array([-1], dtype=np.int16), self.since_s, self.kit.clock.now())


async def test_a_sentence_grows_in_every_booth_but_his_own_and_ends_with_its_final_words() -> None:
    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            speaking = GrowingEars(kit, kit.clock.now() + 1)
            kit.ears.running = lambda seat: speaking.clip() if seat == 1 else None  # type: ignore[method-assign]
            kit.say(1, "Je pense que le six est noir.", after_s=1.0, lasts_s=5.0)
            return None
        return passes(seat, message)

    kit = Kit(player)
    known = kit.transcriber.transcribe
    texts = iter(HEARD)

    async def transcribe(clip: Clip, hint: Hint) -> Transcript:
        if clip.pcm[0] >= 0:
            return await known(clip, hint)
        assert not hint.urgent, "it never stands before words that count"
        await kit.clock.sleep_until(kit.clock.now() + 0.3)
        return Transcript(next(texts), 0.9)

    kit.transcriber.transcribe = transcribe  # type: ignore[method-assign]
    await kit.play(40)
    told = {seat: [m for to, m in kit.room.sent if to == seat and isinstance(m, Caption)] for seat in SEATS}
    assert told[1] == []
    assert all([shown(m) for m in told[seat]] == [shown(m) for m in told[2]] for seat in SEATS[1:])
    captions = told[2]
    assert len({caption.id for caption in captions}) == 1
    assert [caption.final for caption in captions] == [False] * (len(captions) - 1) + [True]
    assert captions[-1].text == "Je pense que le six est noir." and len(captions) > 3
    assert all(later.text.startswith(first.text) for first, later in pairwise(captions[:-1]))


def shown(caption: Caption) -> tuple[int, str, bool]:
    return caption.seat, caption.text, caption.final


async def test_a_slow_recogniser_is_left_alone_for_as_long_as_it_needed() -> None:
    asked: list[float] = []

    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            speaking = GrowingEars(kit, kit.clock.now())
            kit.ears.running = lambda seat: speaking.clip() if seat == 1 else None  # type: ignore[method-assign]
        return None

    kit = Kit(player)

    async def transcribe(clip: Clip, hint: Hint) -> Transcript:
        asked.append(kit.clock.now())
        await kit.clock.sleep_until(kit.clock.now() + 1.5)
        return Transcript("Je pense que", 0.9)

    kit.transcriber.transcribe = transcribe  # type: ignore[method-assign]
    await kit.play(40)
    assert len(asked) == 2 and asked[1] - asked[0] >= 3
