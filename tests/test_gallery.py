"""The gallery: what goes there, how late, and who is let in."""

from pathlib import Path
from typing import Any

import jwt
import numpy as np
import pytest
from kit import ROLES, Kit
from service_kit import LIVEKIT, browser, opened, seated, served
from test_board import acts
from test_service_games import until
from test_service_http import until_state

from moderator.model import Role
from voice.gallery_livekit import DelayLine, Gallery
from voice.home import OVER, write_private
from voice.livekit_ticket import gallery_token
from voice.ports import FRAME_SAMPLES, SILENCE, Pcm
from voice.routing import GALLERY
from voice.service.games import Games, game_command
from voice.service.tables import Options, State, Tables
from voice.wire import TO_CLIENT, Caption, Line, Said, Table

# --- what is public -------------------------------------------------------------------------------


async def test_two_worlds_of_roles_are_one_to_the_gallery() -> None:
    """Swapped roles, and everybody acts: lines and captions are the same, and nothing private is among them."""
    worlds = Kit(acts), Kit(acts, roles={**ROLES, 3: Role.CIVILIAN, 9: Role.MAFIOSO})
    for kit in worlds:
        await kit.play(150)
    told = [[message for to, message in kit.room.sent if to == GALLERY] for kit in worlds]
    assert told[0] == told[1]
    assert {type(message) for message in told[0]} == {Line, Caption}
    assert not any(isinstance(message, Line) and message.private for message in told[0])
    public = [message for to, message in worlds[0].room.sent if to == 10 and not getattr(message, "private", True)]
    assert [message for message in told[0] if isinstance(message, Line)] == [
        message for message in public if isinstance(message, Line)
    ]


# --- how late -------------------------------------------------------------------------------------


def frame(level: int) -> Pcm:
    return np.full(FRAME_SAMPLES, level, dtype=np.int16)


@pytest.mark.parametrize("frames", [0, 1, 5])
def test_sound_and_messages_are_late_by_the_same_frames(frames: int) -> None:
    line = DelayLine(frames)
    out: list[tuple[int, list[bytes]]] = []
    for number in range(20):
        line.tell(str(number).encode())
        came = line.push(frame(number))
        out += [] if came is None else [(int(came[0][0]), came[1])]
    assert out == [(number, [str(number).encode()]) for number in range(20 - frames)]
    rest = []
    while (came := line.pop()) is not None:
        rest.append(int(came[0][0]))
    assert rest == list(range(20 - frames, 20))


class Watched(Gallery):
    """What leaves it, in order: levels of frames that sound, and messages."""

    def __init__(self, delay_s: float) -> None:
        super().__init__("room", delay_s)
        self.out: list[int | Said] = []
        self._mouth = self  # type: ignore[assignment]

    def say(self, pcm: Pcm) -> None:
        self.out += [int(pcm[0])] if pcm.any() else []

    def _tell(self, body: bytes) -> None:
        self.out.append(TO_CLIENT.validate_json(body))


def test_nothing_leaves_the_gallery_before_its_time() -> None:
    gallery = Watched(0.1)
    gallery.send(Caption(seat=3, text="Bonjour.").model_dump_json().encode())
    gallery.write(frame(7))
    for _ in range(4):
        gallery.write(SILENCE)
    assert gallery.out == []
    gallery.write(SILENCE)
    assert gallery.out == [7, Caption(seat=3, text="Bonjour.")]


def test_who_comes_late_is_told_how_the_table_stands() -> None:
    gallery = Watched(0.0)
    gallery.send(Table(phase="day", day=1, step="speech", speaker=4, ends_in_s=60.0).model_dump_json().encode())
    for _ in range(250):
        gallery.write(SILENCE)
    assert [message.ends_in_s for message in gallery.out if isinstance(message, Table)] == [60.0, 58.0, 56.0]


