"""Keys instead of words: the same dialogues, for the seat of whoever pressed them."""

from kit import Kit
from test_table import Message, full, passes

from moderator import events as ev
from moderator.events import Nominated, NominationWithdrawn
from voice.ports import Message as Raw
from voice.wire import Asked, Do


async def test_the_key_of_a_seat_nominates_in_a_speech_and_can_be_taken_back_by_word() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            press = Do(what="digit", seat=4).model_dump_json().encode()
            kit.room.inbox.append(Raw(1, press, kit.clock.now() + 1))
            kit.room.inbox.append(Raw(2, press, kit.clock.now() + 1))
            kit.say(1, "Je retire ma nomination et je nomine le huit.", after_s=4.0)
            return None
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(50)
    assert [(event.by, event.target) for event in kit.of(Nominated)][:2] == [(1, 4), (1, 8)]
    assert [event.by for event in kit.of(NominationWithdrawn)] == [1]


async def test_the_keys_of_seats_are_a_testament_in_a_farewell() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "farewell":
            for at_s, suspect in enumerate((2, 3)):
                press = Do(what="digit", seat=suspect).model_dump_json().encode()
                kit.room.inbox.append(Raw(seat, press, kit.clock.now() + at_s))
            return None
        return full(seat, message)

    kit = Kit(player)
    await kit.play(150)
    assert kit.of(ev.TestamentGiven)[0].suspects == (2, 3)


async def test_a_farewell_is_given_and_ended_by_key() -> None:
    """Suspects and crown stand although the end comes at once: no time is waited for."""

    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "farewell":
            pressed = (
                Do(what="digit", seat=2),
                Do(what="crown", seat=6),
                Do(what="digit", seat=3),
                Do(what="end_speech"),
            )
            kit.room.inbox += [Raw(seat, do.model_dump_json().encode(), kit.clock.now()) for do in pressed]
            return None
        return full(seat, message)

    kit = Kit(player)
    await kit.play(150)
    (given, *_), (crowned, *_) = kit.of(ev.TestamentGiven), kit.of(ev.CrownGiven)
    assert (given.suspects, crowned.to) == ((2, 3), 6)
    ended = next(event for event in kit.of(ev.StepClosed) if event.kind == "farewell")
    assert ended.at - given.at < 2


async def test_what_was_said_before_the_key_that_ends_a_speech_counts() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            kit.say(1, "Je nomine le quatre.", after_s=1.0)
            end = Do(what="end_speech").model_dump_json().encode()
            kit._start(press(end))
            return None
        return passes(seat, message)

    async def press(end: bytes) -> None:
        await kit.clock.sleep_until(kit.clock.now() + 2.05)
        kit.room.inbox.append(Raw(1, end, kit.clock.now()))

    kit = Kit(player)
    await kit.play(50)
    assert [(event.by, event.target) for event in kit.of(Nominated)] == [(1, 4)]


async def test_the_key_of_the_crown_does_nothing_but_in_a_farewell() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what in ("speech", "ballot"):
            crown = Do(what="crown", seat=4).model_dump_json().encode()
            kit.room.inbox.append(Raw(seat, crown, kit.clock.now()))
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(100)
    assert not kit.of(ev.CrownGiven) and not kit.of(Nominated) and not kit.of(ev.BallotCast)
