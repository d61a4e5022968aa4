"""The database of a store: an SQLite file, or PostgreSQL. Opened, brought up to date, and its errors made ours."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Engine, create_engine, event, inspect, literal_column, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError

from voice.ports import MissingPart
from voice.ports_store import BadStore, Conflict
from voice.tables import SCHEMA, VERSION_TABLE, metadata

BUSY_S = 5.0
"""Another writer is awaited this long. Whoever stops in the midst of a transaction loses it after that time."""
POSTGRESQL = {
    "connect_timeout": "5",
    "tcp_user_timeout": "10000",
    "options": f"-c lock_timeout={BUSY_S:.0f}s -c idle_in_transaction_session_timeout={BUSY_S:.0f}s",
}
"""What a URL may say otherwise."""
NOW_S: dict[str, ColumnElement[float]] = {
    "sqlite": literal_column("(julianday('now') - 2440587.5) * 86400.0"),
    "postgresql": literal_column("extract(epoch from clock_timestamp())::double precision"),
}
"""Unix time of the database, by its dialect: a fleet runs by one clock."""
MIGRATION_LOCK = 0x6D6F6465
"""PostgreSQL: one process at a time brings the tables up to date."""
CURES = {
    "SQLITE_FULL": "make room on its disk",
    "SQLITE_IOERR": "look at its disk: it is full, over a limit, or broken",
    "SQLITE_READONLY": "let this user write the file and its folder",
    "SQLITE_CANTOPEN": "make its folder, which this user must be able to write",
    "SQLITE_BUSY": "another process holds it: wait for that one, or end it",
    "SQLITE_NOTADB": "name a store, or a file that is not there yet",
    "SQLITE_CORRUPT": "restore its games from an export into a new one",
    "53100": "make room on the server's disk",
    "25006": "name the server that can be written",
    "55P03": "another process holds it: wait for that one, or end it",
    "": "see that the server runs and lets this user in",
}
"""By the first two words of SQLite's own name of an error, or PostgreSQL's code; a connection that fails has none."""
T = TypeVar("T")


class Database:
    """One connection at a time, from any thread. Every error of the database becomes a `BadStore`."""

    def __init__(self, where: str | Path) -> None:
        """`where`: a path, or a URL. Makes an SQLite file that is not there. Raises `BadStore` or `MissingPart`."""
        url = address(where)
        self.name = url.database or "" if url.get_backend_name() == "sqlite" else url.render_as_string()
        self._lock = threading.Lock()
        try:
            self._engine = _engine(url)
        except ModuleNotFoundError as missing:
            raise MissingPart("the driver of PostgreSQL", "pip install 'voice-moderator[postgres]'") from missing
        except ArgumentError as error:
            raise BadStore(f"{self.name}: cannot be used as a store ({error})") from error
        self._writer = self._engine.execution_options(writes=True)
        try:
            with _our_errors(f"{self.name}: cannot be used as a store"):
                self._bring_up_to_date()
        except BaseException:
            self._engine.dispose()
            raise

    @property
    def dialect(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._engine.dialect.name

    @property
    def now_s(self) -> ColumnElement[float]:
        """Its own clock, Unix time."""
        return NOW_S[self.dialect]

    def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` finds, all at one moment."""
        with self._lock, _our_errors(self.name), self._engine.begin() as connection:
            return work(connection)

    def write(self, work: Callable[[Connection], T]) -> T:
        """All that `work` does, or nothing of it; on disk when this returns. Raises `Conflict` for a second writer."""
        with self._lock, _our_errors(self.name), self._writer.begin() as connection:
            return work(connection)

    def vacate(self) -> None:
        """Of what was deleted nothing stays legible in the file's journal."""
        if self.dialect == "sqlite":
            with self._lock, _our_errors(self.name), self._engine.connect() as connection:
                _cursor(connection).execute("pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        with self._lock:
            self._engine.dispose()

    def _bring_up_to_date(self) -> None:
        with self._engine.begin() as connection:
            version = self._version(connection)
        if self.dialect == "sqlite":
            with self._engine.connect() as connection:
                _cursor(connection).execute("pragma journal_mode = wal")
        if version == SCHEMA:
            return
        with self._writer.begin() as connection:
            if self.dialect == "postgresql":
                connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
            if self._version(connection) != SCHEMA:  # else another process was quicker
                _migrate(connection)

    def _version(self, connection: Connection) -> str | None:
        """Of the tables; None where there are none, or those of a time before migrations. Raises `BadStore`."""
        found = set(inspect(connection).get_table_names())
        if VERSION_TABLE not in found:
            foreign = found - set(metadata.tables)
            before = connection.scalar(text("pragma user_version")) if self.dialect == "sqlite" else 0
            if foreign or before not in (0, 1):
                held = f"it holds {', '.join(sorted(foreign)[:3]) or f'version {before} of something'}"
                raise BadStore(f"{self.name}: is no store ({held}); name a store, or a new file or database")
            return None
        version: str | None = connection.scalar(text(f"select version_num from {VERSION_TABLE}"))
        if version is not None and version > SCHEMA:
            newer = f"was written by a newer moderator (schema {version}; this one knows {SCHEMA})"
            raise BadStore(f"{self.name}: {newer}; update with: pip install --upgrade voice-moderator")
        return version


def exists(where: str | Path) -> bool:
    """Whether there is a store already: of SQLite its file; of PostgreSQL it is for the server to say."""
    url = address(where)
    return url.get_backend_name() != "sqlite" or Path(url.database or "").is_file()


def address(where: str | Path) -> URL:
    """Of a path or a URL. Raises `BadStore`."""
    if isinstance(where, Path) or "://" not in where:
        return URL.create("sqlite", database=str(where))
    try:
        url = make_url(where)
        if url.get_backend_name() in ("sqlite", "postgresql") and url.database not in (None, "", ":memory:"):
            return url
    except ArgumentError:
        pass
    raise BadStore("the address of a store is a path, sqlite:///PATH or postgresql+psycopg://USER@HOST/NAME")


def _engine(url: URL) -> Engine:
    """Parameters stay out of messages: they are what players said."""
    if url.get_backend_name() == "postgresql":
        return create_engine(url.set(query={**POSTGRESQL, **url.query}), hide_parameters=True, pool_pre_ping=True)
    engine = create_engine(url, hide_parameters=True, connect_args={"timeout": BUSY_S})

    @event.listens_for(engine, "connect")
    def connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # transactions begin below, not where the driver thinks fit
        for pragma in ("synchronous = full", "foreign_keys = on", "secure_delete = on"):
            connection.execute(f"pragma {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("begin immediate" if writes else "begin")

    return engine


def _cursor(connection: Connection) -> Any:
    """Of the driver itself: outside of a transaction."""
    return connection.connection.cursor()


def _migrate(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    command.upgrade(config, "head")


@contextmanager
def _our_errors(where: str) -> Iterator[None]:
    try:
        yield
    except IntegrityError as error:
        raise Conflict(f"{where}: another process wrote at the same moment") from error
    except DBAPIError as error:
        says = str(error.orig).strip().partition("\n")[0]
        code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None) or ""
        cure = CURES.get("_".join(code.split("_")[:2]))
        raise BadStore(f"{where} ({says})" + (f"; {cure}" if cure else "")) from error
