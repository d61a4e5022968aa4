"""The booths on a real LiveKit server: sound goes where it is sent and nowhere else, and players can do no harm."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import asdict
from pathlib import Path

import jwt
import numpy as np
import pytest
from booth_kit import Listener, WallClock, joined, until
from livekit import api

from moderator.model import SEATS, Seat
from voice import livekit_server, wire
from voice.booth_livekit import MESSAGES_PER_S
from voice.client_livekit import Player
from voice.livekit_server import Server
from voice.ports import FRAME_SAMPLES, RATE_HZ, Message, Pcm
from voice.room_livekit import LiveKitRoom

pytestmark = [pytest.mark.real, pytest.mark.livekit]

HEARS_NOBODY: Mapping[Seat, frozenset[Seat]] = {}


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with livekit_server.running(tmp_path / "livekit.log", tmp_path / "no-config.yaml") as server:
        yield server


@pytest.fixture
async def room(server: Server) -> AsyncIterator[LiveKitRoom]:
    room = LiveKitRoom(server, WallClock(), {1: "booth-one", 2: "booth-two", 3: "booth-three"})
    await room.open()
    yield room
    await room.close()


async def relay(room: LiveKitRoom, hears: Mapping[Seat, frozenset[Seat]], seconds: float) -> dict[Seat, list[Pcm]]:
    """Move the sound for so long; returns what each microphone captured."""
    captured: dict[Seat, list[Pcm]] = {seat: [] for seat in room.booths}
    silence = np.zeros(FRAME_SAMPLES, dtype=np.int16)
    due_s = time.monotonic()
    for _ in range(int(seconds / 0.02)):
        frames = {seat: [frame.pcm for frame in room.read(seat)] for seat in room.booths}
        for seat, pcms in frames.items():
            captured[seat] += pcms
            sources = [frames[source][-1] for source in hears.get(seat, frozenset()) if frames[source]]
            room.write(seat, sources[0] if sources else silence)
        due_s += 0.02
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))
    return captured


def tone(hz: float, seconds: float) -> Pcm:
    return (8000 * np.sin(2 * np.pi * hz * np.arange(int(seconds * RATE_HZ)) / RATE_HZ)).astype(np.int16)


def level(frames: list[Pcm], hz: float) -> float:
    """Amplitude of the tone in its best second."""
    if not frames:
        return 0.0
    sound = np.concatenate(frames).astype(float)
    wave = np.exp(-2j * np.pi * hz * np.arange(RATE_HZ // 2) / RATE_HZ)
    pieces = [sound[start : start + len(wave)] for start in range(0, max(1, len(sound) - len(wave)), RATE_HZ // 10)]
    return max(float(2 * abs(np.dot(piece, wave[: len(piece)])) / len(wave)) for piece in pieces)


def press(what: str) -> bytes:
    return wire.FROM_CLIENT.validate_python({"what": what}).model_dump_json().encode()


async def messages(room: LiveKitRoom, seconds: float = 1.0) -> list[Message]:
    """What arrives in this time, apart from the signs of life."""
    received: list[Message] = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        received += [message for message in room.receive() if b'"here"' not in message.body]
        await asyncio.sleep(0.02)
    return received


async def test_a_voice_goes_where_it_is_sent_and_nowhere_else(room: LiveKitRoom) -> None:
    async with joined(room, 1, 2, 3) as players:
        players[1].say(tone(500, 2))
        players[3].say(tone(1300, 2))
        captured = await relay(room, {2: frozenset({1})}, 2.5)
        heard = {seat: player.heard for seat, player in players.items() if isinstance(player, Listener)}
    assert min(level(captured[1], 500), level(captured[3], 1300)) > 4000
    assert max(level(captured[1], 1300), level(captured[3], 500)) < 100
    assert level(heard[2], 500) > 4000
    assert level(heard[2], 1300) < 100
    assert max(level(heard[seat], hz) for seat in (1, 3) for hz in (500, 1300)) < 100


async def test_frames_carry_their_time_and_length(room: LiveKitRoom) -> None:
    async with joined(room, 1):
        room.read(1)
        await asyncio.sleep(0.5)
        frames = room.read(1)
    now_s = time.monotonic()
    assert 15 <= len(frames) <= 50
    assert all(frame.pcm.shape == (FRAME_SAMPLES,) and frame.pcm.dtype == np.int16 for frame in frames)
    assert all(now_s - 2 < frame.captured_s < now_s for frame in frames)


async def test_messages_pass_both_ways(room: LiveKitRoom) -> None:
    async with joined(room, 1, 2) as players:
        room.send(1, wire.Closed(what="speech").model_dump_json().encode())
        await players[2].send(wire.Do(what="digit", seat=7))
        received = await messages(room)
        first, second = players[1], players[2]
        assert isinstance(first, Listener)
        assert isinstance(second, Listener)
        assert [wire.TO_CLIENT.validate_json(body) for body in first.read] == [wire.Closed(what="speech")]
        assert second.read == []
    assert [(message.seat, wire.FROM_CLIENT.validate_json(message.body).seat) for message in received] == [(2, 7)]


async def test_a_second_client_with_the_same_ticket_takes_the_place_of_the_first(room: LiveKitRoom) -> None:
    async with joined(room, 1) as first, joined(room, 1) as second:
        await until(first[1].left.is_set)
        await relay(room, HEARS_NOBODY, 0.5)
        second[1].say(tone(700, 1.5))
        captured = await relay(room, HEARS_NOBODY, 2)
        assert room.present() == {1}
        assert level(captured[1], 700) > 4000


async def test_who_leaves_is_no_longer_present_and_may_come_back(room: LiveKitRoom) -> None:
    async with joined(room, 2):
        assert room.present() == {2}
    await until(lambda: room.present() == frozenset())
    async with joined(room, 2) as players:
        players[2].say(tone(900, 1))
        assert level((await relay(room, HEARS_NOBODY, 1.5))[2], 900) > 4000


async def test_who_has_no_ears_speaks_and_is_sent_no_sound(room: LiveKitRoom) -> None:
    deaf = Player()
    await deaf.join(room.ticket(1).url, room.ticket(1).token)
    deaf.say(tone(500, 1))
    assert level((await relay(room, HEARS_NOBODY, 1.5))[1], 500) > 4000
    assert not deaf.hears.is_set()
    await deaf.leave()


async def test_a_forged_ticket_opens_nothing(room: LiveKitRoom, server: Server) -> None:
    claims = jwt.decode(room.ticket(1).token, options={"verify_signature": False})
    forged = jwt.encode(claims, "some other secret of thirty-two characters", algorithm="HS256")
    stranger = Player()
    with pytest.raises(ConnectionError):
        await stranger.join(server.url, forged)


async def test_a_ticket_is_for_one_booth_one_microphone_and_a_short_time(room: LiveKitRoom) -> None:
    claims = jwt.decode(room.ticket(3).token, options={"verify_signature": False})
    assert claims["sub"] == "seat-3"
    assert claims["exp"] - claims["nbf"] <= 600
    assert claims["video"] == {
        "roomJoin": True,
        "room": "booth-three",
        "canPublish": True,
        "canPublishSources": ["microphone"],
        "canSubscribe": True,
        "canPublishData": True,
        "canUpdateOwnMetadata": False,
    }


async def test_booth_names_are_not_to_be_guessed(server: Server) -> None:
    names = LiveKitRoom(server, WallClock()).booths
    assert len(set(names.values())) == 10
    assert all(len(name) >= 22 for name in names.values())


def ticket_of_a_stranger(server: Server, booth: str, identity: str) -> str:
    """As only the holder of the server's keys can make it."""
    grants = api.VideoGrants(room_join=True, room=booth)
    return api.AccessToken(server.api_key, server.api_secret).with_identity(identity).with_grants(grants).to_jwt()


