"""The loop on a table without sound: words in, events and spoken lines out. Time is virtual."""

import json
from collections.abc import Callable

import pytest
from kit import QUICK, ROLES, Kit

from moderator import engine
from moderator import events as ev
from moderator.events import (
    BallotCast,
    BallotCounted,
    CrownGiven,
    DonChecked,
    Event,
    Fouled,
    GameEnded,
    InterpellationOpened,
    NightEnded,
    Nominated,
    NominationWithdrawn,
    PlayerLeft,
    Resumed,
    RoleDealt,
    SheriffChecked,
    ShotFired,
    StepClosed,
    StepOpened,
    Suspended,
)
from moderator.model import SEATS, Role, StepKind
from voice.game import played_until_s
from voice.ports import Message as Raw
from voice.ports import Utterance
from voice.wire import Asked, Caption, Closed, Do, Line

Message = Line | Caption | Asked | Closed


def passes(seat: int, message: Message) -> str | None:
    """Everybody gives the floor back at once, nobody wants anything."""
    if isinstance(message, Asked) and message.what in ("speech", "split_speech", "farewell"):
        return "Je passe."
    return None


def speaks(
    words: dict[int, str], otherwise: Callable[[int, Message], str | None] = passes
) -> Callable[..., str | None]:
    """In their speeches these seats say these words."""

    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat in words:
            return words[seat]
        return otherwise(seat, message)

    return player


def full(seat: int, message: Message) -> str | None:
    """A whole game: two are nominated a day, the first leaves; the mafia shoots the highest living town seat."""
    match message:
        case Asked(what="speech"):
            return f"Je nomine le {seat % 10 + 1}. Je passe." if seat in (4, 5, 6) else "Je passe."
        case Asked(what="split_speech" | "farewell"):
            return "Mon testament : un, deux. La couronne au trois. Je passe."
        case Asked(what="ballot", seats=seats):
            return f"Contre le {seats[0]}."
        case Asked(what="lift"):
            return "Je garde."
        case Asked(what="shots"):
            return "Je tire sur le dix."
        case Asked(what="don_check" | "sheriff_check"):
            return "Je vérifie le six."
    return None


async def test_a_whole_game_by_words() -> None:
    kit = Kit(full)
    await kit.play()
    assert [(event.by, event.target) for event in kit.of(Nominated)][:3] == [(4, 5), (5, 6), (6, 7)]
    assert len(kit.of(GameEnded)) == 1
    assert {event.cause for event in kit.of(PlayerLeft)} >= {"vote", "shot"}
    assert kit.of(ev.TestamentGiven)[0].suspects == (1, 2) and kit.of(CrownGiven)[0].to == 3
    assert kit.of(DonChecked)
    assert kit.of(SheriffChecked)
    assert kit.of(ShotFired)


async def test_ten_silent_players_reach_the_end() -> None:
    kit = Kit(lambda seat, message: None)
    await kit.play(4000)
    assert [event.reason for event in kit.of(GameEnded)] == ["quiet_draw"]


async def test_roles_are_whispered_each_to_its_own_booth() -> None:
    kit = Kit(passes)
    await kit.play(30)
    for seat in SEATS:
        whispered = [
            message for to, message in kit.room.sent if to == seat and isinstance(message, Line) and message.private
        ]
        assert [line.key for line in whispered] == [f"role-{ROLES[seat]}"]
    assert [event.seat for event in kit.of(RoleDealt)] == list(SEATS)


async def test_speech_time_runs_from_the_end_of_the_call() -> None:
    kit = Kit(passes)
    await kit.play(40)
    opened = next(event for event in kit.of(StepOpened) if event.kind is StepKind.SPEECH)
    assert opened.ends_at - opened.at == pytest.approx(QUICK.speech_s)
    line_s = 0.5
    called = next(event for event in kit.log if event.type == "step_called" and event.step.kind is StepKind.SPEECH)
    assert opened.at >= called.at + line_s, "nobody pays for the narrator"


async def test_a_correction_after_the_echo_replaces_the_nomination() -> None:
    def player(seat: int, message: Message) -> str | None:
        if seat == 1 and isinstance(message, Line) and message.key == "nominated":
            return "Non, je retire ma nomination, je nomine le six. Je passe." if message.args["seat"] == 4 else None
        return speaks({1: "Je nomine le quatre. Je passe."})(seat, message)

    kit = Kit(player)
    await kit.play(60)
    assert [(event.by, event.target) for event in kit.of(Nominated)] == [(1, 4), (1, 6)]
    assert [event.target for event in kit.of(NominationWithdrawn)] == [4]


