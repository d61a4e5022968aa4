"""The lease of a game; bars and appeals, which an SQLite file may have already."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, nullable=False),
        sa.Column("fence", sa.Integer, nullable=False),
        sa.Column("expires_s", sa.Double().with_variant(sa.REAL(), "sqlite"), nullable=False),
        sqlite_strict=True,
    )
    op.create_table(
        "bars",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("barred_at", sa.Text, nullable=False),
        sa.Column("until", sa.Text),
        sqlite_strict=True,
        if_not_exists=True,
    )
    op.create_index("bars_of_person", "bars", ["person"], if_not_exists=True)
    op.create_table(
        "appeals",
        sa.Column("bar", sa.Integer, sa.ForeignKey("bars.id"), primary_key=True, autoincrement=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("appealed_at", sa.Text, nullable=False),
        sa.Column("granted", sa.Integer),
        sa.Column("ruled_by", sa.Text),
        sa.Column("ruled_at", sa.Text),
        sqlite_strict=True,
        if_not_exists=True,
    )
    if op.get_bind().dialect.name == "sqlite":
        op.execute("pragma user_version = 2")  # a program that knows version 1 alone refuses the file from now on
