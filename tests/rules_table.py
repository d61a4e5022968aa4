"""Writes `docs/rules.md`: each answer of the law, the option that changes it, the tests that hold it.

`python tests/rules_table.py` prints it; the test of this name fails while a row has no test.
"""

import ast
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TITLES = {
    "S1": "Table: ten seats, six citizens, the Sheriff, two mafiosi, the Don",
    "S2": "Deal at random, each told privately, the mafia told each other",
    "S3": "First night: the mafia talks alone for a minute",
    "S4": "Day: one speech each, nominations",
    "S5": "Vote: plurality leaves, nobody abstains",
    "S6": "Tie: speeches, second vote, lift",
    "S7": "Night: each shoots alone, then the Don's check, then the Sheriff's",
    "S8": "The mafia may shoot its own",
    "S9": "Farewell, the role stays hidden",
    "S10": "Testament in the farewell",
    "S11": "One crown in the farewell",
    "S12": "Win: no mafioso left, or parity",
    "S13": "Margin of error and critical, after the game alone",
    "S14": "Decisive votes",
    "S15": "Interpellation costs a foul",
    "S16": "Third foul costs a speech, nothing else",
    "S17": "Two technical fouls disqualify",
    "S18": "Motions",
    "S19": "Disqualification, away for too long",
    "S20": "Opponent Victory",
    "S21": "Classic and Max Mafia in parallel",
    "S22": "Fair play: what can be heard is noticed, the table is offered a motion, nobody is punished",
    "S23": "Gestures as signals, one forbidden",
    "S24": "Setting: other words, not other rules",
    "1": "No shot and no check in night 0; the Sheriff is greeted",
    "2": "The meeting takes its full time",
    "3": "Seat 1 opens day 0",
    "4": "Later days: the next living seat after yesterday's opener",
    "5": "Who was shot neither opens nor speaks in turn",
    "6": "Morning: the night, the farewell, the speeches",
    "7": "Length of a second speech",
    "8": "Several who leave say farewell in voting order",
    "9": "Shots, then the Don, then the Sheriff; their windows",
    "10": "A dead Don's or Sheriff's step is called all the same",
    "11": "Who is shot this night still checks",
    "12": "Parity by a shot ends the game in the morning",
    "13": "No farewell for the departure that ends the game",
    "14": "Draw after three quiet nights and days",
    "15": "One nomination a day",
    "16": "A name on the list leaves the speaker his right",
    "17": "Accepted is said; nothing when it is not",
    "18": "Nominating oneself",
    "19": "Withdrawing inside one's own speech",
    "20": "No nomination outside one's own speech",
    "21": "Nobody nominated: no vote",
    "22": "One candidate on day 0: no vote",
    "23": "One candidate later: leaves without a ballot",
    "24": "The vote of day 0",
    "25": "Most votes, not more than half",
    "26": "Candidates in the order of nomination",
    "27": "Who does not vote",
    "28": "Voting for oneself",
    "29": "The first vote stands",
    "30": "Secret until counted",
    "31": "The tied speak again and are voted on",
    "32": "Fewer tied: once more",
    "33": "As many tied again: the lift",
    "34": "A lift needs more than half of the living",
    "35": "Everybody tied: no lift",
    "36": "Lifting three of nine",
    "37": "Lifting two of four",
    "38": "No table without a lift",
    "39": "Several departures, then the win",
    "40": "A removal cancels a vote",
    "41": "... not when he had left already",
    "42": "Who gives a testament",
    "43": "How many suspects, and of whom",
    "44": "Whose testament is paid",
    "45": "When the best move is void",
    "46": "A mafioso's testament is never paid",
    "47": "One crown, to a living player",
    "48": "The role stays hidden in every word",
    "49": "What a miss is",
    "50": "A self-shot is an ordinary kill",
    "51": "What was arranged binds nobody",
    "52": "What is left of a lost speech",
    "53": "Later fouls",
    "54": "Which speech the third foul costs",
    "55": "What an interpellation buys",
    "56": "Nobody is heard without the floor",
    "57": "What carries a motion",
    "58": "Who wins a stopped game",
    "59": "Away for fifteen seconds; one pause a game",
    "60": "A removal tests parity at once",
}
NAME = re.compile(r"(?:^|_)(?:rules?_(\d+)|s(\d+))(?=_)")


def tested() -> dict[str, list[str]]:
    """Row -> tests that name it: `test_rule_16_...`, `test_s8_rule_50_...`."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "tests").glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for rule, system in NAME.findall(node.name):
                    found[rule or f"S{system}"].append(f"{path.stem}.{node.name}")
    return found


def options() -> dict[str, list[str]]:
    """Row -> fields of `Rules` whose description names it."""
    found: dict[str, list[str]] = defaultdict(list)
    body = next(
        node.body
        for node in ast.parse((ROOT / "moderator" / "rules.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == "Rules"
    )
    for field, text in pairwise(body):
        if not isinstance(field, ast.AnnAssign) or not isinstance(text, ast.Expr):
            continue
        assert isinstance(text.value, ast.Constant)
        assert isinstance(field.target, ast.Name)
        for rows in re.findall(r"\(rules? ([\d, ]+)\)", " ".join(str(text.value.value).split())):
            for row in rows.split(","):
                found[row.strip()].append(field.target.id)
    return found


def table() -> str:
    tests, fields = tested(), options()
    lines = [
        "# Every rule and its test",
        "",
        "Made by `python tests/rules_table.py > docs/rules.md`. S rows are the systems of the source page, numbered",
        "rows its open questions. An option is a field of `Rules`; without one the row has a single answer.",
        "",
        "| row | what | option | tests |",
        "| --- | --- | --- | --- |",
    ]
    for row, title in TITLES.items():
        named = "<br>".join(f"`{test}`" for test in tests[row])
        choice = ", ".join(f"`{field}`" for field in fields[row])
        lines.append(f"| {row} | {title} | {choice} | {named} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
