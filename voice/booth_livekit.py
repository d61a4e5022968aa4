"""The moderator's side of one booth in LiveKit: a microphone, two ears, messages.

Everything that comes from the player is untrusted: only his microphone is asked for, and what he sends is counted.
"""

import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from livekit import rtc

from moderator.model import Seat
from voice.livekit_link import FROM_PLAYER_TOPIC, Ear, Mouth, Post, hang_up, read_packets
from voice.livekit_ticket import MODERATOR, identity_of
from voice.ports import FRAME_S, Clock, Frame, Message, Pcm, Presence

log = logging.getLogger(__name__)

UNREAD_FRAMES = 50
"""Microphone frames kept for `read`: a second; the oldest are dropped and counted beyond."""

MISSED_LOOKS = 6
"""A microphone that was asked for so often, once a look, comes only to a new connection, if at all."""
QUIET_S = 1.5
"""A client that has sent no message for this long is asked of its packets of sound. (It costs: not asked otherwise.)"""

MESSAGE_BYTES = 4096
MESSAGES_PER_S = 20


class Booth:
    """Of `seat`; `name` is its LiveKit room's; `inbox` takes his messages. `LiveKitRoom` opens and closes it."""

    def __init__(self, seat: Seat, name: str, clock: Clock, inbox: deque[Message]) -> None:
        self.seat, self.name, self.most = seat, name, 2
        self.frames_unread = self.messages_refused = 0
        self._clock, self._inbox = clock, inbox
        self._room: rtc.Room | None = None
        self._mouth: Mouth | None = None
        self._unread: Callable[[], None] = lambda: None
        """Ends the reading of messages."""
        self.lost = self.taken = False
        """The server has ended our own connection, or never let us in; or a newer process of this game has taken the
        booth, which is then left alone: there is one moderator, never two."""
        self._seen_s, self._joins, self._packets = clock.now(), 0, 0
        self._missed = 0
        """Looks since the microphone is published and does not come."""
        self._ear: Ear | None = None
        self._track: rtc.RemoteAudioTrack | None = None
        self._heard: str | None = None
        """Sid of the track in the ear."""
        self._frames: deque[Frame] = deque(maxlen=UNREAD_FRAMES)
        self._allowance, self._allowed_at = float(MESSAGES_PER_S), clock.now()
        self._post = Post(str(self), [identity_of(seat)])

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
        if track is None:
            self._miss()
            return
        self._missed = 0
        if self._clock.now() - self._seen_s < QUIET_S:
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

    def _miss(self) -> None:
        """On a busy machine the server may not get to know that a microphone is wanted, or its sound gets stuck."""
        self._missed = self._missed + 1 if self._microphones() else 0
        if self._missed >= MISSED_LOOKS:
            log.warning("booth %d: the microphone does not come: joined anew", self.seat)
            self._missed, self.lost = 0, True
        elif self._missed > 1:
            self._ask_for_microphone()

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

    def _microphones(self) -> list[tuple[rtc.RemoteTrackPublication, rtc.RemoteParticipant]]:
        """What the player has published of those; nothing else of his is ever asked for."""
        players = self._room.remote_participants.values() if self._room is not None else ()
        return [
            (publication, player)
            for player in players
            for publication in player.track_publications.values()
            if self._is_microphone(publication, player)
        ]

    def _ask_for_microphone(self) -> None:
        """The newest of whoever is here already: nothing is announced of him."""
        for publication, player in self._microphones()[-1:]:
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

    def _is_microphone(self, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant) -> bool:
        audio = publication.kind == rtc.TrackKind.KIND_AUDIO
        return audio and self._is_player(participant) and publication.source == rtc.TrackSource.SOURCE_MICROPHONE

    def _on_published(self, publication: rtc.RemoteTrackPublication, participant: rtc.RemoteParticipant) -> None:
        """Only the player's microphone is ever asked for; the newest, if there are several."""
        if not self._is_microphone(publication, participant):
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

    @property
    def messages_unsent(self) -> int:
        return self._post.unsent

    def send(self, body: bytes) -> None:
        self._post.send(self._room, body)

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
