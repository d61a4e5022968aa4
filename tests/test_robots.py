"""The robots: same seed same words, what counts is said so that it can be read, and nothing without ears."""

import asyncio
from typing import Any

import numpy as np
import pytest

from moderator.events import BallotCast, DayBegan, Event, NightBegan, Nominated, ShotFired, StepCalled
from moderator.model import SEATS, Seat, Step, StepKind
from voice.config import read_yaml
from voice.grammar import read
from voice.ports import FRAME_SAMPLES, ActKind, Context, Lang, Pcm, Task
from voice.robots.mind import Meaning, Mind, Saying
from voice.robots.player import RobotPlayer
from voice.robots.score import compare
from voice.robots.speech import voices_of
from voice.wire import Asked, Caption, Closed, Line, Wire

LANGS: tuple[Lang, ...] = ("fr", "en", "ru")


def line(key: str, private: bool = False, **args: str | int) -> Line:
    return Line(key=key, text=key, args=args, private=private)


def mind(seat: Seat = 5, seed: int = 7, role: str = "role-civ", lang: Lang = "fr") -> Mind:
    made = Mind(seat, seed, lang)
    made.hear(line(role, private=True, **({"mates": "2 3"} if role == "role-don" else {})))
    made.hear(line("night"))
    made.hear(line("day", seat=1))
    return made


# --- mind -----------------------------------------------------------------------------------------


def test_the_same_seed_says_the_same_words() -> None:
    assert [mind(seat).prepare_speech() for seat in SEATS] == [mind(seat).prepare_speech() for seat in SEATS]
    assert [mind(seat).prepare_speech() for seat in SEATS] != [mind(seat, seed=8).prepare_speech() for seat in SEATS]


@pytest.mark.parametrize("lang", LANGS)
def test_what_counts_is_read_as_it_was_meant(lang: Lang) -> None:
    """The grammar, or its question, understands every wording a robot can choose: never something else."""
    wrong, asked, total = [], 0, 0
    for seed in range(60):
        saying = mind(seed % 10 + 1, seed, lang=lang).prepare_speech()
        meant = [meaning.targets[0] for meaning in saying.meanings if meaning.counts]
        found = read(Task.NOMINATION, lang, saying.text, Context(seed % 10 + 1, SEATS))
        named = [act.seat for act in found.acts if act.kind is ActKind.NOMINATE]
        total += 1
        if found.unsure:
            asked += 1
        elif named != meant:
            wrong.append((saying.text, meant, named))
    assert not wrong
    assert asked <= total / 8


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("key", "task", "kind"),
    [
        ("vote", Task.VOTE, ActKind.VOTE),
        ("vote_plain", Task.VOTE, ActKind.VOTE),
        ("shoot", Task.SHOT, ActKind.SHOOT),
        ("shoot_plain", Task.SHOT, ActKind.SHOOT),
        ("check", Task.CHECK, ActKind.CHECK),
        ("lift_yes", Task.LIFT, ActKind.YES),
        ("lift_no", Task.LIFT, ActKind.NO),
        ("yes", Task.CONFIRM, ActKind.YES),
        ("no", Task.CONFIRM, ActKind.NO),
        ("interpellate", Task.OUT_OF_TURN, ActKind.INTERPELLATE),
        ("end", Task.NOMINATION, ActKind.END_SPEECH),
    ],
)
def test_closed_answers_are_plain(lang: Lang, key: str, task: Task, kind: ActKind) -> None:
    phrases = read_yaml("prompts", f"robots.{lang}.yaml")
    for phrase in phrases[key]:
        found = read(task, lang, phrase.format(t=phrases["numbers"][3]), Context(5, SEATS, (4, 7), asked=4))
        assert not found.unsure and kind in {act.kind for act in found.acts}, phrase


def test_about_a_speech_in_six_must_not_count() -> None:
    sayings = [mind(seat, seed).prepare_speech() for seed in range(40) for seat in SEATS]
    share = sum(any(not meaning.counts for meaning in saying.meanings) for saying in sayings) / len(sayings)
    assert 0.1 < share < 0.24


def test_a_mafioso_shoots_what_the_don_said_aloud() -> None:
    mate = Mind(2, 1, "fr")
    mate.hear(line("role-maf", private=True, don=1, mates="3"))
    mate.hear(Caption(seat=1, text="On tire d'abord sur le 7, puis sur le quatre, puis sur le 9."))
    assert mate.victims == (7, 4, 9)
    mate.hear(line("left", seat=7))
    assert mate.victim() == 4


