"""The gallery on a real LiveKit server: spectators hear and read it, late, and can do nothing else."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from booth_kit import Listener, WallClock, joined, until
from livekit import api, rtc
from spectator import Spectator

from voice import livekit_server
from voice.livekit_link import FROM_MODERATOR_TOPIC, FROM_PLAYER_TOPIC, Mouth
from voice.livekit_server import Server
from voice.livekit_ticket import gallery_token, identity_of
from voice.ports import FRAME_SAMPLES, RATE_HZ, SILENCE, Pcm
from voice.room_livekit import LiveKitRoom
from voice.routing import GALLERY
from voice.wire import Caption, Table

pytestmark = [pytest.mark.real, pytest.mark.livekit]

DELAY_S = 1.0
TONE: Pcm = (8000 * np.sin(2 * np.pi * 1000 * np.arange(FRAME_SAMPLES) / RATE_HZ)).astype(np.int16)
NOISE = np.random.default_rng(5).integers(-20_000, 20_000, FRAME_SAMPLES, dtype=np.int16)
CAPTION = Caption(seat=3, text="Bonjour.").model_dump_json().encode()
STANDING = Table(phase="day", day=0, step="speech", speaker=3).model_dump_json().encode()


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    async with livekit_server.running(tmp_path / "livekit.log", tmp_path / "no-config.yaml") as server:
        yield server


@contextlib.asynccontextmanager
async def opened(server: Server, delay_s: float) -> AsyncIterator[LiveKitRoom]:
    booths = {GALLERY: "the-gallery", 1: "booth-one", 2: "booth-two"}
    room = LiveKitRoom(server, WallClock(), booths, delay_s)
    await room.open()
    try:
        yield room
    finally:
        await room.close()


@contextlib.asynccontextmanager
async def watching(server: Server) -> AsyncIterator[Spectator]:
    spectator = Spectator()
    await spectator.join(server.url, gallery_token(server, "the-gallery"))
    try:
        await until(lambda: spectator.hears)
        yield spectator
    finally:
        await spectator.leave()


async def play(room: LiveKitRoom, seconds: float, pcm: Pcm = SILENCE) -> None:
    """The audio loop, with the gallery alone in it."""
    due_s = time.monotonic()
    for _ in range(round(seconds * 50)):
        room.write(GALLERY, pcm)
        for seat in (1, 2):
            room.read(seat)
            room.write(seat, SILENCE)
        due_s += 0.02
        await asyncio.sleep(max(0.0, due_s - time.monotonic()))


async def test_sound_and_captions_come_together_and_late(server: Server) -> None:
    async with opened(server, DELAY_S) as room, watching(server) as spectator:
        await play(room, 0.2)
        began_s = time.monotonic()
        room.send(GALLERY, CAPTION)
        await play(room, 0.3, TONE)
        await play(room, 2 * DELAY_S)
        (read_s, body) = spectator.read[0]
        assert body == CAPTION
        assert spectator.heard, "the tone arrives"
        for came_s in (read_s, spectator.heard[0]):
            assert came_s - began_s >= DELAY_S - 0.03
        assert abs(read_s - spectator.heard[0]) < DELAY_S


async def test_who_comes_late_reads_how_the_table_stands_and_the_end_is_heard_out(server: Server) -> None:
    async with opened(server, DELAY_S) as room:
        room.send(GALLERY, STANDING)
        await play(room, DELAY_S + 0.1)
        async with joined(room, 1) as players, watching(server) as spectator:
            await play(room, 2.2)
            assert [body for _, body in spectator.read][:1] == [STANDING]
            await play(room, 0.2, TONE)
            last_s = time.monotonic()
            await room.hear_out()
            assert players[1].left.is_set(), "the players are free to go"
            assert spectator.heard and spectator.heard[-1] > last_s, "the spectators still hear"
            await room.close()
            await asyncio.wait_for(spectator.left.wait(), 5)


async def test_a_hostile_spectator_reaches_nobody(server: Server) -> None:
    """With a real ticket: a microphone, a picture, messages, another name; no booth and no spectator hears of it."""
    async with opened(server, 0.0) as room, joined(room, 1, 2) as players, watching(server) as other:
        async with watching(server) as attacker:
            me = attacker.room.local_participant
            assert set(attacker.room.remote_participants) == {"moderator"}, "spectators do not see one another"
            mouth = Mouth("noise", 60)
            picture = rtc.LocalVideoTrack.create_video_track("picture", rtc.VideoSource(64, 64))
            line = b'{"type": "line", "key": "role-don", "text": "false", "private": true}'
            attempts = [mouth.publish(attacker.room), me.publish_track(picture, rtc.TrackPublishOptions())]
            attempts += [
                me.publish_data(line, topic=topic, destination_identities=to)
                for topic in (FROM_MODERATOR_TOPIC, FROM_PLAYER_TOPIC)
                for to in ([], ["moderator"], [identity_of(2)])
            ]
            attempts += [me.set_metadata("moderator"), me.set_name("moderator"), me.set_attributes({"seat": "1"})]
            for attempt in attempts:
                with contextlib.suppress(Exception):  # refused, in whatever way
                    await asyncio.wait_for(attempt, 2)
            for _ in range(50):
                mouth.say(NOISE)
                await play(room, 0.02)
            mouth.close()
            inside = room._gallery._room if room._gallery else None
            assert inside is not None
            assert inside.remote_participants == {}, "nor does the moderator see them, or what they bring"
        assert not other.heard and not other.read
        assert all(b'"here"' in message.body for message in room.receive()), "signs of life of the two players"
        for player in players.values():
            assert isinstance(player, Listener) and player.read == []
            assert max((int(np.abs(frame.astype(int)).max()) for frame in player.heard), default=0) <= 1


async def test_a_ticket_to_the_gallery_opens_no_booth(server: Server) -> None:
    async with opened(server, 0.0) as room:
        token = gallery_token(server, "the-gallery")
        head, body, _ = token.split(".")
        forged = api.AccessToken("key", "x" * 40).with_identity(identity_of(1))
        forged_token = forged.with_grants(api.VideoGrants(room_join=True, room="booth-one")).to_jwt()
        for bad in (f"{head}.{body}.x", f"{head}.{forged_token.split('.')[1]}.{token.split('.')[2]}", forged_token):
            stranger = Spectator()
            with pytest.raises(rtc.ConnectError):
                await stranger.join(server.url, bad)
            await stranger.leave()
        assert room.present() == frozenset()


async def test_a_gallery_that_cannot_be_opened_does_not_keep_the_table_waiting(server: Server) -> None:
    """Its room is full: the booths open all the same, and the moderator makes room for himself."""
    async with api.LiveKitAPI(server.url.replace("ws", "http", 1), server.api_key, server.api_secret) as livekit:
        await livekit.room.create_room(api.CreateRoomRequest(name="the-gallery", max_participants=1))
        squatter = Spectator()
        await squatter.join(server.url, gallery_token(server, "the-gallery"))
        async with opened(server, 0.0) as room, joined(room, 1):
            await until(lambda: room._gallery is not None and room._gallery.ours)
            await asyncio.wait_for(squatter.left.wait(), 5)
        await squatter.leave()
