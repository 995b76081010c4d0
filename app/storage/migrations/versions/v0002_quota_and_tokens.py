"""What other services allow in a day, and tokens for programs."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Two tables of their own; nothing that was there changes."""
    op.create_table(
        "quota_days",
        sa.Column("source", sa.String(length=200), nullable=False),
        sa.Column("tool", sa.String(length=60), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("exhausted", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("source", "tool", "day", name=op.f("pk_quota_days")),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("owner", sa.String(length=200), nullable=False),
        sa.Column("beginning", sa.String(length=20), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("used_at", TIME, nullable=True),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
