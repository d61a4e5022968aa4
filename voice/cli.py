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
from pathlib import Path

from voice.config import ConfigError, load_rules
from voice.ports import MissingPart
from voice.ports_store import BadStore

LANGS = ("fr", "en", "ru")
STACKS = ("default", "torch")
VOICES = (*map(str, range(1, 11)), "all")
BENCHES = {
    "all": "every benchmark below in one report (bench.json, bench.md), compared with the last one in --out",
    "conduct": "lines for and against fair play: found by kind, noticed wrongly",
    "engine": "games a second through the rules alone, with and without invariants; time to replay a log",
    "hearing": "spoken lines through noise, gate, recogniser and readers: right, asked, missed, false",
    "narrator": "the moderator's own lines heard back by Whisper: numbers, words, lines right",
    "store": "milliseconds to append one event to disk, and to read a log of 300 and of 3,000",
    "reading": "written lines through the grammar and the language model: right, asked, missed, false",
    "table": "how many tables at once: processor, memory, delay, joins and late frames by their number",
    "kills": "scripted games in which each part is killed in each phase: time to go on, what was lost",
    "lines": "packets lost and late: who is kept, what is heard, how soon one is back",
    "rooms": "mouth-to-ear delay, processor and join time of ten booths on a LiveKit server",
}


