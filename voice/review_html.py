"""A finished game as one page of HTML: nothing is loaded from elsewhere, players' words are never markup."""

import base64
import functools
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from moderator.model import Seat, Team
from moderator.review import Ballot, Lift, Review
from moderator.rulings import Ruling
from voice.dossier import Claim, Dossier
from voice.grammar import language, normalise
from voice.plots_pygal import bars, steps
from voice.ports import Reading, Utterance
from voice.recordings import Recording, Sounds, holding
from voice.review_md import spoken_s
from voice.review_story import result, ruled, story
from voice.review_words import Words, clock

TEMPLATES = Path(__file__).resolve().parent / "templates"
NO_SOUNDS = Sounds()
BEFORE_S = 0.5
"""One hears a little of what came before."""
SECTIONS = (
    "players",
    "timeline",
    "nominations",
    "votes",
    "margin",
    "speaking",
    "claims",
    "testaments",
    "points",
    "seal",
    "rulings",
)


@dataclass(frozen=True, slots=True)
class Moment:
    """`href` "": the moment is in no recording. `whole`: the table's file, in which it is at the same second."""

    text: str
    href: str = ""
    file: str = ""
    second: float = 0.0
    whole: str = ""


def to_html(dossier: Dossier, sounds: Sounds = NO_SOUNDS, folder: Path | None = None) -> str:
    """`folder`: where the page will lie, for its links to the recordings; None: beside them."""
    return render("review.html.j2", dossier.lang, **_Page(dossier, sounds, folder).content())


def render(template: str, lang: Any, **content: Any) -> str:
    """A page of `templates/`, whole: style and script are in it, and only that script may run."""
    words = Words(lang)
    script = (TEMPLATES / "page.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    ours = {
        "words": words,
        "script": markup(script),
        "script_hash": f"sha256-{digest}",
        "style": markup((TEMPLATES / "page.css").read_text(encoding="utf-8")),
    }
    page: str = _environment().get_template(template).render(ours | content)
    return page


@functools.cache
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def markup(ours: str) -> Any:
    """What this program made itself; nothing that a player said or sent."""
    from markupsafe import Markup

    return Markup(ours)


class Moments:
    """Game seconds as links into the recordings."""

    def __init__(self, sounds: Sounds, folder: Path | None) -> None:
        self._sounds, self._folder = sounds, folder

    def file(self, recording: Recording) -> str:
        path = recording.path
        near = path.name if self._folder is None else os.path.relpath(path.resolve(), self._folder.resolve())
        return quote(Path(near).as_posix())

    def files(self) -> list[str]:
        return [self.file(one) for one in self._sounds.table]

    def apart(self) -> bool:
        """Whether anybody can be heard alone."""
        return any(self._sounds.seats.values())

    def at(self, at_s: float, seat: Seat | None = None) -> Moment:
        """`seat`: who speaks then; None: the table is listened to."""
        from_s = max(0.0, at_s - BEFORE_S)
        table = holding(self._sounds.table, from_s)
        found = table if seat is None else self._sounds.of(seat, from_s)
        if found is None:
            return Moment(clock(at_s))
        file, second = self.file(found[0]), found[1]
        whole = self.file(table[0]) if table is not None and table[1] == second else file
        return Moment(clock(at_s), f"{file}#t={second:.2f}", file, second, whole)