def test_nobody_learns_what_was_not_said_to_him() -> None:
    town = mind(5)
    town.hear(Caption(seat=1, text="Je nomine le 4."))
    assert town.mates == frozenset() and town.victims == ()


def test_a_wrong_echo_is_contradicted_and_a_right_one_is_not() -> None:
    voter = mind(5)
    saying = voter.answer(Asked(what="ballot", seats=(4, 7)))
    assert saying is not None
    meant = saying.meanings[0].targets[0]
    other = 7 if meant == 4 else 4
    assert voter.contradicts(line("echo-ballot", private=True, seat=meant), "ballot") is None
    objection = voter.contradicts(line("echo-ballot", private=True, seat=other), "ballot")
    assert objection == Saying(f"Non. {saying.text}")


def test_a_question_is_answered_from_what_was_meant() -> None:
    voter = mind(5)
    voter.meant = Meaning("nomination", (4,))
    yes, no = voter.answer(Asked(what="question", seats=(4,))), voter.answer(Asked(what="question", seats=(6,)))
    assert yes == Saying("Oui.") and no == Saying("Non. Je nomine le quatre.")


def test_an_old_ballot_answers_no_question_of_a_speech() -> None:
    for seed in range(40):
        speaker = mind(5, seed)
        speaker.answer(Asked(what="ballot", seats=(4, 7)))
        saying = speaker.answer(Asked(what="speech"))
        assert saying is not None
        meant = [meaning.targets[0] for meaning in saying.meanings if meaning.counts]
        reply = speaker.answer(Asked(what="question", seats=(4,)))
        number = speaker.phrases["numbers"][meant[0] - 1] if meant else None
        expected = "Non." if not meant else "Oui." if meant == [4] else f"Non. Je nomine le {number}."
        assert reply == Saying(expected)


def test_a_question_about_a_testament_is_answered_from_it() -> None:
    for seed in range(40):
        leaver = mind(5, seed)
        leaver.answer(Asked(what="ballot", seats=(4, 7)))
        saying = leaver.answer(Asked(what="farewell"))
        assert saying is not None
        named = {seat for meaning in saying.meanings for seat in meaning.targets}
        for seat in set(SEATS) - {5}:
            reply = leaver.answer(Asked(what="question", seats=(seat,)))
            assert reply == Saying("Oui." if seat in named else "Non.")


def test_ten_different_voices_a_language() -> None:
    for lang in LANGS:
        assert len({voice.spec for voice in voices_of(lang)}) == 10


# --- player ---------------------------------------------------------------------------------------


class FakeMouth:
    def __init__(self) -> None:
        self.sounds: list[Pcm] = []

    def say(self, pcm: Pcm) -> None:
        self.sounds.append(pcm)

    async def said(self) -> None: ...


class SlowMouth(FakeMouth):
    """Still speaking when the turn is over."""

    async def said(self) -> None:
        if self.sounds:
            await asyncio.sleep(5)


class FakeVoices:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def prepare(self, seat: Seat, text: str, urgency: int = 1) -> None: ...

    async def speak(self, seat: Seat, text: str) -> Pcm:
        self.texts.append(text)
        return np.zeros(FRAME_SAMPLES, dtype=np.int16)


def robot() -> tuple[RobotPlayer, FakeVoices, list[dict[str, Any]]]:
    voices, notes = FakeVoices(), list[dict[str, Any]]()
    made = RobotPlayer(5, mind(5), voices, FakeMouth(), notes.append)  # type: ignore[arg-type]
    return made, voices, notes


def receive(player: RobotPlayer, message: Wire) -> None:
    player.on_message(message.model_dump_json().encode())


SOUND: Pcm = np.full(FRAME_SAMPLES, 3000, dtype=np.int16)


async def test_a_robot_that_hears_nothing_says_nothing() -> None:
    player, voices, notes = robot()
    receive(player, Asked(what="ballot", seats=(4, 7), time_s=8))
    await asyncio.sleep(0.7)
    receive(player, Closed(what="ballot"))
    assert not voices.texts and not notes


async def test_it_answers_when_the_narrator_has_ended_and_notes_the_echo() -> None:
    player, voices, notes = robot()
    player.on_frame(SOUND)
    receive(player, Asked(what="ballot", seats=(4, 7), time_s=8))
    await asyncio.sleep(0.1)
    assert not voices.texts, "not over the narrator's last word"
    await asyncio.sleep(0.6)
    assert len(voices.texts) == 1 and notes[0]["task"] == "vote"
    receive(player, line("echo-ballot", private=True, seat=notes[0]["targets"][0]))
    player.on_frame(SOUND)
    assert notes[-1]["type"] == "confirmed" and notes[-1]["latency_ms"] >= 0
    receive(player, Closed(what="ballot"))


