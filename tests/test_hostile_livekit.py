"""Clients that hold a real ticket and misuse it, on a real server: whatever they do, no other booth receives a byte."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from booth_kit import Listener, WallClock, joined, until
from livekit import rtc

from moderator.model import Seat
from voice import livekit_server
from voice.booth_livekit import MESSAGES_PER_S
from voice.livekit_link import FROM_MODERATOR_TOPIC, FROM_PLAYER_TOPIC, Mouth
from voice.ports import FRAME_SAMPLES, RATE_HZ
from voice.room_livekit import LiveKitRoom

pytestmark = [pytest.mark.real, pytest.mark.livekit]

SILENCE = np.zeros(FRAME_SAMPLES, dtype=np.int16)
NOISE = np.random.default_rng(5).integers(-20_000, 20_000, RATE_HZ, dtype=np.int16)


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[LiveKitRoom]:
    async with livekit_server.running(tmp_path / "livekit.log", tmp_path / "no-config.yaml") as server:
        room = LiveKitRoom(server, WallClock(), {1: "booth-one", 2: "booth-two", 3: "booth-three"})
        await room.open()
        yield room
        await room.close()


@contextlib.asynccontextmanager
async def attacked(room: LiveKitRoom) -> AsyncIterator[rtc.Room]:
    """The attacker's own room, in seat 1. Afterwards: what reached seats 2 and 3 meanwhile is nothing at all."""
    async with joined(room, 1, 2, 3) as players:
        others = [players[2], players[3]]
        for other in others:
            assert isinstance(other, Listener)
            other.heard.clear()
            other.read.clear()
        inside = players[1]._room
        assert inside is not None
        yield inside
        for _ in range(25):
            for seat in room.booths:
                room.read(seat)
                room.write(seat, SILENCE)
            await asyncio.sleep(0.02)
        for other in others:
            assert isinstance(other, Listener)
            assert other.read == []
            assert max((int(np.abs(frame.astype(int)).max()) for frame in other.heard), default=0) <= 1


def publications(room: LiveKitRoom, seat: Seat) -> list[tuple[int, bool]]:
    """What the moderator sees in the booth: (kind, is it listened to)."""
    inside = room._booths[seat]._room
    assert inside is not None
    return [
        (track.kind, track.subscribed)
        for player in inside.remote_participants.values()
        for track in player.track_publications.values()
    ]


@pytest.mark.parametrize("source", [rtc.TrackSource.SOURCE_CAMERA, rtc.TrackSource.SOURCE_SCREENSHARE])
async def test_a_picture_is_refused(room: LiveKitRoom, source: rtc.TrackSource.ValueType) -> None:
    async with attacked(room) as inside:
        track = rtc.LocalVideoTrack.create_video_track("picture", rtc.VideoSource(64, 64))
        with contextlib.suppress(Exception):
            options = rtc.TrackPublishOptions(source=source)
            await asyncio.wait_for(inside.local_participant.publish_track(track, options), 2)
        assert publications(room, 1) == [(rtc.TrackKind.KIND_AUDIO, True)]


async def test_of_two_microphones_one_is_heard(room: LiveKitRoom) -> None:
    async with attacked(room) as inside:
        second = Mouth("second", 60)
        await second.publish(inside)
        await until(lambda: len(publications(room, 1)) == 2)
        await until(lambda: sum(heard for _, heard in publications(room, 1)) == 1)
        for _ in range(25):
            second.say(NOISE[:FRAME_SAMPLES])
            await asyncio.sleep(0.02)
        second.close()


async def test_a_message_to_somebody_else_arrives_nowhere(room: LiveKitRoom) -> None:
    line = b'{"type": "line", "key": "role-don", "text": "false", "private": true}'
    async with attacked(room) as inside:
        for topic in (FROM_MODERATOR_TOPIC, FROM_PLAYER_TOPIC):
            for to in (["seat-2"], ["moderator"], ["booth-two"], []):
                await inside.local_participant.publish_data(line, topic=topic, destination_identities=to)


async def test_forged_identities_and_metadata_change_nothing(room: LiveKitRoom) -> None:
    async with attacked(room) as inside:
        for change in (
            inside.local_participant.set_metadata("moderator"),
            inside.local_participant.set_name("moderator"),
            inside.local_participant.set_attributes({"role": "don"}),
        ):
            with contextlib.suppress(Exception):  # refused, in whatever way
                await asyncio.wait_for(change, 1)
        assert room.present() == {1, 2, 3}


async def test_a_megabyte_and_a_flood_stop_nobody(room: LiveKitRoom) -> None:
    async with attacked(room) as inside:
        send = inside.local_participant.publish_data
        with contextlib.suppress(Exception):  # the library refuses what a packet cannot hold
            await asyncio.wait_for(send(b"x" * 1_000_000, topic=FROM_PLAYER_TOPIC), 5)
        room.receive()
        loop, began_s = asyncio.get_running_loop(), asyncio.get_running_loop().time()
        for _ in range(10):
            flood = [send(b'{"type":"do","what":"interpellate"}', topic=FROM_PLAYER_TOPIC) for _ in range(200)]
            await asyncio.gather(*flood, return_exceptions=True)
        await asyncio.sleep(0.5)
        taken = len([message for message in room.receive() if message.seat == 1])
        assert taken <= MESSAGES_PER_S * (2 + loop.time() - began_s)
        assert room.counts["messages_refused"] > 1_000


async def test_speaking_all_the_time_is_heard_by_nobody_without_the_floor(room: LiveKitRoom) -> None:
    async with joined(room, 1, 2) as players:
        players[1].say(NOISE)
        other = players[2]
        assert isinstance(other, Listener)
        other.heard.clear()
        captured = 0
        for _ in range(60):
            captured += sum(int(np.abs(frame.pcm.astype(int)).max()) > 1000 for frame in room.read(1))
            for seat in room.booths:
                room.write(seat, SILENCE)
            await asyncio.sleep(0.02)
        assert captured > 20, "the moderator hears it"
        assert max((int(np.abs(frame.astype(int)).max()) for frame in other.heard), default=0) <= 1
