"""What a driver's error means in our words: full, read-only, corrupt, unavailable. Not where such errors are caught."""

import os
import sqlite3
from pathlib import Path

from app.domain.errors import StorageCorrupt, StorageError, StorageFull, StorageReadOnly, StorageUnavailable


class DatabaseBusy(StorageUnavailable):
    """Another writer has held the database for longer than we wait."""


def told_by_sqlite(error: BaseException | None, file: str | None) -> StorageError | None:
    """The meaning of SQLite's result code (https://sqlite.org/rescode.html), or None where it is a mistake of ours."""
    if not isinstance(error, sqlite3.Error):
        return None
    detail = f"{file}: {error}" if file else str(error)
    match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:  # the low byte is the kind
        case sqlite3.SQLITE_FULL:
            return StorageFull(detail)
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return StorageReadOnly(detail)
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StorageCorrupt(detail)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseBusy(detail)
        case sqlite3.SQLITE_CANTOPEN:
            return StorageReadOnly(detail) if _may_not_write_beside(file) else StorageUnavailable(detail)
        case sqlite3.SQLITE_IOERR | sqlite3.SQLITE_NOMEM:
            return StorageUnavailable(detail)
        case _:
            return None


def told_by_postgres(error: BaseException | None) -> StorageError | None:
    """The meaning of a PostgreSQL error's class (SQLSTATE), or None where it is a mistake of ours."""
    import psycopg  # noqa: PLC0415  # late: whoever keeps to SQLite need not have it in memory

    if not isinstance(error, psycopg.Error):
        return None
    state, detail = error.sqlstate or "", _first_line(error)
    if state == "53100":  # disk_full
        return StorageFull(detail)
    if state in ("25006", "42501"):  # read_only_sql_transaction, insufficient_privilege
        return StorageReadOnly(detail)
    if state in ("XX001", "XX002"):  # data_corrupted, index_corrupted
        return StorageCorrupt(detail)
    if state in ("55P03", "40001", "40P01"):  # lock_not_available, serialization_failure, deadlock_detected
        return DatabaseBusy(detail)
    # No connection, wrong password, no such database, out of resources, operator intervention, an error of the system.
    if state[:2] in ("08", "28", "3D", "53", "57", "58") or (not state and isinstance(error, psycopg.OperationalError)):
        return StorageUnavailable(detail)
    return None


def _may_not_write_beside(file: str | None) -> bool:
    """SQLite needs files beside the database; in a folder closed to us it says no more than "cannot open"."""
    if not file:
        return False
    folder = Path(file).resolve().parent
    return folder.is_dir() and not os.access(folder, os.W_OK)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]