async def test_an_unsure_nomination_is_asked_and_counts_after_a_yes() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "question":
            assert (seat, message.seats) == (1, (4,))
            return "Oui."
        return speaks({1: "Je vais sûrement nominer le quatre. Je passe."})(seat, message)

    kit = Kit(player)
    await kit.play(60)
    assert "ask-nomination" in kit.room.keys(1)
    assert [(event.by, event.target) for event in kit.of(Nominated)] == [(1, 4)]


async def test_no_but_the_eight_corrects_a_question_at_once() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "question":
            return "Non, le huit."
        return speaks({1: "Je vais sûrement nominer le quatre. Je passe."})(seat, message)

    kit = Kit(player)
    await kit.play(60)
    assert [(event.by, event.target) for event in kit.of(Nominated)] == [(1, 8)]


async def test_a_question_without_an_answer_does_nothing_and_says_so() -> None:
    kit = Kit(speaks({1: "Je vais sûrement nominer le quatre. Je passe."}))
    await kit.play(60)
    assert not kit.of(Nominated)
    assert "nothing-noted" in kit.room.keys(1)
    assert [event.seat for event in kit.of(StepOpened) if event.kind is StepKind.SPEECH][:2] == [1, 2]


@pytest.mark.parametrize(
    "words",
    [
        "Le quatre a nominé le huit. Je passe.",
        "Je ne nomine pas le sept. Je passe.",
        "Je nominerai le neuf demain. Je passe.",
    ],
)
async def test_what_must_not_count_does_not(words: str) -> None:
    kit = Kit(speaks({1: words}))
    await kit.play(60)
    assert not kit.of(Nominated)


async def test_a_dead_name_is_refused_aloud_and_the_right_is_kept() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "shots":
            return "Je tire sur le dix."
        if isinstance(message, Asked) and message.what == "speech" and seat == 2 and "morning" in kit.room.keys(2):
            return "Je nomine le dix. Je nomine le neuf. Je passe."
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(160)
    assert [event.killed for event in kit.of(NightEnded)] == [10]
    assert [(event.by, event.target) for event in kit.of(Nominated)] == [(2, 9)]


# --- ballots --------------------------------------------------------------------------------------

TWO = {1: "Je nomine le quatre. Je passe.", 2: "Je nomine le cinq. Je passe."}


async def test_a_ballot_is_echoed_to_its_voter_alone_and_corrected_before_it_counts() -> None:
    def player(seat: int, message: Message) -> str | None:
        if seat == 7 and isinstance(message, Line) and message.key == "echo-ballot" and message.args["seat"] == 4:
            return "Non, le cinq."
        if isinstance(message, Asked) and message.what == "ballot":
            return "Contre le quatre."
        return speaks(TWO)(seat, message)

    kit = Kit(player)
    await kit.play(90)
    votes = kit.of(BallotCounted)[0].votes
    assert votes[7] == 5 and all(votes[seat] == 4 for seat in SEATS if seat != 7)
    echoes = [to for to, message in kit.room.sent if isinstance(message, Line) and message.key == "echo-ballot"]
    assert sorted(echoes) == sorted([*SEATS, 7]), "every echo went to its own booth"


async def test_a_silent_voter_counts_against_the_last_candidate() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "ballot":
            return "Contre le quatre." if seat <= 3 else None
        return speaks(TWO)(seat, message)

    kit = Kit(player)
    await kit.play(120)
    counted = kit.of(BallotCounted)[0]
    assert counted.defaults == (4, 5, 6, 7, 8, 9, 10) and counted.leaders == (5,)
    assert sum(event.default for event in kit.of(BallotCast)) == 7


async def test_a_vote_for_somebody_who_is_no_candidate_is_refused_in_private() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "ballot":
            return "Contre le neuf." if seat == 3 else "Contre le quatre."
        return speaks(TWO)(seat, message)

    kit = Kit(player)
    await kit.play(120)
    assert kit.of(BallotCounted)[0].votes[3] == 5, "the default, not the nearest legal seat"
    heard = [
        to for to, message in kit.room.sent if isinstance(message, Line) and message.key == "refused-not-a-candidate"
    ]
    assert heard == [3]