async def test_a_robot_that_went_deaf_after_its_turn_says_nothing_more() -> None:
    player, voices, _ = robot()
    player.on_frame(SOUND)
    receive(player, Asked(what="ballot", seats=(4, 7), time_s=8))
    await asyncio.sleep(0.6)
    receive(player, Closed(what="ballot"))
    receive(player, Asked(what="ballot", seats=(4, 7), time_s=8))
    await asyncio.sleep(0.6)
    receive(player, Closed(what="ballot"))
    assert len(voices.texts) == 1


async def test_what_was_begun_is_meant_even_when_the_time_ran_out() -> None:
    player, _, notes = robot()
    mouth = SlowMouth()
    player.mouth = mouth
    player.on_frame(SOUND)
    receive(player, Asked(what="ballot", seats=(4, 7), time_s=8))
    await asyncio.sleep(0.6)
    receive(player, Closed(what="ballot"))
    await asyncio.sleep(0.01)
    assert len(mouth.sounds) == 1
    assert [note["type"] for note in notes] == ["meant"]


async def test_to_be_asked_for_the_number_is_to_be_asked() -> None:
    player, _, notes = robot()
    player.on_frame(SOUND)
    receive(player, Asked(what="ballot", seats=(4, 7), time_s=8))
    await asyncio.sleep(0.6)
    receive(player, line("say-the-number", private=True))
    await asyncio.sleep(0.01)
    receive(player, Closed(what="ballot"))
    await asyncio.sleep(0.01)
    assert notes[-1]["type"] == "asked"
    assert notes[-1]["id"] == notes[0]["id"]


# --- score ----------------------------------------------------------------------------------------


def meant(number: int, seat: Seat, task: str, *targets: int, counts: bool = True) -> dict[str, Any]:
    record = {"type": "meant", "id": number, "seat": seat, "task": task, "targets": list(targets), "counts": counts}
    return {**record, "day": 0, "candidates": []}


def test_each_thing_meant_has_one_outcome() -> None:
    events: list[Event] = [
        NightBegan(at=0, night=0),
        DayBegan(at=1, day=0, order=SEATS),
        Nominated(at=2, by=1, target=4),
        Nominated(at=3, by=2, target=5),
        Nominated(at=4, by=3, target=6),
        BallotCast(at=5, seat=1, target=4),
        BallotCast(at=5, seat=2, target=5, default=True),
        ShotFired(at=9, seat=8, target=1),
    ]
    records = [
        meant(1, 1, "nomination", 4),
        meant(2, 2, "nomination", 6),
        meant(3, 3, "nothing", counts=False),
        meant(4, 4, "nothing", counts=False),
        meant(5, 1, "vote", 4),
        meant(6, 2, "vote", 4),
        meant(7, 7, "vote", 4),
        {"type": "asked", "id": 7},
        {"type": "confirmed", "id": 1, "latency_ms": 900},
        {"type": "confirmed", "id": 5, "latency_ms": 1100},
    ]
    found = compare(records, events)
    assert found["heard"] == {"right": 2, "asked": 1, "missed": 1, "wrong": 3}, "the shot was meant by nobody"
    assert found["latency_ms"] == {"p50": 1000, "p95": 1100}


def test_what_nobody_meant_is_wrong() -> None:
    assert compare([], [DayBegan(at=1, day=0, order=SEATS), Nominated(at=2, by=1, target=4)])["heard"]["wrong"] == 1


def test_a_second_vote_is_not_the_first() -> None:
    events: list[Event] = [
        DayBegan(at=1, day=0, order=SEATS),
        StepCalled(at=2, step=Step(kind=StepKind.BALLOT, candidates=(4, 7), round=1)),
        BallotCast(at=5, seat=1, target=7, default=True),
        StepCalled(at=6, step=Step(kind=StepKind.BALLOT, candidates=(4, 7), round=2)),
        BallotCast(at=9, seat=1, target=7),
    ]
    records = [{**meant(1, 1, "vote", 4), "round": 1}, {**meant(2, 1, "vote", 7), "round": 2}]
    assert compare(records, events)["heard"] == {"right": 1, "asked": 0, "missed": 1, "wrong": 0}
