"""What the robots meant against what the moderator took down. Read after the game, by nobody at the table.

One outcome for each act that was meant to count:

* right: the log holds exactly it;
* wrong: the log holds something else in its place that the player did not mean;
* asked: nothing wrong was taken down, but the moderator had to ask, and in the end has nothing;
* missed: nothing was taken down and nothing was asked.

An act that was asked about and then taken down as meant is `asked` as well: it cost the player a question.
Words that must not count are `wrong` when something was taken down from them, and otherwise not counted.
What was taken down from a seat that meant nothing of the kind is `wrong` too, once for each.
"""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from moderator.events import (
    BallotCast,
    CrownGiven,
    DayBegan,
    DonChecked,
    Event,
    Fouled,
    LiftCast,
    NightBegan,
    Nominated,
    NominationWithdrawn,
    SheriffChecked,
    ShotFired,
    StepCalled,
    TestamentGiven,
)
from moderator.model import Seat, StepKind

Taken = dict[tuple[str, Seat, int, int], list[tuple[int, ...]]]
"""(task, seat, day or night, ballot of the day from 1 for a vote, else 0) -> what was taken down, in order."""


def compare(records: Sequence[Mapping[str, Any]], events: Iterable[Event]) -> dict[str, Any]:
    """`{"heard": {right, asked, missed, wrong}, "latency_ms": {p50, p95}}`."""
    taken = taken_down(events)
    asked = {record["id"] for record in records if record["type"] == "asked"}
    heard = dict.fromkeys(("right", "asked", "missed", "wrong"), 0)
    for record in records:
        if record["type"] == "meant" and (outcome := judge(record, taken, record["id"] in asked)) is not None:
            heard[outcome] += 1
    heard["wrong"] += sum(len(left) for left in taken.values())
    latencies = [record["latency_ms"] for record in records if record["type"] == "confirmed"]
    return {"heard": heard, "latency_ms": percentiles(latencies)}


def judge(record: Mapping[str, Any], taken: Taken, asked: bool) -> str | None:
    task, seat, targets = record["task"], record["seat"], tuple(record["targets"])
    if not record["counts"]:
        found = taken.get(("nomination", seat, record["day"], 0), [])
        if found:
            found.pop(0)
            return "wrong"
        return None
    found = taken.get((task, seat, record["day"], record.get("round", 0)), [])
    if task == "nomination" and not found and targets[0] in record["candidates"]:
        return "right"  # his candidate was on the list before he spoke: passed in silence
    if targets in found or (task == "interpellation" and found):
        found.remove(targets) if targets in found else found.pop()
        return "asked" if asked else "right"
    if found:
        found.pop(0)
        return "wrong"
    return "asked" if asked else "missed"


def taken_down(events: Iterable[Event]) -> Taken:
    taken: Taken = {}
    day = ballot = 0
    for event in events:
        match event:
            case DayBegan(day=number) | NightBegan(night=number):
                day, ballot = number, 0
            case StepCalled(step=step) if step.kind is StepKind.BALLOT:
                ballot += 1
            case Nominated(by=by, target=target):
                taken.setdefault(("nomination", by, day, 0), []).append((target,))
            case NominationWithdrawn(by=by, target=target):
                taken[("nomination", by, day, 0)].remove((target,))
            case BallotCast(seat=seat, target=target, default=False):
                taken.setdefault(("vote", seat, day, ballot), []).append((target,))
            case LiftCast(seat=seat, lift=lift, default=False):
                taken.setdefault(("lift", seat, day, 0), []).append((int(lift),))
            case ShotFired(seat=seat, target=target):
                taken.setdefault(("shot", seat, day, 0), []).append((target,))
            case DonChecked(seat=seat, target=target) | SheriffChecked(seat=seat, target=target):
                taken.setdefault(("check", seat, day, 0), []).append((target,))
            case TestamentGiven(by=by, suspects=suspects):
                taken[("testament", by, day, 0)] = [suspects]
            case CrownGiven(by=by, to=to):
                taken[("crown", by, day, 0)] = [(to,)]
            case Fouled(seat=seat):
                taken.setdefault(("interpellation", seat, day, 0), []).append(())
    return taken


def percentiles(values: list[int]) -> dict[str, int | None]:
    if not values:
        return {"p50": None, "p95": None}
    ordered = sorted(values)
    return {"p50": round(statistics.median(ordered)), "p95": ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]}
