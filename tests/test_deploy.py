"""What `deploy/` says is what the code does: commands, ports, versions, names in the environment. None of it is run."""

import io
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from cluster_kit import node, redis_running
from dockerfile_parse import DockerfileParser

from voice import livekit_server
from voice.arguments import parser
from voice.service.config import load_serve_config

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
OTHERS = {"PGPASSWORD": "libpq", "FORWARDED_ALLOW_IPS": "uvicorn"}
"""Read by libraries of ours."""
OURS = re.compile(r"""(?:environ(?:\.get\(|\[)|getenv\()"(\w+)"|f"LIVEKIT_\{key""")


@pytest.fixture
def image() -> list[dict[str, str]]:
    """Instructions in order, each with `instruction` and `value`."""
    structure: list[dict[str, str]] = DockerfileParser(
        fileobj=io.BytesIO((DEPLOY / "Containerfile").read_bytes())
    ).structure
    return [each for each in structure if each["instruction"] != "COMMENT"]


@pytest.fixture
def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return found


def values(image: list[dict[str, str]], instruction: str) -> list[str]:
    return [each["value"] for each in image if each["instruction"] == instruction]


def read_by_us() -> set[str]:
    """Names that our code looks up in the environment."""
    found = {f"LIVEKIT_{key}" for key in ("URL", "API_KEY", "API_SECRET", "PUBLIC_URL")}
    for path in (ROOT / "voice").rglob("*.py"):
        found |= set(filter(None, OURS.findall(path.read_text(encoding="utf-8"))))
    return found


# --- the image ------------------------------------------------------------------------------------------


def test_the_image_has_the_versions_that_the_code_wants(image: list[dict[str, str]]) -> None:
    go, python = (value.split()[0] for value in values(image, "FROM"))
    assert go == "docker.io/library/golang:{}.{}-bookworm".format(*livekit_server.GO_NEEDED)
    assert f"go install {livekit_server.PACKAGE}" in values(image, "RUN")[0]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    version = re.search(r"python:3\.(\d+)-slim-bookworm", python)
    assert version and int(version[1]) >= int(project["requires-python"].removeprefix(">=3."))
    extras = re.search(r"/src\[([\w,]+)\]", " ".join(values(image, "RUN")))
    assert extras and set(extras[1].split(",")) <= set(project["optional-dependencies"])


def test_the_image_has_what_python_packages_need_of_the_system(image: list[dict[str, str]]) -> None:
    script = (ROOT / "scripts" / "system-packages").read_text(encoding="utf-8")
    speech = re.search(r"libespeak.*missing\+=\((.*)\)", script)
    assert speech
    installed = next(value for value in values(image, "RUN") if "apt-get" in value).split()
    assert set(speech[1].split()) <= set(installed)


def test_the_image_takes_what_is_there_and_all_that_is_built_of(image: list[dict[str, str]]) -> None:
    copied = [word for value in values(image, "COPY") if "--from" not in value for word in value.split()[:-1]]
    assert all((ROOT / name).exists() for name in copied)
    let_in = {line[1:] for line in (DEPLOY / "Containerfile.dockerignore").read_text().split() if line.startswith("!")}
    assert let_in == set(copied)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {*wheel["packages"], *wheel["force-include"], project["project"]["readme"], "LICENSE", "pyproject.toml"}
    assert needed <= set(copied)


def test_the_image_runs_a_command_of_ours_as_nobody_special(image: list[dict[str, str]]) -> None:
    (entry,), (command,) = values(image, "ENTRYPOINT"), values(image, "CMD")
    assert yaml.safe_load(entry) == ["moderator"]
    serve = parser().parse_args(yaml.safe_load(command))
    assert values(image, "USER") == ["moderator"]
    assert values(image, "EXPOSE") == [f"{serve.port} {parser().parse_args(['worker']).port}"]
    names = {pair.partition("=")[0] for value in values(image, "ENV") for pair in shlex.split(value)}
    assert names <= read_by_us()