async def test_a_ballot_of_which_the_recogniser_is_not_sure_is_asked_about() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "ballot" and seat in (3, 5):
            return "Contre le quatre."
        if isinstance(message, Asked) and message.what == "question":
            return {3: "Oui.", 5: "Non, le cinq."}.get(seat)
        return speaks(TWO)(seat, message)

    kit = Kit(player)
    kit.transcriber.doubts["Contre le quatre."] = 0.4
    await kit.play(150)
    votes = kit.of(BallotCounted)[0].votes
    assert (votes[3], votes[5]) == (4, 5)
    asked = [to for to, message in kit.room.sent if isinstance(message, Line) and message.key == "ask-ballot"]
    assert sorted(asked) == [3, 5]


@pytest.mark.parametrize(("answer", "given"), [("Oui.", (1, 2)), ("Non.", None)])
async def test_a_testament_of_which_the_recogniser_is_not_sure_is_asked_about(
    answer: str, given: tuple[int, ...] | None
) -> None:
    will = "Mon testament : un, deux."

    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "farewell":
            return will
        if isinstance(message, Asked) and message.what == "question":
            return answer
        return full(seat, message)

    kit = Kit(player)
    kit.transcriber.doubts[will] = 0.4
    await kit.play(400)
    first = next(event.at for event in kit.of(PlayerLeft))
    asked = [to for to, message in kit.room.sent if isinstance(message, Line) and message.key == "ask-testament"]
    assert asked, "the words may have been others"
    testaments = [event.suspects for event in kit.of(ev.TestamentGiven) if event.at > first]
    assert (testaments or [()])[0] == (given or ())


async def test_a_doubtful_answer_to_a_question_is_none() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "ballot" and seat == 3:
            return "Contre le quatre."
        if isinstance(message, Asked) and message.what == "question":
            return "Oui."
        return speaks(TWO)(seat, message)

    kit = Kit(player)
    kit.transcriber.doubts = {"Contre le quatre.": 0.4, "Oui.": 0.4}
    await kit.play(150)
    assert 3 in kit.of(BallotCounted)[0].defaults


async def test_a_ballot_that_was_not_understood_is_asked_for_once() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "ballot" and seat == 3:
            kit.say(3, "Tout le naif.", after_s=1.0)
            kit.say(3, "Tant pis.", after_s=3.0)
            return None
        return speaks(TWO)(seat, message)

    kit = Kit(player)
    kit.transcriber.doubts = {"Tout le naif.": 0.4, "Tant pis.": 0.4}
    await kit.play(150)
    asked = [to for to, message in kit.room.sent if isinstance(message, Line) and message.key == "say-the-number"]
    assert asked == [3], "noise that is taken for words would ask for ever"


async def test_words_of_a_speech_that_the_sound_does_not_support_are_asked_about() -> None:
    """A far voice: nothing is nominated and no speech ended by what the recogniser made of it."""

    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            kit.say(1, "Je mets le 4 au vote. Merci.", after_s=1.0)
            return None
        return passes(seat, message)

    kit = Kit(player)
    kit.transcriber.doubts = {"Je mets le 4 au vote. Merci.": 0.4}
    await kit.play(60)
    assert kit.of(Nominated) == []
    assert any(isinstance(message, Line) and message.key == "ask-nomination" for _, message in kit.room.sent)


async def test_words_spoken_in_time_count_however_slow_the_recogniser() -> None:
    """Symptom elsewhere: recognition blocked the loop, everything arrived late."""

    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "ballot":
            kit.transcriber.delay_s = 3.0
            if seat == 9:
                kit.say(9, "Contre le quatre.", after_s=QUICK.ballot_s - 1.2, lasts_s=1.0)
            return None
        return speaks(TWO)(seat, message)

    kit = Kit(player)
    await kit.play(150)
    assert kit.of(BallotCounted)[0].votes[9] == 4
    assert 9 not in kit.of(BallotCounted)[0].defaults
    assert kit.room.lines(5).count("Un instant.") == 1, "the table knows why it waits"


# --- night ----------------------------------------------------------------------------------------


def night_times(log: list[Event]) -> list[float]:
    kinds = (StepKind.SHOTS, StepKind.DON_CHECK, StepKind.SHERIFF_CHECK)
    return [event.at for event in log if isinstance(event, StepOpened | StepClosed) and event.kind in kinds]


