"""What product and version a document is about."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Two columns; documents that are there belong to no product and no version."""
    for name in ("product", "version"):
        op.add_column("documents", sa.Column(name, sa.String(length=200), server_default="", nullable=False))
