"""What a worker of a fleet needs to play a game, and how far the game is."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "orders",
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("standing", sa.Text, nullable=False),
        sa.Column("heard_s", sa.Double().with_variant(sa.REAL(), "sqlite"), nullable=False),
        sqlite_strict=True,
    )
