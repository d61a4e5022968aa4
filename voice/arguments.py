"""What each command of `moderator` takes. Units are named, defaults are shown."""

import argparse
from pathlib import Path
from typing import TypeAlias

from voice.config import RULES

LANGS = ("fr", "en", "ru")
STACKS = ("default", "torch")
VOICES = (*map(str, range(1, 11)), "all")
WHICH_RULES = f"{', '.join(RULES)}, or the path of a YAML file"
SECONDS = 24
"""That a benchmark of rooms or tables measures."""
BENCHES = {
    "all": "every benchmark below in one report (bench.json, bench.md), compared with the last one in --out",
    "conduct": "lines for and against fair play: found by kind, noticed wrongly",
    "engine": "games a second through the rules alone, with and without invariants; time to replay a log",
    "hearing": "spoken lines through noise, gate, recogniser and readers: right, asked, missed, false",
    "ears": "the lines of hearing through each recogniser: what is right, how long it takes, memory, time to load",
    "nothing": "ten minutes in which no player speaks, noise and other voices: words, questions and events out of them",
    "narrator": "the moderator's own lines heard back by Whisper: numbers, words, lines right",
    "store": "milliseconds to append one event to disk, and to read a log of 300 and of 3,000",
    "reading": "written lines through the grammar and the language model: right, asked, missed, false",
    "table": "how many tables at once: processor, memory, delay, joins and late frames by their number",
    "kills": "scripted games in which each part is killed in each phase: time to go on, what was lost",
    "lines": "packets lost and late: who is kept, what is heard, how soon one is back",
    "rooms": "mouth-to-ear delay, processor and join time of ten booths on a LiveKit server",
}
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


class Help(argparse.HelpFormatter):
    """Each option with its default, where it has one that is worth a word."""

    def _get_help_string(self, action: argparse.Action) -> str:
        said, default = action.help or "", action.default
        worth = (
            isinstance(default, str | int | Path) and default is not False and default not in ("", argparse.SUPPRESS)
        )
        return f"{said} (default: %(default)s)" if worth and "(default" not in said else said


def count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number, 1 or more, not {text!r}")
    return int(text)


def counts(text: str) -> list[int]:
    return [count(one) for one in text.split(",")]


def port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"must be a port, 1 to 65535, or 0 for any free one, not {text!r}")
    return int(text)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="moderator",
        description="A voice moderator for ten-seat Mafia. Results go to standard output, progress to standard error.",
        epilog="moderator COMMAND --help says what a command takes. Exit codes: 0 success, 1 a negative result, "
        "2 bad usage or bad input.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for add in (
        *(_serve, _worker, _demo, _simulate, _replay, _extract, _transcribe),
        *(_review, _games, _bars, _bench, _train, _doctor),
    ):
        add(commands)
    return top


def _command(commands: Commands, name: str, does: str, more: str = "") -> argparse.ArgumentParser:
    about = f"{does[0].upper()}{does[1:]}. {more}".strip()
    return commands.add_parser(name, help=does, description=about, formatter_class=Help)


def _lang(one: argparse.ArgumentParser, what: str = "the language that is spoken") -> None:
    one.add_argument("--lang", default="fr", choices=LANGS, help=what)


def _serve(commands: Commands) -> None:
    serve = _command(
        commands,
        "serve",
        "the service: tables, join links, games, reviews, in a browser",
        "Runs until Ctrl-C. Its first line of output is the address to open.",
    )
    serve.add_argument(
        "--host", default="127.0.0.1", help="address to listen at (0.0.0.0: every one; see docs/serve.md)"
    )
    serve.add_argument("--port", type=port, default=8080, help="0: any free one")
    serve.add_argument("--tables", type=count, metavar="N", help="tables open at a time (default: one for two cores)")


def _worker(commands: Commands) -> None:
    worker = _command(
        commands,
        "worker",
        "plays games for `serve` on this machine, one of a fleet",
        "Needs MODERATOR_STORE and LIVEKIT_URL with its keys: see docs/scale.md.",
    )
    worker.add_argument("--slots", type=count, metavar="N", help="games at a time (default: one for two cores)")
    worker.add_argument("--host", default="127.0.0.1", help="where /healthz, /readyz and /metrics are")
    worker.add_argument("--port", type=port, default=8081, help="0: any free one")


def _demo(commands: Commands) -> None:
    demo = _command(
        commands,
        "demo",
        "a whole game by voice: ten robots in real rooms, heard by the recogniser",
        "Takes about ten minutes with turbo rules; the last line of output is one JSON object.",
    )
    _lang(demo)
    demo.add_argument("--seed", type=int, default=7, help="fixes the deal and what the robots want to say")
    demo.add_argument("--rules", default="turbo", help=WHICH_RULES)
    demo.add_argument(
        "--out", type=Path, metavar="DIR", help="for log, recording, transcript, review (default: a new one in games/)"
    )
    demo.add_argument("--stack", default="default", choices=STACKS, help="torch: openai-whisper and transformers")


