"""The booths in LiveKit: one room a seat, holding that player and the moderator only.

Players never share a LiveKit room, so there is nothing in one that could tell them about another. A booth's
name is 128 random bits; the player's identity is the seat; no name, metadata or attribute says more.
"""

import asyncio
import contextlib
import logging
import secrets
from collections import deque
from collections.abc import Mapping, Sequence

import aiohttp
from livekit import api, rtc

from moderator.model import SEATS, Seat
from voice.booth_livekit import Booth
from voice.gallery_livekit import Gallery
from voice.livekit_link import switchboard, until_sound_leaves
from voice.livekit_server import Server
from voice.livekit_ticket import MODERATOR, booth_token, identity_of
from voice.ports import Clock, Frame, Message, Pcm, Presence, Ticket
from voice.routing import GALLERY

log = logging.getLogger(__name__)

EMPTY_S = 120
"""A booth that nobody is in, or that all have left, goes away after this long."""

LOOK_S = 1.0
"""How often the lines are looked at."""

UNREAD_MESSAGES = 400


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
        if place.taken or (place.ours and not place.lost):
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
        token = booth_token(self._server, place.name, MODERATOR)
        await until_sound_leaves(lambda: place.join(self._server.url, token), place.leave)

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
