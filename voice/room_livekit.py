"""The booths in LiveKit: one room a seat, holding that player and the moderator only.

Players never share a LiveKit room, so there is nothing in one that could tell them about another. A booth's
name is 128 random bits; the player's identity is the seat; no name, metadata or attribute says more.
"""

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import aiohttp
from livekit import api, rtc

from moderator.model import SEATS, Seat
from voice.gallery_livekit import Gallery
from voice.livekit_link import FROM_MODERATOR_TOPIC, FROM_PLAYER_TOPIC, Ear, Mouth, hang_up, read_packets, switchboard
from voice.livekit_server import Server
from voice.livekit_ticket import MODERATOR, booth_token, identity_of
from voice.ports import FRAME_S, Clock, Frame, Message, Pcm, Presence, Ticket
from voice.routing import GALLERY

log = logging.getLogger(__name__)

EMPTY_S = 120
"""A booth that nobody is in, or that all have left, goes away after this long."""
UNREAD_FRAMES = 50
"""Microphone frames kept for `read`: a second; the oldest are dropped and counted beyond."""

LOOK_S = 1.0
"""How often the lines are looked at."""
QUIET_S = 1.5
"""A client that has sent no message for this long is asked of its packets of sound. (It costs: not asked otherwise.)"""

MESSAGE_BYTES = 4096
MESSAGES_PER_S = 20
UNREAD_MESSAGES = 400
UNSENT_MESSAGES = 256


