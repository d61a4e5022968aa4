"""The page of a finished game: valid, whole, light, in three languages, and deaf to what players write."""

import asyncio
import base64
import hashlib
import json
import random
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import get_args
from xml.etree.ElementTree import Element

import html5lib
import pytest
from fluent.syntax import FluentParser, ast
from fluent.syntax.visitor import Visitor

from moderator.events import Event
from moderator.model import Cause, MotionKind, Role
from moderator.review import Ballot, Lift, facts
from moderator.rules import Rules
from moderator.simulate import deal, play
from voice.config import data_path
from voice.dossier import Dossier, assemble
from voice.ports import Lang, Utterance
from voice.recordings import Recording, Sounds
from voice.review_html import to_html
from voice.review_index import to_index
from voice.review_index import to_json as index_json
from voice.review_md import to_markdown
from voice.understanding import Understanding

LANGS = get_args(Lang)
HOSTILE = "</li><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7*7 }} &amp; \"'"
HTML = "{http://www.w3.org/1999/xhtml}"


@cache
def log(seed: int) -> tuple[Event, ...]:
    chance = random.Random(seed)
    return tuple(play(chance, Rules(), deal(chance)))


def talk(events: tuple[Event, ...], text: str) -> list[Utterance]:
    """Words behind every ruling and in every speech."""
    review = facts(events)
    answers = [Utterance(one.by, max(0.0, one.at - 2), one.at, text, 0.8) for one in review.rulings if not one.default]
    speeches = [Utterance(one.seat, one.from_s, one.to_s, text, 0.8) for one in review.floors]
    return [*answers, *speeches]


def dossier(lang: Lang = "fr", seed: int = 5, text: str = "Je passe.", names: dict[int, str] | None = None) -> Dossier:
    events = log(seed)
    return asyncio.run(assemble(events, talk(events, text), lang, Understanding(), names))


def parsed(page: str) -> Element:
    """Raises on the smallest error of HTML."""
    found: Element = html5lib.HTMLParser(strict=True).parse(page)
    return found


def text_of(element: Element) -> str:
    return " ".join(" ".join(element.itertext()).split())


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("seed", range(4))
def test_any_game_gives_a_valid_page(lang: Lang, seed: int) -> None:
    page = to_html(dossier(lang, seed))
    tree = parsed(page)
    assert tree.get("lang") == lang
    assert len(page.encode()) < 1_000_000
    ids = Counter(element.get("id") for element in tree.iter() if element.get("id"))
    assert max(ids.values()) == 1
    for link in tree.iter(f"{HTML}a"):
        target = link.get("href", "")
        assert target.startswith("#") and target[1:] in ids, target


def test_the_page_loads_nothing_and_runs_its_own_script_alone() -> None:
    tree = parsed(to_html(dossier()))
    (script,) = [element for element in tree.iter() if element.tag.endswith("}script")]
    digest = base64.b64encode(hashlib.sha256((script.text or "").encode()).digest()).decode()
    policy = next(meta.get("content", "") for meta in tree.iter(f"{HTML}meta") if meta.get("http-equiv"))
    assert "default-src 'none'" in policy and f"script-src 'sha256-{digest}'" in policy
    for element in tree.iter():
        assert element.get("src") is None and not any(name.startswith("on") for name in element.keys())  # noqa: SIM118
        assert element.tag.split("}")[-1] not in {"link", "iframe", "object", "embed", "img"}


def test_what_a_player_says_is_text() -> None:
    names = {seat: f"<b>Zoé {seat}" for seat in range(1, 11)}
    page = to_html(dossier(text=HOSTILE, names=names))
    tree = parsed(page)
    assert len([element for element in tree.iter() if element.tag.endswith("}script")]) == 1
    assert not list(tree.iter(f"{HTML}img")) and not list(tree.iter(f"{HTML}b"))
    lines = [element for element in tree.iter(f"{HTML}li") if element.get("data-seat")]
    assert all(HOSTILE in text_of(line) for line in lines)
    assert "<script>" not in to_markdown(dossier(text=HOSTILE)).replace("\\<script\\>", "")


def test_every_plot_has_its_numbers_in_a_table() -> None:
    found = dossier()
    tree = parsed(to_html(found))
    plots = [element for element in tree.iter(f"{HTML}div") if element.get("role") == "img"]
    assert len(plots) == 2 and all(plot.get("aria-label") for plot in plots)
    sections = {element.get("id"): element for element in tree.iter(f"{HTML}section")}
    rows = [[text_of(cell) for cell in row] for row in sections["margin"].iter(f"{HTML}tr")][1:]
    assert [[int(cell) for cell in row[1:4]] for row in rows] == [
        [*day.living, day.margin] for day in found.review.days
    ]
    spoken = [[text_of(cell) for cell in row] for row in sections["speaking"].iter(f"{HTML}tr")][1:]
    assert {int(row[0]): row[1] for row in spoken} == {
        seat: f"{round(found.spoken_s.get(seat, 0))} s" for seat in range(1, 11)
    }


