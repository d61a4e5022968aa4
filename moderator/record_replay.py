"""Replays records of real games through the rules: what the players did goes in, what follows from it is compared.

Departures, the winner and the end are the engine's own; the first event of the record that does not agree with them
is named. What a record does not hold is not a fault, as long as it says so itself (`missing`).
"""

from collections.abc import Callable
from typing import Any

from moderator import commands as c
from moderator import events as ev
from moderator import flow, night
from moderator.commands import Command
from moderator.drive import Driver
from moderator.events import Event
from moderator.model import Cause, Phase, Refusal, Role, Seat, Step, StepKind, Team
from moderator.records import (
    Check,
    Crown,
    Divergence,
    Foul,
    Leave,
    LiftVote,
    Nominate,
    Record,
    Remark,
    Replayed,
    Row,
    Shot,
    Testament,
    Vote,
    read,
    rules_of,
)
from moderator.rules import Rules


def replay_record(raw: Any, name: str, base: Rules) -> tuple[Replayed, list[Event]]:
    """The answer, and the log of the valid part.

    `raw`: decoded JSON of any shape; `name` stands for a missing id; `base`: the rules where the record says nothing.
    """
    record, fault = read(raw, name)
    if record is None:
        return Replayed(id=name, ok=False, divergence=fault), []
    attempts = [_Replay(record, rules).run() for rules in rules_of(record.rules, base, first_only=True)]
    if attempts[0].divergence is not None:
        attempts += [_Replay(record, rules).run() for rules in rules_of(record.rules, base, first_only=False)]
    best = next((done for done in attempts if done.divergence is None), attempts[0])
    divergence = best.divergence
    if fault is not None and (divergence is None or divergence.event_index >= fault.event_index):
        divergence = fault
    return best.answer(divergence), best.log


class _Diverged(Exception):
    def __init__(self, expected: str, got: str) -> None:
        self.expected, self.got = expected, got


BALLOTS = (StepKind.BALLOT, StepKind.LIFT)
REMOVALS = {"warnings": Cause.FOULS, "give_up": Cause.GAVE_UP, "kicked_out": Cause.DISQUALIFIED}