async def test_another_identity_in_the_booth_is_neither_heard_nor_read(room: LiveKitRoom, server: Server) -> None:
    stranger = Player()
    await stranger.join(server.url, ticket_of_a_stranger(server, "booth-one", "seat-2"))
    stranger.say(tone(600, 1))
    await stranger.send_bytes(press("yes"))
    captured = await relay(room, HEARS_NOBODY, 1.5)
    assert (captured[1], room.present(), room.receive()) == ([], frozenset(), [])
    await stranger.leave()


async def test_a_booth_holds_two(room: LiveKitRoom, server: Server) -> None:
    async with joined(room, 1):
        with pytest.raises(ConnectionError):
            await Player().join(server.url, ticket_of_a_stranger(server, "booth-one", "guest"))


async def test_junk_and_floods_do_no_harm(room: LiveKitRoom) -> None:
    async with joined(room, 1, 2) as players:
        await players[1].send_bytes(b"x" * 5000)
        await players[1].send_bytes(press("yes"), topic="moderator")
        assert await messages(room, 0.5) == []
        began_s = time.monotonic()
        await asyncio.gather(*(players[1].send_bytes(b"\xff\x00 junk") for _ in range(300)))
        await players[2].send_bytes(press("no"))
        received = await messages(room, 1.5)
        junk = [message for message in received if message.seat == 1]
        assert MESSAGES_PER_S <= len(junk) <= MESSAGES_PER_S * (1 + time.monotonic() - began_s)
        assert [message.body for message in received if message.seat == 2] == [press("no")]
        assert 302 - len(junk) <= room.counts["messages_refused"] <= 305 - len(junk), "a sign of life may be among them"
        await players[1].send_bytes(press("end_speech"))
        assert [message.body for message in await messages(room)] == [press("end_speech")]


