"""Who sits down by name: shown to the table, handed to the game, forgotten by the service; and who is barred."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from service_kit import browser, joined, opened, played, seated, served
from test_service_games import until
from test_service_http import until_state

from voice import engines, game
from voice.bars import Bars
from voice.clock import RealClock
from voice.config import load_rules, load_voice_config
from voice.home import NAMES, handed_names, write_private
from voice.ports import Lang
from voice.ports_store import BadStore
from voice.room_memory import MemoryRoom
from voice.service.tables import State, Tables
from voice.store_sql import SqlStore
from voice.stored import STORE


async def test_a_name_is_shown_to_who_has_the_code(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        seat = (await joined(http, at, "  Zoe\u0301 ")).json()["seat"]
        (other,) = await seated(http, at, 1)
        seats = (await http.get(at)).json()["seats"]
        assert seats[str(seat)] == {"taken": True, "name": "Zoé"}
        assert seats[str(other["seat"])] == {"taken": True}, "a name is nobody's duty"


@pytest.mark.parametrize(
    ("name", "status", "code", "says"),
    [
        (" ", 400, "name_length", "1 à 24 caractères"),
        ("x" * 25, 400, "name_length", "1 à 24 caractères"),
        ("Zo\u202eé", 400, "name_characters", "caractères visibles"),
        ("12", 400, "name_characters", "au moins une lettre"),
        ("ANN", 409, "name_taken", "déjà ce nom"),
        ("x" * 500, 400, "bad_request", "name"),
    ],
)
async def test_what_is_no_name_takes_no_seat(tmp_path: Path, name: str, status: int, code: str, says: str) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        await joined(http, at, "Ann")
        refused = await joined(http, at, name)
        assert (refused.status_code, refused.json()["error"]) == (status, code)
        assert says in refused.json()["message"]
        assert (await http.get(at)).json()["missing"] == 9


async def test_a_seat_that_is_given_up_gives_its_name_up(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        claim = (await joined(http, at, "Ann")).json()
        assert (await http.post(f"{at}/leave", json=claim)).status_code == 204
        assert (await joined(http, at, "ann")).status_code == 201


async def test_names_outlast_the_service_but_not_the_game(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        await joined(http, at, "Ann")
        await seated(http, at, 9)
        await until_state(http, at, "starting")
    (table,) = Tables(tmp_path / "games", 10, 60)
    assert list(table.names.values()) == ["Ann"]
    table.become(State.OVER)
    assert table.names == {} and "Ann" not in (table.home / "table.json").read_text()
    assert not any("name" in seat for seat in table.facts()["seats"].values())


async def test_the_game_is_handed_the_names_and_nothing_is_left_lying_about(tmp_path: Path) -> None:
    async with served(tmp_path, ("open",)) as service, browser(service) as http:
        at = await opened(http)
        seat = (await joined(http, at, "Ann")).json()["seat"]
        await seated(http, at, 9)
        (table,) = service.tables
        await until((table.home / "lives").exists)
        assert handed_names(table.home) == {seat: "Ann"}
        assert (table.home / NAMES).stat().st_mode & 0o077 == 0
    assert not (table.home / NAMES).exists()


async def test_a_game_process_keeps_the_names_in_its_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_further(*_: object) -> None:
        raise KeyError("the names are kept before any part is started")

    write_private(tmp_path / NAMES, {"4": "Zoé"})
    monkeypatch.setattr(engines, "make_transcriber", no_further)
    settings = game.Settings("friday", tmp_path, "fr", load_rules("turbo"), load_voice_config())
    with pytest.raises(KeyError):
        await game.play(settings, MemoryRoom(RealClock()), RealClock())
    store = SqlStore(tmp_path / STORE)
    assert await store.names("friday") == {4: "Zoé"}
    await store.close()


async def test_a_review_over_http_shows_names(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        await seated(http, at)
        (table,) = service.tables
        await played(table)
        store = SqlStore(table.home / STORE)
        await store.set_names(table.game, {4: "Zoé"})
        await store.close()
        table.become(State.OVER)
        assert (await http.get(f"{at}/review?format=json")).json()["names"] == {"4": "Zoé"}


async def test_no_name_is_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    async with served(tmp_path, ("open", "1")) as service, browser(service) as http:
        at = await opened(http)
        await joined(http, at, "Wilhelmine")
        await joined(http, at, "WILHELMINE")
        await seated(http, at, 9)
        await until_state(http, at, "starting")
    assert caplog.records and "wilhelmine" not in caplog.text.lower()


# --- bars -----------------------------------------------------------------------------------------

NOW = datetime.now(UTC)
TOLD: dict[Lang, tuple[str, str]] = {
    "fr": ("insulte", "donnez à l'organisateur le numéro 1"),
    "en": ("insult", "give the organiser the number 1"),
    "ru": ("оскорбление", "назовите организатору номер 1"),
}


@pytest.mark.parametrize("lang", TOLD)
async def test_who_is_barred_is_told_why_until_when_and_how_to_contest(tmp_path: Path, lang: Lang) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http, lang=lang)
        bars = Bars(tmp_path / "games" / STORE)
        until = NOW + timedelta(days=30)
        bars.bar("Ann", "friday", "insult", NOW, until)
        bars.close()
        refused = await joined(http, at, "ANN ")
        assert (refused.status_code, refused.json()["error"]) == (403, "barred")
        for part in (*TOLD[lang], str(until.year)):
            assert part in refused.json()["message"]
        assert (await http.get(at)).json()["missing"] == 10, "no seat was taken"
        assert (await joined(http, at, "Bob")).status_code == 201


async def test_a_bar_that_was_lifted_or_ran_out_keeps_nobody_away(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        bars = Bars(tmp_path / "games" / STORE)
        bars.bar("Ann", "friday", "insult", NOW - timedelta(days=2), NOW - timedelta(days=1))
        lifted = bars.bar("Bob", "friday", "threat", NOW)
        assert (await joined(http, at, "Ann")).status_code == 201
        assert (await joined(http, at, "Bob")).status_code == 403
        bars.appeal(lifted.id, "bob", "It was a joke.", NOW)
        assert "à l'examen" in (await joined(http, at, "Bob")).json()["message"]
        bars.rule(lifted.id, True, "judge", NOW)
        assert (await joined(http, at, "Bob")).status_code == 201
        bars.close()


async def test_bars_that_cannot_be_read_let_nobody_in_by_name(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        (tmp_path / "games" / STORE).write_bytes(b"not a database" * 1000)
        with pytest.raises(BadStore, match="cannot be used as a store"):
            await joined(http, at, "Ann")
        assert json.loads((await http.get(at)).text)["missing"] == 10