class _Replay(Driver):
    """One run of the engine along a record. Silent steps pass by themselves; ballots and shots never do."""

    def __init__(self, record: Record, rules: Rules) -> None:
        super().__init__()
        self.record = record
        self.divergence: Divergence | None = None
        self.matched: set[Seat] = set()
        """Whose departure the record has told as well."""
        self.place = 0
        self.give(c.Deal(at=0, game=record.id, rules=rules, roles=record.roles))
        self.order_day(0, None)

    def run(self) -> "_Replay":
        try:
            for event in self.record.events:
                self.follow(event)
                self.place += 1
            self.conclude()
        except _Diverged as diverged:
            self.divergence = Divergence(event_index=self.place, expected=diverged.expected, got=diverged.got)
        return self

    def answer(self, divergence: Divergence | None) -> Replayed:
        end = next((event for event in self.log if isinstance(event, ev.GameEnded)), None)
        scored = next((event for event in self.log if isinstance(event, ev.Scored)), None)
        return Replayed(
            id=self.record.id,
            ok=divergence is None,
            winner=None if end is None else end.winner,
            reason=None if end is None else end.reason,
            left=tuple((event.seat, event.cause, event.day) for event in self.departures()),
            points={} if scored is None else scored.points,
            divergence=divergence,
        )

    # --- the record's events ----------------------------------------------------------------------

    def follow(self, event: Any) -> None:
        if not isinstance(event, Leave | Foul | Testament | Crown | Remark):
            self.expect_told()
        match event:
            case Nominate():
                self.nominate(event)
            case Vote():
                self.vote(event)
            case LiftVote():
                self.lift(event)
            case Leave():
                self.leave(event)
            case Shot():
                self.shoot(event)
            case Check():
                self.check(event)
            case Testament():
                self.farewell(event, c.GiveTestament(at=self.now, seat=event.by, suspects=event.suspects))
            case Crown():
                self.farewell(event, c.GiveCrown(at=self.now, seat=event.by, to=event.to))
            case Foul():
                self.reach(event)
                self.give(c.Warn(at=self.now, seat=event.seat))  # refused for who has just left: costs nobody anything

    def nominate(self, event: Nominate) -> None:
        self.reach(event)
        self.advance(lambda: self.at_speech_of(event.by), f"a nomination by seat {event.by}", event)
        self.must(c.Nominate(at=self.now, seat=event.by, target=event.target))

    def vote(self, event: Vote) -> None:
        self.reach(event)
        if len(event.candidates) == 1 and event.type == "vote":
            self.sole(event)
            return
        named = f"a ballot about {_seats(event.candidates)}"
        self.advance(lambda: self.step_kind in BALLOTS, named, event)
        step = self.state.step
        assert step is not None
        if step.kind is not StepKind.BALLOT or step.candidates != event.candidates:
            raise _Diverged(f"a {step.kind} about {_seats(step.candidates)}", named)
        if set(event.votes) != set(self.state.alive):
            missing = sorted(set(self.state.alive) - set(event.votes))
            strange = sorted(set(event.votes) - set(self.state.alive))
            raise _Diverged(
                f"ballots of the living, {_seats(self.state.alive)}",
                f"no ballot of {_seats(missing)}" if missing else f"a ballot of {_seats(strange)}, who is out",
            )
        self.open()
        for voter, target in event.votes.items():
            self.must(c.Vote(at=self.now, seat=voter, target=target))

    def sole(self, event: Vote) -> None:
        """One candidate: on day 0 nobody leaves, later he does, without a ballot."""
        before = len(self.log)
        told: list[ev.BallotCounted | ev.VoteSkipped] = []
        while not told and self.step_kind in (StepKind.SPEECH, StepKind.FAREWELL) and self.in_phase(event):
            self.pass_step()
            told = [item for item in self.log[before:] if isinstance(item, ev.BallotCounted | ev.VoteSkipped)]
        if self.state.candidates != event.candidates or not told:
            raise _Diverged(f"candidates {_seats(self.state.candidates)}", f"a ballot about {_seats(event.candidates)}")
        living = set(told[0].votes) if isinstance(told[0], ev.BallotCounted) else set(self.state.alive)
        if set(event.votes) != living:
            odd = sorted(living ^ set(event.votes))
            raise _Diverged(f"ballots of the living, {_seats(sorted(living))}", f"otherwise for {_seats(odd)}")

    def lift(self, event: LiftVote) -> None:
        self.reach(event)
        self.advance(lambda: self.step_kind is StepKind.LIFT, "a lift", event)
        self.open()
        for seat in (*event.for_, *event.against):
            self.must(c.LiftVote(at=self.now, seat=seat, lift=seat in event.for_))
        if self.step_kind is StepKind.LIFT:
            self.pass_step()

    def leave(self, event: Leave) -> None:
        named = f"seat {event.seat} leaves ({event.reason})"
        if event.reason == "team_defeat":
            self.must(c.Stop(at=self.now, culprit=event.seat))
            self.matched.add(event.seat)
            return
        self.reach(event)
        if event.reason in REMOVALS:
            if event.seat in self.state.alive:
                self.must(
                    c.Remove.model_validate({"at": self.now, "seat": event.seat, "cause": REMOVALS[event.reason]})
                )
            self.matched.add(event.seat)
            return
        if self.step_kind is StepKind.LIFT and event.reason == "vote":
            self.answer_lift()
        wanted = (Cause.SHOT,) if event.reason == "shot" else (Cause.VOTE, Cause.LIFT)
        gone = [left for left in self.departures() if left.seat not in self.matched]
        if not any((left.seat, left.day) == (event.seat, event.n) and left.cause in wanted for left in gone):
            others = (f"seat {left.seat} leaves ({left.cause}) on day {left.day}" for left in gone)
            raise _Diverged(next(others, "nobody leaves"), named)
        self.matched.add(event.seat)

    def answer_lift(self) -> None:
        """The record holds only who left by the lift."""
        step = self.state.step
        assert step is not None
        self.open()
        lift = set(self.voted_out(self.state.day)) == set(step.candidates)
        for seat in self.state.alive:
            self.must(c.LiftVote(at=self.now, seat=seat, lift=lift))

    def shoot(self, event: Shot) -> None:
        self.reach(event)
        self.order_day(event.n, event.killed)
        if self.step_kind is not StepKind.SHOTS:
            raise _Diverged("one round of shots a night", f"more of them in night {event.n}")
        self.open()
        mafia = [seat for seat in self.state.alive if self.state.roles[seat].team is Team.MAFIA]
        shots = dict.fromkeys(mafia, event.killed) if event.shots is None else event.shots
        for shooter, target in shots.items():
            if target is None:
                continue
            refusal = self.give(c.Shoot(at=self.now, seat=shooter, target=target))
            if isinstance(refusal, Refusal) and refusal.code != "target_not_alive":
                raise _Diverged(
                    f"shots of the living mafia, {_seats(mafia)}", f"a shot of seat {shooter}: {refusal.code}"
                )
        killed = night.victim(self.state.shots, self.state.roles, self.state.alive)
        if killed != event.killed:
            raise _Diverged(_killed(killed), _killed(event.killed))
        self.expect_checks(event.n)
        self.pass_step()

    def expect_checks(self, number: int) -> None:
        """A living Don or Sheriff checks, or the record says that it does not hold his check."""
        rows = [event for event in self.record.events if isinstance(event, Check) and event.n == number]
        for role, name in ((Role.DON, "don"), (Role.SHERIFF, "sheriff")):
            seat = next(seat for seat, its in self.record.roles.items() if its is role)
            known = any(row.type == f"{name}_check" for row in rows)
            if seat in self.state.alive and not known and f"{name} check of night {number}" not in self.record.missing:
                raise _Diverged(f"a check of the {name}, seat {seat}, in night {number}", "none, and none said missing")

    def check(self, event: Check) -> None:
        self.reach(event)
        role, kind = (
            (Role.DON, StepKind.DON_CHECK) if event.type == "don_check" else (Role.SHERIFF, StepKind.SHERIFF_CHECK)
        )
        checker = next(seat for seat, its in self.record.roles.items() if its is role)
        named = f"a check by the {role}, seat {checker}"
        if checker not in self.state.alive:
            raise _Diverged(f"no check of the {role}: seat {checker} is out", f"a check of seat {event.target}")
        self.advance(lambda: self.step_kind is kind, named, event)
        self.open()
        self.must(c.Check(at=self.now, seat=checker, target=event.target))

    def farewell(self, event: Testament | Crown, command: Command) -> None:
        """Words that the rules do not take down (a crown for somebody who is out) are no fault of the record."""
        if self.state.over:
            return
        self.reach(event)
        self.advance(
            lambda: self.step_kind is StepKind.FAREWELL and self.speaker == event.by,
            f"a farewell of seat {event.by}",
            event,
        )
        self.open()
        self.give(command.but(at=self.now))

    def conclude(self) -> None:
        self.expect_told()
        while not self.state.over and self.record.complete and self.step_kind not in (*BALLOTS, StepKind.SHOTS):
            self.pass_step()
            self.expect_told()
        won = "nobody" if self.record.winner is None else self.record.winner
        if not self.state.over:
            if self.record.complete:
                raise _Diverged("the game goes on", f"its end, won by {won}")
        elif self.state.winner != self.record.winner:
            raise _Diverged(f"won by {self.state.winner or 'nobody'}", f"won by {won}")

    # --- the engine -------------------------------------------------------------------------------

    def departures(self) -> list[ev.PlayerLeft]:
        return [event for event in self.log if isinstance(event, ev.PlayerLeft)]

    def must(self, command: Command) -> None:
        refusal = self.give(command)
        if refusal is not None:
            said = " ".join(f"{key} {value}" for key, value in command.model_dump(mode="json", exclude={"at"}).items())
            raise _Diverged(f"refused: {refusal.code}", said)

    def at_speech_of(self, seat: Seat) -> bool:
        if self.speaker != seat:
            return False
        said = self.step_kind is StepKind.SPEECH or (
            self.step_kind is StepKind.FAREWELL and self.state.left.get(seat) is Cause.SHOT
        )
        if said:
            self.open()
        return said

    def in_phase(self, event: Row) -> bool:
        phase, number = self.state.phase, self.state.day if event.phase == "day" else self.state.night
        return phase is (Phase.DAY if event.phase == "day" else Phase.NIGHT) and number == event.n

    def reach(self, event: Row) -> None:
        """Let silent steps pass until the phase of this event."""
        of_the_end = isinstance(event, Leave | Foul)

        def there() -> bool:
            over = of_the_end and self.state.over and event.n in (self.state.day, self.state.night)
            return over or self.in_phase(event)

        self.advance(there, f"{event.phase} {event.n}", event)

    def advance(self, there: Callable[[], bool], named: str, event: Row) -> None:
        """Let silent steps pass until `there`; a ballot or a round of shots that the record skips is a divergence."""
        while not there():
            step = self.state.step
            if step is None:
                raise _Diverged("the end of the game", named)
            if self._past(event):
                raise _Diverged(f"{self.state.phase} {self.state.night}", named)
            if step.kind is StepKind.BALLOT and step.round > 1:
                self.guess_revote(step)
                continue
            if step.kind is StepKind.BALLOT:
                raise _Diverged(f"a {step.kind} about {_seats(step.candidates)}", named)
            if step.kind is StepKind.SHOTS:
                raise _Diverged(f"shots in night {self.state.night}", named)
            self.pass_step()

    def _past(self, event: Row) -> bool:
        now = 2 * self.state.night + (self.state.phase is Phase.DAY)
        return now > 2 * event.n + (event.phase == "day")

    def guess_revote(self, step: Step) -> None:
        """Not every second vote is recorded: it led to what the record tells of the day, and else to the same tie."""
        gone = self.voted_out(self.state.day)
        last = next(event for event in reversed(self.log) if isinstance(event, ev.BallotCounted))
        self.open()
        for voter in self.state.alive:
            target = gone[0] if len(gone) == 1 else last.votes[voter]
            if target in step.candidates:
                self.must(c.Vote(at=self.now, seat=voter, target=target))
        if self.still(step):
            self.pass_step()

    def voted_out(self, day: int) -> list[Seat]:
        """Who leaves by a vote on this day, as the record goes on."""
        rows = self.record.events[self.place :]
        return [row.seat for row in rows if isinstance(row, Leave) and row.reason == "vote" and row.n == day]

    def expect_told(self) -> None:
        """Whoever has left by the rules must have left by the record."""
        gone = next((left for left in self.departures() if left.seat not in self.matched), None)
        if gone is not None:
            raise _Diverged(f"seat {gone.seat} leaves ({gone.cause})", "nobody leaves")

    def order_day(self, number: int, killed: Seat | None) -> None:
        """Who nominates speaks in the record's order, which tables do not always take from the rules.

        Another opener is tried first, then any order; a record does not hold the order of speech itself.
        """
        default = flow.order_of_speech(self.state.but(alive=tuple(s for s in self.state.alive if s != killed)))
        rows = [event for event in self.record.events if isinstance(event, Nominate) and event.n == number]
        nominators = [seat for seat in dict.fromkeys(row.by for row in rows) if seat in default]
        for turn in range(len(default)):
            order = default[turn:] + default[:turn]
            if [seat for seat in order if seat in nominators] == nominators:
                break
        else:
            places = iter(nominators)
            order = tuple(next(places) if seat in nominators else seat for seat in default)
        if order != default:
            self.must(c.SetOrder(at=self.now, order=order))


def _seats(seats: Any) -> str:
    return ", ".join(map(str, seats)) or "nobody"


def _killed(seat: Seat | None) -> str:
    return "a miss" if seat is None else f"seat {seat} is killed"
