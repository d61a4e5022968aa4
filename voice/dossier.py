"""All that is known of one finished game: the facts of its log, what was said, and which words each ruling rests on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from moderator.events import Event
from moderator.model import Role, Seat, Team
from moderator.review import Floor, Review, facts
from moderator.rulings import Ruling
from voice.basis import Basis, bases
from voice.ports import Act, ActKind, Context, Lang, Task, Utterance
from voice.ports_store import Understood
from voice.understanding import Understanding

SAME_S = 0.001
"""A ruling carries the moment at which the words that asked for it ended."""
NEAR_S = 30.0
"""... unless something else was stored in between: then the seat's last words, no older than this."""
CLAIMS = (ActKind.CLAIM_SHERIFF, ActKind.CLAIM_RED, ActKind.CLAIM_BLACK)


@dataclass(frozen=True, slots=True)
class Trace:
    """`line`: a place in the transcript. `exact`: the ruling carries the very moment of these words."""

    line: int
    exact: bool


@dataclass(frozen=True, slots=True)
class Claim:
    """What a seat said of itself in a speech, against the log.

    `right`: it is so. `night`: when the speaker really made that check; None: never, or it is no check. `doubtful`:
    in the game it would have been asked about. `line` is a place in the transcript.
    """

    seat: Seat
    kind: ActKind
    target: Seat | None
    quote: str
    right: bool
    night: int | None
    doubtful: bool
    line: int


@dataclass(frozen=True, slots=True)
class Dossier:
    """`transcript` in the order of time, `public` whether the whole table heard each line of it.

    `traces` and `bases` by the ruling's place in the log: its words, and how they were read. `spoken_s`: how long each
    seat's words lasted while it had the floor. `names` as far as the log has them. `begun_at`: UTC.
    """

    review: Review
    lang: Lang
    transcript: tuple[Utterance, ...]
    public: tuple[bool, ...]
    spoken_s: dict[Seat, float]
    traces: dict[int, Trace]
    bases: dict[int, Basis]
    claims: tuple[Claim, ...]
    names: Mapping[Seat, str] = field(default_factory=dict)
    fault: str | None = None
    begun_at: str | None = None

    def who(self, seat: Seat) -> str:
        """The number, and the name behind it where there is one."""
        name = self.names.get(seat)
        return f"{seat} {name}" if name else str(seat)

    def to_json(self) -> dict[str, Any]:
        """The facts, and beside them what only the words tell."""
        return {
            **self.review.model_dump(mode="json"),
            "lang": self.lang,
            "begun_at": self.begun_at,
            "names": dict(self.names),
            "spoken_s": self.spoken_s,
            "claims": [
                {name: getattr(claim, name) for name in Claim.__dataclass_fields__ if name != "line"}
                | {"at": self.transcript[claim.line].started_s}
                for claim in self.claims
            ],
            "traces": {
                event: {"line": trace.line, "exact": trace.exact, "started_s": self.transcript[trace.line].started_s}
                for event, trace in self.traces.items()
            },
            "bases": {event: asdict(one) for event, one in self.bases.items()},
            "transcript": [
                {name: getattr(line, name) for name in Utterance.__dataclass_fields__} | {"public": public}
                for line, public in zip(self.transcript, self.public, strict=True)
            ],
        }


async def assemble(
    events: Iterable[Event],
    utterances: Iterable[Utterance],
    lang: Lang,
    understanding: Understanding,
    names: Mapping[Seat, str] | None = None,
    fault: str | None = None,
    notes: Sequence[Understood] = (),
    begun_at: str | None = None,
) -> Dossier:
    review = facts(events)
    transcript = tuple(sorted(utterances, key=lambda line: (line.started_s, line.seat)))
    floors = [[floor for floor in review.floors if floor.seat == line.seat] for line in transcript]
    shared = [sum(overlap_s(line, floor) for floor in own) for line, own in zip(transcript, floors, strict=True)]
    spoken: dict[Seat, float] = {}
    for line, seconds in zip(transcript, shared, strict=True):
        if seconds:
            spoken[line.seat] = round(spoken.get(line.seat, 0.0) + seconds, 1)
    traces = trace(review.rulings, transcript)
    return Dossier(
        review,
        lang,
        transcript,
        tuple(seconds > 0 for seconds in shared),
        dict(sorted(spoken.items())),
        traces,
        bases({event: one.line for event, one in traces.items()}, transcript, notes),
        tuple(await claims(review, transcript, lang, understanding)),
        names or {},
        fault,
        begun_at,
    )


def overlap_s(line: Utterance, floor: Floor) -> float:
    return max(0.0, min(line.ended_s, floor.to_s) - max(line.started_s, floor.from_s))


def trace(rulings: Sequence[Ruling], transcript: Sequence[Utterance]) -> dict[int, Trace]:
    """By the ruling's place in the log; none for a key, a default, or words that were not kept."""
    found: dict[int, Trace] = {}
    for ruling in rulings:
        if ruling.default:
            continue
        said = [(line.ended_s, place) for place, line in enumerate(transcript) if line.seat == ruling.by]
        before = [(ended_s, place) for ended_s, place in said if ended_s <= ruling.at + SAME_S]
        if before and ruling.at - max(before)[0] <= NEAR_S:
            ended_s, place = max(before)
            found[ruling.event] = Trace(place, abs(ruling.at - ended_s) <= SAME_S)
    return found


# --- what was claimed -----------------------------------------------------------------------------


async def claims(
    review: Review, transcript: Sequence[Utterance], lang: Lang, understanding: Understanding
) -> list[Claim]:
    """Each speech is read as a whole, as in the game; the same claim is told once a speech."""
    found: list[Claim] = []
    for floor in review.floors:
        lines = [
            place for place, line in enumerate(transcript) if line.seat == floor.seat and overlap_s(line, floor) > 0
        ]
        if not lines:
            continue
        text = " ".join(transcript[place].text for place in lines)
        proposal = await understanding.read(Task.CLAIMS, lang, text, Context(floor.seat, tuple(review.roles)))
        for act in dict.fromkeys(act for act in proposal.acts if act.kind in CLAIMS):
            place = next((p for p in lines if act.quote and act.quote in transcript[p].text), lines[0])
            if not any(
                (one.seat, one.kind, one.target, one.line) == (floor.seat, act.kind, act.seat, place) for one in found
            ):
                found.append(_claim(review, floor.seat, act, proposal.ask, place))
    return found


def _claim(review: Review, seat: Seat, act: Act, doubtful: bool, line: int) -> Claim:
    role = review.roles[seat]
    if act.kind is ActKind.CLAIM_SHERIFF or act.seat is None:
        return Claim(seat, act.kind, None, act.quote, role is Role.SHERIFF, None, doubtful, line)
    black = act.kind is ActKind.CLAIM_BLACK
    right = (review.roles[act.seat].team is Team.MAFIA) == black
    nights = [
        night.night
        for night in review.nights
        if role is Role.SHERIFF and night.sheriff_check is not None and night.sheriff_check[0] == act.seat
    ]
    return Claim(seat, act.kind, act.seat, act.quote, right, nights[0] if nights else None, doubtful, line)
