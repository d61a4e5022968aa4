"""Several finished games as one page, or as JSON: a row a game, a row a player."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from moderator.model import Role
from moderator.standings import Standing, standings
from voice.dossier import Dossier
from voice.names import key
from voice.ports import Lang
from voice.review_html import render
from voice.review_md import spoken_s
from voice.review_words import Words


def to_index(games: Mapping[str, Dossier], lang: Lang) -> str:
    """`games` by the name of each one's page, which lies beside the index."""
    words = Words(lang)
    called = spellings(games)
    found = standings((one.review, players(one, words, called)) for one in games.values())
    systems = sorted({system for standing in found.values() for system in standing.points})
    spoken = speech(games, words, called)
    return render(
        "index.html.j2",
        lang,
        title=words("index-title"),
        contents=[("games", "index-title"), ("players", "index-players")],
        games=[_game(page, dossier, words) for page, dossier in games.items()],
        systems=[words("mean-points", system=words.system(system)) for system in systems],
        players=[_player(name, one, systems, spoken[name], words) for name, one in ranked(found, systems)],
    )


def to_json(games: Mapping[str, Dossier], lang: Lang) -> str:
    """What `to_index` shows, in numbers: `speaking_s` in all, everything else as in `moderator.standings.Standing`."""
    words = Words(lang)
    called = spellings(games)
    found = standings((one.review, players(one, words, called)) for one in games.values())
    spoken = speech(games, words, called)
    rows = [
        {
            "page": page,
            "game": one.review.game,
            "begun_at": one.begun_at,
            "winner": one.review.winner,
            "reason": one.review.reason,
            "days": one.review.days_played,
            "seconds": one.review.seconds,
        }
        for page, one in games.items()
    ]
    people = {name: one.model_dump(mode="json") | {"speaking_s": round(spoken[name], 1)} for name, one in found.items()}
    return json.dumps({"games": rows, "players": people}, ensure_ascii=False) + "\n"


def spellings(games: Mapping[str, Dossier]) -> dict[str, str]:
    """How the last game spells each name: there are no accounts, whoever has the same name is the same player."""
    return {key(name): name for dossier in games.values() for name in dossier.names.values()}


def players(dossier: Dossier, words: Words, called: Mapping[str, str]) -> dict[int, str]:
    """By name where the game has one; else all who sat on a seat are one."""
    names = dossier.names
    return {
        seat: called[key(names[seat])] if seat in names else words("player-seat", seat=seat)
        for seat in dossier.review.roles
    }


def speech(games: Mapping[str, Dossier], words: Words, called: Mapping[str, str]) -> dict[str, float]:
    """Seconds in all, by player."""
    found: dict[str, float] = {}
    for dossier in games.values():
        if dossier.review.reason is not None:
            for seat, name in players(dossier, words, called).items():
                found[name] = found.get(name, 0.0) + spoken_s(dossier).get(seat, 0.0)
    return found


def ranked(found: Mapping[str, Standing], systems: list[str]) -> list[tuple[str, Standing]]:
    """By the mean of the points, the first system's first."""
    return sorted(
        found.items(), key=lambda item: [-item[1].points.get(system, 0) / item[1].games for system in systems]
    )


def _game(page: str, dossier: Dossier, words: Words) -> dict[str, Any]:
    review = dossier.review
    if review.reason is None:
        winner = words("not-ended")
    else:
        winner = words(f"team-{review.winner}") if review.winner else words("nobody")
    return {
        "href": quote(page),
        "name": Path(page).stem,
        "date": words.date(dossier.begun_at) if dossier.begun_at else "",
        "winner": winner,
        "reason": "" if review.reason is None else words(f"reason-{review.reason}"),
        "days": review.days_played,
        "duration": words("minutes", n=round(review.seconds / 60)),
    }


def _player(name: str, one: Standing, systems: list[str], spoken: float, words: Words) -> dict[str, Any]:
    def share(part: int, whole: int) -> str:
        return words("hits-of", n=part, of=whole) if whole else "–"

    return {
        "name": name,
        "cells": [
            str(one.games),
            str(one.wins),
            *(str(one.roles.get(role, 0)) for role in (Role.CIVILIAN, Role.SHERIFF, Role.MAFIOSO, Role.DON)),
            share(one.town_wins, one.town_games),
            share(one.mafia_wins, one.mafia_games),
            *(words.points(round(one.points.get(system, 0.0) / one.games, 2)) for system in systems),
            share(one.right_nominations, one.nominations),
            share(one.right_votes, one.votes),
            share(one.right_suspects, one.suspects),
            str(one.shot_first_night),
            str(one.fouls),
            words("seconds", n=round(spoken / one.games)),
        ],
    }
