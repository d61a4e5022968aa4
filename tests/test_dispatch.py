"""A worker and LiveKit's dispatch protocol, with a stand-in for LiveKit that says what LiveKit says."""

import asyncio
import contextlib
import socket
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import jwt
import pytest
from aiohttp import WSMsgType, web
from livekit.protocol import agent

from voice.config import ConfigError
from voice.livekit_dispatch import TARGET_LOAD, Desk
from voice.livekit_server import Server

SECRET = "a secret of more than thirty-two bytes"


class LiveKit:
    """One node, one worker."""

    def __init__(self) -> None:
        self.told: list[agent.WorkerMessage] = []
        self.authorization = ""
        self.refuses = False
        self.connections = 0
        self._socket: web.WebSocketResponse | None = None

    async def connect(self, request: web.Request) -> web.StreamResponse:
        if self.refuses:
            return web.Response(status=401)
        self.authorization = request.headers["Authorization"]
        self.connections += 1
        self._socket = socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for frame in socket:
            assert frame.type is WSMsgType.BINARY
            self.told.append(agent.WorkerMessage.FromString(frame.data))
            if self.told[-1].HasField("register"):
                await self.say(agent.ServerMessage(register=agent.RegisterWorkerResponse(worker_id="AW_1")))
        return socket

    async def say(self, message: agent.ServerMessage) -> None:
        assert self._socket is not None
        await self._socket.send_bytes(message.SerializeToString())

    async def noise(self) -> None:
        assert self._socket is not None
        await self._socket.send_bytes(b"\xff\xff\xff")
        await self._socket.send_str("text")

    async def offer(self, job: str) -> None:
        await self.say(agent.ServerMessage(availability=agent.AvailabilityRequest(job=agent.Job(id=job))))

    async def assign(self, job: str, text: str) -> None:
        assignment = agent.JobAssignment(job=agent.Job(id=job, metadata=text), token="for the room of the job")
        await self.say(agent.ServerMessage(assignment=assignment))

    async def hang_up(self) -> None:
        assert self._socket is not None
        await self._socket.close()

    def answers(self) -> list[tuple[str, bool]]:
        found = [told.availability for told in self.told if told.HasField("availability")]
        return [(each.job_id, each.available) for each in found]

    def load(self) -> tuple[int, float]:
        last = [told.update_worker for told in self.told if told.HasField("update_worker")][-1]
        return last.status, round(last.load, 3)

    def ended(self) -> list[tuple[str, int]]:
        found = [told.update_job for told in self.told if told.HasField("update_job")]
        return [(each.job_id, each.status) for each in found]


@pytest.fixture
async def livekit() -> AsyncIterator[tuple[LiveKit, Server]]:
    stand_in, app = LiveKit(), web.Application()
    app.router.add_get("/agent", stand_in.connect)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        await web.SockSite(runner, listener).start()
        yield stand_in, Server(f"ws://127.0.0.1:{listener.getsockname()[1]}", "key", SECRET)
        await runner.cleanup()


