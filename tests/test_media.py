"""The media server beside the service: what it is told, and that it comes back."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
import yaml

from voice.config import ConfigError
from voice.livekit_server import loopback_config
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


@pytest.mark.real
@pytest.mark.livekit
async def test_a_killed_server_comes_back_with_the_same_address_and_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LIVEKIT_URL", raising=False)
    config, deaths = tmp_path / "livekit.yaml", []
    config.write_text(yaml.safe_dump({"port": 0, "tcp_port": 0, "udp_port": 0}))
    async with Media("127.0.0.1", tmp_path / "livekit.log", lambda: deaths.append(1), config) as media:
        assert await media.answers()
        before, first = media.server, media.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        async with asyncio.timeout(20):
            while media.pid == first or not await media.answers():  # noqa: ASYNC110 - another process comes up
                await asyncio.sleep(0.1)
        assert media.server == before and len(deaths) == 1
        second = media.pid
    assert not Path(f"/proc/{second}").exists()
