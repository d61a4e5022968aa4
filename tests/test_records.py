"""Records of games through the rules: a true one agrees, and every planted fault is found where it is."""

import copy
import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from moderator import commands as c
from moderator import mgn
from moderator.engine import decide
from moderator.record_replay import replay_record
from moderator.records import Divergence, Replayed
from moderator.review import facts
from moderator.simulate import deal
from moderator.state import GameState
from voice.cli import main
from voice.config import load_rules
from voice.replay import of_bytes

CLUB = load_rules("club")
HERE = Path(__file__).parent / "records"
RECORDS = sorted(HERE.glob("*.json"))
"""Games of our own making, in the form in which records of real ones come."""
GIVEN = sorted(Path(os.environ["MODERATOR_RECORDS"]).glob("*.json")) if "MODERATOR_RECORDS" in os.environ else []
"""Whoever has a folder of true records runs them too."""


def record(name: str = "town") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    return found


def answer(raw: Any) -> Replayed:
    return replay_record(raw, "x", CLUB)[0]


def place(raw: dict[str, Any], kind: str, nth: int = 0, **wanted: Any) -> int:
    """Where the record's nth event of this kind is."""
    rows = enumerate(raw["events"])
    return [at for at, row in rows if row["type"] == kind and all(row[key] == wanted[key] for key in wanted)][nth]


@pytest.mark.parametrize("path", [*RECORDS, *GIVEN], ids=lambda path: path.stem)
def test_a_true_record_agrees(path: Path) -> None:
    raw = json.loads(path.read_text(encoding="utf-8"))
    found, log = replay_record(raw, path.stem, CLUB)
    assert found.divergence is None
    assert (found.ok, found.winner) == (True, raw["winner"])
    told = [(row["n"], row["seat"]) for row in raw["events"] if row["type"] == "leave"]
    assert sorted((day, seat) for seat, _, day in found.left) == sorted(told)
    assert set(found.points) == {"classic", "max_mafia"}
    assert mgn.read(mgn.write(log)) == log
    assert facts(log).winner == found.winner


def test_a_sealed_deal_is_written_with_its_salt() -> None:
    log = decide(GameState(), c.Deal(at=0, game="sealed", rules=CLUB, roles=deal(Random(5)), salt="0f" * 16))
    assert isinstance(log, list) and mgn.read(mgn.write(log)) == log
    with pytest.raises(mgn.BadNotation, match="salt"):
        mgn.read(mgn.write(log).replace("[Salt 0f", "[Salt 0g"))


def test_departures_carry_their_cause_and_day() -> None:
    assert answer(record()).left[:3] == ((8, "shot", 1), (2, "vote", 1), (9, "shot", 2))


def test_a_testament_and_a_crown_are_heard() -> None:
    found, log = replay_record(record(), "x", CLUB)
    departures = {one.seat: one for one in facts(log).departures}
    assert (departures[8].suspects, departures[2].crown) == ((2, 3), 5)
    assert found.points["classic"][8] == pytest.approx(1.50), "won, two named and none wrongly, best move"


# --- planted faults -------------------------------------------------------------------------------


def fault(raw: dict[str, Any]) -> Divergence:
    found = answer(raw)
    assert not found.ok
    assert found.divergence is not None
    return found.divergence


def test_a_dropped_voter_is_named() -> None:
    raw = record()
    at = place(raw, "vote", 1)
    del raw["events"][at]["votes"]["5"]
    assert (fault(raw).event_index, fault(raw).got) == (at, "no ballot of 5")


def test_a_voter_who_is_out_is_named() -> None:
    raw = record()
    at = place(raw, "vote", 1)
    raw["events"][at]["votes"]["8"] = 2
    assert (fault(raw).event_index, fault(raw).got) == (at, "a ballot of 8, who is out")


def test_a_wrong_departure_is_named() -> None:
    raw = record()
    at = place(raw, "leave", 1)
    raw["events"][at]["seat"] = 5
    found = fault(raw)
    assert (found.event_index, found.expected, found.got) == (
        at,
        "seat 2 leaves (vote) on day 1",
        "seat 5 leaves (vote)",
    )


def test_a_departure_that_is_not_told_is_named_at_what_follows() -> None:
    raw = record()
    at = place(raw, "leave", 1)
    del raw["events"][at : at + 2]  # with the crown that he gave
    assert (fault(raw).event_index, fault(raw).expected) == (at, "seat 2 leaves (vote)")


def test_a_wrong_winner_is_named_at_the_end() -> None:
    raw = record()
    raw["winner"] = "mafia"
    found = fault(raw)
    assert (found.event_index, found.expected, found.got) == (len(raw["events"]), "won by town", "won by mafia")


def test_a_denied_kill_is_named() -> None:
    raw = record()
    at = place(raw, "shot")
    raw["events"][at]["killed"] = None
    found = fault(raw)
    assert (found.event_index, found.expected, found.got) == (at, "seat 8 is killed", "a miss")