async def test_a_night_takes_the_same_time_whoever_speaks() -> None:
    """Two worlds: nobody acts, everybody acts; the steps open and close at the same seconds."""

    def acts(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "shots":
            return "Je tire sur le dix."
        if isinstance(message, Asked) and message.what in ("don_check", "sheriff_check"):
            return "Je vérifie le six."
        return passes(seat, message)

    silent, busy = Kit(passes), Kit(acts)
    await silent.play(110)
    await busy.play(110)
    assert len(night_times(silent.log)) == 6
    assert night_times(silent.log) == pytest.approx(night_times(busy.log), abs=0.05)
    assert kit_killed(busy) == [10] and kit_killed(silent) == [None]


def kit_killed(kit: Kit) -> list[int | None]:
    return [event.killed for event in kit.of(NightEnded)]


async def test_only_those_concerned_are_asked_at_night() -> None:
    kit = Kit(passes)
    await kit.play(110)
    asked = [(message.what, to) for to, message in kit.room.sent if isinstance(message, Asked)]
    assert [to for what, to in asked if what == "meeting"] == [1, 2, 3]
    assert [to for what, to in asked if what == "shots"] == [1, 2, 3]
    assert [to for what, to in asked if what == "don_check"] == [1]
    assert [to for what, to in asked if what == "sheriff_check"] == [4]


async def test_what_the_town_receives_does_not_depend_on_who_the_mafia_are() -> None:
    swapped = {**ROLES, 3: Role.CIVILIAN, 9: Role.MAFIOSO}

    def acts(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "shots":
            return "Je tire sur le dix."
        return passes(seat, message)

    worlds = Kit(acts), Kit(acts, roles=swapped)
    for kit in worlds:
        await kit.play(110)
    received = [[message for to, message in kit.room.sent if to == 6] for kit in worlds]
    assert received[0] == received[1]


async def test_the_meetings_words_reach_the_mafia_alone() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "meeting" and seat == 1:
            return "On tire sur le quatre."
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(9)
    assert sorted(to for to, message in kit.room.sent if isinstance(message, Caption)) == [2, 3]


# --- out of turn ----------------------------------------------------------------------------------


async def test_interpellating_by_word_costs_a_foul_and_opens_the_microphone() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            kit.say(6, "J'interviens !", after_s=1.0)
            kit.say(1, "Je passe.", after_s=12.0)
            return None
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(60)
    assert [(event.seat, event.count) for event in kit.of(Fouled)] == [(6, 1)]
    opened = kit.of(InterpellationOpened)[0]
    assert opened.ends_at - opened.at == pytest.approx(QUICK.interpellation_s)
    assert "foul" in kit.room.keys(2)


async def test_nobody_acts_for_another_seat() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            kit.say(6, "Je nomine le quatre. Je passe.")
            return None
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(45)
    assert not kit.of(Nominated)


# --- interruption ---------------------------------------------------------------------------------


async def test_a_game_goes_on_where_its_process_died() -> None:
    first = Kit(speaks({1: "Je nomine le quatre."}))
    await first.play(19)
    running = first.table.state
    assert running.step is not None and running.step.seat == 1 and running.nominations == ((1, 4),)

    died_s, gathered_s = running.at + 2, 7.0
    second = Kit(passes, stored=first.log, start_s=died_s + gathered_s, until_s=died_s)
    await second.play(40)
    assert second.log[: len(first.log)] == first.log, "nothing is lost or doubled"
    assert [type(event) for event in second.log[len(first.log) : len(first.log) + 2]] == [Suspended, Resumed]
    lost, resumed = second.of(Suspended)[0], second.of(Resumed)[0]
    assert lost.at == died_s and resumed.pause_s == pytest.approx(gathered_s, abs=0.1)
    assert second.room.keys(7)[0] == "resumed", "nobody waits for what he knows"
    assert second.table.state.nominations[0] == (1, 4)
    assert running.step.ends_at is not None
    after = [event for event in second.log[len(first.log) :] if isinstance(event, StepClosed)]
    assert after[0].seat == 1 and after[0].at <= running.step.ends_at + resumed.pause_s + 0.1


async def test_what_was_pressed_while_a_game_was_taken_up_is_in_time() -> None:
    """The speech had one second left, and its ten players needed seven to come back."""
    first = Kit(speaks({1: "Je nomine le quatre."}))
    await first.play(19)
    step = first.table.state.step
    assert step is not None and step.kind == "speech" and step.ends_at is not None and step.seat is not None
    second = Kit(passes, stored=first.log, start_s=step.ends_at + 6, until_s=step.ends_at - 1)
    key = Do(what="end_speech").model_dump_json().encode()
    second.room.inbox.append(Raw(step.seat, key, second.clock.now()))
    await second.play(2)
    new = second.log[len(first.log) :]
    assert [type(event) for event in new[:3]] == [Suspended, Resumed, StepClosed]
    assert isinstance(new[2], StepClosed) and new[2].by == "player"


async def test_a_game_is_known_to_have_been_played_until_its_last_event_or_word() -> None:
    first = Kit(speaks({1: "Je nomine le quatre."}))
    await first.play(19)
    state = first.table.state
    last_s, ends_s = first.log[-1].at, engine.next_at(state)
    assert ends_s is not None and ends_s > last_s + 2

    def word(ended_s: float) -> Utterance:
        return Utterance(1, ended_s - 1, ended_s, "Bonsoir.", 1.0)

    assert played_until_s(state, []) == last_s
    assert played_until_s(state, [word(last_s + 2), word(last_s - 2)]) == last_s + 2
    assert played_until_s(state, [word(ends_s + 5)]) == ends_s, "what the deadline does is still to be done"


async def test_an_acceptance_waits_for_a_pause_of_the_speaker_and_costs_him_no_time() -> None:
    said: list[float] = []

    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            kit.say(1, "Je nomine le quatre.", after_s=1.0)
            kit.say(1, "Et je le trouve bien silencieux.", after_s=2.6, lasts_s=1.6)
            said.append(kit.clock.now() + 2.6 + 1.6)
            return None
        if isinstance(message, Line) and message.key == "nominated" and seat == 1:
            said.append(kit.clock.now())
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(60)
    silent_at, accepted_at = said[:2]
    assert silent_at <= accepted_at < silent_at + 1.0
    credited = kit.of(ev.TimeCredited)
    assert credited and credited[0].seconds > 0
    opened = next(event for event in kit.of(StepOpened) if event.kind is StepKind.SPEECH)
    assert credited[0].ends_at == pytest.approx(opened.ends_at + credited[0].seconds)


# --- motions and gestures -------------------------------------------------------------------------


def press(kit: Kit, by: int, **key: object) -> None:
    body = json.dumps({"type": "do", **key}).encode()
    kit.room.inbox.append(Raw(by, body, kit.clock.now()))


async def test_a_motion_is_moved_by_key_and_voted_by_voice() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            press(kit, 5, what="move", name="technical_foul", seat=7)
            kit.say(1, "Je passe.", after_s=25.0)
            return None
        if isinstance(message, Asked) and message.what == "motion":
            assert message.seats == (7,)
            return "Oui." if seat <= 4 else "Non." if seat == 6 else None
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(90)
    (decided,) = kit.of(ev.MotionDecided)
    assert decided.votes == {1: True, 2: True, 3: True, 4: True, 5: True, 6: False}
    assert decided.carried
    assert [(event.seat, event.count) for event in kit.of(ev.TechnicalFouled)] == [(7, 1)]
    asked = [to for to, message in kit.room.sent if isinstance(message, Asked) and message.what == "motion"]
    assert asked == [1, 2, 3, 4, 5, 6, 8, 9, 10]
    assert kit.room.keys(9)[kit.room.keys(9).index("motion-technical-foul") :][:2] == [
        "motion-technical-foul",
        "motion-call",
    ]


async def test_keys_vote_on_a_motion_give_signals_and_give_up() -> None:
    def player(seat: int, message: Message) -> str | None:
        if isinstance(message, Asked) and message.what == "speech" and seat == 1:
            press(kit, 4, what="signal", name="agree")
            press(kit, 4, what="signal", name="dance")
            press(kit, 9, what="give_up")
            press(kit, 5, what="move", name="stop")
            for voter in (1, 2, 3, 4, 6, 7, 8):
                press(kit, voter, what="yes")
            return None
        return passes(seat, message)

    kit = Kit(player)
    await kit.play(60)
    assert [(event.seat, event.signal) for event in kit.of(ev.SignalGiven)] == [(4, "agree")]
    assert kit.of(PlayerLeft)[0].seat == 9
    assert kit.of(GameEnded)[0].reason == "stopped"
    assert "signal" in kit.room.keys(2)
