"""The format of game records: what the players of a real game did, without times (`formats.md` of the project).

A damaged record is read up to its first event that is none.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from moderator.faults import plain
from moderator.model import Cause, Role, Seat, Team, Value
from moderator.rules import Rules


class Row(BaseModel):
    """One event of a record; keys that say nothing about the game are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    phase: Literal["day", "night"]
    n: Annotated[int, Field(ge=0, le=99)]


class Nominate(Row):
    type: Literal["nominate"]
    by: Seat
    target: Seat


class Vote(Row):
    """`votes` voter -> candidate."""

    type: Literal["vote", "revote"]
    candidates: tuple[Seat, ...]
    votes: dict[Seat, Seat]


class LiftVote(Row):
    type: Literal["lift_vote"]
    for_: Annotated[tuple[Seat, ...], Field(alias="for")] = ()
    against: tuple[Seat, ...] = ()


class Leave(Row):
    type: Literal["leave"]
    seat: Seat
    reason: Literal["vote", "shot", "warnings", "give_up", "kicked_out", "team_defeat"]


class Shot(Row):
    """`killed` None is a miss; `shots` is None where only the victim was written down."""

    type: Literal["shot"]
    killed: Seat | None
    shots: dict[Seat, Seat | None] | None = None


class Check(Row):
    type: Literal["don_check", "sheriff_check"]
    target: Seat


class Testament(Row):
    type: Literal["testament"]
    by: Seat
    suspects: tuple[Seat, ...] = ()


class Crown(Row):
    type: Literal["crown"]
    by: Seat
    to: Seat


class Foul(Row):
    type: Literal["warning"]
    seat: Seat


class Remark(Row):
    """What changes nothing: the order of shots arranged in night 0, and that a vote was cancelled."""

    type: Literal["arranged", "vote_cancelled"]


RecordEvent = Annotated[
    Nominate | Vote | LiftVote | Leave | Shot | Check | Testament | Crown | Foul | Remark,
    Field(discriminator="type"),
]
_EVENT: TypeAdapter[Any] = TypeAdapter(RecordEvent)


class TableRules(BaseModel):
    """What the table played by; None: the record does not say."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    day0_vote_kills: bool | None = None
    night_killed_nominates: bool | None = None
    zero_voting: Annotated[str | None, Field(alias="zeroVoting")] = None
    lift_three_of_nine: Annotated[bool | None, Field(alias="lift3From9")] = None


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    roles: Annotated[dict[Seat, Role], Field(min_length=10, max_length=10)]
    winner: Team | None = None
    rules: TableRules = TableRules()
    missing: tuple[str, ...] = ()
    complete: bool = True
    events: tuple[RecordEvent, ...] = ()


class Divergence(Value):
    """`event_index` counts the record's events from 0; as many as there are: the fault is in its end."""

    event_index: int
    expected: str
    got: str


class Replayed(Value):
    """One line of `moderator replay`. `left`: [seat, cause, day]."""

    id: str
    ok: bool
    winner: Team | None = None
    reason: str | None = None
    left: tuple[tuple[Seat, Cause, int], ...] = ()
    points: dict[str, dict[Seat, float]] = Field(default_factory=dict)
    divergence: Divergence | None = None


def read(raw: Any, name: str) -> tuple[Record | None, Divergence | None]:
    """The record up to the first event that is none, and what is wrong with that."""
    if not isinstance(raw, dict):
        return None, Divergence(event_index=0, expected="an object", got=type(raw).__name__)
    events: list[Any] = []
    fault = None
    rows = raw.get("events", [])
    for place, row in enumerate(rows if isinstance(rows, list) else []):
        try:
            events.append(_EVENT.validate_python(row))
        except ValidationError as error:
            fault = Divergence(event_index=place, expected="an event of a record", got=plain(error.errors()[0]))
            break
    if not isinstance(rows, list):
        fault = Divergence(event_index=0, expected="a list of events", got=type(rows).__name__)
    try:
        return Record.model_validate({"id": name, **raw, "events": events}), fault
    except ValidationError as error:
        return None, Divergence(event_index=0, expected="a record", got=plain(error.errors()[0]))


def rules_of(said: TableRules, base: Rules, first_only: bool) -> Iterator[Rules]:
    """The rules of the table; where the record leaves one open, the usual answer and then the others."""
    if said.zero_voting in ("none", "liftOnly"):
        day_zero = ["none" if said.zero_voting == "none" else "lift_only"]
    elif said.day0_vote_kills is None:
        day_zero = ["standard", "talk"]
    else:
        day_zero = ["standard" if said.day0_vote_kills else "talk"]
    three = [False, True] if said.lift_three_of_nine is None else [said.lift_three_of_nine]
    answers = [(zero, lift3, lift2) for zero in day_zero for lift3 in three for lift2 in (True, False)]
    for zero, lift3, lift2 in answers[:1] if first_only else answers[1:]:
        yield base.model_copy(
            update={
                "day_zero": zero,
                "lift_three_of_nine": lift3,
                "lift_two_of_four": lift2,
                "night_killed_nominates": said.night_killed_nominates is not False,
            }
        )