def test_a_reversed_order_of_candidates_is_named() -> None:
    raw = record()
    at = place(raw, "vote", 1)
    raw["events"][at]["candidates"].reverse()
    found = fault(raw)
    assert (found.event_index, found.expected) == (at, "a ballot about 3, 2")
    assert found.got == "a ballot about 2, 3"


def test_swapped_roles_are_found_by_a_shot() -> None:
    raw = record()
    raw["roles"]["2"], raw["roles"]["5"] = raw["roles"]["5"], raw["roles"]["2"]
    found = fault(raw)
    assert found.event_index == place(raw, "shot")
    assert "shots of the living mafia, 1, 3, 5" in found.expected


def test_swapped_roles_are_found_by_a_check() -> None:
    """The Don who is said to check after he has left."""
    raw = record()
    raw["roles"]["1"], raw["roles"]["2"] = raw["roles"]["2"], raw["roles"]["1"]
    assert raw["events"][fault(raw).event_index]["type"] in ("don_check", "shot")


def test_a_nomination_by_nobody_living_is_named() -> None:
    raw = record()
    at = place(raw, "nominate", n=2)
    raw["events"][at]["by"] = 2
    assert fault(raw).event_index == at


# --- what a record does not hold ------------------------------------------------------------------


def test_a_check_that_is_said_to_be_missing_is_no_fault() -> None:
    raw = record()
    del raw["events"][place(raw, "don_check")]
    assert fault(raw).expected == "a check of the don, seat 1, in night 1"
    raw["missing"] = ["don check of night 1"]
    assert answer(raw).ok


def test_only_the_victim_may_be_recorded() -> None:
    raw = record()
    for row in raw["events"]:
        row.pop("shots", None)
    assert answer(raw).ok


def test_another_opener_than_the_rules_is_no_fault() -> None:
    raw = record()
    day = [at for at, row in enumerate(raw["events"]) if row["type"] == "nominate" and row["n"] == 1]
    events = raw["events"]
    events[day[0]]["by"], events[day[1]]["by"] = events[day[1]]["by"], events[day[0]]["by"]
    assert answer(raw).ok


# --- damage ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("junk", [None, 3, "x", [], {}, {"events": 5}, {"id": "a", "roles": {"1": "king"}}])
def test_what_is_no_record_is_said_to_be_none(junk: Any) -> None:
    found = answer(junk)
    assert (found.ok, found.left) == (False, ())
    assert found.divergence is not None


@pytest.mark.parametrize("event", [None, 7, {}, {"type": "dance"}, {"type": "nominate", "by": 12}])
def test_a_damaged_event_ends_the_valid_part(event: Any) -> None:
    raw = record()
    at = place(raw, "vote", 1)
    raw["events"][at] = event
    found = answer(raw)
    assert found.left == ((8, "shot", 1),)
    assert found.divergence is not None
    assert (found.divergence.event_index, found.divergence.expected) == (at, "an event of a record")


def test_a_file_that_is_cut_off_is_replayed_as_far_as_it_goes() -> None:
    body = (HERE / "town.json").read_bytes()
    found = of_bytes(body[: len(body) * 2 // 3], "cut")
    assert not found.ok
    assert found.left[0] == (8, "shot", 1)
    assert found.divergence is not None and found.divergence.expected == "JSON"
    for end in range(0, len(body), 97):
        assert not of_bytes(body[:end], "cut").ok


def test_replaying_is_deterministic_and_leaves_the_record_alone() -> None:
    raw = record()
    before = copy.deepcopy(raw)
    assert answer(raw) == answer(raw)
    assert raw == before


def test_the_command_prints_one_line_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = record()
    wrong["winner"] = "mafia"
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    assert main(["replay", *map(str, RECORDS)]) == 0
    assert main(["replay", str(RECORDS[0]), str(tmp_path / "wrong.json")]) == 1
    assert main(["replay", str(tmp_path / "none.json"), str(RECORDS[0])]) == 2
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["ok"] for line in lines] == [True] * len(RECORDS) + [True, False, True]
    assert "none.json: no such file" in err


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (" 1v33", "target: must be 10 or less"),
        (" 3q:dead", "cause: must be 'disqualified', 'gave_up', 'absent' or 'fouls'"),
        (" $x", "seconds must follow"),
        (" 5zz", "the rules refuse it: over"),
        (" 5k", "no such word"),
    ],
)
def test_a_word_of_notation_that_is_none_is_named_with_what_is_allowed(damage: str, says: str) -> None:
    text = mgn.write(replay_record(record(), "x", CLUB)[1]).rstrip("\n") + damage
    with pytest.raises(mgn.BadNotation) as refused:
        mgn.read(text)
    assert f"{damage.strip()!r}: {says}" in str(refused.value) and "\n" not in str(refused.value)
    assert "pydantic" not in str(refused.value)