def _simulate(commands: Commands) -> None:
    simulate = _command(
        commands,
        "simulate",
        "many games without voices: random legal play, rules only",
        "A hundred games take seconds. Prints how many were played, how long it took and who won.",
    )
    simulate.add_argument("--games", type=count, default=100, metavar="N", help="how many")
    simulate.add_argument("--seed", type=int, default=0, help="the same seed gives the same games")
    simulate.add_argument("--rules", default="classic", help=WHICH_RULES)
    simulate.add_argument("--check", action="store_true", help="look at every invariant after every command")


def _replay(commands: Commands) -> None:
    replay = _command(
        commands,
        "replay",
        "records of real games through the rules; where they disagree",
        "One JSON line a file; exit code 1 when one of them disagrees.",
    )
    replay.add_argument("files", nargs="+", type=Path, metavar="FILE", help="game records (JSON)")


def _extract(commands: Commands) -> None:
    extract = _command(
        commands,
        "extract",
        "JSON lines of transcribed speech in, what was said out",
        'Reads standard input: {"id": "1", "task": "nomination", "lang": "fr", "text": "Je nomine le quatre."}',
    )
    extract.add_argument("--lang", choices=LANGS, help="for rows that name no language")


def _transcribe(commands: Commands) -> None:
    transcribe = _command(
        commands,
        "transcribe",
        "sound files to text, with the recogniser of the game",
        "One JSON line a file; times in seconds from its start.",
    )
    transcribe.add_argument("files", nargs="+", type=Path, metavar="FILE", help="WAV, FLAC, Ogg, MP3, ...")
    _lang(transcribe)


def _review(commands: Commands) -> None:
    review = _command(
        commands,
        "review",
        "a finished game, or a recording from elsewhere, as a document",
        "Prints it, or writes it with --out.",
    )
    review.add_argument(
        "games",
        nargs="+",
        metavar="GAME",
        help="a game's folder or id, a log, .mgn or record; or sound files, one a seat",
    )
    review.add_argument("--db", help="path or URL of the store that holds the game (default: games/moderator.db)")
    review.add_argument(
        "--format", default="md", choices=("md", "json", "html", "vtt", "srt", "mgn"), help="of the document"
    )
    review.add_argument("--lang", choices=LANGS, help="of the game and the document (default: as it was played, or fr)")
    review.add_argument(
        "--out", type=Path, metavar="DIR", help="write files into this folder; of a folder of games, each and an index"
    )
    review.add_argument(
        "--clips", type=Path, metavar="DIR", help="of one game: also cut every line out of the recording"
    )
    review.add_argument(
        "--aloud", type=Path, metavar="WAV", help="of one game: also have the narrator tell it in a minute"
    )
    review.add_argument("--share", action="store_true", help="without private words, names and links to the recording")
    review.add_argument("--seats", type=Path, metavar="JSON", help="of one mixed recording: who speaks when")
    review.add_argument("--model", action="store_true", help="read with the language model, too")


def _games(commands: Commands) -> None:
    games = _command(commands, "games", "the games of a store: list, export, restore, delete, forget, mine")
    does = games.add_subparsers(dest="do", required=True, metavar="WHAT")
    _command(does, "list", "one JSON line a game, oldest first")
    export = _command(does, "export", "a whole game as JSON lines: events and transcript")
    export.add_argument("game", help="its id")
    restore = _command(does, "restore", "an exported game into a store that has none of that id")
    restore.add_argument("file", type=Path, help="what `export` has written; - is standard input")
    delete = _command(does, "delete", "a game, or what was heard in it; recordings lie in its folder")
    delete.add_argument("game", help="its id")
    delete.add_argument(
        "--voice-of", metavar="SEAT", choices=VOICES, help="only the transcript: of this seat, or of all"
    )
    forget = _command(does, "forget", "one player's words, name and voice, also in the recordings; the game stays")
    mine = _command(does, "mine", "a zip of what is kept of one player, for himself")
    for each in (forget, mine):
        each.add_argument("game", help="its id")
        each.add_argument(
            "--seat", type=int, choices=range(1, 11), metavar="SEAT", required=True, help="the player's, 1 to 10"
        )
    mine.add_argument("--out", type=Path, metavar="ZIP", required=True, help="the file to write")
    for each in does.choices.values():
        each.add_argument("--db", help="path or URL of the store, or its folder (default: games/moderator.db)")


