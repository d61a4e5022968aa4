"""The HTTP of the service: who gets a seat, a ticket, a review, and who does not."""

import asyncio
from pathlib import Path
from typing import Any, get_args

import httpx2
import jwt
import pytest
from engine_kit import ROLES
from service_kit import LIVEKIT, browser, opened, played, seated, served

from moderator.model import SEATS
from voice.config import read_yaml
from voice.document import FORMATS
from voice.ports import Lang
from voice.service import app
from voice.service.denied import STATUS, Denied
from voice.service.tables import ALPHABET, State


def code_of(at: str) -> str:
    return at.rpartition("/")[2]


async def until_state(http: httpx2.AsyncClient, at: str, state: str) -> dict[str, Any]:
    for _ in range(1200):
        facts: dict[str, Any] = (await http.get(at)).json()
        if facts["state"] == state:
            return facts
        await asyncio.sleep(0.05)
    raise AssertionError(f"never {state}: {facts}")


async def until_ticket(http: httpx2.AsyncClient, at: str, claim: dict[str, Any]) -> httpx2.Response:
    for _ in range(1200):
        answer = await http.post(f"{at}/ticket", json=claim)
        if answer.status_code != 202:
            return answer
        await asyncio.sleep(0.05)
    raise AssertionError("no ticket")


# --- tables and seats -----------------------------------------------------------------------------


async def test_a_table_is_opened_and_its_public_facts_are_shown(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http, lang="ru", setting="loup-garou", recording=True, gallery_delay_s=60)
        code = code_of(at)
        assert len(code) == 6 and set(code) <= set(ALPHABET)
        answer = await http.get(at.replace(code, code.lower()))
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json() == {
            "code": code,
            "state": "gathering",
            "rules": "turbo",
            "lang": "ru",
            "setting": "loup-garou",
            "recording": True,
            "gallery_delay_s": 60,
            "seats": {str(seat): {"taken": False} for seat in SEATS},
            "missing": 10,
        }


