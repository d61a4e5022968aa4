"""What happened, night by night and day by day, in sentences of one language: what every form of the review tells."""

from collections.abc import Iterator
from dataclasses import dataclass

from moderator.model import Cause, Seat
from moderator.review import Ballot, Day, DecidedMotion, Departure, Foul, Lift, Night, Review
from moderator.rulings import Ruling
from voice.captions import timestamp
from voice.review_words import Words


@dataclass(frozen=True, slots=True)
class Line:
    """`event`: the ruling that it tells, by its place in the log."""

    text: str
    event: int | None = None


@dataclass(frozen=True, slots=True)
class Chapter:
    """One night or one day; `at` in game seconds."""

    kind: str
    number: int
    title: str
    at: float
    lines: tuple[Line, ...]
    critical: bool = False


def story(review: Review, words: Words) -> list[Chapter]:
    """In the order of the game, from the first day on."""
    parts: list[Night | Day] = sorted([*review.nights, *review.days], key=lambda part: part.at)
    ends = [*(part.at for part in parts[1:]), float("inf")][: len(parts)]
    teller = _Teller(review, words)
    return [
        teller.chapter(part, end)
        for part, end in zip(parts, ends, strict=True)
        if isinstance(part, Day) or part.night > 0
    ]


def result(review: Review, words: Words) -> str:
    if review.reason is None:
        return words("not-ended")
    won = words(f"won-{review.winner}" if review.winner else "won-nobody")
    return words("result", won=won, reason=words(f"reason-{review.reason}"), minutes=round(review.seconds / 60))


class _Teller:
    def __init__(self, review: Review, words: Words) -> None:
        self.review, self.words = review, words

    def chapter(self, part: Night | Day, end_at: float) -> Chapter:
        rulings = [one for one in self.review.rulings if part.at <= one.at < end_at]
        if isinstance(part, Night):
            title = self.words("night", n=part.night)
            return Chapter("night", part.night, title, part.at, tuple(self.night(part, rulings)))
        shot = [one for one in self.review.departures if one.cause is Cause.SHOT]
        gone = [one for one in self.review.departures if one not in shot and part.at <= one.at < end_at]
        morning, evening = self.farewells(shot, rulings), self.farewells(gone, rulings)
        fouls = [self.foul(one) for one in self.review.fouls_given if part.at <= one.at < end_at]
        lines = (*morning, *self.speeches(part, rulings), *fouls, *self.votes(part), *map(self.left, gone), *evening)
        return Chapter("day", part.day, self.words("day", n=part.day), part.at, lines, part.critical)

    def night(self, night: Night, rulings: list[Ruling]) -> Iterator[Line]:
        for shooter, target in sorted(night.shots.items()):
            text = self.words("shot", seat=shooter, target=target)
            yield Line(text, found(rulings, "shot_fired", shooter, target))
        checks = (("don", night.don_check, "don_checked"), ("sheriff", night.sheriff_check, "sheriff_checked"))
        for who, check, kind in checks:
            if check is not None:
                answer = "yes" if check[1] else "no"
                event = next((one.event for one in rulings if one.kind == kind), None)
                yield Line(self.words(f"check-{who}-{answer}", target=check[0]), event)
        yield Line(self.words("nobody-died") if night.killed is None else self.words("died", seat=night.killed))

    def speeches(self, day: Day, rulings: list[Ruling]) -> Iterator[Line]:
        words = self.words
        yield Line(words("order", seats=words.seats(day.order)))
        yield Line(words("critical-day") if day.critical else words("margin-day", n=day.margin))
        for notice in day.notices:
            what = ", ".join(words(f"offence-{offence}") for offence in notice.offences)
            yield Line(words("noticed", seat=notice.seat, what=what, when=timestamp(notice.at)))
        for motion in day.motions:
            yield Line(self.motion(motion))
        for seat in day.lost:
            yield Line(words("speech-lost", seat=seat))
        for by, target in day.nominations:
            yield Line(words("nominated", by=by, target=target), found(rulings, "nominated", by, target))

    def votes(self, day: Day) -> Iterator[Line]:
        words = self.words
        if day.vote_skipped is not None:
            yield Line(words("vote-skipped", why=words(f"skipped-{day.vote_skipped}")))
        for ballot in day.ballots:
            yield Line(self.ballot(ballot))
        if day.lift_skipped is not None:
            yield Line(words("lift-skipped", why=words(f"skipped-{day.lift_skipped}")))
        for lift in day.lifts:
            yield Line(self.lift(lift))

    def motion(self, motion: DecidedMotion) -> str:
        what = self.words(f"motion-{motion.kind}", seat=motion.accused or 0)
        if motion.accused is None:
            what = self.words("motion-plain-stop")
        result = self.words("motion-void" if motion.void else "carried" if motion.carried else "rejected")
        by = self.words("moderator") if motion.by is None else str(motion.by)
        return self.words("motion", by=by, what=what, result=result)

    def ballot(self, ballot: Ballot) -> str:
        if ballot.sole:
            return self.words("sole-candidate", seat=ballot.leaders[0])
        counts = []
        for candidate in ballot.candidates:
            voters = [f"{v}*" if v in ballot.defaults else str(v) for v, c in ballot.votes.items() if c == candidate]
            counts.append(self.words("against", seat=candidate, voters=", ".join(voters) or self.words("nobody")))
        text = self.words("ballot", round=ballot.round, counts="; ".join(counts))
        return f"{text} {self.words('star')}" if ballot.defaults else text

    def lift(self, lift: Lift) -> str:
        yes = [seat for seat, vote in lift.votes.items() if vote]
        return self.words(
            "lift-carried" if lift.lifted else "lift-rejected",
            seats=self.words.seats(lift.candidates),
            yes=self.words.seats(yes),
            n=len(yes),
            of=len(lift.votes),
        )

    def foul(self, foul: Foul) -> Line:
        return Line(self.words(f"foul-{foul.reason}", seat=foul.seat, n=foul.count))

    def left(self, gone: Departure) -> Line:
        return Line(self.words("left", seat=gone.seat, why=self.words(f"cause-{gone.cause}")))

    def farewells(self, said: list[Departure], rulings: list[Ruling]) -> Iterator[Line]:
        """Those of today: who was shot speaks in the morning."""
        for one in said:
            event = next((r.event for r in rulings if r.kind == "testament_given" and r.by == one.seat), None)
            if event is not None and one.suspects:
                seats, hits = self.words.seats(one.suspects), self.words.seats(one.hits)
                yield Line(self.words("testament", seat=one.seat, seats=seats, hits=hits), event)
            event = found(rulings, "crown_given", one.seat, one.crown)
            if event is not None:
                yield Line(self.words("crown", seat=one.seat, to=one.crown), event)


def found(rulings: list[Ruling], kind: str, by: Seat, target: Seat | None) -> int | None:
    """The last one that says so."""
    fits = [one.event for one in rulings if (one.kind, one.by, one.seats) == (kind, by, (target,))]
    return fits[-1] if fits else None


def ruled(one: Ruling, words: Words) -> str:
    """One ruling in a few words."""
    key = one.kind
    if one.answer is not None:
        key = f"{key}-{'yes' if one.answer else 'no'}"
    return words(f"ruled-{key}", seats=words.seats(one.seats))
