"""The hearing bench judges as the game would act, and its noises do what they say."""

from random import Random
from typing import Any

import numpy as np
import pytest

from voice.bench_hearing import TASKS, Row, done, judge, meant, rows
from voice.bench_noise import CONDITIONS
from voice.ports import RATE_HZ, Act, ActKind, Lang, Pcm, Proposal


def row(task: str, gold: dict[str, Any], **context: Any) -> Row:
    return Row.model_validate({"id": "x", "task": task, "text": "…", "gold": gold, "context": context})


def proposal(*acts: tuple[ActKind, int | None], ask: bool = False) -> Proposal:
    return Proposal(tuple(Act(kind, seat, "") for kind, seat in acts), ask, 1.0, "grammar", "")


VOTE_4 = (ActKind.VOTE, 4)


@pytest.mark.parametrize(
    ("gold", "read", "doubtful", "outcome"),
    [
        (4, proposal(VOTE_4), False, "right"),
        (4, proposal(VOTE_4), True, "asked"),
        (4, proposal(VOTE_4, ask=True), False, "asked"),
        (5, proposal(VOTE_4), False, "false"),
        (4, proposal(), False, "missed"),
        (None, proposal(), False, "right"),
        (None, proposal(VOTE_4), False, "false"),
        (None, proposal(), True, "asked"),
        (4, proposal(), True, "asked"),
    ],
)
def test_a_ballot_is_judged(gold: int | None, read: Proposal, doubtful: bool, outcome: str) -> None:
    assert judge(row("vote", {"seat": gold}), read, doubtful) == outcome


def test_of_several_nominations_the_first_free_one_counts() -> None:
    one = row("nomination", {"nominated": [6], "withdrawn": []}, nominated=[5])
    read = proposal((ActKind.NOMINATE, 5), (ActKind.NOMINATE, 6))
    assert done(one, read) == meant(one)


def test_a_testament_is_right_only_as_a_whole() -> None:
    one = row("testament", {"suspects": [2, 7], "crown": 4})
    suspects = (ActKind.SUSPECT, 7), (ActKind.SUSPECT, 2)
    assert judge(one, proposal(*suspects, (ActKind.CROWN, 4)), False) == "right"
    assert judge(one, proposal(*suspects), False) == "false"
    assert judge(one, proposal(), False) == "missed"


def test_an_answer_is_yes_no_or_another_seat() -> None:
    assert judge(row("confirm", {"yes": True, "seat": None}), proposal((ActKind.YES, None)), False) == "right"
    other = row("confirm", {"yes": False, "seat": 8})
    assert judge(other, proposal((ActKind.NO, None), (ActKind.VOTE, 8)), False) == "right"
    assert judge(other, proposal((ActKind.NO, None)), False) == "false"
    assert judge(row("confirm", {"yes": None, "seat": None}), proposal(), False) == "right"


def tone(seconds: float = 1.0) -> Pcm:
    t = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    return (3000 * np.sin(2 * np.pi * 440 * t)).astype(np.int16)


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_keeps_the_line_and_is_repeatable(name: str) -> None:
    line, others = tone(), [tone(0.5), tone(2), tone()]
    heard = CONDITIONS[name](line, others, Random(1))
    again = CONDITIONS[name](line, others, Random(1))
    assert np.array_equal(heard, again)
    assert heard.dtype == np.int16
    assert abs(len(heard) - len(line)) <= RATE_HZ // 10
    assert np.sqrt(np.mean(heard.astype(float) ** 2)) > 800, "the line is still there"


def test_noise_is_added_and_packets_are_lost() -> None:
    line, others = tone(), [tone(0.5) // 2, tone(2), tone()]
    assert np.array_equal(CONDITIONS["clean"](line, others, Random(1)), line)
    for name in ("noise", "babble", "echo"):
        added = CONDITIONS[name](line, others, Random(1)).astype(float) - line
        assert 50 < np.sqrt(np.mean(added**2)) < 1100, name
    whole, holes = (CONDITIONS[name](line, others, Random(1)) for name in ("opus", "loss10"))
    frames = [np.abs(pcm[: len(pcm) // 960 * 960].reshape(-1, 960)).max(axis=1) for pcm in (whole, holes)]
    assert (frames[1] < 2000).sum() > (frames[0] < 2000).sum()


@pytest.mark.parametrize("lang", ["fr", "en", "ru"])
@pytest.mark.parametrize("half", ["dev", "test"])
def test_every_line_of_both_halves_can_be_judged(lang: Lang, half: str) -> None:
    lines = rows(lang, half)
    assert {line.task for line in lines} == set(TASKS)
    assert len({line.id for line in lines}) == len(lines) >= (210 if lang == "fr" else 105)
    for line in lines:
        assert line.task == "testament" or line.context.speaker in line.context.alive, line.id
        assert set(line.context.nominated) <= set(line.context.alive), line.id
        assert judge(line, Proposal((), False, 1.0, "none", ""), False) in ("right", "missed"), line.id