class LiveKitRoom:
    """`voice.ports.Room` on a LiveKit server. Open and use in one event loop; one game, one process.

    `booths` (listener -> room name) takes up the booths of a game that was interrupted; None makes new ones.
    `gallery_delay_s`: how far spectators are behind the table; None: none are let in.
    """

    def __init__(
        self,
        server: Server,
        clock: Clock,
        booths: Mapping[int, str] | None = None,
        gallery_delay_s: float | None = None,
    ) -> None:
        names = dict(booths or {seat: secrets.token_urlsafe(16) for seat in SEATS})
        gallery = names.pop(GALLERY, "") or secrets.token_urlsafe(16)
        self._server = server
        self._inbox: deque[Message] = deque(maxlen=UNREAD_MESSAGES)
        self._booths = {seat: Booth(seat, names[seat], clock, self._inbox) for seat in names}
        self._gallery = None if gallery_delay_s is None else Gallery(gallery, gallery_delay_s)
        self._api: api.LiveKitAPI | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    @property
    def booths(self) -> dict[int, str]:
        """Listener -> room name. For the game's own store only: no player may see another's."""
        gallery = {} if self._gallery is None else {GALLERY: self._gallery.name}
        return gallery | {seat: booth.name for seat, booth in self._booths.items()}

    @property
    def _places(self) -> "list[Booth | Gallery]":
        return [*self._booths.values(), *([] if self._gallery is None else [self._gallery])]

    @property
    def counts(self) -> dict[str, int]:
        """What was dropped since the start: frames not read in time, frames not taken, messages refused or unsent."""
        booths = self._booths.values()
        return {
            "frames_lost": switchboard().lost,
            "frames_unread": sum(booth.frames_unread for booth in booths),
            "messages_refused": sum(booth.messages_refused for booth in booths),
            "messages_unsent": sum(booth.messages_unsent for booth in booths),
        }

    async def open(self) -> None:
        """Create the booths and join them all. A join is never cut short, whatever cancels this.

        A table does not wait for its gallery: if that one does not open, it is tried again and again.
        """
        switchboard()
        self._api = api.LiveKitAPI(
            self._server.url.replace("ws", "http", 1), self._server.api_key, self._server.api_secret
        )
        joins = asyncio.gather(*map(self._join, self._places), return_exceptions=True)
        try:
            results = await asyncio.shield(joins)
        except asyncio.CancelledError:
            await joins
            await self.close()
            raise
        booths = results[: len(self._booths)]
        failed = [result for result in booths if isinstance(result, BaseException)]
        if failed:
            await self.close()
            raise ConnectionError(f"{len(failed)} of {len(booths)} booths did not open: {failed[0]}") from failed[0]
        self._keeper = asyncio.create_task(self._keep())

    async def _keep(self) -> None:
        """Look for life in the booths, and open again those that the server has lost. Ends after `close` has begun."""
        while not self._closing.is_set():
            await asyncio.gather(*map(self._keep_open, self._places))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), LOOK_S)

    async def _keep_open(self, place: "Booth | Gallery") -> None:
        if place.ours or place.taken:
            await place.look()
            return
        try:
            if place.lost:
                # Spectators may have filled the gallery meanwhile, the moderator's own place with it.
                await (self._shut([place]) if place is self._gallery else place.leave())
                await self._join(place)
                log.warning("%s: open again", place)
            else:  # the library is trying by itself: a server that was started anew lacks the room
                await self._create(place)
        except (rtc.ConnectError, api.TwirpError, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.info("%s: the server is away (%s)", place, type(error).__name__)

    async def _create(self, place: "Booth | Gallery") -> None:
        """Where the room is there already, nothing happens."""
        assert self._api is not None
        await self._api.room.create_room(
            api.CreateRoomRequest(
                name=place.name, max_participants=place.most, empty_timeout=EMPTY_S, departure_timeout=EMPTY_S
            )
        )

    async def _join(self, place: "Booth | Gallery") -> None:
        await self._create(place)
        await place.join(self._server.url, booth_token(self._server, place.name, MODERATOR))

    def ticket(self, seat: Seat) -> Ticket:
        return Ticket(seat, self._server.url, booth_token(self._server, self._booths[seat].name, identity_of(seat)))

    def read(self, seat: Seat) -> Sequence[Frame]:
        return self._booths[seat].read()

    def write(self, listener: int, pcm: Pcm) -> None:
        if listener != GALLERY:
            self._booths[listener].write(pcm)
        elif self._gallery is not None:
            self._gallery.write(pcm)

    def send(self, listener: int, body: bytes) -> None:
        if listener != GALLERY:
            self._booths[listener].send(body)
        elif self._gallery is not None:
            self._gallery.send(body)

    def receive(self) -> Sequence[Message]:
        messages = list(self._inbox)
        self._inbox.clear()
        return messages

    def present(self) -> frozenset[Seat]:
        return frozenset(seat for seat, booth in self._booths.items() if booth.present)

    def presence(self, seat: Seat) -> Presence:
        return self._booths[seat].presence

    async def close(self) -> None:
        """Leave and delete booths and gallery: whoever still holds a ticket finds nothing."""
        self._closing.set()
        if self._keeper is not None:
            await self._keeper
        await self._shut(self._places)
        if self._api is not None:
            await self._api.aclose()
            self._api = None

    async def hear_out(self) -> None:
        if self._gallery is not None:
            booths = list(self._booths.values())
            self._booths.clear()
            await self._shut(booths)
            await self._gallery.hear_out()

    async def _shut(self, places: "Sequence[Booth | Gallery]") -> None:
        await asyncio.gather(*(place.leave() for place in places))
        if self._api is None:
            return
        deletions = [self._api.room.delete_room(api.DeleteRoomRequest(room=place.name)) for place in places]
        for result in await asyncio.gather(*deletions, return_exceptions=True):
            if isinstance(result, Exception):
                log.warning("a booth was not deleted: %s", result)


class Booth:
    """The moderator's side of one booth. Everything that comes from the player is untrusted."""

    def __init__(self, seat: Seat, name: str, clock: Clock, inbox: deque[Message]) -> None:
        self.seat, self.name, self.most = seat, name, 2
        self.frames_unread = self.messages_refused = self.messages_unsent = 0
        self._clock, self._inbox = clock, inbox
        self._room: rtc.Room | None = None
        self._mouth: Mouth | None = None
        self._unread: Callable[[], None] = lambda: None
        """Ends the reading of messages."""
        self.lost = self.taken = False
        """The server has ended our own connection, or never let us in; or a newer process of this game has taken the
        booth, which is then left alone: there is one moderator, never two."""
        self._seen_s, self._joins, self._packets = clock.now(), 0, 0
        self._ear: Ear | None = None
        self._track: rtc.RemoteAudioTrack | None = None
        self._heard: str | None = None
        """Sid of the track in the ear."""
        self._frames: deque[Frame] = deque(maxlen=UNREAD_FRAMES)
        self._allowance, self._allowed_at = float(MESSAGES_PER_S), clock.now()
        self._sending: set[asyncio.Task[None]] = set()

    def __str__(self) -> str:
        return f"booth {self.seat}"

    @property
    def present(self) -> bool:
        return self._ear is not None

    @property
    def ours(self) -> bool:
        return self._room is not None and self._room.connection_state == rtc.ConnectionState.CONN_CONNECTED

    @property
    def presence(self) -> Presence:
        return Presence(self._seen_s, self._joins, self.ours)

    async def look(self) -> None:
        """Sound that arrives is a sign of life as well: of a page whose timers sleep, say."""
        track = self._track
        if track is None or self._clock.now() - self._seen_s < QUIET_S:
            return
        try:
            stats = await track.get_stats()
        except Exception as error:  # the library raises no narrower kind
            log.info("booth %d: no statistics (%s)", self.seat, error)
            return
        packets = sum(one.inbound_rtp.received.packets_received for one in stats if one.HasField("inbound_rtp"))
        if packets > self._packets:
            self._seen_s = self._clock.now()
        self._packets = packets

    async def join(self, url: str, token: str) -> None:
        self.lost = True  # until it is done
        room = self._room = rtc.Room()
        room.on("track_published", self._on_published)
        room.on("track_subscribed", self._on_subscribed)
        room.on("track_unsubscribed", lambda _track, publication, _player: self._on_gone(publication.sid))
        room.on("track_unpublished", lambda publication, _player: self._on_gone(publication.sid))
        room.on("participant_disconnected", self._on_left)
        room.on("disconnected", self._on_disconnected)
        await room.connect(url, token, rtc.RoomOptions(auto_subscribe=False))
        self._unread = read_packets(room, self._on_packet)
        self._mouth = Mouth(MODERATOR)
        await self._mouth.publish(room)
        room.on("reconnected", self._ask_for_microphone)
        self.lost = False
        self._ask_for_microphone()

    def _ask_for_microphone(self) -> None:
        """Of whoever is here already: nothing is announced of him."""
        assert self._room is not None
        for player in self._room.remote_participants.values():
            for publication in player.track_publications.values():
                self._on_published(publication, player)

    async def leave(self) -> None:
        self._close_ear()
        self._unread()
        room, self._room = self._room, None
        mouth, self._mouth = self._mouth, None
        if room is not None:
            await hang_up(room, mouth)

    # --- microphone -------------------------------------------------------------------------------

    def _is_player(self, participant: rtc.RemoteParticipant | None) -> bool:
        return participant is not None and participant.identity == identity_of(self.seat)

    def _on_published(self, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant) -> None:
        """Only the player's microphone is ever asked for; the newest, if there are several."""
        if not self._is_player(participant) or publication.kind != rtc.TrackKind.KIND_AUDIO:
            return
        if publication.source != rtc.TrackSource.SOURCE_MICROPHONE:
            return
        for other in participant.track_publications.values():
            if other.sid != publication.sid and other.subscribed:
                other.set_subscribed(False)
        publication.set_subscribed(True)

    def _on_subscribed(self, track: Any, publication: rtc.RemoteTrackPublication, participant: Any) -> None:
        if not self._is_player(participant) or not isinstance(track, rtc.RemoteAudioTrack):
            return
        self._close_ear()
        self._ear, self._heard, self._track = Ear(track, self._on_frame), publication.sid, track
        self._seen_s, self._packets = self._clock.now(), 0
        self._joins += 1

    def _on_frame(self, pcm: Pcm) -> None:
        """In the library's thread. A deque takes one item and gives one up without a lock."""
        if len(self._frames) == UNREAD_FRAMES:
            self.frames_unread += 1
        self._frames.append(Frame(pcm, self._clock.now() - FRAME_S))

    def _on_disconnected(self, reason: Any) -> None:
        self._close_ear()
        if self._room is not None:
            self.taken = reason == rtc.DisconnectReason.DUPLICATE_IDENTITY
            self.lost = not self.taken
            log.warning("booth %d: the server ended the connection (%s)", self.seat, reason)

    def _on_gone(self, sid: str) -> None:
        if sid == self._heard:
            self._close_ear()

    def _on_left(self, participant: rtc.RemoteParticipant) -> None:
        """When the same player joined again, the track in the ear is already the new one's."""
        if self._heard in participant.track_publications:
            self._close_ear()

    def _close_ear(self) -> None:
        ear, self._ear, self._heard, self._track = self._ear, None, None, None
        if ear is not None:
            ear.close()

    def read(self) -> Sequence[Frame]:
        frames = []
        while self._frames:
            frames.append(self._frames.popleft())
        return frames

    # --- ears -------------------------------------------------------------------------------------

    def write(self, pcm: Pcm) -> None:
        if self._mouth is not None:
            self._mouth.say(pcm)

    # --- messages ---------------------------------------------------------------------------------

    def send(self, body: bytes) -> None:
        if self._room is None or not self._room.isconnected() or len(self._sending) >= UNSENT_MESSAGES:
            self.messages_unsent += 1
            return
        task = asyncio.create_task(self._publish(self._room, body))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _publish(self, room: rtc.Room, body: bytes) -> None:
        try:
            await room.local_participant.publish_data(
                body, topic=FROM_MODERATOR_TOPIC, destination_identities=[identity_of(self.seat)]
            )
        except Exception:
            self.messages_unsent += 1
            log.exception("booth %d: a message was not sent", self.seat)

    def _on_packet(self, identity: str, topic: str, body: bytes) -> None:
        """In the library's thread: a client that floods its booth does not wake the event loop."""
        if identity == identity_of(self.seat):
            self._seen_s = self._clock.now()
        expected = identity == identity_of(self.seat) and topic == FROM_PLAYER_TOPIC and len(body) <= MESSAGE_BYTES
        if expected and self._within_rate():
            self._inbox.append(Message(self.seat, body, self._clock.now()))
        else:
            self.messages_refused += 1

    def _within_rate(self) -> bool:
        now_s = self._clock.now()
        self._allowance = min(MESSAGES_PER_S, self._allowance + (now_s - self._allowed_at) * MESSAGES_PER_S)
        self._allowed_at = now_s
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True
