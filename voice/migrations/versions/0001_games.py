"""Games, their events and transcripts: the store as it was before it had migrations.

An SQLite file of that time has these tables already, and keeps them.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    double: sa.types.TypeEngine[float] = sa.Double().with_variant(sa.REAL(), "sqlite")
    op.create_table(
        "games",
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("game", sa.Text, nullable=False, unique=True),
        sa.Column("begun_at", sa.Text, nullable=False),
        sqlite_strict=True,
        if_not_exists=True,
    )
    op.create_table(
        "events",
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
        sqlite_strict=True,
        sqlite_with_rowid=False,
        if_not_exists=True,
    )
    op.create_table(
        "utterances",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("seat", sa.Integer, nullable=False),
        sa.Column("started_s", double, nullable=False),
        sa.Column("ended_s", double, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("confidence", double, nullable=False),
        sqlite_strict=True,
        if_not_exists=True,
    )
    op.create_index("utterances_of_game", "utterances", ["game", "started_s"], if_not_exists=True)