async def test_the_booths_of_an_interrupted_game_are_taken_up(room: LiveKitRoom, server: Server) -> None:
    async with joined(room, 1) as players:
        successor = LiveKitRoom(server, WallClock(), room.booths)
        await successor.open()
        await until(lambda: successor.present() == {1} and room.present() == frozenset())
        players[1].say(tone(800, 1.5))
        captured = await relay(successor, {1: frozenset({1})}, 2)
        heard = players[1].heard if isinstance(players[1], Listener) else []
        assert level(captured[1], 800) > 4000
        assert level(heard, 800) > 4000
        await successor.close()


async def test_a_closed_room_cannot_be_joined(server: Server) -> None:
    room = LiveKitRoom(server, WallClock(), {1: "gone"})
    await room.open()
    ticket = room.ticket(1)
    await room.close()
    with pytest.raises(ConnectionError):
        await Player().join(ticket.url, ticket.token)


async def test_wrong_keys_fail_with_one_error(server: Server) -> None:
    wrong = Server(server.url, server.api_key, "another secret, thirty-two characters long")
    with pytest.raises(ConnectionError, match="booths did not open"):
        await LiveKitRoom(wrong, WallClock(), {1: "x"}).open()


async def test_a_cancelled_opening_leaves_nothing_behind(server: Server) -> None:
    room = LiveKitRoom(server, WallClock(), {1: "half-open"})
    opening = asyncio.create_task(room.open())
    await asyncio.sleep(0.05)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    lobby = api.LiveKitAPI(server.url.replace("ws", "http", 1), server.api_key, server.api_secret)
    rooms = (await lobby.room.list_rooms(api.ListRoomsRequest())).rooms
    await lobby.aclose()
    assert list(rooms) == []


async def test_the_player_sees_nobody_but_the_moderator(room: LiveKitRoom) -> None:
    async with joined(room, 1, 2) as players:
        inside = players[1]._room
        assert inside is not None
        others = list(inside.remote_participants.values())
        assert [(other.identity, other.name, other.metadata) for other in others] == [("moderator", "", "")]
        assert (inside.metadata, others[0].attributes) == ("", {})


async def test_guests_survive_the_closing_of_their_rooms(server: Server, tmp_path: Path) -> None:
    """The server ends ten connections at once, in a process that did not ask for it."""
    room = LiveKitRoom(server, WallClock(), {seat: f"booth-{seat}" for seat in SEATS})
    await room.open()
    tickets = tmp_path / "tickets.json"
    tickets.write_text(json.dumps([asdict(room.ticket(seat)) for seat in SEATS]), encoding="utf-8")
    script = Path(__file__).with_name("guests.py")
    environment = {**os.environ, "PYTHONPATH": str(script.parent.parent)}
    guests = await asyncio.create_subprocess_exec(sys.executable, str(script), str(tickets), env=environment)
    await until(lambda: room.present() == frozenset(SEATS), 30)
    await room.close()
    assert await asyncio.wait_for(guests.wait(), 30) == 0