async def test_ten_get_a_seat_each_and_no_eleventh_does(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        seats = await seated(http, at, 9)
        assert (await http.get(at)).json()["missing"] == 1
        seats += await seated(http, at, 1)
        assert sorted(one["seat"] for one in seats) == list(SEATS)
        refused = await http.post(f"{at}/seats", json={"consent": True})
        assert (refused.status_code, refused.json()["error"]) == (409, "full")
        facts = (await http.get(at)).json()
        assert facts["state"] == "starting" and facts["missing"] == 0
        assert all(seat["taken"] for seat in facts["seats"].values())


async def test_seats_are_drawn_by_chance(tmp_path: Path) -> None:
    async with served(tmp_path) as service:
        orders = set()
        for number in range(3):
            async with browser(service, f"192.0.2.{number}") as http:
                orders.add(tuple(one["seat"] for one in await seated(http, await opened(http), 9)))
        assert len(orders) > 1


async def test_a_pin_is_kept_as_a_digest_in_a_private_file(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        (one,) = await seated(http, await opened(http), 1)
        assert len(one["pin"]) == 6 and one["pin"].isdecimal()
        (kept,) = (tmp_path / "games").glob("*/table.json")
        assert one["pin"] not in kept.read_text()
        assert kept.stat().st_mode & 0o077 == 0
        assert kept.parent.stat().st_mode & 0o077 == 0, "log, sound and roles of the game will lie here"


async def test_a_recorded_table_asks_for_consent(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http, recording=True)
        refused = await http.post(f"{at}/seats", json={"consent": False})
        assert (refused.status_code, refused.json()["error"]) == (403, "consent_needed")
        assert "enregistrée" in refused.json()["message"]
        assert (await http.post(f"{at}/seats", json={"consent": True})).status_code == 201
        silent = await opened(http, recording=False)
        assert (await http.post(f"{silent}/seats", json={"consent": False})).status_code == 201


async def test_who_leaves_before_the_start_frees_the_seat(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        seats = await seated(http, at, 9)
        assert (await http.post(f"{at}/leave", json=seats[0])).status_code == 204
        assert (await http.get(at)).json()["missing"] == 2
        assert (await http.post(f"{at}/ticket", json=seats[0])).json()["error"] == "wrong_pin"
        await seated(http, at, 2)
        late = await http.post(f"{at}/leave", json=seats[1])
        assert (late.status_code, late.json()["error"]) == (409, "begun")


# --- tickets --------------------------------------------------------------------------------------


async def test_a_ticket_opens_the_own_booth_for_ten_minutes(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        seats = await seated(http, at, 9)
        early = await http.post(f"{at}/ticket", json=seats[0])
        assert (early.status_code, early.json()) == (202, {"state": "gathering", "missing": 1})
        seats += await seated(http, at, 1)
        for one in seats[:2]:
            ticket = (await until_ticket(http, at, one)).json()
            claims = jwt.decode(ticket["token"], LIVEKIT["api_secret"], algorithms=["HS256"])
            assert claims["video"]["room"] == f"booth-1-{one['seat']}"
            assert claims["sub"] == f"seat-{one['seat']}"
            assert claims["video"]["canPublishSources"] == ["microphone"]
            assert claims["exp"] - claims["nbf"] <= 600
            assert ticket["url"] == "ws://mafia.test:7"


@pytest.mark.parametrize(
    ("livekit", "page", "url"),
    [
        ({}, "https://mafia.test", "wss://mafia.test:7"),
        ({"public_url": "wss://media.test/"}, "http://localhost:8080", "wss://media.test"),
        ({"url": "wss://cloud.test"}, "https://mafia.test", "wss://cloud.test"),
        ({}, "http://[::1]:8080", "ws://[::1]:7"),
        ({}, "http://a;script-src%20*", "ws://localhost:7"),
    ],
)
async def test_the_page_may_reach_its_media_and_nothing_else(
    tmp_path: Path, livekit: dict[str, str], page: str, url: str
) -> None:
    async with served(tmp_path, livekit=livekit) as service, browser(service, url=page) as http:
        policy = (await http.get("/")).headers["content-security-policy"]
        assert f"connect-src 'self' {url} {url.replace('ws', 'http', 1)};" in policy


async def test_a_game_that_is_over_gives_no_ticket(tmp_path: Path) -> None:
    async with served(tmp_path, lives=("0",)) as service, browser(service) as http:
        at = await opened(http)
        seats = await seated(http, at)
        await until_state(http, at, "over")
        refused = await http.post(f"{at}/ticket", json=seats[0])
        assert (refused.status_code, refused.json()["error"]) == (409, "over")
        assert (await http.post(f"{at}/seats", json={"consent": True})).json()["error"] == "over"


# --- strangers ------------------------------------------------------------------------------------


def wrong(claim: dict[str, Any]) -> dict[str, Any]:
    return {**claim, "pin": f"{(int(claim['pin']) + 1) % 10**6:06d}"}


async def test_pins_cannot_be_guessed_even_all_at_once(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        (claim,) = await seated(http, at, 1)
        async with browser(service, "198.51.100.1") as stranger:
            guesses = [stranger.post(f"{at}/ticket", json=wrong(claim)) for _ in range(20)]
            codes = [answer.json()["error"] for answer in await asyncio.gather(*guesses)]
            assert (codes.count("wrong_pin"), codes.count("locked")) == (5, 15)
            right = await stranger.post(f"{at}/ticket", json=claim)
            assert right.status_code == 429 and 50 <= int(right.headers["retry-after"]) <= 60
        async with browser(service, "198.51.100.2") as other:
            assert (await other.post(f"{at}/ticket", json=claim)).json()["error"] == "locked"


async def test_who_has_shown_his_pin_is_not_locked_out_by_strangers(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        (claim,) = await seated(http, at, 1)
        assert (await http.post(f"{at}/ticket", json=claim)).status_code == 202
        async with browser(service, "198.51.100.1") as stranger:
            for _ in range(6):
                await stranger.post(f"{at}/ticket", json=wrong(claim))
        assert (await http.post(f"{at}/ticket", json=claim)).status_code == 202


async def test_codes_cannot_be_tried_out(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        answers = [await http.get(f"/api/tables/{tried}") for tried in ("ZZZZZZ", "0", "x" * 300, "%20", "%00")]
        assert {(answer.status_code, answer.text) for answer in answers} == {(404, answers[0].text)}
        assert (await http.post("/api/tables/ZZZZZZ/ticket", json={})).status_code == 404
        for _ in range(14):
            await http.get("/api/tables/ZZZZZZ")
        refused = await http.get(at, headers={"accept-language": "de,ru;q=0.8,en;q=0.5"})
        assert refused.json()["error"] == "too_many", "not even whether this one exists"
        assert refused.json()["message"].startswith("Слишком много запросов."), "in the browser's language"
        async with browser(service, "198.51.100.1") as other:
            assert (await other.get(at)).status_code == 200


async def test_an_ipv6_network_is_one_address(tmp_path: Path) -> None:
    async with served(tmp_path) as service:
        for number in range(20):
            async with browser(service, f"2001:db8::{number:x}") as http:
                assert (await http.get("/api/tables/ZZZZZZ")).status_code == 404
        async with browser(service, "2001:db8::ffff") as http, browser(service, "2001:db8:0:1::1") as neighbour:
            assert (await http.get("/api/tables/ZZZZZZ")).status_code == 429
            assert (await neighbour.get("/api/tables/ZZZZZZ")).status_code == 404


async def test_tables_are_limited_for_one_and_for_all(tmp_path: Path) -> None:
    async with served(tmp_path, limit=12) as service:
        async with browser(service) as http:
            for _ in range(10):
                await opened(http)
            refused = await http.post("/api/tables", json={"lang": "fr"})
            assert (refused.status_code, refused.json()["error"]) == (429, "too_many")
            assert 540 < int(refused.headers["retry-after"]) <= 600
            assert refused.json()["message"] == "Trop de demandes. Réessayez dans 10 min."
        async with browser(service, "198.51.100.1") as http:
            for _ in range(2):
                await opened(http)
            refused = await http.post("/api/tables", json={"lang": "fr"})
            assert refused.status_code == 503 and "tables sont prises" in refused.json()["message"]


async def test_who_finds_all_tables_taken_may_ask_again(tmp_path: Path) -> None:
    async with served(tmp_path, limit=1) as service, browser(service) as http:
        await opened(http)
        for _ in range(20):
            refused = await http.post("/api/tables", json={"lang": "fr"})
            assert refused.json()["error"] == "tables_full"
        (table,) = service.tables
        table.become(State.OVER)
        await opened(http)


@pytest.mark.parametrize(("retry_s", "wait"), [(1, "1 s"), (90, "90 s"), (91, "2 min"), (121, "3 min")])
def test_how_long_to_wait_is_told_as_it_is(retry_s: int, wait: str) -> None:
    assert Denied("locked", retry_s=retry_s).body()["message"] == f"Too many wrong PINs. Try again in {wait}."


@pytest.mark.parametrize(
    ("content", "status", "says"),
    [
        (b"", 400, "JSON"),
        (b"[]", 400, "must be a mapping"),
        (b'{"rules": "blitz"}', 400, "rules: must be '"),
        (b'{"lang": "fr", "admin": true}', 400, "admin: unknown key"),
        (b'{"gallery_delay_s": -1}', 400, "gallery_delay_s: must be 0 or more"),
        (b'{"lang": "' + b"f" * 5000 + b'"}', 413, "large"),
        (b"\xff\xfe", 400, ""),
    ],
)
async def test_a_bad_request_is_told_what_is_wrong(tmp_path: Path, content: bytes, status: int, says: str) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        answer = await http.post("/api/tables", content=content)
        assert answer.status_code == status
        assert says in answer.json()["message"]


async def test_what_is_not_served(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        for path, method, status in (("/nix", "GET", 404), (f"{at}/seats", "GET", 405), ("/assets/", "GET", 404)):
            answer = await http.request(method, path)
            assert answer.status_code == status and set(answer.json()) == {"error", "message"}
        for bad in ({"seat": 11, "pin": "123456"}, {"seat": 1, "pin": "12345"}, {"seat": 1}, {"seat": "x", "pin": 1}):
            assert (await http.post(f"{at}/ticket", json=bad)).json()["error"] == "bad_request"


# --- review, health, figures, page ----------------------------------------------------------------


async def test_the_review_waits_for_the_end_of_the_game(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        refused = await http.get(f"{at}/review?format=md")
        assert (refused.status_code, refused.json()["error"]) == (403, "not_over")
        (table,) = service.tables
        await played(table)
        assert (await http.get(f"{at}/review")).status_code == 403
        table.become(State.OVER)
        for form in FORMATS:
            answer = await http.get(f"{at}/review?format={form}")
            assert answer.status_code == 200 and len(answer.text) > 50
            assert answer.headers["content-type"].startswith(app.MEDIA_TYPES[form])
            assert "sandbox" in answer.headers["content-security-policy"]
        facts = (await http.get(f"{at}/review?format=json")).json()
        assert facts["roles"] == {str(seat): role for seat, role in ROLES.items()}
        assert (await http.get(f"{at}/review?format=exe")).json()["error"] == "bad_request"


async def test_health_is_whether_a_table_can_be_opened(tmp_path: Path) -> None:
    async def livekit(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nOK")
        await writer.drain()
        writer.close()

    async with served(tmp_path) as service, browser(service) as http:
        assert (await http.get("/healthz")).status_code == 503, "nobody answers on that port"
        assert (await http.get("/readyz")).status_code == 503
    async with await asyncio.start_server(livekit, "127.0.0.1", 0) as server:
        url = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with served(tmp_path, limit=1, livekit={"url": url}) as service, browser(service) as http:
            assert (await http.get("/healthz")).status_code == 200
            await opened(http)
            assert (await http.get("/healthz")).json() == {"media": True, "room": False}
            assert (await http.get("/readyz")).status_code == 200


async def test_figures_tell_no_table_and_no_code(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        await http.get(at)
        figures = (await http.get("/metrics")).text
        assert 'moderator_tables{state="gathering"} 1.0' in figures
        assert 'route="/api/tables/{code}",status="200"} 1.0' in figures
        assert code_of(at) not in figures and "192.0.2" not in figures


async def test_the_page_is_guarded_and_an_unbuilt_one_names_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "CLIENT", tmp_path / "dist")
    async with served(tmp_path) as service, browser(service, url="https://mafia.test") as http:
        missing = await http.get("/t/ABCDEF")
        assert missing.status_code == 503 and "npm run build" in missing.text
    (tmp_path / "dist" / "assets").mkdir(parents=True)
    (tmp_path / "dist" / "index.html").write_text("<!doctype html><title>table</title>")
    (tmp_path / "dist" / "assets" / "app.js").write_text("1")
    async with served(tmp_path) as service, browser(service, url="https://mafia.test") as http:
        for path in ("/", "/t/ABCDEF"):
            page = await http.get(path)
            assert page.status_code == 200 and "table" in page.text
            assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
            assert "microphone=(self)" in page.headers["permissions-policy"]
            assert page.headers["referrer-policy"] == "no-referrer"
            assert "strict-transport-security" in page.headers
        assert (await http.get("/assets/app.js")).text == "1"
        for path in ("/assets", "/assets/", "/assets/..%2Findex.html", "/assets/%2e%2e/index.html"):
            assert (await http.get(path)).status_code in (307, 404)


@pytest.mark.parametrize("lang", get_args(Lang))
def test_every_refusal_has_its_sentence(lang: Lang) -> None:
    assert set(read_yaml("prompts", f"service.{lang}.yaml")) == {*STATUS, "seconds", "minutes"}
