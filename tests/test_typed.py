"""Typed words: spoken for the others in the player's own turn, counted as said there, and never heard out of turn."""

from pathlib import Path

import numpy as np
from kit import QUICK, Kit
from test_table import Message, passes

from moderator.events import Nominated, StepClosed
from moderator.model import SEATS, Seat
from voice.ports import RATE_HZ, Pcm, VoiceSpec
from voice.ports import Message as Raw
from voice.routing import LISTENERS
from voice.sound_cache import CachedSynthesizer
from voice.wire import Asked, Caption, Do, Line


def typed(kit: Kit, seat: Seat, text: str) -> None:
    kit.room.inbox.append(Raw(seat, Do(what="type", text=text).model_dump_json().encode(), kit.clock.now()))


def captions(kit: Kit, of: Seat) -> dict[int, list[str]]:
    told: dict[int, list[str]] = {listener: [] for listener in LISTENERS}
    for to, message in kit.room.sent:
        if isinstance(message, Caption) and message.seat == of:
            told[to].append(message.text)
    return told


async def first_speech(*texts: str, seat: Seat = 1, then: Do | None = None) -> Kit:
    """Seat 1 has the first speech; `seat` types in it."""

    def player(asked: Seat, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and asked == 1:
            for text in texts:
                typed(kit, seat, text)
            if then is not None:
                kit.room.inbox.append(Raw(1, then.model_dump_json().encode(), kit.clock.now()))
            return None
        return passes(asked, message)

    kit = Kit(player)
    await kit.play(45)
    return kit


async def test_what_is_typed_in_a_speech_is_captioned_kept_and_counts() -> None:
    kit = await first_speech("Je ne crois pas le six. Je nomine le quatre.")
    assert [(event.by, event.target) for event in kit.of(Nominated)] == [(1, 4)]
    told = captions(kit, of=1)
    assert told.pop(1) == [], "he has written it himself"
    assert set(map(tuple, told.values())) == {("Je ne crois pas le six.", "Je nomine le quatre.")}
    assert [words.text for words in kit.store.words if words.seat == 1] == told[2]


async def test_a_voice_that_is_not_the_narrators_says_it() -> None:
    kit = await first_speech("Je nomine le quatre.")
    assert kit.voice.names["Je nomine le quatre."] == {""}, "this engine has one voice"
    kit.narrator.voices = ("", "other", "third")
    await kit.narrator.voice_of(1, "Bonjour.")
    assert kit.voice.names["Bonjour."] == {"third"}


async def test_the_end_by_key_waits_for_what_was_typed() -> None:
    kit = await first_speech("Je nomine le quatre.", then=Do(what="end_speech"))
    assert [(event.by, event.target) for event in kit.of(Nominated)] == [(1, 4)]
    speech = next(event for event in kit.of(StepClosed) if event.kind == "speech")
    assert speech.at < kit.of(Nominated)[0].at + 3


async def test_out_of_turn_nothing_reaches_anybody() -> None:
    kit = await first_speech("Je nomine le quatre.", seat=7)
    assert not kit.of(Nominated) and not [words for words in kit.store.words if words.seat == 7]
    assert not any(texts for texts in captions(kit, of=7).values())
    assert kit.ears.typed[7] == 0.0 and not kit.voice.names["Je nomine le quatre."]
    told = [seat for seat in SEATS if "refused-not-your-turn" in kit.room.keys(seat)]
    assert told == [7]


async def test_who_is_out_or_asleep_types_to_nobody() -> None:
    """In a ballot, at night: nobody hears anybody."""

    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Line) and message.key == "shots-call" and seat in (1, 9):
            typed(kit, seat, "Je nomine le quatre.")
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(150)
    assert not kit.of(Nominated)
    assert not [text for seat in (1, 9) for text in captions(kit, of=seat)[2] if "nomine" in text]
    assert "refused-not-your-turn" in kit.room.keys(9) and "refused-not-your-turn" not in kit.room.keys(2)


async def test_at_the_meeting_the_mafia_alone_reads_it() -> None:
    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Line) and message.key == "night" and kit.clock.now() < 30 and seat in SEATS:
            kit._start(later(seat))
        return None

    async def later(seat: Seat) -> None:
        await kit.clock.sleep_until(kit.clock.now() + 3)
        typed(kit, seat, f"Tir sur le {seat}.")

    kit = Kit(player)
    await kit.play(25)
    assert {seat: texts for seat, texts in captions(kit, of=1).items() if texts} == {
        2: ["Tir sur le 1."],
        3: ["Tir sur le 1."],
    }
    assert not any(captions(kit, of=5).values())


async def test_a_sentence_that_does_not_fit_into_the_time_is_refused_whole() -> None:
    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            kit._start(late())
        return None

    async def late() -> None:
        await kit.clock.sleep_until(kit.clock.now() + QUICK.speech_s - 0.2)
        typed(kit, 1, "Je nomine le quatre.")

    kit = Kit(player)
    await kit.play(60)
    assert not kit.of(Nominated) and not any(captions(kit, of=1).values())
    assert "refused-too-late" in kit.room.keys(1)


async def test_a_flood_is_refused() -> None:
    kit = await first_speech(*["Un. Deux. Trois. Quatre. Cinq."] * 4)
    assert len(captions(kit, of=1)[2]) == 10, "the rest was too much at once"
    assert "refused-too-soon" in kit.room.keys(1)


async def test_typed_words_are_kept_in_no_cache(tmp_path: Path) -> None:
    class Engine:
        async def open(self) -> None: ...
        async def close(self) -> None: ...
        async def synthesize(self, text: str, voice: VoiceSpec) -> Pcm:
            return np.ones(RATE_HZ, dtype=np.int16)

    cached = CachedSynthesizer(Engine(), "engine", tmp_path)
    await cached.open()
    await cached.synthesize("Je suis le shérif.", VoiceSpec("fr", kept=False))
    assert list(tmp_path.iterdir()) == []


async def test_who_interrupts_types_for_as_long_as_his_microphone_is_open() -> None:
    def player(seat: Seat, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            kit._start(interrupt())
        return None

    async def interrupt() -> None:
        press = Do(what="interpellate").model_dump_json().encode()
        kit.room.inbox.append(Raw(6, press, kit.clock.now()))
        await kit.clock.sleep_until(kit.clock.now() + 1.0)
        typed(kit, 6, "Je n'ai jamais dit ça.")
        await kit.clock.sleep_until(kit.clock.now() + QUICK.interpellation_s)
        typed(kit, 6, "Jamais.")

    kit = Kit(player)
    await kit.play(50)
    told = captions(kit, of=6)
    assert told[1] == told[2] == ["Je n'ai jamais dit ça."]
    assert "refused-not-your-turn" in kit.room.keys(6)
