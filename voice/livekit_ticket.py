"""What opens a booth: a LiveKit token for one room and one identity, with the least that a player needs."""

import datetime

from moderator.model import Seat
from voice.livekit_server import Server

TICKET_S = 600
"""A token opens the booth this long; who is inside gets fresh ones from the server."""


def identity_of(seat: Seat) -> str:
    return f"seat-{seat}"


def booth_token(server: Server, booth: str, identity: str) -> str:
    """`booth` is the room's name. Opens that room alone: one microphone, ears, messages."""
    from livekit import api

    grants = api.VideoGrants(
        room_join=True,
        room=booth,
        can_publish=True,
        can_publish_sources=["microphone"],
        can_subscribe=True,
        can_publish_data=True,
        can_update_own_metadata=False,
    )
    token = api.AccessToken(server.api_key, server.api_secret).with_identity(identity)
    return token.with_grants(grants).with_ttl(datetime.timedelta(seconds=TICKET_S)).to_jwt()
