"""The media server beside the service: what it is told, and that it comes back."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import pytest
import yaml
from booth_kit import WallClock, joined, until

from voice.config import ConfigError
from voice.livekit_server import loopback_config
from voice.room_livekit import LiveKitRoom
from voice.service import media
from voice.service.media import Media, Ports, kept_keys, network_config

PORTS = Ports(7001, 7002, 7003)


def made(host: str, node_ip: str = "") -> dict[str, object]:
    found: dict[str, object] = yaml.safe_load(network_config(host, node_ip, PORTS, "key", "secret"))
    return found


def test_on_loopback_nobody_outside_reaches_it() -> None:
    assert made("127.0.0.1") == yaml.safe_load(loopback_config(7001, 7002, 7003, "key", "secret"))


def test_behind_a_proxy_the_media_are_public_and_the_signalling_is_not() -> None:
    found = made("127.0.0.1", "203.0.113.5")
    assert found["bind_addresses"] == ["127.0.0.1"]
    assert found["rtc"] == {
        "udp_port": 7003,
        "tcp_port": 7002,
        "use_external_ip": False,
        "node_ip": "203.0.113.5",
        "stun_servers": ["203.0.113.5:7003"],
    }


@pytest.mark.parametrize(
    ("host", "addresses"), [("0.0.0.0", ["0.0.0.0"]), ("192.0.2.7", ["127.0.0.1", "192.0.2.7"]), ("::", ["::"])]
)
def test_in_a_local_network_both_are_reached_and_no_public_server_is_asked(host: str, addresses: list[str]) -> None:
    found = made(host)
    assert found["bind_addresses"] == addresses
    assert found["rtc"] == {
        "udp_port": 7003,
        "tcp_port": 7002,
        "use_external_ip": False,
        "stun_servers": ["127.0.0.1:7003"],
    }


def test_the_keys_outlive_the_service_and_are_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "games" / "livekit.json"
    keys = kept_keys(path)
    assert kept_keys(path) == keys
    assert path.stat().st_mode & 0o777 == 0o600
    path.write_text('["key"')
    assert kept_keys(path) != keys, "a damaged file is drawn anew"


async def test_a_wrong_port_is_named_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LIVEKIT_URL", raising=False)
    (tmp_path / "livekit.yaml").write_text("port: 78800\n")
    monkeypatch.setattr("voice.livekit_server.find", lambda _path: Path("livekit-server"))
    with pytest.raises(ConfigError, match=r"livekit.yaml: port: must be a port"):
        await Media("127.0.0.1", tmp_path / "log", lambda: None, tmp_path / "livekit.yaml").__aenter__()


@pytest.mark.parametrize("name", ["port", "tcp_port", "udp_port"])
async def test_a_port_that_another_program_has_is_named_with_its_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv("LIVEKIT_URL", raising=False)
    monkeypatch.setattr("voice.livekit_server.find", lambda _path: Path("livekit-server"))
    with socket.socket(socket.AF_INET, media.KINDS[name]) as other:
        other.bind(("127.0.0.1", 0))
        if name != "udp_port":
            other.listen()
        port = other.getsockname()[1]
        (tmp_path / "livekit.yaml").write_text(yaml.safe_dump({"port": 0, "tcp_port": 0, "udp_port": 0, name: port}))
        with pytest.raises(
            ConfigError, match=rf"livekit.yaml: {name}: cannot listen on {port} \(Address already in use"
        ):
            await Media("127.0.0.1", tmp_path / "log", lambda: None, tmp_path / "livekit.yaml").__aenter__()


SERVES_BRIEFLY = """#!{python}
import http.server, os, threading, time, yaml
answer = type("Answer", (http.server.BaseHTTPRequestHandler,), {{"do_GET": lambda self: self.send_response(200, "OK")
    or self.end_headers()}})