def _bars(commands: Commands) -> None:
    bars = _command(commands, "bars", "who may not join later games, and the appeals against it")
    does = bars.add_subparsers(dest="do", required=True, metavar="WHAT")
    _command(does, "list", "every bar, one JSON line each, oldest first")
    add = _command(does, "add", "keep a player from joining, for a time or for good")
    add.add_argument("person", help="as the lobby knows the player")
    how_long = add.add_mutually_exclusive_group(required=True)
    how_long.add_argument("--days", type=count, metavar="N", help="for so many days from now")
    how_long.add_argument("--for-good", action="store_true", help="without an end")
    add.add_argument("--reason", help="what the player is told (default: what the log says of --seat in --game)")
    add.add_argument("--game", default="", help="the game it happened in")
    add.add_argument("--seat", type=int, choices=range(1, 11), metavar="SEAT", help="where the player sat in it, 1-10")
    check = _command(does, "check", "may this player join? exit code 1 and what the player is told: no")
    check.add_argument("person", help="as the lobby knows the player")
    _lang(check, "in which the player is told")
    appeal = _command(does, "appeal", "contest a bar in the player's name, once")
    appeal.add_argument("bar", type=count, help="its number")
    appeal.add_argument("--person", required=True, help="whose bar it is")
    appeal.add_argument("--text", required=True, help="the player's reasons; only who rules on them reads them")
    _command(does, "appeals", "the appeals that wait, one JSON line each, oldest first")
    for word, what in (("grant", "lift a bar that was contested"), ("refuse", "let a contested bar stand")):
        rule = _command(does, word, what)
        rule.add_argument("bar", type=count, help="its number")
        rule.add_argument("--by", required=True, help="who decides")
    for each in does.choices.values():
        each.add_argument("--db", help="path or URL of the store (default: games/moderator.db)")


def _bench(commands: Commands) -> None:
    bench = _command(
        commands, "bench", "a named benchmark", "Prints its figures as one JSON object. --list says what each measures."
    )
    bench.add_argument("name", nargs="?", choices=sorted(BENCHES), help="which; none: list them")
    bench.add_argument("--list", action="store_true", help="the names, and what each measures")
    bench.add_argument("--db", help="store: path or URL (default: a new SQLite file in the working folder)")
    _lang(bench, "the language, where there is one")
    _what_is_read(bench)
    _how_much(bench)
    bench.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("build/bench"),
        help="all: where the report is written and the last one lies",
    )


def _what_is_read(bench: argparse.ArgumentParser) -> None:
    bench.add_argument("--half", default="dev", choices=("dev", "test"), help="hearing, ears, conduct: which lines")
    bench.add_argument("--voices", default="robots", choices=("robots", "espeak"), help="hearing, narrator: who speaks")
    bench.add_argument(
        "--conditions", default="clean,noise", help="hearing, ears: clean,noise,babble,echo,opus,loss5,loss10"
    )
    bench.add_argument("--every", type=count, default=1, metavar="N", help="only every so many lines or rows")
    bench.add_argument("--model", action="store_true", help="conduct, hearing, reading: with the language model")
    bench.add_argument("--rows", type=Path, metavar="FILE", help="conduct, reading: other rows (JSON lines with gold)")
    bench.add_argument("--show", action="store_true", help="hearing, narrator, nothing, reading: what went wrong")


def _how_much(bench: argparse.ArgumentParser) -> None:
    bench.add_argument(
        "--tables", type=counts, default=[1, 2], metavar="N,N", help="table: how many at once (default: 1,2)"
    )
    bench.add_argument("--whole", action="store_true", help="table: one, with all its parts, for a whole game")
    bench.add_argument(
        "--games",
        type=counts,
        default=[1, 2, 3, 4, 5, 6],
        metavar="N,N",
        help="kills: which of the six (default: all)",
    )
    bench.add_argument(
        "--seconds",
        type=count,
        metavar="S",
        help=f"rooms, table, nothing: how many are measured (default: {SECONDS}; nothing: 600)",
    )
    bench.add_argument(
        "--quick", action="store_true", help="all: fewer lines, no model, no rooms; minutes instead of hours"
    )


def _train(commands: Commands) -> None:
    train = _command(
        commands,
        "train",
        "tune the small model that reads speech; writes its adapter",
        "Takes an hour and the extra `torch`.",
    )
    train.add_argument("--lines", type=count, default=4000, metavar="N", help="made-up lines to learn from, each once")
    train.add_argument("--seed", type=int, default=1, help="fixes the lines and their order")
    train.add_argument(
        "--apart-from",
        nargs="*",
        type=Path,
        default=[],
        metavar="FILE",
        help="rows it is judged by: not learnt from",
    )
    train.add_argument("--out", type=Path, default=Path("reader.gguf"), metavar="GGUF", help="the file to write")


def _doctor(commands: Commands) -> None:
    doctor = _command(
        commands,
        "doctor",
        "check every real part; say what is missing and what mends it",
        "Each is used once, half a minute in all. Exit code 1: a part that is needed is missing.",
    )
    _lang(doctor, "in which voice, recogniser and model are tried")
    doctor.add_argument("--stack", default="default", choices=STACKS, help="whose recogniser and model are looked at")