def test_the_vote_matrix_marks_defaults_and_decisive_ballots() -> None:
    found = dossier()
    tree = parsed(to_html(found))
    votes = next(element for element in tree.iter(f"{HTML}section") if element.get("id") == "votes")
    body = next(votes.iter(f"{HTML}tbody"))
    rows = {int(text_of(row[0])): [text_of(cell) for cell in row[1:]] for row in body}
    rounds: list[Ballot | Lift] = []
    for day in found.review.days:
        rounds += [*day.ballots, *day.lifts]
    assert any(one.decisive for one in rounds) and any(one.defaults for one in rounds)
    for place, one in enumerate(rounds):
        for seat, cells in rows.items():
            assert (seat in one.votes) == bool(cells[place])
            assert (seat in one.decisive) == ("décisif" in cells[place])
            assert (seat in one.defaults) == ("par défaut" in cells[place])


def test_points_are_told_with_their_reasons_and_sum_up() -> None:
    found = dossier("en")
    tree = parsed(to_html(found))
    points = next(element for element in tree.iter(f"{HTML}section") if element.get("id") == "points")
    bodies = list(points.iter(f"{HTML}tbody"))
    assert len(bodies) == 2
    for row in (row for body in bodies for row in body):
        values = [float(text_of(item).split()[0]) for item in row.iter(f"{HTML}li")]
        assert sum(values) == pytest.approx(float(text_of(row[1])), abs=0.0002)


def test_public_lines_lead_to_their_second_in_the_recording(tmp_path: Path) -> None:
    found = dossier()
    recording = Recording(tmp_path / "table one.ogg", 20.0, 100_000.0)
    tree = parsed(to_html(found, Sounds([recording]), tmp_path / "pages"))
    lines = [element for element in tree.iter(f"{HTML}li") if element.get("data-seat")]
    for line, said, public in zip(lines, found.transcript, found.public, strict=True):
        links = [link for link in line.iter(f"{HTML}a") if link.get("class") == "at"]
        heard = public and said.started_s >= 20.5
        assert len(links) == heard
        if heard:
            assert links[0].get("href") == f"../table%20one.ogg#t={said.started_s - 20.5:.2f}"


def test_several_games_have_an_index() -> None:
    games = {f"g{seed}.html": dossier(seed=seed, names={3: "<i>Zoé"}) for seed in range(3)}
    tree = parsed(to_index(games, "en"))
    assert [link.get("href") for link in tree.iter(f"{HTML}a")][-3:] == list(games)
    assert not list(tree.iter(f"{HTML}i"))
    bodies = list(tree.iter(f"{HTML}tbody"))
    players = {text_of(row[0]): [text_of(cell) for cell in row[1:]] for row in bodies[1]}
    assert len(players) == 10 and players["<i>Zoé"][0] == "3"


def test_one_name_is_one_player_however_it_is_written_and_wherever_he_sits() -> None:
    games = {"a.json": dossier(seed=0, names={3: "ZOÉ", 4: "Max"}), "b.json": dossier(seed=1, names={7: "Zoé"})}
    found = json.loads(index_json(games, "en"))
    assert [game["page"] for game in found["games"]] == list(games)
    zoe = found["players"]["Zoé"]
    assert zoe["games"] == 2 and "ZOÉ" not in found["players"]
    spoken = [games["a.json"].spoken_s.get(3, 0.0), games["b.json"].spoken_s.get(7, 0.0)]
    assert zoe["speaking_s"] == pytest.approx(sum(spoken))


# --- words ----------------------------------------------------------------------------------------


class Parameters(Visitor):
    """The variables of a message."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_VariableReference(self, node: ast.VariableReference) -> None:  # noqa: N802
        self.names.add(node.id.name)


def messages(lang: str) -> dict[str, frozenset[str]]:
    found = {}
    for entry in FluentParser().parse(data_path("prompts", f"review.{lang}.ftl").read_text(encoding="utf-8")).body:
        assert not isinstance(entry, ast.Junk), entry.content
        if isinstance(entry, ast.Message):
            visitor = Parameters()
            visitor.visit(entry)
            found[entry.id.name] = frozenset(visitor.names)
    return found


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_every_language_has_the_same_messages_with_the_same_parameters(lang: str) -> None:
    assert messages(lang) == messages("fr")


def test_every_reason_cause_and_kind_has_a_word() -> None:
    """Those that a random game need not show."""
    known = messages("fr")
    for prefix, kinds in (("cause", Cause), ("role", Role), ("motion", MotionKind)):
        assert {f"{prefix}-{kind}" for kind in kinds} <= set(known)
    source = (Path(__file__).parent.parent / "moderator" / "score.py").read_text(encoding="utf-8")
    paid = set(re.findall(r'"([a-z_]+)"', source)) & {key.removeprefix("points-") for key in known}
    assert len(paid) > 20
