"""Brings a database to the newest revision, once and for all processes. Not what a revision changes."""

from pathlib import Path

import structlog
from sqlalchemy import Connection, inspect, text

from app.domain.errors import SchemaTooNew

HERE = Path(__file__).parent
PREFIX = "v"
# Any number, as long as it is the same in every process: PostgreSQL lets one holder at a time migrate.
ADVISORY_LOCK = 7_362_041_158

log = structlog.get_logger(__name__)


def known_revisions() -> tuple[str, ...]:
    """The revisions of this version in order, read from the names of their files (Alembic is not needed for that)."""
    return tuple(sorted(file.name[len(PREFIX) :].partition("_")[0] for file in (HERE / "versions").glob("v*_*.py")))


def present_revision(connection: Connection) -> str:
    """The revision that the database has, or nothing for a new one. Raises SchemaTooNew where we do not know it."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    present = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or ""
    known = known_revisions()
    if present and present not in known:
        raise SchemaTooNew(f"the database has revision {present}, this version knows those up to {known[-1]}")
    return present


def upgrade(connection: Connection) -> None:
    """Run what is missing, within the caller's transaction; nothing where nothing is missing."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK})
    present = present_revision(connection)  # again, behind the lock: another process may have been quicker
    newest = known_revisions()[-1]
    if present == newest:
        return
    # Late on purpose: Alembic costs memory and start-up time, and is needed only once after an update.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    log.info("database upgraded", revision_before=present or "none", revision=newest)
