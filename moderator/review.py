"""The facts of a finished game, from its log alone. Holds every secret: for after the end only."""

from collections.abc import Iterable

from pydantic import Field

from moderator import engine
from moderator import events as ev
from moderator.events import Event, Line
from moderator.margin import count_teams, critical, decisive_lift_votes, decisive_votes, right_to_err
from moderator.model import SEATS, Cause, MotionKind, Offence, Role, Seat, Seconds, StepKind, Team, Value
from moderator.rulings import Ruling, ruling
from moderator.seal import seal, sealed_text
from moderator.state import GameState


class Ballot(Value):
    """One count. `votes` voter -> candidate; `defaults` did not answer; without a `decisive` one it ends otherwise."""

    at: Seconds
    round: int
    candidates: tuple[Seat, ...]
    votes: dict[Seat, Seat]
    defaults: tuple[Seat, ...]
    leaders: tuple[Seat, ...]
    sole: bool
    decisive: tuple[Seat, ...] = ()


class Lift(Value):
    """`votes` voter -> for the lift; `defaults` did not answer, which counts against it."""

    at: Seconds
    candidates: tuple[Seat, ...]
    votes: dict[Seat, bool]
    defaults: tuple[Seat, ...]
    lifted: bool
    decisive: tuple[Seat, ...] = ()


class Night(Value):
    at: Seconds
    night: int
    shots: dict[Seat, Seat] = Field(default_factory=dict)
    killed: Seat | None = None
    don_check: tuple[Seat, bool] | None = None
    sheriff_check: tuple[Seat, bool] | None = None


class DecidedMotion(Value):
    """`by` None: the moderator's own. `votes` of those who answered, seat -> for it."""

    at: Seconds
    kind: MotionKind
    by: Seat | None
    accused: Seat | None
    votes: dict[Seat, bool]
    carried: bool
    void: bool


class Notice(Value):
    """What this seat may have said against fair play; the words are those it spoke last before `at`."""

    at: Seconds
    seat: Seat
    offences: tuple[Offence, ...]


class Day(Value):
    """`nominations` (by, target) that stood; `lost` speeches; why there was no vote, or no lift after a second tie.

    `critical`: had a town player been voted out, the next kill or none would have brought parity (S13).
    `living`: town and mafia when the speeches began; `margin`: how often the town might still err.
    """

    at: Seconds
    day: int
    order: tuple[Seat, ...]
    lost: tuple[Seat, ...] = ()
    nominations: tuple[tuple[Seat, Seat], ...] = ()
    ballots: tuple[Ballot, ...] = ()
    lifts: tuple[Lift, ...] = ()
    vote_skipped: str | None = None
    lift_skipped: str | None = None
    notices: tuple[Notice, ...] = ()
    motions: tuple[DecidedMotion, ...] = ()
    critical: bool = False
    living: tuple[int, int] = (0, 0)
    margin: int = 0


class Departure(Value):
    """`hits`: the suspects who were of the mafia."""

    at: Seconds
    seat: Seat
    cause: Cause
    day: int
    suspects: tuple[Seat, ...] = ()
    hits: tuple[Seat, ...] = ()
    crown: Seat | None = None


class Foul(Value):
    """The seat's foul of this number; `reason` "technical" counts apart."""

    at: Seconds
    seat: Seat
    count: int
    reason: str


class Floor(Value):
    """From when to when a seat had the floor: a speech, or an interruption of one."""

    seat: Seat
    from_s: Seconds
    to_s: Seconds


class Sealed(Value):
    """What everybody was shown at the deal, the text that makes it again, and whether it does."""

    seal: str
    text: str
    holds: bool


class Review(Value):
    """`speaking_s`: how long each seat's floor was really open; `rulings`: what was done on somebody's word."""

    game: str
    roles: dict[Seat, Role]
    days: tuple[Day, ...]
    nights: tuple[Night, ...]
    departures: tuple[Departure, ...]
    fouls: dict[Seat, int]
    technical_fouls: dict[Seat, int]
    fouls_given: tuple[Foul, ...]
    speaking_s: dict[Seat, Seconds]
    floors: tuple[Floor, ...]
    rulings: tuple[Ruling, ...]
    winner: Team | None
    reason: str | None
    points: dict[str, dict[Seat, float]]
    lines: dict[str, dict[Seat, tuple[Line, ...]]]
    """What the points are made of, by system and seat; `event` is a place in the log."""
    seconds: Seconds
    sealed: Sealed | None = None
    """None: the deal was not sealed."""

    @property
    def days_played(self) -> int:
        return len(self.days)


def facts(events: Iterable[Event]) -> Review:
    """Of an unfinished game as well: then `reason` is None."""
    builder = _Builder()
    for event in events:
        builder.take(event)
    return builder.review()


