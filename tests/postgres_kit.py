"""A PostgreSQL server of our own for the tests: in a temporary folder, on a socket in it, without fsync."""

import contextlib
import getpass
import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import create_engine, text

from voice.ports import MissingPart

SETTINGS = ["fsync=off", "full_page_writes=off", "listen_addresses=", "shared_buffers=16MB", "max_connections=40"]


class Postgres:
    def __init__(self, folder: Path) -> None:
        self._folder, self._numbers = folder, itertools.count(1)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://moderator@/{database}?host={self._folder}"

    def new_database(self) -> str:
        """Its URL."""
        name = f"test_{next(self._numbers)}"
        engine = create_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text(f"create database {name}"))
        engine.dispose()
        return self.url(name)


@contextlib.contextmanager
def running() -> Iterator[Postgres]:
    """Raises `MissingPart`. The server refuses to run as root; then it is the user of Debian's package who runs it."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # the path of a socket must be short
    user = "postgres" if os.geteuid() == 0 else getpass.getuser()
    shutil.chown(folder, user)
    as_user = ["runuser", "-u", user, "--"] if os.geteuid() == 0 else []
    data, log = folder / "data", folder / "log"
    options = " ".join(f"-c {setting}" for setting in (*SETTINGS, f"unix_socket_directories={folder}"))

    def run(program: str, *arguments: str) -> None:
        command = [*as_user, str(_programs() / program), "-D", str(data), *arguments]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == 0, done.stderr + (log.read_text() if log.exists() else "")

    try:
        run("initdb", "--auth=trust", "--username=moderator", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        run("pg_ctl", "start", "--wait", f"--log={log}", f"--options={options}")
        try:
            yield Postgres(folder)
        finally:
            run("pg_ctl", "stop", "--mode=immediate")
    finally:
        shutil.rmtree(folder)


def _programs() -> Path:
    """Debian keeps them apart from the path."""
    found = shutil.which("initdb")
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if found is None and not debian:
        raise MissingPart("PostgreSQL for the tests", "sudo apt-get install postgresql")
    return debian[-1].parent if debian else Path(str(found)).parent
