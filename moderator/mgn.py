"""Mafia game notation, `.mgn`: a whole game as a page of text, from which its log is made again to the last event.

    [Game "a night at the club"]
    [Rules {"speech_s": 25}]
    [Roles don maf maf sheriff civ civ civ civ civ civ]

    @0 deal @12 o @24 /
    N0 @26 o @86 / @88 o @90 /
    D0 @92 o @101 1n4 @117 1. @119 o ...

Only what was done is written; the rest follows from the rules. `@` is the game's second from there on, `o` a call
that was heard, `/` the clock. A seat comes first, then what it did: `1n4` nominates, `1-` takes it back, `1.` gives
the floor back, `1v4` votes, `1+` and `1_` lift and keep, `1x4` shoots, `1?4` checks, `1t4,7` and `1c5` are testament
and crown, `1!` interpellates, `1w` is warned, `1f:insult` is noticed for it, `1s:agree` signals, `1m:stop>4` moves,
`1y` and `1z` are for and against it, `1a` loses the line and `1b` is back, `1q:gave_up` leaves. `$2` gives two
seconds back, `||` suspends, `>>` resumes, `=4,5` sets an order of speech, `#4` stops the game by the fault of seat 4.
`D2` and `N3` head a day and a night, `{...}` is a remark.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from moderator import commands as c
from moderator import engine
from moderator import events as ev
from moderator.commands import Command
from moderator.events import Event
from moderator.faults import plain
from moderator.model import SEATS, Refusal, RefusalCode, Role
from moderator.rules import Rules
from moderator.state import GameState

WIDTH = 100
HEADER = re.compile(r"\[(\w+) (.*)\]\s*")
TOKEN = re.compile(r"\{[^}]*\}|\S+")
ACT = re.compile(r"(\d+)([-.+_!?a-z])(.*)")


class BadNotation(ValueError):
    """What cannot be written or read; the message names the place."""


# --- writing --------------------------------------------------------------------------------------


def write(events: Sequence[Event]) -> str:
    """The text of a game. Raises `BadNotation` when the rules would not have made this log."""
    if not events or not isinstance(events[0], ev.GameOpened):
        raise BadNotation("the log does not begin with the opening of a game")
    opened = events[0]
    roles = {event.seat: event.role for event in events if isinstance(event, ev.RoleDealt)}
    changed = json.loads(opened.rules.model_dump_json(exclude_defaults=True))
    lines = [f"[Game {json.dumps(opened.game, ensure_ascii=False)}]"]
    lines += [f"[Rules {json.dumps(changed, ensure_ascii=False)}]"] if changed else []
    lines += [f"[Roles {' '.join(roles[seat] for seat in SEATS if seat in roles)}]"]
    lines += [f"[Salt {event.salt}]" for event in events[1:2] if isinstance(event, ev.DealSealed)]
    end = next((event for event in events if isinstance(event, ev.GameEnded)), None)
    lines += [f"[Result {end.winner or 'nobody'} {end.reason}]"] if end is not None else []
    return "\n".join([*lines, "", *_wrapped(_tokens(events, roles))]) + "\n"


def _tokens(events: Sequence[Event], roles: dict[int, Role]) -> Iterator[str]:
    state, place, at = GameState(), 0, None
    while place < len(events):
        command, made = _cause(state, events, place, roles)
        for event in made:
            state = engine.evolve(state, event)
        if made[0].at != at:
            at = made[0].at
            yield f"@{at:g}" if float(f"{at:g}") == at else f"@{at!r}"
        yield _token(command)
        place += len(made)
        for event in made:
            if isinstance(event, ev.DayBegan):
                yield f"\nD{event.day}"
            elif isinstance(event, ev.NightBegan):
                yield f"\nN{event.night}"


def _cause(
    state: GameState, events: Sequence[Event], place: int, roles: dict[int, Role]
) -> tuple[Command, list[Event]]:
    """The command that the engine answers with exactly the next events, and these."""
    for command in _candidates(events, place, roles):
        made = _answer(state, command)
        if not isinstance(made, Refusal) and made and made == list(events[place : place + len(made)]):
            return command, made
    raise BadNotation(f"event {place} ({events[place].type}) does not follow from the rules")


def _answer(state: GameState, command: Command) -> list[Event] | Refusal:
    """Words understood late were spoken in time: then at the last moment that counts."""
    result = engine.decide(state, command)
    late = isinstance(result, Refusal) and result.code in (RefusalCode.TOO_LATE, RefusalCode.MOTION_RUNNING)
    step, motion = state.step, state.motion
    moments = (None if motion is None else motion.opened_at, None if step is None else step.ends_at)
    for moment in moments if late else ():
        if moment is not None and moment < command.at and isinstance(result, Refusal):
            result = engine.decide(state, command.but(at=moment))
    return result


def _candidates(events: Sequence[Event], place: int, roles: dict[int, Role]) -> Iterator[Command]:
    """What may have caused the events from here on; the first that the engine agrees with is it."""
    event = events[place]
    at, following = event.at, events[place + 1] if place + 1 < len(events) else None
    match event:
        case ev.GameOpened(game=game, rules=rules):
            salt = following.salt if isinstance(following, ev.DealSealed) else ""
            yield c.Deal(at=at, game=game, rules=rules, roles=roles, salt=salt)
        case ev.StepOpened():
            yield c.Open(at=at)
        case ev.TimeCredited(seconds=seconds):
            yield c.Credit(at=at, seconds=seconds)
        case ev.OrderSet(order=order):
            yield c.SetOrder(at=at, order=order)
        case ev.StepClosed(seat=seat, by="player") if seat is not None:
            yield c.EndSpeech(at=at, seat=seat)
        case ev.Nominated(by=by, target=target):
            yield c.Nominate(at=at, seat=by, target=target)
        case ev.NominationWithdrawn(by=by):
            if isinstance(following, ev.Nominated):
                yield c.Nominate(at=at, seat=by, target=following.target)
            yield c.Withdraw(at=at, seat=by)
        case ev.BallotCast(seat=seat, target=target):
            yield c.Vote(at=at, seat=seat, target=target)
        case ev.LiftCast(seat=seat, lift=lift):
            yield c.LiftVote(at=at, seat=seat, lift=lift)
        case ev.ShotFired(seat=seat, target=target):
            yield c.Shoot(at=at, seat=seat, target=target)
        case ev.DonChecked(seat=seat, target=target) | ev.SheriffChecked(seat=seat, target=target):
            yield c.Check(at=at, seat=seat, target=target)
        case ev.TestamentGiven(by=by, suspects=suspects):
            yield c.GiveTestament(at=at, seat=by, suspects=suspects)
        case ev.CrownGiven(by=by, to=to):
            yield c.GiveCrown(at=at, seat=by, to=to)
        case ev.Fouled(seat=seat, reason=reason):
            yield c.Warn(at=at, seat=seat) if reason == "warning" else c.Interpellate(at=at, seat=seat)
        case ev.SignalGiven(seat=seat, signal=signal):
            yield c.GiveSignal(at=at, seat=seat, signal=signal)
        case ev.Noticed(seat=seat, offences=offences):
            yield c.Notice(at=at, seat=seat, offences=offences)
        case ev.MotionOpened(motion=motion) if motion.by is not None:
            yield c.Move(at=at, seat=motion.by, kind=motion.kind, accused=motion.accused)
        case ev.MotionVoteCast(seat=seat, yes=yes):
            yield c.VoteMotion(at=at, seat=seat, yes=yes)
        case ev.WentAbsent(seat=seat):
            yield c.Absent(at=at, seat=seat)
        case ev.CameBack(seat=seat):
            yield c.Return(at=at, seat=seat)
        case ev.Suspended():
            yield c.Suspend(at=at)
        case _:
            yield from _ends(events, place)
    yield c.Tick(at=at)


def _ends(events: Sequence[Event], place: int) -> Iterator[Command]:
    """What ends something: the clock, a player, or who leaves or stops the game by it."""
    event, at = events[place], events[place].at
    if isinstance(event, ev.Resumed):
        yield c.Resume(at=at)
    if isinstance(event, ev.InterpellationClosed):
        yield c.EndSpeech(at=at, seat=event.seat)
    for later in events[place : place + 3]:
        match later:
            case ev.PlayerLeft(seat=seat, cause=cause) | ev.FarewellLost(seat=seat, cause=cause) if cause.removal:
                yield c.Remove.model_construct(at=at, seat=seat, cause=cause)
            case ev.GameEnded(culprit=culprit):
                yield c.Stop(at=at, culprit=culprit)


def _wrapped(tokens: Iterator[str]) -> Iterator[str]:
    line = ""
    for token in tokens:
        if token.startswith("\n") or len(line) + len(token) >= WIDTH:
            yield line
            line = token.strip()
        else:
            line = f"{line} {token}".strip()
    yield line


# --- reading --------------------------------------------------------------------------------------


def read(text: str) -> list[Event]:
    """The log. Raises `BadNotation` that names line and word."""
    headers: dict[str, str] = {}
    state, log, at = GameState(), list[Event](), 0.0
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.fullmatch(line):
            headers[header[1]] = header[2]
            continue
        for word in TOKEN.findall(line):
            try:
                if word.startswith("{") or re.fullmatch(r"[DN]\d+", word):
                    continue
                if word.startswith("@"):
                    at = _seconds(word[1:])
                    continue
                made = _answer(state, _deal(headers, at) if word == "deal" else _command(word, at))
            except ValidationError as error:
                raise BadNotation(f"line {number}, {word!r}: {plain(error.errors()[0])}") from error
            except ValueError as error:
                raise BadNotation(f"line {number}, {word!r}: {error}") from error
            if isinstance(made, Refusal):
                raise BadNotation(f"line {number}, {word!r}: the rules refuse it: {made.code.replace('_', ' ')}")
            for event in made:
                state = engine.evolve(state, event)
            log += made
    return log


def _deal(headers: dict[str, str], at: float) -> c.Deal:
    roles: list[Any] = headers.get("Roles", "").split()
    return c.Deal(
        at=at,
        game=json.loads(headers.get("Game", '""')),
        rules=Rules.model_validate_json(headers.get("Rules", "{}")),
        roles=dict(zip(SEATS, roles, strict=False)),
        salt=headers.get("Salt", ""),
    )


# --- words ----------------------------------------------------------------------------------------


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("seconds must follow, as in @12.5 or $2") from None


def _seats(text: str) -> tuple[Any, ...]:
    return tuple(seat for seat in text.split(",") if seat)


def _move(text: str) -> dict[str, Any]:
    kind, _, accused = text.removeprefix(":").partition(">")
    return {"kind": kind, "accused": accused or None}


def _offences(text: str) -> dict[str, Any]:
    return {"offences": text.removeprefix(":").split(",")}


ACTS: dict[str, tuple[type[Any], Callable[[str], dict[str, Any]], Callable[[Any], str]]] = {
    "n": (c.Nominate, lambda text: {"target": text}, lambda act: act.target),
    "-": (c.Withdraw, lambda _: {}, lambda _: ""),
    ".": (c.EndSpeech, lambda _: {}, lambda _: ""),
    "v": (c.Vote, lambda text: {"target": text}, lambda act: act.target),
    "x": (c.Shoot, lambda text: {"target": text}, lambda act: act.target),
    "?": (c.Check, lambda text: {"target": text}, lambda act: act.target),
    "t": (c.GiveTestament, lambda text: {"suspects": _seats(text)}, lambda act: ",".join(map(str, act.suspects))),
    "c": (c.GiveCrown, lambda text: {"to": text}, lambda act: act.to),
    "!": (c.Interpellate, lambda _: {}, lambda _: ""),
    "w": (c.Warn, lambda _: {}, lambda _: ""),
    "s": (c.GiveSignal, lambda text: {"signal": text[1:]}, lambda act: f":{act.signal}"),
    "f": (c.Notice, _offences, lambda act: ":" + ",".join(act.offences)),
    "m": (c.Move, _move, lambda act: f":{act.kind}" + (f">{act.accused}" if act.accused else "")),
    "a": (c.Absent, lambda _: {}, lambda _: ""),
    "b": (c.Return, lambda _: {}, lambda _: ""),
    "q": (c.Remove, lambda text: {"cause": text[1:]}, lambda act: f":{act.cause}"),
}
"""Letter -> command of a seat, its facts read (as text: the command knows what it takes), its facts written."""
ANSWERS = {"+": (c.LiftVote, "lift", True), "_": (c.LiftVote, "lift", False)} | {
    "y": (c.VoteMotion, "yes", True),
    "z": (c.VoteMotion, "yes", False),
}
TABLE: dict[str, type[Any]] = {"o": c.Open, "/": c.Tick, "||": c.Suspend, ">>": c.Resume}


def _token(command: Command) -> str:
    match command:
        case c.Deal():
            return "deal"
        case c.Credit(seconds=seconds):
            return f"${seconds!r}"
        case c.SetOrder(order=order):
            return "=" + ",".join(map(str, order))
        case c.Stop(culprit=culprit):
            return f"#{culprit or ''}"
        case c.LiftVote(seat=seat, lift=lift):
            return f"{seat}{'+' if lift else '_'}"
        case c.VoteMotion(seat=seat, yes=yes):
            return f"{seat}{'y' if yes else 'z'}"
    for word, kind in TABLE.items():
        if isinstance(command, kind):
            return word
    for letter, (kind, _, written) in ACTS.items():
        if isinstance(command, kind):
            return f"{command.seat}{letter}{written(command)}"
    raise BadNotation(f"no word for {command.type}")


def _command(word: str, at: float) -> Command:
    """Raises ValueError."""
    if word in TABLE:
        return TABLE[word](at=at)  # type: ignore[no-any-return]
    if word.startswith("$"):
        return c.Credit(at=at, seconds=_seconds(word[1:]))
    if word.startswith("="):
        return c.SetOrder(at=at, order=_seats(word[1:]))
    if word.startswith("#"):
        culprit: Any = word[1:] or None
        return c.Stop(at=at, culprit=culprit)
    act = ACT.fullmatch(word)
    if act is None or (act[2] not in ACTS and act[2] not in ANSWERS):
        raise ValueError("no such word")
    if act[2] in ANSWERS:
        kind, name, value = ANSWERS[act[2]]
        return kind(at=at, seat=int(act[1]), **{name: value})  # type: ignore[arg-type]
    made, facts, _ = ACTS[act[2]]
    return made(at=at, seat=int(act[1]), **facts(act[3]))  # type: ignore[no-any-return]