async def test_after_the_last_word_the_gallery_hears_the_rest_at_its_own_pace() -> None:
    gallery = Watched(0.1)
    for level in range(1, 8):
        gallery.write(frame(level))
    assert gallery.out == [1, 2]
    await gallery.hear_out()
    assert gallery.out == [1, 2, 3, 4, 5, 6, 7]


# --- who is let in --------------------------------------------------------------------------------


def grants(token: str) -> dict[str, Any]:
    claims: dict[str, Any] = jwt.decode(token, LIVEKIT["api_secret"], algorithms=["HS256"])
    assert claims["exp"] - claims["nbf"] <= 600 and not claims.get("name") and not claims.get("metadata")
    video: dict[str, Any] = claims["video"]
    return video


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(tmp_path, 10, 60)


def test_the_game_is_told_of_its_gallery(tables: Tables) -> None:
    behind, at_once, closed = (tables.open(Options(gallery_delay_s=delay_s)) for delay_s in (90, 0, None))
    assert "--gallery-delay 90.0" in " ".join(game_command(behind))
    assert "--gallery-delay 0.0" in " ".join(game_command(at_once))
    assert "--gallery-delay" not in game_command(closed)


async def test_a_spectator_gets_ears_for_the_gallery_and_nothing_else(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http, gallery_delay_s=30)
        assert (await http.get(at)).json()["gallery_delay_s"] == 30
        early = await http.post(f"{at}/gallery")
        assert (early.status_code, early.json()) == (202, {"state": "gathering", "missing": 10})
        await seated(http, at)
        (table,) = service.tables
        await until(lambda: table.gallery())
        ticket = (await http.post(f"{at}/gallery")).json()
        assert grants(ticket["token"]) == {
            "roomJoin": True,
            "room": "booth-1-0",
            "canPublish": False,
            "canPublishData": False,
            "canSubscribe": True,
            "canUpdateOwnMetadata": False,
            "hidden": True,
        }
        assert ticket["url"] == "ws://mafia.test:7"


async def test_a_table_without_a_gallery_lets_nobody_in(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        at = await opened(http)
        refused = await http.post(f"{at}/gallery")
        assert (refused.status_code, refused.json()["error"]) == (403, "no_gallery")
        assert "gallery_delay_s" not in (await http.get(at)).json()
        for delay_s in (-1, 601, "soon"):
            bad = await http.post("/api/tables", json={"gallery_delay_s": delay_s})
            assert (bad.status_code, bad.json()["error"]) == (400, "bad_request")


async def test_the_page_of_the_gallery_may_not_use_a_microphone(tmp_path: Path) -> None:
    async with served(tmp_path) as service, browser(service) as http:
        for path, allowed in (("/t/ABCDEF", "microphone=(self)"), ("/t/ABCDEF/gallery", "microphone=()")):
            page = await http.get(path)
            assert page.status_code == 200 and allowed in page.headers["permissions-policy"]


async def test_a_game_is_over_for_its_players_while_the_gallery_still_hears_it(tmp_path: Path) -> None:
    async with served(tmp_path, ("play",)) as service, browser(service) as http:
        at = await opened(http, gallery_delay_s=30)
        await seated(http, at)
        await until_state(http, at, "playing")
        (table,) = service.tables
        write_private(table.home / OVER, {"over": True})
        await until_state(http, at, "over")
        assert isinstance(service.games, Games) and service.games.pid(table) is not None
        assert (await http.post(f"{at}/gallery")).status_code == 200
        table.close_booths()
        late = await http.post(f"{at}/gallery")
        assert (late.status_code, late.json()["error"], table.state) == (409, "over", State.OVER)


def test_two_spectators_are_two_strangers(tmp_path: Path) -> None:
    from voice.livekit_server import Server

    server = Server("ws://x", "key", LIVEKIT["api_secret"])
    names = {
        jwt.decode(gallery_token(server, "g"), LIVEKIT["api_secret"], algorithms=["HS256"])["sub"] for _ in range(9)
    }
    assert len(names) == 9 and all(name.startswith("spectator-") for name in names)
