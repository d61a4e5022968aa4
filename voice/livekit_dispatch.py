"""LiveKit's own dispatch: the service hands out a job, a worker with a free slot gets it, whichever node it is at.

A worker's side is a WebSocket (`/agent`) of protobuf messages. What LiveKit is for here ends with the hand-over: it
does not know whether a job is still being done, and forgets it when a node dies; that is what leases are for.
"""

import asyncio
import contextlib
import logging
import random
import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from importlib.metadata import version
from typing import Any

import aiohttp
from google.protobuf.message import DecodeError
from livekit import api
from livekit.protocol import agent, models

from voice.config import ConfigError
from voice.livekit_server import Server

log = logging.getLogger(__name__)

ROOM_S = 30
"""The room that carries a job stays empty and goes away after this long; a worker has 10 s to answer."""
TOKEN_S = 60
HEARTBEAT_S = 10.0
REQUEST_S = 10.0
ASSIGNED_S = 10.0
"""A slot that was promised and not used is free again after this long."""
AGAIN_S = (0.5, 2.0)
"""Between two tries to reach LiveKit, drawn by chance: after its restart the whole fleet comes back."""
TARGET_LOAD = 0.7
"""LiveKit's default `agents.target_load`: a node all of whose workers are above it gets no job, free slots or not."""


class NotDispatched(Exception):
    """LiveKit did not take the job; it can be tried again."""


async def dispatch(server: Server, name: str, job: str) -> None:
    """Hand `job` to a worker that registered as `name`; whether one took it is not told. Raises `NotDispatched`.

    All of LiveKit's nodes and logs, its Redis and every worker may read `job`. No player can: the room is unguessable,
    and nobody is let in.
    """
    request = api.CreateRoomRequest(
        name=f"dispatch-{secrets.token_hex(16)}",
        empty_timeout=ROOM_S,
        agents=[api.RoomAgentDispatch(agent_name=name, metadata=job)],
    )
    try:
        async with (
            asyncio.timeout(REQUEST_S),
            api.LiveKitAPI(http(server), server.api_key, server.api_secret) as livekit,
        ):
            await livekit.room.create_room(request)
    except (api.TwirpError, aiohttp.ClientError, OSError, TimeoutError) as error:
        raise NotDispatched(f"LiveKit took no job ({type(error).__name__})") from error


def http(server: Server) -> str:
    return server.url.replace("ws", "http", 1)


class Desk:
    """Where a worker gets its jobs. `play` does one, from its text to its end, and is cancelled to hand it over."""

    def __init__(self, server: Server, name: str, slots: int, play: Callable[[str], Awaitable[None]]) -> None:
        self._server, self._name, self.slots, self._play = server, name, slots, play
        self._socket: aiohttp.ClientWebSocketResponse | None = None
        self._promised: dict[str, asyncio.Task[None]] = {}
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._known = False
        """LiveKit has let us in once: the keys were right."""
        self.draining = False
        """No new job is taken."""

    @property
    def free(self) -> int:
        return 0 if self.draining else self.slots - len(self._promised) - len(self._playing)

    @property
    def playing(self) -> int:
        return len(self._playing)

    @property
    def registered(self) -> bool:
        return self._socket is not None

    async def run(self) -> None:
        """For as long as the worker lives, whatever happens to LiveKit. Raises `ConfigError`: the keys are wrong."""
        while True:
            try:
                async with (
                    aiohttp.ClientSession() as session,
                    session.ws_connect(
                        f"{self._server.url.rstrip('/')}/agent",
                        headers={"Authorization": f"Bearer {self._token()}"},
                        heartbeat=HEARTBEAT_S,
                    ) as socket,
                ):
                    await self._serve(socket)
            except aiohttp.WSServerHandshakeError as error:
                if error.status == 401 and not self._known:
                    raise ConfigError(f"{self._server.url} refuses LIVEKIT_API_KEY and LIVEKIT_API_SECRET") from error
                log.warning("LiveKit answers %d", error.status)
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                log.warning("LiveKit is away (%s)", type(error).__name__)
            finally:
                self._socket = None
            await asyncio.sleep(random.uniform(*AGAIN_S))

    def _token(self) -> str:
        grants = api.VideoGrants(agent=True, can_publish=False, can_subscribe=False, can_publish_data=False)
        token = api.AccessToken(self._server.api_key, self._server.api_secret).with_grants(grants)
        return token.with_ttl(timedelta(seconds=TOKEN_S)).to_jwt()

    async def drain(self) -> None:
        """Take no job any more, and wait until the last has ended."""
        self.draining = True
        await self._tell_load()
        if self._playing:
            await asyncio.wait(list(self._playing.values()))

    async def hand_over(self) -> None:
        """End what is being done, for others to go on with."""
        tasks = list(self._playing.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- what LiveKit says ------------------------------------------------------------------------

    async def _serve(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        nothing = models.ParticipantPermission()
        register = agent.RegisterWorkerRequest(
            type=agent.JT_ROOM, agent_name=self._name, version=version("voice-moderator"), allowed_permissions=nothing
        )
        await socket.send_bytes(agent.WorkerMessage(register=register).SerializeToString())
        async for frame in socket:
            if frame.type is aiohttp.WSMsgType.BINARY:
                with contextlib.suppress(DecodeError):
                    await self._hear(socket, agent.ServerMessage.FromString(frame.data))

    async def _hear(self, socket: aiohttp.ClientWebSocketResponse, message: agent.ServerMessage) -> None:
        """A termination is not heeded: a game ends by its rules, or is handed over."""
        kind = message.WhichOneof("message")
        if kind == "register":
            self._socket, self._known = socket, True
            log.info("registered with LiveKit")
            await self._tell_load()
        elif kind == "availability":
            await self._answer(message.availability.job.id)
        elif kind == "assignment":
            self._begin(message.assignment.job)

    async def _answer(self, job: str) -> None:
        available = self.free > 0
        if available:
            self._promised[job] = asyncio.create_task(self._forget(job))
        answer = agent.AvailabilityResponse(job_id=job, available=available, participant_identity=job)
        await self._send(availability=answer)
        await self._tell_load()

    async def _forget(self, job: str) -> None:
        await asyncio.sleep(ASSIGNED_S)
        del self._promised[job]
        await self._tell_load()

    def _begin(self, job: agent.Job) -> None:
        promise = self._promised.pop(job.id, None)
        if promise is None:
            log.warning("a job came that was not promised, or too late")
            return
        promise.cancel()
        self._playing[job.id] = asyncio.create_task(self._do(job.id, job.metadata))

    async def _do(self, job: str, text: str) -> None:
        status = agent.JS_FAILED
        try:
            await self._play(text)
            status = agent.JS_SUCCESS
        except Exception:
            log.exception("a job failed")
        finally:
            del self._playing[job]
            await self._send(update_job=agent.UpdateJobStatus(job_id=job, status=status))
            await self._tell_load()

    # --- what it is told --------------------------------------------------------------------------

    async def _tell_load(self) -> None:
        status = agent.WS_AVAILABLE if self.free else agent.WS_FULL
        used = len(self._promised) + len(self._playing)
        load = agent.UpdateWorkerStatus(status=status, load=TARGET_LOAD * used / self.slots, job_count=used)
        await self._send(update_worker=load)

    async def _send(self, **message: Any) -> None:
        """While LiveKit is away nothing is sent: who registers again tells it all that matters."""
        if self._socket is not None:
            with contextlib.suppress(OSError):
                await self._socket.send_bytes(agent.WorkerMessage(**message).SerializeToString())
