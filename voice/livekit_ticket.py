"""What opens a booth, or the gallery: a LiveKit token for one room and one identity, with the least that is needed."""

import datetime
import secrets
from typing import Any

from moderator.model import Seat
from voice.livekit_server import Server

MODERATOR = "moderator"
"""His identity, in booths and gallery."""
TICKET_S = 600
"""A token opens the booth this long; who is inside gets fresh ones from the server."""


def identity_of(seat: Seat) -> str:
    return f"seat-{seat}"


def booth_token(server: Server, booth: str, identity: str) -> str:
    """`booth` is the room's name. Opens that room alone: one microphone, ears, messages."""
    return _token(server, booth, identity, can_publish=True, can_publish_sources=["microphone"], can_publish_data=True)


def gallery_token(server: Server, room: str) -> str:
    """Opens the gallery: ears and nothing else. Nobody in there sees this spectator."""
    identity = f"spectator-{secrets.token_hex(8)}"
    return _token(server, room, identity, can_publish=False, can_publish_data=False, hidden=True)


def _token(server: Server, room: str, identity: str, **grants: Any) -> str:
    from livekit import api

    least = api.VideoGrants(room_join=True, room=room, can_subscribe=True, can_update_own_metadata=False, **grants)
    token = api.AccessToken(server.api_key, server.api_secret).with_identity(identity)
    return token.with_grants(least).with_ttl(datetime.timedelta(seconds=TICKET_S)).to_jwt()