class Jobs:
    """What the worker does: each job until it is told to end."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.end = asyncio.Event()
        self.cancelled = 0

    async def play(self, text: str) -> None:
        self.begun.append(text)
        if text == "fails":
            raise ValueError
        try:
            await self.end.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


@contextlib.asynccontextmanager
async def working(desk: Desk) -> AsyncIterator[None]:
    run = asyncio.create_task(desk.run())
    try:
        await until(lambda: desk.registered)
        yield
    finally:
        run.cancel()
        await desk.hand_over()
        await asyncio.gather(run, return_exceptions=True)


async def until(wanted: Callable[[], object]) -> None:
    deadline_s = time.monotonic() + 30
    while not wanted():
        assert time.monotonic() < deadline_s
        await asyncio.sleep(0.01)


async def test_jobs_are_taken_by_free_slots(livekit: tuple[LiveKit, Server]) -> None:
    (node, server), jobs = livekit, Jobs()
    desk = Desk(server, "moderator", 2, jobs.play)
    async with working(desk):
        (register,) = [told.register for told in node.told if told.HasField("register")]
        assert (register.agent_name, register.type) == ("moderator", agent.JT_ROOM)
        assert not register.allowed_permissions.can_publish and not register.allowed_permissions.can_subscribe
        await until(lambda: node.load() == (agent.WS_AVAILABLE, 0))
        await node.noise()
        for job in ("one", "two", "three"):
            await node.offer(job)
        await until(lambda: len(node.answers()) == 3)
        assert node.answers() == [("one", True), ("two", True), ("three", False)]
        assert desk.free == 0 and node.load() == (agent.WS_FULL, TARGET_LOAD)
        await node.assign("three", "not promised")
        await node.assign("one", "fails")
        await node.assign("two", "a game")
        await until(lambda: ("one", agent.JS_FAILED) in node.ended() and jobs.begun == ["fails", "a game"])
        await until(lambda: node.load() == (agent.WS_AVAILABLE, TARGET_LOAD / 2))
        assert node.load()[1] < TARGET_LOAD, "LiveKit gives nothing to a node whose workers are all at that"
        jobs.end.set()
        await until(lambda: ("two", agent.JS_SUCCESS) in node.ended() and desk.free == 2)


async def begin(node: LiveKit, jobs: Jobs) -> None:
    """One job is offered, taken and begun."""
    await node.offer("one")
    await until(node.answers)
    await node.assign("one", "a game")
    await until(lambda: jobs.begun)


async def test_a_promised_slot_is_not_kept_for_ever(
    livekit: tuple[LiveKit, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voice.livekit_dispatch.ASSIGNED_S", 0.05)
    (node, server), jobs = livekit, Jobs()
    desk = Desk(server, "moderator", 1, jobs.play)
    async with working(desk):
        await node.offer("one")
        await until(lambda: node.answers() and desk.free == 1)
        await until(lambda: node.load()[0] == agent.WS_AVAILABLE)
        await node.assign("one", "too late")
        await node.offer("two")
        await until(lambda: len(node.answers()) == 2)
        assert jobs.begun == [] and node.answers()[1] == ("two", True)


async def test_who_drains_takes_no_job_and_lets_the_others_end(livekit: tuple[LiveKit, Server]) -> None:
    (node, server), jobs = livekit, Jobs()
    desk = Desk(server, "moderator", 2, jobs.play)
    async with working(desk):
        await begin(node, jobs)
        drained = asyncio.create_task(desk.drain())
        await until(lambda: node.load()[0] == agent.WS_FULL)
        await node.offer("two")
        await until(lambda: ("two", False) in node.answers())
        assert not drained.done() and desk.playing == 1
        await desk.hand_over()
        await asyncio.wait_for(drained, 5)
        assert jobs.cancelled == 1 and node.ended() == [("one", agent.JS_FAILED)]


async def test_a_job_goes_on_while_livekit_is_away(
    livekit: tuple[LiveKit, Server], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voice.livekit_dispatch.AGAIN_S", (0.01, 0.02))
    (node, server), jobs = livekit, Jobs()
    desk = Desk(server, "moderator", 2, jobs.play)
    async with working(desk):
        await begin(node, jobs)
        node.told.clear()
        node.refuses = True
        await node.hang_up()
        await until(lambda: not desk.registered)
        await asyncio.sleep(0.1)
        node.refuses = False
        await until(lambda: node.connections == 2 and desk.registered)
        await until(lambda: node.told and node.load() == (agent.WS_AVAILABLE, TARGET_LOAD / 2))
        assert desk.playing == 1 and jobs.cancelled == 0


async def test_a_worker_s_token_may_do_nothing_else(livekit: tuple[LiveKit, Server]) -> None:
    node, server = livekit
    async with working(Desk(server, "moderator", 1, Jobs().play)):
        claims = jwt.decode(node.authorization.removeprefix("Bearer "), SECRET, algorithms=["HS256"])
        granted = {name for name, value in claims["video"].items() if value}
        assert granted == {"agent"} and claims["exp"] - claims["nbf"] <= 60


async def test_wrong_keys_are_said(livekit: tuple[LiveKit, Server], tmp_path: Path) -> None:
    node, server = livekit
    node.refuses = True
    with pytest.raises(ConfigError, match="refuses LIVEKIT_API_KEY"):
        await asyncio.wait_for(Desk(server, "moderator", 1, Jobs().play).run(), 10)
