"""What the moderator would have heard as a wish in a transcript of which it knows no game. Nothing of it is ruled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from moderator.model import SEATS, Seat
from voice.ports import Act, ActKind, Context, Lang, Proposal, Task, Utterance
from voice.understanding import Understanding

PAUSE_S = 6.0
"""Whoever goes on after a shorter pause, with nobody in between, is still in the same speech."""
ANSWER_S = 6.0
"""Only what is as short as an answer is read as a ballot: in a speech "against four" may mean anything."""
CLAIMS = (ActKind.CLAIM_SHERIFF, ActKind.CLAIM_RED, ActKind.CLAIM_BLACK)
LEAST_SUSPECTS = 2
"""One seat called black is talk; a list or a crown is what a farewell holds."""


@dataclass(frozen=True, slots=True)
class Heard:
    """`line`: the place in the transcript of the words it rests on. `doubtful`: in a game it would be asked about."""

    seat: Seat
    kind: ActKind
    target: Seat | None
    quote: str
    doubtful: bool
    line: int


async def hear(transcript: Sequence[Utterance], lang: Lang, understanding: Understanding) -> list[Heard]:
    """`transcript` in the order of time. A speech nominates, or is a farewell, or a ballot; any may hold claims."""
    found: list[Heard] = []
    for places in speeches(transcript):
        first, last = transcript[places[0]], transcript[places[-1]]
        text = " ".join(transcript[place].text for place in places)
        short = last.ended_s - first.started_s <= ANSWER_S
        for proposal in await _wishes(text, lang, Context(first.seat, SEATS), understanding, short=short):
            for act in dict.fromkeys(proposal.acts):
                line = _line(act, places, transcript)
                found.append(Heard(first.seat, act.kind, act.seat, act.quote, proposal.ask, line))
    return found


async def _wishes(
    text: str, lang: Lang, context: Context, understanding: Understanding, *, short: bool
) -> list[Proposal]:
    async def read(task: Task, *kinds: ActKind) -> Proposal:
        proposal = await understanding.read(task, lang, text, context)
        return replace(proposal, acts=tuple(act for act in proposal.acts if act.kind in kinds))

    claims = await read(Task.CLAIMS, *CLAIMS)
    nomination = await read(Task.NOMINATION, ActKind.NOMINATE, ActKind.WITHDRAW)
    if nomination.acts:
        return [claims, nomination]
    farewell = await read(Task.TESTAMENT, ActKind.SUSPECT, ActKind.CROWN)
    if len(farewell.acts) >= LEAST_SUSPECTS or any(act.kind is ActKind.CROWN for act in farewell.acts):
        return [claims, farewell]
    return [claims, await read(Task.VOTE, ActKind.VOTE)] if short else [claims]


def speeches(transcript: Sequence[Utterance]) -> Iterator[list[int]]:
    """Places of lines that belong together."""
    running: list[int] = []
    for place, line in enumerate(transcript):
        before = transcript[running[-1]] if running else None
        if before is not None and (line.seat != before.seat or line.started_s - before.ended_s > PAUSE_S):
            yield running
            running = []
        running.append(place)
    if running:
        yield running


def _line(act: Act, places: Sequence[int], transcript: Sequence[Utterance]) -> int:
    return next((place for place in places if act.quote and act.quote in transcript[place].text), places[0])
