"""`moderator bars`: for the organiser, who may not join later games, for how long, and the appeals against it (S19)."""

import argparse
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from moderator.model import Seat
from moderator.review import facts
from voice import stored
from voice.admission import refusal
from voice.bars import Appeal, Bar, Bars


class CannotBar(ValueError):
    """What is wrong, and the cure."""


def main(args: argparse.Namespace) -> int:
    """Raises `CannotBar`, `NoSuchGame` or `BadStore`."""
    where = args.db or str(stored.home() / stored.STORE)
    if "://" not in where and not Path(where).parent.is_dir():
        raise CannotBar(f"{Path(where).parent}: no such folder; name a store with --db, or set MODERATOR_HOME")
    run: dict[str, Callable[[Bars, argparse.Namespace, datetime], int]] = {
        "list": _list,
        "add": _add,
        "check": _check,
        "appeal": _appeal,
        "appeals": _appeals,
        "grant": _rule,
        "refuse": _rule,
    }
    bars = Bars(where)
    try:
        return run[args.do](bars, args, datetime.now(UTC))
    except (LookupError, ValueError) as error:
        if isinstance(error, CannotBar):
            raise
        raise CannotBar(f"{error}; `moderator bars list` shows every bar") from error
    finally:
        bars.close()


def _list(bars: Bars, args: argparse.Namespace, now: datetime) -> int:
    """Whether a bar was contested, not how: that is between its author and who rules on it."""
    for bar, appeal in bars.all():
        granted = appeal is not None and appeal.granted is True
        in_force = not granted and (bar.until is None or bar.until > now)
        _print(bar, in_force=in_force, appeal=None if appeal is None else _state(appeal))
    return 0


def _add(bars: Bars, args: argparse.Namespace, now: datetime) -> int:
    until = None if args.for_good else now + timedelta(days=args.days)
    game, reason = (args.game, args.reason) if args.reason else _logged(args.game, args.seat, args.db)
    _print(bars.bar(args.person, game, reason, now, until))
    return 0


def _logged(game: str, seat: Seat | None, db: str | None) -> tuple[str, str]:
    """The game's id, and what its log says of the seat. Raises `CannotBar` where that could bar nobody."""
    if not game or seat is None:
        raise CannotBar("--reason: what is the player told? Give it, or --game and --seat")
    review = facts(stored.find(game, None if Path(game).exists() else db).events)
    said = [gone.cause.replace("_", " ") for gone in review.departures if gone.seat == seat and gone.cause.removal]
    fouls = review.technical_fouls.get(seat, 0)
    said += [f"technical fouls: {fouls}"] if fouls else []
    if not said:
        raise CannotBar(f"--seat: seat {seat} was neither removed from game {game} nor fouled; give a --reason")
    return review.game, ", ".join(said)


def _check(bars: Bars, args: argparse.Namespace, now: datetime) -> int:
    told = refusal(bars, args.person, args.lang, now)
    if told is not None:
        print(told)
    return 0 if told is None else 1


def _appeal(bars: Bars, args: argparse.Namespace, now: datetime) -> int:
    bars.appeal(args.bar, args.person, args.text, now)
    return 0


def _appeals(bars: Bars, args: argparse.Namespace, now: datetime) -> int:
    for appeal in bars.appeals():
        _print(appeal.bar, text=appeal.text)
    return 0


def _rule(bars: Bars, args: argparse.Namespace, now: datetime) -> int:
    bars.rule(args.bar, args.do == "grant", args.by, now)
    return 0


def _state(appeal: Appeal) -> str:
    return "waiting" if appeal.granted is None else "granted" if appeal.granted else "refused"


def _print(bar: Bar, **more: Any) -> None:
    row = {"bar": bar.id, "person": bar.person, "game": bar.game, "reason": bar.reason}
    times = {"barred_at": bar.barred_at.isoformat(), "until": None if bar.until is None else bar.until.isoformat()}
    print(json.dumps(row | times | more, ensure_ascii=False))