class _Builder:
    def __init__(self) -> None:
        self.state = GameState()
        self.days: list[Day] = []
        self.nights: list[Night] = []
        self.left: dict[Seat, Departure] = {}
        self.floors: list[Floor] = []
        self.rulings: list[Ruling] = []
        self.fouls: list[Foul] = []
        self.open: tuple[Seat, float] | None = None
        self.end: ev.GameEnded | None = None
        self.scored: ev.Scored | None = None
        self.deal: ev.DealSealed | None = None

    def take(self, event: Event) -> None:
        if (asked := ruling(self.state.events, event)) is not None:
            self.rulings.append(asked)
        self.state = engine.evolve(self.state, event)
        self._floor(event)
        match event:
            case ev.DayBegan(at=at, day=day, order=order):
                living = count_teams(self.state.roles, self.state.alive)
                margin = right_to_err(living)
                self.days.append(
                    Day(at=at, day=day, order=order, critical=critical(living), living=living, margin=margin)
                )
            case ev.NightBegan(at=at, night=night):
                self.nights.append(Night(at=at, night=night))
            case ev.Nominated() | ev.NominationWithdrawn():
                self._day(nominations=self.state.nominations)
            case ev.BallotCounted(votes=votes, candidates=candidates):
                decisive = tuple(sorted(decisive_votes(votes, candidates)))
                counted = Ballot(**event.model_dump(exclude={"type"}), decisive=decisive)
                self._day(ballots=(*self.days[-1].ballots, counted))
            case ev.LiftDecided(votes=answers):
                decisive = tuple(sorted(decisive_lift_votes(answers, tuple(answers))))
                lift = Lift(**event.model_dump(exclude={"type"}), decisive=decisive)
                self._day(lifts=(*self.days[-1].lifts, lift))
            case ev.VoteSkipped(reason=reason):
                self._day(vote_skipped=reason)
            case ev.VoteCancelled():
                self._day(vote_skipped="cancelled")
            case ev.Noticed(at=at, seat=seat, offences=offences):
                noticed = Notice(at=at, seat=seat, offences=offences)
                self._day(notices=(*self.days[-1].notices, noticed))
            case ev.MotionDecided():
                decided = DecidedMotion(**event.model_dump(exclude={"type", "electorate"}))
                self._day(motions=(*self.days[-1].motions, decided))
            case ev.LiftSkipped(reason=reason):
                self._day(lift_skipped=reason)
            case ev.SpeechLost(seat=seat):
                self._day(lost=(*self.days[-1].lost, seat))
            case ev.PlayerLeft(at=at, seat=seat, cause=cause, day=day):
                self.left[seat] = Departure(at=at, seat=seat, cause=cause, day=day)
            case ev.TestamentGiven(by=by, suspects=suspects):
                hits = tuple(seat for seat in suspects if self.state.roles[seat].team is Team.MAFIA)
                self.left[by] = self.left[by].model_copy(update={"suspects": suspects, "hits": hits})
            case ev.CrownGiven(by=by, to=to):
                self.left[by] = self.left[by].model_copy(update={"crown": to})
            case ev.Fouled(at=at, seat=seat, count=count, reason=why):
                self.fouls.append(Foul(at=at, seat=seat, count=count, reason=why))
            case ev.TechnicalFouled(at=at, seat=seat, count=count):
                self.fouls.append(Foul(at=at, seat=seat, count=count, reason="technical"))
            case ev.ShotFired():
                self._night(shots=self.state.shots)
            case ev.DonChecked(target=target, sheriff=found):
                self._night(don_check=(target, found))
            case ev.SheriffChecked(target=target, mafia=found):
                self._night(sheriff_check=(target, found))
            case ev.NightEnded(killed=killed):
                self._night(killed=killed)
            case ev.DealSealed():
                self.deal = event
            case ev.GameEnded():
                self.end = event
            case ev.Scored():
                self.scored = event
            case _:
                pass

    def _day(self, **changes: object) -> None:
        self.days[-1] = self.days[-1].model_copy(update=changes)

    def _night(self, **changes: object) -> None:
        self.nights[-1] = self.nights[-1].model_copy(update=changes)

    def _floor(self, event: Event) -> None:
        """Who really has the floor, second by second: an interpellation takes it from the speaker."""
        match event:
            case ev.StepOpened(at=at, kind=kind, seat=seat) if seat is not None and kind is not StepKind.MEETING:
                self._give(seat, at)
            case ev.InterpellationOpened(at=at, seat=seat):
                self._give(seat, at)
            case ev.InterpellationClosed(at=at) | ev.Resumed(at=at):
                step, interrupts = self.state.step, self.state.interpellation
                speaker = step.seat if step is not None and step.opened_at is not None else None
                self._give(speaker if interrupts is None else interrupts[0], at)
            case ev.StepClosed(at=at) | ev.Suspended(at=at):
                self._give(None, at)
            case _:
                pass

    def _give(self, seat: Seat | None, at: float) -> None:
        if self.open is not None:
            speaker, since = self.open
            self.floors.append(Floor(seat=speaker, from_s=since, to_s=at))
        self.open = None if seat is None else (seat, at)

    def review(self) -> Review:
        speaking: dict[Seat, float] = {}
        for floor in self.floors:
            speaking[floor.seat] = speaking.get(floor.seat, 0.0) + floor.to_s - floor.from_s
        return Review(
            game=self.state.game,
            roles=self.state.roles,
            days=tuple(self.days),
            nights=tuple(self.nights),
            departures=tuple(self.left.values()),
            fouls=self.state.fouls,
            technical_fouls=self.state.technical_fouls,
            fouls_given=tuple(self.fouls),
            speaking_s={seat: round(seconds, 1) for seat, seconds in sorted(speaking.items())},
            floors=tuple(self.floors),
            rulings=tuple(self.rulings),
            winner=None if self.end is None else self.end.winner,
            reason=None if self.end is None else self.end.reason,
            points={} if self.scored is None else self.scored.points,
            lines={} if self.scored is None else self.scored.lines,
            seconds=self.state.at,
            sealed=self._sealed(),
        )

    def _sealed(self) -> Sealed | None:
        """In the light of the roles that were played, not of those that may stand beside the seal."""
        if self.deal is None or len(self.state.roles) < len(SEATS):
            return None
        text = sealed_text(self.state.roles, self.deal.salt)
        return Sealed(seal=self.deal.seal, text=text, holds=seal(self.state.roles, self.deal.salt) == self.deal.seal)