# --- the fleet ------------------------------------------------------------------------------------------


def test_every_program_of_the_fleet_gets_what_it_reads(compose: dict[str, Any]) -> None:
    needed = {"MODERATOR_STORE", "PGPASSWORD", "LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET"}
    for name in ("service", "worker"):
        program = compose["services"][name]
        assert parser().parse_args(program["command"]).host == "0.0.0.0"
        assert needed <= set(program["environment"]) <= read_by_us() | set(OTHERS)
        assert not program.get("ports"), "only the proxy and LiveKit's media are reached from outside"
        load_serve_config(program["environment"])
        assert livekit_server.configured(environ=program["environment"])


def test_addresses_are_names_of_services(compose: dict[str, Any]) -> None:
    services = compose["services"]
    environment = services["service"]["environment"]
    hosts = [re.sub(r".*[@/]([a-z]+)[:/].*", r"\1", environment[name]) for name in ("MODERATOR_STORE", "LIVEKIT_URL")]
    assert hosts == ["postgres", "livekit"] and set(hosts) <= set(services)
    assert livekit_config(compose)["redis"]["address"] == "redis:6379" and "redis" in services
    for service in services.values():
        assert set(service.get("depends_on", [])) <= set(services)
        named = {volume.partition(":")[0] for volume in service.get("volumes", []) if not volume.startswith((".", "/"))}
        assert named <= set(compose["volumes"])


def test_ports_are_those_of_the_configuration(compose: dict[str, Any]) -> None:
    ours = livekit_server.settings(environ={})
    made, services = livekit_config(compose), compose["services"]
    assert str(made["port"]) == ours["port"]
    assert (str(made["rtc"]["tcp_port"]), str(made["rtc"]["udp_port"])) == (ours["tcp_port"], ours["udp_port"])
    published = [f"{ours['tcp_port']}:{ours['tcp_port']}/tcp", f"{ours['udp_port']}:{ours['udp_port']}/udp"]
    assert services["livekit"]["ports"] == published
    proxy = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert f"/rtc* livekit:{ours['port']}" in proxy
    assert f"service:{parser().parse_args(['serve']).port}" in proxy
    assert "/metrics /healthz /readyz" in proxy


def test_no_secret_is_written_down_and_none_is_forgotten(compose: dict[str, Any]) -> None:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    assert set(re.findall(r"\$\{(\w+)", text)) == {
        "DOMAIN",
        "LIVEKIT_API_KEY",
        "LIVEKIT_API_SECRET",
        "NODE_IP",
        "PGPASSWORD",
    }
    assert re.findall(r"\$\{\w+(?!\w|:\?\})", text.split("services:")[1]) == [], "each must be set"


def test_a_worker_that_is_stopped_has_time_to_let_its_games_end(compose: dict[str, Any]) -> None:
    grace = compose["services"]["worker"]["stop_grace_period"]
    assert int(grace.removesuffix("m")) * 60 > load_serve_config({}).fleet.drain_s + 60


def livekit_config(compose: dict[str, Any]) -> dict[str, Any]:
    """LiveKit's own, as the container would get it."""
    text = compose["services"]["livekit"]["environment"]["LIVEKIT_CONFIG"]
    found: dict[str, Any] = yaml.safe_load(re.sub(r"\$\{NODE_IP:\?\}", "127.0.0.1", text))
    return found


@pytest.mark.real
@pytest.mark.livekit
async def test_livekit_takes_the_configuration(compose: dict[str, Any], tmp_path: Path) -> None:
    """On free ports of this machine."""
    async with (
        redis_running(tmp_path) as redis,
        node(tmp_path / "node.log", redis, "key", "s" * 32, livekit_config(compose)),
    ):
        assert "starting LiveKit server" in (tmp_path / "node.log").read_text(encoding="utf-8")
