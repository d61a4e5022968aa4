"""The tables of the store, the same in SQLite and in PostgreSQL. `voice/migrations` makes them, step by step."""

from sqlalchemy import REAL, Column, Double, ForeignKey, Index, Integer, MetaData, Table, Text
from sqlalchemy.types import TypeEngine

SCHEMA = "0005"
"""The migration that makes what stands here."""
VERSION_TABLE = "store_version"
metadata = MetaData()

_DOUBLE: TypeEngine[float] = Double().with_variant(REAL(), "sqlite")
"""64 bits in both: a strict table of SQLite knows one name for them."""

games = Table(
    "games",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("game", Text, nullable=False, unique=True),
    Column("begun_at", Text, nullable=False),
    sqlite_strict=True,
)
events = Table(
    "events",
    metadata,
    Column("game", Text, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
utterances = Table(
    "utterances",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Text, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("started_s", _DOUBLE, nullable=False),
    Column("ended_s", _DOUBLE, nullable=False),
    Column("text", Text, nullable=False),
    Column("confidence", _DOUBLE, nullable=False),
    Index("utterances_of_game", "game", "started_s"),
    sqlite_strict=True,
)
understood = Table(
    "understood",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", Text, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Index("understood_of_game", "game"),
    sqlite_strict=True,
)
names = Table(
    "names",
    metadata,
    Column("game", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    sqlite_strict=True,
)
leases = Table(
    "leases",
    metadata,
    Column("game", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("fence", Integer, nullable=False),
    Column("expires_s", _DOUBLE, nullable=False),  # Unix time of the database's own clock
    sqlite_strict=True,
)
orders = Table(
    "orders",
    metadata,
    Column("game", Text, primary_key=True),
    Column("attempt", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("standing", Text, nullable=False),
    Column("heard_s", _DOUBLE, nullable=False),  # as in leases
    sqlite_strict=True,
)
bars = Table(
    "bars",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("barred_at", Text, nullable=False),
    Column("until", Text),
    Index("bars_of_person", "person"),
    sqlite_strict=True,
)
appeals = Table(
    "appeals",
    metadata,
    Column("bar", Integer, ForeignKey("bars.id"), primary_key=True, autoincrement=False),
    Column("text", Text, nullable=False),
    Column("appealed_at", Text, nullable=False),
    Column("granted", Integer),
    Column("ruled_by", Text),
    Column("ruled_at", Text),
    sqlite_strict=True,
)
