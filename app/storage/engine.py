"""The database: connections, short transactions, and driver errors as ours. Not the queries, not the schema."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from functools import cache

import structlog
from sqlalchemy import Connection, event
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from app.domain.errors import StorageUnavailable
from app.storage.driver_errors import DatabaseBusy, told_by_postgres, told_by_sqlite
from app.storage.migrations.upgrade import known_revisions, present_revision, upgrade

BUSY_SECONDS = 10.0  # how long a writer waits for another one before a reader is told
CONNECT_SECONDS = 10  # how long a PostgreSQL server may take to let us in
POOL_SIZE = 4  # SQLite: a thread each; PostgreSQL: a server process each
WAL_RESET_MENDED = (3, 51, 3)
BACK_PORTED = ((3, 44, 6), (3, 50, 7))

log = structlog.get_logger(__name__)


class Database:
    """A database at its newest revision. Raises a StorageError where a driver would raise its own, everywhere."""

    def __init__(self, engine: AsyncEngine, busy_seconds: float = BUSY_SECONDS) -> None:
        self._busy_seconds = busy_seconds
        self.dialect: str = engine.dialect.name
        self._engine = engine
        self._file = engine.url.database or ""
        if self.dialect == "sqlite":
            self._readers = engine
            self._writers = engine.execution_options(begin_with="BEGIN IMMEDIATE")
            event.listen(engine.sync_engine, "connect", _prepare_sqlite_connection)
            event.listen(engine.sync_engine, "begin", _begin_sqlite_transaction)
        else:  # one snapshot for all statements of a reading, as SQLite has it by itself
            self._readers = engine.execution_options(isolation_level="REPEATABLE READ")
            self._writers = engine
        self._turn_to_write = asyncio.Lock()
        self._opening: set[asyncio.Task[AsyncConnection]] = set()

    @classmethod
    async def open(cls, url: str, *, busy_seconds: float = BUSY_SECONDS) -> "Database":
        """Open `sqlite+aiosqlite:///…` or `postgresql+psycopg://…` and bring it to the newest revision.

        `busy_seconds`: how long a transaction waits for another one's, before it raises DatabaseBusy.
        Raises SchemaTooNew where a newer version of the app wrote it.
        """
        database = cls(_engine(url, busy_seconds), busy_seconds)
        try:
            if database.dialect == "sqlite":
                _warn_of_the_wal_reset_bug()
                await asyncio.to_thread(_keep_a_write_ahead_log, database._file, busy_seconds)
            async with database.reading() as connection:
                present = await connection.run_sync(present_revision)
            if present != known_revisions()[-1]:
                async with database.writing() as connection:
                    await connection.run_sync(upgrade)
        except BaseException:
            await database.close()
            raise
        return database

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection that sees one state of the database throughout. Keep it short: never over a stream."""
        with self._told():
            async with self._connected(self._readers) as connection:
                yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """One short transaction, committed (and on disk) at the end, rolled back on an error.

        SQLite has one writer at a time; ours queue here, where waiting costs no connection.
        """
        if self.dialect != "sqlite":
            with self._told():
                async with self._connected(self._writers) as connection, connection.begin():
                    yield connection
            return
        try:
            async with asyncio.timeout(self._busy_seconds):
                await self._turn_to_write.acquire()
        except TimeoutError as error:
            raise DatabaseBusy("the database is busy") from error
        try:
            with self._told():
                async with self._connected(self._writers) as connection, connection.begin():
                    yield connection
        finally:
            self._turn_to_write.release()

    async def close(self) -> None:
        """Close all connections. Nothing that was committed depends on it."""
        with self._told():
            if self._opening:
                await asyncio.wait(self._opening)
            await self._engine.dispose()

    @asynccontextmanager
    async def _connected(self, engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
        """A connection of the pool. One that is being opened is opened to the end, though its caller has left.

        The SQLite driver opens in a thread, and loses what it opened when nobody waits for it any more.
        """
        wanted = True

        async def opened() -> AsyncConnection:
            connection = await engine.connect()
            if not wanted:
                await connection.close()
            return connection

        opening = asyncio.create_task(opened())
        self._opening.add(opening)
        opening.add_done_callback(self._opening.discard)
        try:
            connection = await asyncio.shield(opening)
        except asyncio.CancelledError:
            wanted = False
            if opening.done() and not opening.cancelled() and opening.exception() is None:  # just now
                await opening.result().close()
            raise
        try:
            yield connection
        finally:
            await connection.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except PoolTimeout as error:
            raise StorageUnavailable("all connections to the database are in use") from error
        except DBAPIError as error:
            told = told_by_sqlite(error.orig, self._file) if self.dialect == "sqlite" else told_by_postgres(error.orig)
            if told is None:  # a mistake of ours, such as a wrong statement: not to be dressed up
                raise
            raise told from error


def _engine(url: str, busy_seconds: float) -> AsyncEngine:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StorageUnavailable("the database's address cannot be read") from error
    if parsed.get_backend_name() == "sqlite":
        if parsed.database in (None, "", ":memory:"):
            raise StorageUnavailable("the database's address names no file")
        return create_async_engine(
            parsed,
            hide_parameters=True,  # an error's text goes into the log, and questions do not belong there
            # Transactions begin as _begin_sqlite_transaction says, not when the driver thinks it is time.
            connect_args={"isolation_level": None, "timeout": busy_seconds},
            pool_size=POOL_SIZE,
            max_overflow=0,
            pool_timeout=busy_seconds,
        )
    return create_async_engine(
        parsed,
        hide_parameters=True,
        connect_args={"connect_timeout": CONNECT_SECONDS},
        pool_size=POOL_SIZE,
        max_overflow=POOL_SIZE,
        pool_timeout=busy_seconds,
        pool_pre_ping=True,  # the server may have been restarted meanwhile
    )


def _keep_a_write_ahead_log(file: str, busy_seconds: float) -> None:
    """WAL is a property of the file. To set it needs the file alone, and SQLite does not wait for that.

    It is also the first look at the file: what cannot be opened is told here.
    """
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            with closing(sqlite3.connect(file, timeout=busy_seconds)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:
            told = told_by_sqlite(error, file)
            if told is None:
                raise
            if not isinstance(told, DatabaseBusy) or time.monotonic() > deadline:
                raise told from error
            time.sleep(0.05)
        else:
            return


def _prepare_sqlite_connection(connection: DBAPIConnection, _record: object) -> None:
    cursor = connection.cursor()
    for pragma in (
        "foreign_keys = ON",
        "synchronous = FULL",  # with WAL only FULL keeps what was acknowledged over a loss of power
        "journal_size_limit = 67108864",  # after a large ingest the log shrinks again
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite_transaction(connection: Connection) -> None:
    """A writer takes the lock at once: one that reads first and then writes could fail without any waiting."""
    connection.exec_driver_sql(connection.get_execution_options().get("begin_with", "BEGIN"))


def has_wal_reset_bug(version: tuple[int, ...]) -> bool:
    """Whether this version of SQLite has the bug of https://sqlite.org/wal.html#walresetbug."""
    return version < WAL_RESET_MENDED and not any(version[:2] == back[:2] and version >= back for back in BACK_PORTED)


@cache  # once a process, however many databases it opens
def _warn_of_the_wal_reset_bug() -> None:
    if has_wal_reset_bug(sqlite3.sqlite_version_info):
        log.warning(
            "this SQLite may, at a rare moment, damage a database that several processes write at once",
            sqlite=sqlite3.sqlite_version,
            mended_in=".".join(map(str, WAL_RESET_MENDED)),
            advice="do not ingest while serving, or use PostgreSQL",
        )
