"""The command line. Results go to standard output, progress and log to standard error.

Exit codes: 0 success, 1 a negative result, 2 bad usage or bad input.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from voice.arguments import BENCHES, SECONDS, parser
from voice.config import ConfigError, load_rules
from voice.ports import MissingPart
from voice.ports_store import BadStore


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, _stop)
    try:
        code = RUN[args.command](args)
        sys.stdout.flush()
        return code
    except (BadInput, ConfigError) as error:
        return _complain(args.command, error, 2)
    except (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        return _complain(args.command, f"{error.filename}: {(error.strerror or 'cannot be used').lower()}", 2)
    except MissingPart as missing:
        return _complain(args.command, missing, 1)
    except KeyboardInterrupt:
        return _complain(args.command, "stopped", 1)
    except BrokenPipeError:  # whoever read us has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _stop(*_: object) -> None:
    """Ended by whoever runs us, a command leaves as orderly as after Ctrl-C, which a shell's background jobs ignore."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.raise_signal(signal.SIGINT)


class BadInput(ValueError):
    """What a person gave cannot be used; one line: the thing, what is wrong, what mends it."""


def _complain(command: str, what: object, code: int) -> int:
    print(f"moderator {command}: {what}", file=sys.stderr)
    return code


def _serve(args: argparse.Namespace) -> int:
    from voice import server

    return server.main(args)


def _worker(args: argparse.Namespace) -> int:
    from voice.fleet import worker

    return worker.main(args)


def _games(args: argparse.Namespace) -> int:
    from voice import games, stored

    try:
        return games.main(args)
    except (stored.NoSuchGame, BadStore) as error:
        raise BadInput(error) from error


def _bars(args: argparse.Namespace) -> int:
    from voice import bars_command, stored

    try:
        return bars_command.main(args)
    except (bars_command.CannotBar, stored.NoSuchGame, BadStore) as error:
        raise BadInput(error) from error


def _demo(args: argparse.Namespace) -> int:
    from voice import demo

    return demo.main(args)


def _simulate(args: argparse.Namespace) -> int:
    from moderator.simulate import simulate

    started = time.perf_counter()
    result = simulate(args.games, args.seed, load_rules(args.rules), args.check)
    print(json.dumps({**result, "seconds": round(time.perf_counter() - started, 3)}))
    return 0


def _replay(args: argparse.Namespace) -> int:
    from voice import replay

    return replay.main(args.files)


def _extract(args: argparse.Namespace) -> int:
    from voice import extract

    return extract.main(args)


def _transcribe(args: argparse.Namespace) -> int:
    from voice import transcribe

    return transcribe.main(args.files, args.lang)


def _review(args: argparse.Namespace) -> int:
    from voice import review, stored
    from voice.transcribe import SoundError

    try:
        return review.main(args)
    except (stored.NoSuchGame, BadStore, SoundError) as error:
        raise BadInput(error) from error


def _bench(args: argparse.Namespace) -> int:
    if args.list or args.name is None:
        for name, what in BENCHES.items():
            print(f"{name}\t{what}")
        return 0
    from voice import (
        bench_conduct,
        bench_ears,
        bench_engine,
        bench_hearing,
        bench_kills,
        bench_lines,
        bench_narrator,
        bench_nothing,
        bench_reading,
        bench_report,
        bench_rooms,
        bench_store,
        bench_table,
    )

    run: dict[str, Callable[[], Mapping[str, object]]] = {
        "all": lambda: bench_report.main(args),
        "conduct": lambda: bench_conduct.main(args),
        "ears": lambda: bench_ears.main(args),
        "engine": bench_engine.run,
        "hearing": lambda: bench_hearing.main(args),
        "narrator": lambda: bench_narrator.main(args),
        "nothing": lambda: bench_nothing.main(args),
        "store": lambda: bench_store.run(args.db),
        "reading": lambda: bench_reading.main(args),
        "kills": lambda: asyncio.run(bench_kills.run(args.games)),
        "lines": lambda: asyncio.run(bench_lines.run(args.lang, args.every)),
        "rooms": lambda: asyncio.run(bench_rooms.run(args.seconds or SECONDS)),
        "table": lambda: asyncio.run(
            bench_table.whole() if args.whole else bench_table.run(args.tables, args.seconds or SECONDS)
        ),
    }
    print(json.dumps({"name": args.name, **run[args.name]()}))
    return 0


def _train(args: argparse.Namespace) -> int:
    from voice.training import tune

    return tune.main(args)


def _doctor(args: argparse.Namespace) -> int:
    from voice import doctor

    return doctor.main(args.lang, args.stack)


RUN: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "serve": _serve,
    "worker": _worker,
    "demo": _demo,
    "simulate": _simulate,
    "replay": _replay,
    "extract": _extract,
    "transcribe": _transcribe,
    "review": _review,
    "games": _games,
    "bars": _bars,
    "bench": _bench,
    "train": _train,
    "doctor": _doctor,
}

if __name__ == "__main__":
    sys.exit(main())