server = http.server.HTTPServer(("127.0.0.1", yaml.safe_load(os.environ["LIVEKIT_CONFIG"])["port"]), answer)
threading.Thread(target=server.serve_forever, daemon=True).start()
time.sleep(0.3)
"""


async def test_a_server_that_dies_right_after_each_start_is_started_ever_later_and_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Although something answers on its port: whoever took it in the meantime."""
    monkeypatch.delenv("LIVEKIT_URL", raising=False)
    monkeypatch.setattr(media, "AGAIN_S", 30.0)
    binary, config, deaths = tmp_path / "livekit-server", tmp_path / "livekit.yaml", []
    binary.write_text(SERVES_BRIEFLY.format(python=sys.executable))
    binary.chmod(0o755)
    monkeypatch.setattr("voice.livekit_server.find", lambda _path: binary)
    config.write_text(yaml.safe_dump({"port": 0, "tcp_port": 0, "udp_port": 0}))
    async with Media("127.0.0.1", tmp_path / "livekit.log", lambda: deaths.append(1), config) as served:
        assert await served.answers()
        await until(lambda: len(deaths) == 2, 20)
        other = await asyncio.start_server(ok, "127.0.0.1", int(served.server.url.rpartition(":")[2]))
        async with other:
            assert await served._probe() and not await served.answers()
            await asyncio.sleep(1)
            assert len(deaths) == 2, "the next start waits"


async def ok(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    await writer.drain()
    writer.close()


class Sleeper:
    """A process that lives until it is killed."""

    def __init__(self) -> None:
        self.returncode: int | None = None
        self._over = asyncio.Event()

    async def wait(self) -> int | None:
        await self._over.wait()
        return self.returncode

    def kill(self) -> None:
        self.returncode = -signal.SIGKILL
        self._over.set()


@pytest.mark.parametrize(
    ("answers", "ended_after"), [([False] * 5, 5), ([True] * 3 + [False] * 4 + [True] + [False] * 5, 13)]
)
async def test_a_server_that_answers_nobody_several_times_in_a_row_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answers: list[bool], ended_after: int
) -> None:
    media_server, probes = Media("127.0.0.1", tmp_path / "log", lambda: None, tmp_path / "none.yaml"), iter(answers)
    asked = 0

    async def probe() -> bool:
        nonlocal asked
        asked += 1
        return next(probes)

    monkeypatch.setattr(media, "PROBE_EVERY_S", 0.01)
    monkeypatch.setattr(media_server, "_probe", probe)
    assert await media_server._end_of(Sleeper()) == -signal.SIGKILL  # type: ignore[arg-type]
    assert asked == ended_after


@pytest.mark.real
@pytest.mark.livekit
async def test_a_server_that_hangs_without_dying_is_replaced_and_the_table_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped, as a locked-up process is: its port still takes connections, and nothing comes back."""
    monkeypatch.delenv("LIVEKIT_URL", raising=False)
    monkeypatch.setattr(media, "ANSWER_S", 0.5)
    monkeypatch.setattr(media, "PROBE_EVERY_S", 0.5)
    config, deaths = tmp_path / "livekit.yaml", []
    config.write_text(yaml.safe_dump({"port": 0, "tcp_port": 0, "udp_port": 0}))
    async with Media("127.0.0.1", tmp_path / "livekit.log", lambda: deaths.append(1), config) as served:
        room = LiveKitRoom(served.server, WallClock(), {1: "booth-one", 2: "booth-two"})
        await room.open()
        try:
            first = served.pid
            assert first is not None
            async with joined(room, 1):
                os.kill(first, signal.SIGSTOP)
                await until(lambda: served.pid != first, 40)
            await until(lambda: all(room.presence(seat).ours for seat in (1, 2)), 40)
            async with joined(room, 1, 2) as players:
                assert all(player.hears.is_set() for player in players.values())
            assert len(deaths) == 1 and not Path(f"/proc/{first}").exists()
        finally:
            await room.close()


@pytest.mark.real
@pytest.mark.livekit
async def test_a_killed_server_comes_back_with_the_same_address_and_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIVEKIT_URL", raising=False)
    config, deaths = tmp_path / "livekit.yaml", []
    config.write_text(yaml.safe_dump({"port": 0, "tcp_port": 0, "udp_port": 0}))
    async with Media("127.0.0.1", tmp_path / "livekit.log", lambda: deaths.append(1), config) as served:
        assert await served.answers()
        before, first = served.server, served.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        async with asyncio.timeout(20):
            while served.pid == first or not await served.answers():  # noqa: ASYNC110 - another process comes up
                await asyncio.sleep(0.1)
        assert served.server == before and len(deaths) == 1
        second = served.pid
    assert not Path(f"/proc/{second}").exists()