class _Page:
    def __init__(self, dossier: Dossier, sounds: Sounds, folder: Path | None) -> None:
        self.dossier, self.review = dossier, dossier.review
        self.words = Words(dossier.lang)
        self.moments = Moments(sounds, folder)

    def content(self) -> dict[str, Any]:
        words, review, dossier = self.words, self.review, self.dossier
        seats = sorted(review.roles)
        columns = ["seat", *(["name"] if dossier.names else []), "role", "gone", "fouls", "spoke"]
        return {
            "title": words("title", game=review.game).strip(),
            "lead": result(review, words),
            "played": words("played-on", date=words.date(dossier.begun_at)) if dossier.begun_at else "",
            "fault": dossier.fault,
            "contents": [
                (one, f"section-{one}")
                for one in (*SECTIONS, "transcript")
                if one != "seal" or review.sealed is not None
            ],
            "sealed": review.sealed,
            "names": bool(dossier.names),
            "player_columns": [*map(words, columns), *map(words.system, review.points)],
            "players": [self.player(seat) for seat in seats],
            "chapters": [
                {"moment": self.moments.at(one.at), **{name: getattr(one, name) for name in one.__dataclass_fields__}}
                for one in story(review, words)
            ],
            "traced": frozenset(ruling.event for ruling in review.rulings),
            "nominations": self.nominations(),
            "matrix": self.matrix(),
            "days": review.days,
            **self.plots(),
            "claims": [self.claim(claim) for claim in dossier.claims],
            "testaments": self.testaments(),
            "systems": [self.system(system) for system in review.lines],
            "rulings": [self.ruling(ruling) for ruling in review.rulings],
            "lines": [self.line(*line) for line in zip(dossier.transcript, dossier.public, strict=True)],
            "private": not all(dossier.public),
            "seats": seats,
            "files": self.moments.files(),
            "apart": self.moments.apart(),
        }

    def player(self, seat: Seat) -> dict[str, Any]:
        words, review = self.words, self.review
        gone = next((one for one in review.departures if one.seat == seat), None)
        role = review.roles[seat]
        return {
            "seat": seat,
            "who": self.dossier.who(seat),
            "name": self.dossier.names.get(seat, ""),
            "role": words(f"role-{role}"),
            "team": role.team,
            "gone": words("gone-when", why=words(f"cause-{gone.cause}"), n=gone.day) if gone else words("alive"),
            "fouls": review.fouls.get(seat, 0) or "",
            "technical_fouls": review.technical_fouls.get(seat, 0),
            "spoke": words("seconds", n=round(spoken_s(self.dossier).get(seat, 0))),
            "floor": words("seconds", n=round(review.speaking_s.get(seat, 0))),
            "points": [words.points(points.get(seat, 0)) for points in review.points.values()],
        }

    # --- votes ------------------------------------------------------------------------------------

    def nominations(self) -> list[dict[str, Any]]:
        """Whom each seat nominated, day by day, and of which team he was; a row a seat that ever did."""
        words, days = self.words, [dict(day.nominations) for day in self.review.days]
        team = {seat: role.team for seat, role in self.review.roles.items()}
        return [
            {
                "by": self.dossier.who(seat),
                "cells": [words(f"seat-of-{team[day[seat]]}", seat=day[seat]) if seat in day else "" for day in days],
            }
            for seat in sorted({by for day in days for by in day})
        ]

    def matrix(self) -> dict[str, Any]:
        """Who voted how in every round of the game; the days head the columns of their rounds."""
        words, days = self.words, []
        rounds: list[Ballot | Lift] = []
        for day in self.review.days:
            of_day: list[Ballot | Lift] = [*day.ballots, *day.lifts]
            rounds += of_day
            if of_day:
                days.append({"title": words("day", n=day.day), "width": len(of_day)})
        voters = sorted({seat for one in rounds for seat in one.votes})
        return {
            "days": days,
            "rounds": [self.round(one) for one in rounds],
            "rows": [
                {"voter": self.dossier.who(seat), "cells": [self.vote(one, seat) for one in rounds]} for seat in voters
            ],
            "results": [self.outcome(one) for one in rounds],
        }

    def round(self, one: Ballot | Lift) -> str:
        if isinstance(one, Lift):
            return self.words("lift-column", seats=self.words.seats(one.candidates))
        return self.words("sole" if one.sole else "round", n=one.round)

    def vote(self, one: Ballot | Lift, seat: Seat) -> dict[str, Any]:
        vote = one.votes.get(seat)
        if vote is None:
            return {"text": "", "decisive": False, "default": False}
        text = self.words("lift-yes" if vote else "lift-no") if isinstance(one, Lift) else str(vote)
        return {"text": text, "decisive": seat in one.decisive, "default": seat in one.defaults}

    def outcome(self, one: Ballot | Lift) -> str:
        if isinstance(one, Ballot):
            return self.words.seats(one.leaders)
        return self.words("carried" if one.lifted else "rejected")

    # --- plots ------------------------------------------------------------------------------------

    def plots(self) -> dict[str, Any]:
        words, review = self.words, self.review
        speaking = {str(seat): spoken_s(self.dossier).get(seat, 0.0) for seat in sorted(review.roles)}
        living = {
            words("team-town"): [float(day.living[0]) for day in review.days],
            words("team-mafia"): [float(day.living[1]) for day in review.days],
            words("margin"): [float(day.margin) for day in review.days],
        }
        return {
            "speaking_plot": markup(bars(speaking, words("spoke"))),
            "margin_plot": markup(steps(living, [words("day", n=day.day) for day in review.days])),
        }

    # --- words ------------------------------------------------------------------------------------

    def line(self, line: Utterance, public: bool) -> dict[str, Any]:
        moment = self.moments.at(line.started_s, line.seat) if public else Moment(clock(line.started_s))
        return {
            "moment": moment,
            "seat": line.seat,
            "who": self.dossier.who(line.seat),
            "text": line.text,
            "public": public,
        }

    def claim(self, claim: Claim) -> dict[str, Any]:
        words, line = self.words, self.dossier.transcript[claim.line]
        check = ""
        if claim.target is not None:
            check = words("not-checked") if claim.night is None else words("checked-in-log", n=claim.night)
        return {
            "moment": self.moments.at(line.started_s, claim.seat),
            "who": self.dossier.who(claim.seat),
            "text": words(f"claim-{claim.kind}", **({} if claim.target is None else {"seat": claim.target})),
            "right": claim.right,
            "check": check,
            "doubtful": claim.doubtful,
            "line": claim.line,
            "said": line.text,
        }

    def ruling(self, ruling: Ruling) -> dict[str, Any]:
        """Where its words were said in private, the table's recording has nothing of them."""
        trace = self.dossier.traces.get(ruling.event)
        line = None if trace is None else self.dossier.transcript[trace.line]
        heard = trace is not None and self.dossier.public[trace.line]
        at_s = ruling.at if line is None else line.started_s
        basis = "words-default" if ruling.default else "words-none"
        if trace is not None:
            basis = "words-exact" if trace.exact else "words-near"
        return {
            "event": ruling.event,
            "moment": self.moments.at(at_s, ruling.by) if heard else Moment(clock(at_s)),
            "who": self.dossier.who(ruling.by),
            "text": ruled(ruling, self.words),
            "line": None if trace is None else trace.line,
            "said": "" if line is None else line.text,
            "basis": self.words(basis),
            "reading": list(self.reading(ruling, line)),
        }

    def reading(self, ruling: Ruling, line: Utterance | None) -> Iterator[str]:
        """How sure the recogniser was, what each reader found, and what was asked."""
        words, basis = self.words, self.dossier.bases.get(ruling.event)
        if line is None:
            return
        yield words("recogniser-sure", percent=round(100 * line.confidence))
        if basis is None:
            return
        read = basis.read.proposal
        normal = normalise(basis.read.text, language(self.dossier.lang), {}).normal
        yield words("words-heard-normal", text=" ".join(normal.split()))
        if read.quote:
            yield words("heard-as", quote=read.quote)
        if read.grammar is not None:
            yield words("by-grammar", acts=self.acts(read.grammar), percent=round(100 * read.grammar.confidence))
        if read.model is None:
            yield words("model-not-asked")
        else:
            yield words("by-model", acts=self.acts(read.model), percent=round(100 * read.model.confidence))
        if read.ask or basis.asked is not None:
            seat = basis.asked or next((act.seat for act in read.acts if act.seat is not None), "?")
            yield words("asked-about", seat=seat)
            yield words("no-answer") if basis.answer is None else words("answered", text=basis.answer.text)

    def acts(self, reading: Reading) -> str:
        """In words, in the order in which they were found."""
        words = self.words
        found = [words(f"heard-{act.kind}", **({} if act.seat is None else {"seat": act.seat})) for act in reading.acts]
        if reading.unsure:
            found.append(words("unsure"))
        return "; ".join(found) or words("nothing-read")

    def testaments(self) -> list[dict[str, str]]:
        words, rows = self.words, []
        for one in self.review.departures:
            if not one.suspects and one.crown is None:
                continue
            crown = ""
            if one.crown is not None:
                crown = words(f"seat-of-{self.review.roles[one.crown].team}", seat=one.crown)
            hits = words("hits-of", n=len(one.hits), of=len(one.suspects)) if one.suspects else ""
            if one.hits:
                hits = f"{hits} ({words.seats(one.hits)})"
            rows.append(
                {"who": self.dossier.who(one.seat), "suspects": words.seats(one.suspects), "hits": hits, "crown": crown}
            )
        return rows

    def system(self, system: str) -> dict[str, Any]:
        words, review = self.words, self.review
        return {
            "name": words.system(system),
            "rows": [
                {
                    "who": self.dossier.who(seat),
                    "sum": words.points(review.points[system].get(seat, 0)),
                    "lines": [
                        {"reason": words(f"points-{line.reason}"), "value": words.points(line.value)} for line in lines
                    ],
                }
                for seat, lines in sorted(review.lines[system].items())
            ],
        }


def winner(review: Review, words: Words) -> str:
    return words(f"team-{review.winner}") if review.winner in tuple(Team) else words("nobody")