def main(arguments: Sequence[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    run: Callable[[argparse.Namespace], int] = args.run
    signal.signal(signal.SIGTERM, _stop)
    try:
        code = run(args)
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


def _counts(text: str) -> list[int]:
    return [_count(one) for one in text.split(",")]


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="moderator", description="A voice moderator for ten-seat Mafia.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", help="the service: tables, join links, games, reviews, in a browser")
    serve.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (0.0.0.0: every one; see docs/serve.md)"
    )
    serve.add_argument("--port", type=int, default=8080, help="0: any free one")
    serve.add_argument("--tables", type=_count, help="tables open at a time (default: one for two cores)")
    serve.set_defaults(run=_serve)

    worker = commands.add_parser("worker", help="plays games for `serve` on this machine, one of a fleet")
    worker.add_argument("--slots", type=_count, help="games at a time (default: one for two processor cores)")
    worker.add_argument("--host", default="127.0.0.1", help="where /healthz, /readyz and /metrics are")
    worker.add_argument("--port", type=int, default=8081, help="0: any free one")
    worker.set_defaults(run=_worker)

    demo = commands.add_parser("demo", help="a whole game by voice: ten robots in real rooms, heard by the recogniser")
    demo.add_argument("--lang", default="fr", choices=LANGS)
    demo.add_argument("--seed", type=int, default=7, help="fixes the deal and what the robots want to say")
    demo.add_argument("--rules", default="turbo", help="classic, turbo, calm, club, or a YAML file")
    demo.add_argument("--out", type=Path, help="folder for log, recording, transcript, review (default: a new one)")
    demo.add_argument("--stack", default="default", choices=STACKS, help="torch: openai-whisper and transformers")
    demo.set_defaults(run=_demo)

    simulate = commands.add_parser("simulate", help="many games without voices: random legal play, rules only")
    simulate.add_argument("--games", type=_count, default=100)
    simulate.add_argument("--seed", type=int, default=0)
    simulate.add_argument("--rules", default="classic", help="classic, turbo, calm, club, or a YAML file")
    simulate.add_argument("--check", action="store_true", help="look at every invariant after every command")
    simulate.set_defaults(run=_simulate)

    replay = commands.add_parser("replay", help="records of real games through the rules; where they disagree")
    replay.add_argument("files", nargs="+", type=Path, help="game records (JSON)")
    replay.set_defaults(run=_replay)

    extract = commands.add_parser("extract", help="JSON lines of transcribed speech in, what was said out")
    extract.add_argument("--lang", choices=LANGS, help="for rows that name no language")
    extract.set_defaults(run=_extract)

    transcribe = commands.add_parser("transcribe", help="sound files to text, with the recogniser of the game")
    transcribe.add_argument("files", nargs="+", type=Path)
    transcribe.add_argument("--lang", default="fr", choices=LANGS)
    transcribe.set_defaults(run=_transcribe)

    review = commands.add_parser("review", help="a finished game, or a recording from elsewhere, as a document")
    review.add_argument(
        "games",
        nargs="+",
        metavar="GAME",
        help="a game's folder or id, a log, .mgn or record; or sound files, one a seat",
    )
    review.add_argument("--db", help="path or URL of the store that holds the game (default: games/moderator.db)")
    review.add_argument("--format", default="md", choices=("md", "json", "html", "vtt", "srt", "mgn"))
    review.add_argument("--lang", choices=LANGS, help="of the game and the document (default: as it was played, or fr)")
    review.add_argument(
        "--out", type=Path, help="write files into this folder; of a folder of games, each and an index"
    )
    review.add_argument("--clips", type=Path, help="also cut every line out of the recording, into this folder")
    review.add_argument("--aloud", type=Path, metavar="WAV", help="also have the narrator tell it in a minute")
    review.add_argument("--share", action="store_true", help="without private words, names and links to the recording")
    review.add_argument("--seats", type=Path, help="of one mixed recording: who speaks when (JSON)")
    review.add_argument("--model", action="store_true", help="read with the language model, too")
    review.set_defaults(run=_review)

    games = commands.add_parser("games", help="the games of a store: list, export, restore, delete, forget, mine")
    _games_parser(games)

    bars = commands.add_parser("bars", help="who may not join later games, and the appeals against it")
    _bars_parser(bars)

    bench = commands.add_parser("bench", help="a named benchmark")
    bench.add_argument("name", nargs="?", choices=sorted(BENCHES))
    bench.add_argument("--list", action="store_true")
    bench.add_argument("--db", help="store: path or URL (default: a new SQLite file in the working folder)")
    bench.add_argument("--lang", default="fr", choices=LANGS, help="the language, where there is one")
    bench.add_argument("--half", default="dev", choices=("dev", "test"), help="hearing, conduct: which lines")
    bench.add_argument("--voices", default="robots", choices=("robots", "espeak"), help="hearing, narrator: who speaks")
    bench.add_argument("--conditions", default="clean,noise", help="hearing: clean,noise,babble,echo,opus,loss5,loss10")
    bench.add_argument("--every", type=_count, default=1, help="only every so many lines or rows")
    bench.add_argument("--model", action="store_true", help="hearing, reading: with the language model")
    bench.add_argument("--rows", type=Path, help="reading: other rows (JSON lines with gold)")
    bench.add_argument("--show", action="store_true", help="hearing, narrator, reading: what went wrong")
    bench.add_argument("--tables", type=_counts, default=[1, 2], metavar="N,N", help="table: how many at once")
    bench.add_argument("--whole", action="store_true", help="table: one, with all its parts, for a whole game")
    bench.add_argument("--games", type=_counts, default=[1, 2, 3, 4, 5, 6], metavar="N,N", help="kills: which of six")
    bench.add_argument("--seconds", type=_count, default=24, help="rooms, table: how long is measured")
    bench.add_argument(
        "--quick", action="store_true", help="all: fewer lines, no model, no rooms; minutes instead of hours"
    )
    bench.add_argument(
        "--out", type=Path, default=Path("build/bench"), help="all: folder of the report and of the last"
    )
    bench.set_defaults(run=_bench)

    train = commands.add_parser("train", help="tune the small model that reads speech; writes its adapter")
    train.add_argument("--lines", type=_count, default=4000, help="made-up lines to learn from, each once")
    train.add_argument("--seed", type=int, default=1)
    train.add_argument("--apart-from", nargs="*", type=Path, default=[], help="rows it is judged by: not learnt from")
    train.add_argument("--out", type=Path, default=Path("reader.gguf"))
    train.set_defaults(run=_train)

    doctor = commands.add_parser("doctor", help="check every real part; say what is missing and what mends it")
    doctor.add_argument("--lang", default="fr", choices=LANGS)
    doctor.add_argument("--stack", default="default", choices=STACKS, help="whose recogniser and model are looked at")
    doctor.set_defaults(run=_doctor)
    return top


def _serve(args: argparse.Namespace) -> int:
    from voice import server

    return server.main(args)


def _worker(args: argparse.Namespace) -> int:
    from voice.fleet import worker

    return worker.main(args)


