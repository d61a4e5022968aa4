"""What is asked in one's own booth is answered there alone, and moves nothing on the table."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pytest
from kit import QUICK, Kit

from moderator import events as ev
from moderator.model import SEATS, Seat, StepKind
from moderator.narration import Cue
from voice.booth_settings import FASTEST_WPM, SLOWEST_WPM, table_rate
from voice.earcons import Earcon, earcon
from voice.ports import Message as Raw
from voice.wire import Asked, Caption, Closed, Line

Message = Line | Caption | Asked | Closed
Player = Callable[[Seat, Message], str | None]


def passes(seat: Seat, message: Message) -> str | None:
    if isinstance(message, Asked) and message.what in ("speech", "split_speech", "farewell"):
        return "Je passe."
    return None


class Table:
    """A kit whose lines are kept with the second in which each began, and in which somebody does something once."""

    def __init__(self, player: Player = passes, **options: Any) -> None:
        self.heard: list[tuple[float, Seat, Line]] = []
        self.acts: list[tuple[Callable[[Seat, Message], bool], Callable[[], None]]] = []
        self._player = player
        self.kit = Kit(self._react, **options)

    def _react(self, seat: Seat, message: Message) -> str | None:
        if isinstance(message, Line):
            self.heard.append((round(self.kit.clock.now(), 2), seat, message))
        for when, act in [each for each in self.acts if each[0](seat, message)]:
            self.acts.remove((when, act))
            act()
        return self._player(seat, message)

    def once(self, when: Callable[[Seat, Message], bool], act: Callable[[], None]) -> None:
        self.acts.append((when, act))

    def press(self, seat: Seat, name: str) -> None:
        body = f'{{"type": "do", "what": "ask", "name": "{name}"}}'.encode()
        self.kit.room.inbox.append(Raw(seat, body, self.kit.clock.now()))

    def press_all(self, seats: Iterable[Seat], name: str) -> None:
        for seat in seats:
            self.press(seat, name)

    def say_all(self, seats: Iterable[Seat], words: str) -> None:
        for seat in seats:
            self.kit.say(seat, words)

    def said_to(self, seat: Seat, prefix: str) -> list[str]:
        return [line.text for _, to, line in self.heard if to == seat and line.key.startswith(prefix)]

    def public(self) -> list[tuple[float, str]]:
        """What seat 10 hears of the table, and when."""
        return [(at, line.text) for at, to, line in self.heard if to == 10 and not line.private]


def asks(what: str, seat: Seat | None = None) -> Callable[[Seat, Message], bool]:
    """When a client is asked this (of that seat)."""
    return lambda to, message: isinstance(message, Asked) and message.what == what and seat in (None, to)


def speech_of(seat: Seat) -> Callable[[Seat, Message], bool]:
    return asks("speech", seat)


def hears(key: str, seat: Seat = 10) -> Callable[[Seat, Message], bool]:
    return lambda to, message: to == seat and isinstance(message, Line) and message.key == key


async def test_a_question_out_of_turn_is_answered_to_the_asker_alone_and_costs_nothing() -> None:
    table = Table(lambda seat, message: None)
    table.once(speech_of(1), lambda: table.kit.say(6, "Combien de temps ?"))
    table.once(speech_of(1), lambda: table.kit.say(7, "À qui la parole ?"))
    await table.kit.play(45)
    assert table.said_to(6, "answer-") == ["Vingt-trois secondes encore."]
    assert table.said_to(7, "answer-") == ["La parole est à un."]
    assert {to for _, to, line in table.heard if line.key.startswith("answer-")} == {6, 7}
    assert not table.kit.of(ev.Fouled)
    assert not table.kit.store.words, "no word of it is written down"
    assert not [message for _, message in table.kit.room.sent if isinstance(message, Caption)]


async def test_every_question_has_a_key_and_an_answer() -> None:
    table = Table(lambda seat, message: None)
    names = ("time", "speaker", "alive", "nominated", "role", "where", "rules", "help", "repeat")
    for seat, name in zip(range(2, 11), names, strict=True):
        table.once(speech_of(1), partial(table.press, seat, name))
    await table.kit.play(45)
    assert table.said_to(2, "answer-time")
    assert table.said_to(3, "answer-speaker")
    assert table.said_to(4, "answer-alive")[0].startswith("Dix en jeu : le un, le deux")
    assert table.said_to(5, "answer-nominated") == ["Aucun nom au vote."]
    assert len(table.said_to(6, "role-")) == 2, "told at the deal, and asked for"
    assert table.said_to(7, "answer-")[:2] == ["Jour un.", "Tour de parole : numéro un."]
    assert table.said_to(8, "rules-")[0] == "Parole : vingt-cinq secondes, une seule nomination."
    assert table.said_to(9, "how-") == ["Pour interrompre, dites : j'interviens. Cela coûte une faute."]
    assert table.said_to(10, "speech-call").count("Numéro un, à vous : vingt-cinq secondes.") == 2


async def test_a_question_inside_ones_own_speech_is_answered_and_the_rest_counts() -> None:
    table = Table(lambda seat, message: None)
    table.once(speech_of(1), lambda: table.kit.say(1, "Je réfléchis. Narrateur, qui est au vote ? Je nomine le six."))
    await table.kit.play(45)
    assert table.said_to(1, "answer-") == ["Aucun nom au vote."]
    assert [event.target for event in table.kit.of(ev.Nominated)] == [6]


async def test_a_short_word_in_ones_own_speech_is_talk() -> None:
    table = Table(lambda seat, message: None)
    for word in ("Plus vite.", "Pause.", "Aide.", "Où en est-on ?"):
        table.once(speech_of(1), partial(table.kit.say, 1, word))
    await table.kit.play(40)
    assert not [line.key for _, _, line in table.heard if line.key.startswith(("rate", "break", "how", "answer"))]


async def test_a_role_is_never_whispered_into_a_booth_whose_microphone_is_open() -> None:
    table = Table(lambda seat, message: None)
    table.once(speech_of(1), lambda: table.kit.say(1, "Narrateur, mon rôle ?"))
    table.once(speech_of(1), lambda: table.kit.say(2, "Mon rôle ?"))
    await table.kit.play(45)
    assert table.said_to(1, "answer-") == ["Micro ouvert : demandez votre rôle plus tard."]
    assert len(table.said_to(1, "role-")) == 1
    assert table.said_to(2, "role-") == ["Vous êtes mafieux. Le Don : le un. L'autre : le trois."] * 2


async def test_a_role_comes_with_what_its_checks_have_found() -> None:
    def player(seat: Seat, message: Message) -> str | None:
        return "Je vérifie le deux." if asks("sheriff_check")(seat, message) else passes(seat, message)

    table = Table(player)
    table.once(hears("morning-miss"), lambda: table.press(4, "role"))
    await table.kit.play(110)
    keys = [line.key for _, to, line in table.heard if to == 4]
    asked = [key for key in keys[keys.index("morning-miss") :] if key != "speech-call"]
    assert asked == ["morning-miss", "role-sheriff", "check-mafia"]


async def test_nominees_may_be_kept_from_those_who_did_not_listen() -> None:
    table = Table(rules=QUICK.model_copy(update={"say_nominees": False}))
    table.once(speech_of(2), lambda: table.kit.say(6, "Qui est au vote ?"))
    await table.kit.play(45)
    assert table.said_to(6, "answer-") == ["Les noms ne se redisent pas à cette table."]


@pytest.mark.parametrize("asker", [1, 4, 6])
async def test_a_question_at_night_changes_nothing_that_others_hear_or_when(asker: Seat) -> None:
    """Two worlds: with the question and without, for the Don, the Sheriff and a citizen."""
    worlds = []
    for asked in (False, True):
        table = Table()
        if asked:
            for kind in ("shots", "don_check", "sheriff_check"):
                table.once(asks(kind), partial(table.kit.say, asker, "Narrateur, combien de temps ?"))
                table.once(asks(kind), partial(table.press, asker, "role"))
        await table.kit.play(100)
        others = [(at, to, line) for at, to, line in table.heard if to != asker]
        worlds.append((table.public(), others, [event.model_dump() for event in table.kit.log]))
        assert bool(table.said_to(asker, "answer-")) == asked
    assert worlds[0] == worlds[1]


async def test_an_answer_gives_way_to_what_the_table_is_told() -> None:
    calm, asking = Table(), Table()
    for seat in (2, 3, 4):
        for name in ("rules", "where"):
            asking.once(speech_of(seat), partial(asking.press, 5, name))
    await calm.kit.play(60)
    await asking.kit.play(60)
    mine = [
        [(at, line.text) for at, to, line in table.heard if to == 5 and not line.private] for table in (calm, asking)
    ]
    assert mine[0] == mine[1], "the asker hears every public line when everybody does"
    assert asking.said_to(5, "rules-")


def votes(seat: Seat, message: Message) -> str | None:
    """Two and three nominate six and seven; six leaves."""
    if isinstance(message, Asked) and message.what == "ballot":
        return "Contre le six." if seat < 8 else "Contre le sept."
    if isinstance(message, Asked) and message.what == "speech":
        return {2: "Je nomine le six. Je passe.", 3: "Je nomine le sept. Je passe."}.get(seat, "Je passe.")
    return None


async def test_repeat_says_again_what_this_booth_heard_last() -> None:
    table = Table(lambda seat, message: None if asks("ballot", 9)(seat, message) else votes(seat, message))
    table.once(hears("echo-ballot", 3), lambda: table.kit.say(3, "Répétez.", after_s=1.0))
    table.once(hears("ballot-call", 9), lambda: table.kit.say(9, "Répète, s'il te plaît.", after_s=1.0))
    await table.kit.play(100)
    assert table.said_to(3, "echo-ballot") == ["Contre le numéro six."] * 2
    assert table.said_to(9, "ballot-call") == ["Votez : dix secondes."] * 2
    assert len(table.said_to(8, "ballot-call")) == 1
    assert [event.seat for event in table.kit.of(ev.BallotCast) if event.default] == [9], "it was no answer to the vote"


# --- settings -------------------------------------------------------------------------------------


async def test_a_rate_is_ones_own_and_the_tables_follows_more_than_half() -> None:
    table = Table()
    for seat in (5, 6, 7, 8, 9):
        table.once(speech_of(1), partial(table.press, seat, "slower"))
    table.once(speech_of(3), lambda: table.press(10, "slower"))
    table.once(speech_of(2), lambda: table.kit.say(5, "À qui la parole ?", after_s=0.5))
    table.once(speech_of(2), lambda: table.kit.say(4, "À qui la parole ?", after_s=0.5))
    await table.kit.play(60)
    rates = table.kit.voice.rates
    assert rates["Moins vite."] == {144}
    assert rates["La parole est à deux."] == {144, 180}, "each in his own booth"
    assert rates["Numéro trois, à vous : vingt-cinq secondes."] == {180}, "five of ten are no majority"
    assert rates["Numéro quatre, à vous : vingt-cinq secondes."] == {144}


def test_the_tables_rate_moves_with_more_than_half_only() -> None:
    assert table_rate(180, [144] * 5 + [180] * 5) == 180
    assert table_rate(180, [144] * 6 + [180] * 4) == 144
    assert table_rate(144, [144] * 5 + [180] * 5) == 144, "nor back"
    assert table_rate(180, [225] * 3 + [281] * 3 + [180] * 4) == 225, "as far as more than half go"


async def test_rates_stay_between_ninety_and_four_hundred_and_fifty_words_a_minute() -> None:
    table = Table()
    for _ in range(6):
        table.once(speech_of(1), lambda: table.press(5, "slower"))
        table.once(speech_of(1), lambda: table.press(6, "faster"))
    table.once(speech_of(3), lambda: table.press(6, "usual_rate"))
    await table.kit.play(50)
    assert table.kit.narrator.booth(5).voice.rate_wpm == SLOWEST_WPM == 90
    assert table.said_to(5, "rate-")[-1] == "C'est le plus lent."
    assert table.said_to(6, "rate-")[-2:] == ["C'est le plus rapide.", "Débit habituel."]
    assert FASTEST_WPM in table.kit.voice.rates["C'est le plus rapide."]
    assert table.kit.narrator.booth(6).voice.rate_wpm == 180


async def test_a_beginner_is_told_how_to_answer_and_an_expert_the_least() -> None:
    table = Table(votes)
    table.once(speech_of(1), lambda: table.kit.say(5, "Mode débutant."))
    table.once(speech_of(1), lambda: table.press(6, "expert"))
    await table.kit.play(110)
    assert table.said_to(5, "how-speech") == [
        "Vingt-cinq secondes. Dites : je nomine, un numéro. Pour finir : je passe."
    ]
    assert table.said_to(5, "how-ballot") == ["Dix secondes. Dites : contre, puis un numéro."]
    assert not table.said_to(6, "how-")
    assert table.said_to(5, "echo-ballot") == ["Contre le numéro six. Pour corriger : non, puis un numéro."]
    assert table.said_to(6, "echo-ballot") == ["Six."]
    assert table.said_to(4, "echo-ballot") == ["Contre le numéro six."]


async def test_another_voice_speaks_to_this_booth_alone() -> None:
    table = Table()
    table.kit.narrator.voices = ("", "deep")
    table.once(speech_of(1), lambda: table.press(5, "voice"))
    await table.kit.play(40)
    assert table.said_to(5, "voice-") == ["Nouvelle voix."]
    assert table.kit.voice.names["Nouvelle voix."] == {"deep"}
    assert table.kit.voice.names["Numéro deux, à vous : vingt-cinq secondes."] == {""}


async def test_sounds_are_as_loud_as_a_booth_wants_and_words_stay() -> None:
    table = Table()
    narrator = table.kit.narrator
    for _ in range(3):
        table.once(speech_of(1), lambda: table.press(5, "softer"))
    await table.kit.play(40)
    assert table.said_to(5, "sounds-")[-1] == "Sons coupés."
    peaks: dict[Seat, list[int]] = {5: [], 6: []}
    narrator.say(Cue("refused-not-now", {}, frozenset({5, 6})))
    for _ in range(100):
        await table.kit.clock.advance(0.02)
        frames = narrator.frames()
        for seat, kept in peaks.items():
            kept.append(int(abs(frames[seat]).max()) if seat in frames else 0)
    sound = len(earcon(Earcon.REFUSED)) // 960
    assert max(peaks[5][: sound + 2]) == 0
    assert max(peaks[6][: sound + 2]) > 2000
    assert peaks[5][-60:] == peaks[6][-60:]
    assert max(peaks[5]) == 1000, "the words"


async def test_sounds_are_taught_to_those_who_are_out() -> None:
    table = Table()
    table.once(speech_of(1), lambda: table.kit.say(5, "Apprendre les sons."))
    table.once(
        speech_of(2),
        lambda: table.kit.room.inbox.append(Raw(9, b'{"type":"do","what":"give_up"}', table.kit.clock.now())),
    )
    table.once(speech_of(3), lambda: table.kit.say(9, "Apprendre les sons."))
    await table.kit.play(60)
    assert table.said_to(5, "sounds-") == ["Les sons s'apprennent hors jeu."]
    assert [line.key for _, to, line in table.heard if to == 9 and line.key.startswith("sound-")] == [
        f"sound-{sound}" for sound in Earcon
    ]
    assert table.said_to(10, "sound-") == []


async def test_a_client_that_floods_its_booth_is_answered_eight_times() -> None:
    table = Table(lambda seat, message: None)
    for _ in range(500):
        table.once(speech_of(1), partial(table.press, 5, "slower"))
    await table.kit.play(45)
    assert len(table.said_to(5, "rate-")) == 8


async def test_words_said_during_a_break_are_for_nobody() -> None:
    table = Table(lambda seat, message: None, rules=QUICK.model_copy(update={"break_s": 20}))
    table.once(speech_of(1), lambda: table.press_all(range(2, 8), "pause"))
    table.once(hears("break-call"), lambda: table.kit.say(1, "Je nomine le quatre. Je passe."))
    table.once(hears("resumed"), lambda: table.kit.say(1, "Je nomine le six."))
    await table.kit.play(70)
    assert [event.target for event in table.kit.of(ev.Nominated)] == [6]
    closed = next(event for event in table.kit.of(ev.StepClosed) if event.kind is StepKind.SPEECH)
    assert closed.by == "time"


async def test_a_wish_that_was_hardly_heard_is_none() -> None:
    table = Table(lambda seat, message: None)
    table.kit.transcriber.doubts = {"Où en est-on ?": 0.5}
    table.once(speech_of(1), lambda: table.kit.say(5, "Où en est-on ?"))
    table.once(speech_of(1), lambda: table.kit.say(6, "Qui parle ?"))
    await table.kit.play(40)
    assert table.said_to(5, "answer-") == []
    assert table.said_to(6, "answer-") == ["La parole est à un."]


async def test_an_unknown_key_does_nothing() -> None:
    table = Table()
    table.once(speech_of(1), lambda: table.press(5, "everything"))
    await table.kit.play(40)
    assert [line for _, to, line in table.heard if to == 5 and line.private and not line.key.startswith("role")] == []


# --- a break --------------------------------------------------------------------------------------


async def test_more_than_half_of_the_living_take_a_break_and_end_it() -> None:
    table = Table(lambda seat, message: None)
    table.once(speech_of(1), lambda: table.say_all(range(2, 8), "Pause."))
    table.once(hears("break-call"), lambda: table.say_all(range(5, 11), "On reprend."))
    await table.kit.play(80)
    (suspended,), (resumed,) = table.kit.of(ev.Suspended), table.kit.of(ev.Resumed)
    assert resumed.pause_s < 20
    assert table.said_to(3, "break-asked") == ["Pause demandée : deux voix, six nécessaires."]
    assert table.said_to(9, "break-wanted") == ["On demande une pause. Pour elle, dites : pause."]
    assert not table.said_to(1, "break-wanted"), "not to the speaker"
    told = [
        line.key
        for at, to, line in table.heard
        if to == 10 and not line.private and suspended.at <= at <= resumed.at + 1
    ]
    assert told == [
        "suspended",
        "break-call",
        "answer-day",
        "answer-floor",
        "answer-time",
        "answer-alive",
        "answer-nominated-none",
        "resumed",
    ]
    opened = next(event for event in table.kit.of(ev.StepOpened) if event.kind is StepKind.SPEECH)
    closed = next(event for event in table.kit.of(ev.StepClosed) if event.kind is StepKind.SPEECH)
    assert closed.at - opened.at == pytest.approx(QUICK.speech_s + resumed.pause_s, abs=1.5), (
        "the speaker loses nothing"
    )


async def test_a_break_ends_by_itself() -> None:
    table = Table(rules=QUICK.model_copy(update={"break_s": 40}))
    table.once(speech_of(4), lambda: table.press_all(range(1, 7), "pause"))
    await table.kit.play(120)
    assert table.kit.of(ev.Resumed)[0].pause_s == pytest.approx(40, abs=6)
    assert table.said_to(2, "break-call") == ["Pause : quarante secondes au plus. Pour reprendre : on reprend."]


@pytest.mark.parametrize("after_s", [1.0, 40.0])
async def test_half_is_no_majority_and_a_wish_lasts_thirty_seconds(after_s: float) -> None:
    table = Table(lambda seat, message: None)
    table.once(speech_of(1), lambda: table.say_all(range(2, 7), "Pause."))
    if after_s > 30:
        table.once(speech_of(1), lambda: table.kit.say(7, "Pause.", after_s=after_s))
    await table.kit.play(90)
    assert not table.kit.of(ev.Suspended)


async def test_there_is_no_break_at_night_nor_where_the_table_wants_none() -> None:
    table = Table()
    table.once(asks("shots"), lambda: table.press_all(SEATS, "pause"))
    await table.kit.play(160)
    assert table.said_to(8, "break-") == ["Pas de pause maintenant."]
    assert not table.kit.of(ev.Suspended)
    none = Table(rules=QUICK.model_copy(update={"break_s": 0}))
    none.once(speech_of(1), lambda: none.press_all(SEATS, "pause"))
    await none.kit.play(40)
    assert none.said_to(8, "break-") == ["Pas de pause à cette table."]
    assert not none.kit.of(ev.Suspended)


async def test_a_break_waits_for_the_end_of_a_vote() -> None:
    table = Table(votes)
    table.once(hears("ballot-call"), lambda: table.press_all(SEATS, "pause"))
    await table.kit.play(140)
    (suspended,) = table.kit.of(ev.Suspended)
    assert len(table.kit.of(ev.BallotCast)) == 10
    assert suspended.at > table.kit.of(ev.BallotCounted)[0].at
    assert table.kit.of(ev.StepOpened)[-1].kind is StepKind.FAREWELL
