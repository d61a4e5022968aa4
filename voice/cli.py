"""The command line. Results go to standard output, progress and log to standard error.

Exit codes: 0 success, 1 a negative result, 2 bad usage or bad input.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from moderator.events import Event
from moderator.review import facts
from voice.config import ConfigError, load_rules
from voice.ports import MissingPart, Utterance
from voice.store_sql import DamagedLog, SqliteStore, read_events

LANGS = ("fr", "en", "ru")
BENCHES = {"rooms": "mouth-to-ear delay, processor and join time of ten booths on a LiveKit server"}


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = args.run
    try:
        return run(args)
    except (ConfigError, DamagedLog, FileNotFoundError, IsADirectoryError) as error:
        print(f"moderator {args.command}: {error}", file=sys.stderr)
        return 2
    except MissingPart as missing:
        print(f"moderator {args.command}: {missing}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"moderator {args.command}: stopped", file=sys.stderr)
        return 1


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="moderator", description="A voice moderator for ten-seat Mafia.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    demo = commands.add_parser("demo", help="a whole game by voice: ten robots in real rooms, heard by the recogniser")
    demo.add_argument("--lang", default="fr", choices=LANGS)
    demo.add_argument("--seed", type=int, default=7, help="fixes the deal and what the robots want to say")
    demo.add_argument("--rules", default="turbo", help="classic, turbo, club, or a YAML file")
    demo.add_argument("--out", type=Path, help="folder for log, recording, transcript, review (default: a new one)")
    demo.add_argument(
        "--stack", default="default", choices=("default", "torch"), help="torch: openai-whisper and transformers"
    )
    demo.set_defaults(run=_demo)

    simulate = commands.add_parser("simulate", help="many games without voices: random legal play, rules only")
    simulate.add_argument("--games", type=int, default=100)
    simulate.add_argument("--seed", type=int, default=0)
    simulate.add_argument("--rules", default="classic")
    simulate.set_defaults(run=_simulate)

    extract = commands.add_parser("extract", help="JSON lines of transcribed speech in, what was said out")
    extract.add_argument("--lang", choices=LANGS, help="for rows that name no language")
    extract.set_defaults(run=_extract)

    transcribe = commands.add_parser("transcribe", help="sound files to text, with the recogniser of the game")
    transcribe.add_argument("files", nargs="+", type=Path)
    transcribe.add_argument("--lang", default="fr", choices=LANGS)
    transcribe.set_defaults(run=_transcribe)

    review = commands.add_parser("review", help="one finished game as a document")
    review.add_argument("game", help="a game's exported log (log.jsonl), or its id with --db")
    review.add_argument("--db", type=Path, help="the store that holds the game")
    review.add_argument("--format", default="md", choices=("md", "json", "vtt"))
    review.set_defaults(run=_review)

    bench = commands.add_parser("bench", help="a named benchmark")
    bench.add_argument("name", nargs="?", choices=sorted(BENCHES))
    bench.add_argument("--list", action="store_true")
    bench.set_defaults(run=_bench)

    doctor = commands.add_parser("doctor", help="check every real part; say what is missing and what mends it")
    doctor.add_argument("--lang", default="fr", choices=LANGS)
    doctor.set_defaults(run=_doctor)
    return top


def _demo(args: argparse.Namespace) -> int:
    from voice import demo

    return demo.main(args)


def _simulate(args: argparse.Namespace) -> int:
    from moderator.simulate import simulate

    started = time.perf_counter()
    result = simulate(args.games, args.seed, load_rules(args.rules))
    print(json.dumps({**result, "seconds": round(time.perf_counter() - started, 3)}))
    return 0


def _extract(args: argparse.Namespace) -> int:
    from voice import extract

    return extract.main(args)


def _transcribe(args: argparse.Namespace) -> int:
    from voice import transcribe

    return transcribe.main(args.files, args.lang)


def _review(args: argparse.Namespace) -> int:
    from voice.captions import webvtt
    from voice.review_md import to_markdown

    async def stored() -> tuple[list[Event], list[Utterance]]:
        store = SqliteStore(args.db)
        try:
            return await store.events(args.game), await store.utterances(args.game)
        finally:
            await store.close()

    if args.db is not None:
        if not args.db.is_file():
            raise FileNotFoundError(f"{args.db}: no such store")
        events, utterances = asyncio.run(stored())
    else:
        path = Path(args.game)
        if not path.is_file():
            raise FileNotFoundError(f"{path}: no such log; name an exported log, or a game's id with --db")
        events, utterances = (read_events(path.read_text(encoding="utf-8").splitlines(), str(path)), [])
    if not events:
        print(f"moderator review: no game {args.game} in {args.db}", file=sys.stderr)
        return 2
    found = facts(events)
    if args.format == "json":
        print(found.model_dump_json())
    elif args.format == "vtt":
        print(webvtt(utterances))
    else:
        print(to_markdown(found, utterances), end="")
    return 0


def _bench(args: argparse.Namespace) -> int:
    if args.list or args.name is None:
        for name, what in BENCHES.items():
            print(f"{name}\t{what}")
        return 0
    from voice import bench_rooms

    print(json.dumps({"name": args.name, **asyncio.run(bench_rooms.run())}))
    return 0


def _doctor(args: argparse.Namespace) -> int:
    from voice import doctor

    return doctor.main(args.lang)


if __name__ == "__main__":
    sys.exit(main())