def _games_parser(games: argparse.ArgumentParser) -> None:
    does = games.add_subparsers(dest="do", required=True, metavar="WHAT")
    does.add_parser("list", help="one JSON line a game, oldest first")
    export = does.add_parser("export", help="a whole game as JSON lines: events and transcript")
    export.add_argument("game", help="its id")
    restore = does.add_parser("restore", help="an exported game into a store that has none of that id")
    restore.add_argument("file", type=Path, help="what `export` has written; - is standard input")
    delete = does.add_parser("delete", help="a game, or what was heard in it; recordings lie in its folder")
    delete.add_argument("game", help="its id")
    delete.add_argument(
        "--voice-of", metavar="SEAT", choices=VOICES, help="only the transcript: of this seat, or of all"
    )
    forget = does.add_parser(
        "forget", help="one player's words, name and voice, also in the recordings; the game stays"
    )
    mine = does.add_parser("mine", help="a zip of what is kept of one player, for himself")
    for each in (forget, mine):
        each.add_argument("game", help="its id")
        each.add_argument("--seat", type=int, choices=range(1, 11), metavar="SEAT", required=True)
    mine.add_argument("--out", type=Path, required=True, help="the zip file to write")
    for each in does.choices.values():
        each.add_argument("--db", help="path or URL of the store, or its folder (default: games/moderator.db)")
    games.set_defaults(run=_games)


def _games(args: argparse.Namespace) -> int:
    from voice import games, stored

    try:
        return games.main(args)
    except (stored.NoSuchGame, BadStore) as error:
        raise BadInput(error) from error


def _bars_parser(bars: argparse.ArgumentParser) -> None:
    does = bars.add_subparsers(dest="do", required=True, metavar="WHAT")
    does.add_parser("list", help="every bar, one JSON line each, oldest first")
    add = does.add_parser("add", help="keep a player from joining, for a time or for good")
    add.add_argument("person", help="as the lobby knows the player")
    how_long = add.add_mutually_exclusive_group(required=True)
    how_long.add_argument("--days", type=_count, metavar="N", help="for so many days from now")
    how_long.add_argument("--for-good", action="store_true")
    add.add_argument("--reason", help="what the player is told (default: what the log says of --seat in --game)")
    add.add_argument("--game", default="", help="the game it happened in")
    add.add_argument("--seat", type=int, choices=range(1, 11), metavar="SEAT", help="where the player sat in it")
    check = does.add_parser("check", help="may this player join? exit code 1 and what the player is told: no")
    check.add_argument("person")
    check.add_argument("--lang", default="fr", choices=LANGS)
    appeal = does.add_parser("appeal", help="contest a bar in the player's name, once")
    appeal.add_argument("bar", type=_count, help="its number")
    appeal.add_argument("--person", required=True, help="whose bar it is")
    appeal.add_argument("--text", required=True, help="the player's reasons; only who rules on them reads them")
    does.add_parser("appeals", help="the appeals that wait, one JSON line each, oldest first")
    for word, what in (("grant", "lift a bar that was contested"), ("refuse", "let a contested bar stand")):
        rule = does.add_parser(word, help=what)
        rule.add_argument("bar", type=_count, help="its number")
        rule.add_argument("--by", required=True, help="who decides")
    for each in does.choices.values():
        each.add_argument("--db", help="path or URL of the store (default: games/moderator.db)")
    bars.set_defaults(run=_bars)


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
        bench_engine,
        bench_hearing,
        bench_kills,
        bench_lines,
        bench_narrator,
        bench_reading,
        bench_report,
        bench_rooms,
        bench_store,
        bench_table,
    )

    run: dict[str, Callable[[], Mapping[str, object]]] = {
        "all": lambda: bench_report.main(args),
        "conduct": lambda: bench_conduct.main(args),
        "engine": bench_engine.run,
        "hearing": lambda: bench_hearing.main(args),
        "narrator": lambda: bench_narrator.main(args),
        "store": lambda: bench_store.run(args.db),
        "reading": lambda: bench_reading.main(args),
        "kills": lambda: asyncio.run(bench_kills.run(args.games)),
        "lines": lambda: asyncio.run(bench_lines.run(args.lang, args.every)),
        "rooms": lambda: asyncio.run(bench_rooms.run(args.seconds)),
        "table": lambda: asyncio.run(bench_table.whole() if args.whole else bench_table.run(args.tables, args.seconds)),
    }
    print(json.dumps({"name": args.name, **run[args.name]()}))
    return 0


def _train(args: argparse.Namespace) -> int:
    from voice.training import tune

    return tune.main(args)


def _doctor(args: argparse.Namespace) -> int:
    from voice import doctor

    return doctor.main(args.lang, args.stack)


if __name__ == "__main__":
    sys.exit(main())
