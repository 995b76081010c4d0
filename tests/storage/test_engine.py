"""The database, where SQLite or PostgreSQL have ways of their own; what both must do is in tests/contracts."""

import asyncio
import gc
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import select

from app.domain.errors import (
    StorageCorrupt,
    StorageFull,
    StorageReadOnly,
    StorageUnavailable,
)
from app.storage.driver_errors import DatabaseBusy, told_by_sqlite
from app.storage.engine import Database, has_wal_reset_bug
from app.storage.migrations import upgrade
from app.storage.migrations.upgrade import known_revisions
from app.storage.tables import facts
from tests.support.postgres import cluster

# The administrator may write everywhere; without this capability, only where permissions allow it.
BOUND_BY_PERMISSIONS = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []


def address(file: Path) -> str:
    return f"sqlite+aiosqlite:///{file}"


async def write(database: Database, key: str = "k", value: object = 1) -> None:
    async with database.writing() as connection:
        await connection.execute(facts.insert().values(key=key, value=value))


async def keys(database: Database) -> list[str]:
    async with database.reading() as connection:
        return list((await connection.scalars(select(facts.c.key).order_by(facts.c.key))).all())


def program(body: str) -> list[str]:
    """The command line of a process that runs these asynchronous lines; its first argument is the database's file."""
    head = (
        "import asyncio, sys",
        "from pathlib import Path",
        "from app.domain.errors import StorageError",
        "from app.storage.engine import Database",
        "from tests.storage.test_engine import address, keys, write",
        "async def main(url):",
    )
    lines = (f"    {line}" for line in body.strip().splitlines())
    return [sys.executable, "-c", "\n".join((*head, *lines, "asyncio.run(main(address(sys.argv[1])))"))]


def run(command: list[object]) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, check=False)


def lines_before_kill(command: list[object], count: int) -> list[str]:
    """What a process says until it is killed after so many lines, those that were on their way included."""
    said = []
    words = [str(part) for part in command]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip().isdecimal():
                said.append(line.strip())
            if len(said) == count:
                process.kill()
    return said


# --- SQLite as we set it up ------------------------------------------------------------------------------------------


async def test_every_connection_keeps_what_it_acknowledged_and_its_foreign_keys(tmp_path: Path) -> None:
    database = await Database.open(address(tmp_path / "db"))

    async def pragmas() -> tuple[object, ...]:
        async with database.reading() as connection:
            names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            found = [(await connection.exec_driver_sql(f"PRAGMA {name}")).scalar() for name in names]
            await asyncio.sleep(0)  # the others take connections of their own meanwhile
            return tuple(found)

    assert set(await asyncio.gather(*(pragmas() for _ in range(4)))) == {("wal", 2, 1, 10_000)}
    await database.close()


async def test_readers_go_on_while_one_writes(tmp_path: Path) -> None:
    database = await Database.open(address(tmp_path / "db"))
    await write(database, "before")
    async with database.writing() as connection:
        await connection.execute(facts.insert().values(key="during", value=1))
        async with asyncio.timeout(5):
            assert await keys(database) == ["before"]
    assert await keys(database) == ["before", "during"]
    await database.close()


async def test_a_writer_of_another_process_is_waited_for_and_then_told(tmp_path: Path) -> None:
    database = await Database.open(address(tmp_path / "db"), busy_seconds=0.2)
    other = sqlite3.connect(tmp_path / "db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(DatabaseBusy):
        await write(database)
    other.execute("ROLLBACK")
    other.close()
    await write(database)
    assert await keys(database) == ["k"]
    await database.close()


async def test_a_writer_of_this_process_is_waited_for_and_then_told(tmp_path: Path) -> None:
    database = await Database.open(address(tmp_path / "db"), busy_seconds=0.2)
    async with database.writing():
        with pytest.raises(DatabaseBusy):
            await write(database)
    await write(database)
    await database.close()


@pytest.mark.parametrize(
    ("version", "has_it"),
    [
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 52, 0), False),
    ],
)
def test_versions_with_the_wal_reset_bug_are_known(version: tuple[int, ...], has_it: bool) -> None:
    assert has_wal_reset_bug(version) is has_it


# --- what can go wrong -----------------------------------------------------------------------------------------------


async def test_a_file_that_is_no_database_is_corrupt_and_left_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "db"
    file.write_bytes(b"no database at all " * 500)
    with pytest.raises(StorageCorrupt, match="db"):
        await Database.open(address(file))
    assert file.read_bytes() == b"no database at all " * 500


async def test_a_damaged_database_is_corrupt(tmp_path: Path) -> None:
    file = tmp_path / "db"
    database = await Database.open(address(file))
    await write(database)
    await database.close()
    kept = bytearray(file.read_bytes())
    kept[100:] = b"\xff" * (len(kept) - 100)
    file.write_bytes(kept)
    with pytest.raises(StorageCorrupt):
        await Database.open(address(file))


async def test_an_address_that_names_no_database_is_told_without_its_password() -> None:
    with pytest.raises(StorageUnavailable) as told:
        await Database.open("nonsense hunter22")
    assert "hunter22" not in str(told.value)
    with pytest.raises(StorageUnavailable) as told:
        await Database.open("postgresql+psycopg://footnote:hunter22@127.0.0.1:1/footnote")
    assert "hunter22" not in str(told.value)
    with pytest.raises(StorageUnavailable, match="no file"):
        await Database.open("sqlite+aiosqlite:///")


def test_a_folder_closed_to_us_is_read_only() -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folders are closed to other accounts altogether
        folder = Path(name)
        made = run([*program("d = await Database.open(url); await write(d); await d.close()"), folder / "db"])
        assert made.returncode == 0, made.stderr
        for file in folder.iterdir():
            file.chmod(0o444)
        folder.chmod(0o555)
        body = """
try:
    database = await Database.open(url)
    await write(database)
except StorageError as error:
    print(type(error).__name__)
"""
        found = run([*BOUND_BY_PERMISSIONS, *program(body), folder / "db"])
        folder.chmod(0o755)
    assert found.stdout.splitlines()[-1:] == ["StorageReadOnly"], found.stdout + found.stderr


def test_a_full_disk_is_told_and_what_was_acknowledged_stays(tmp_path: Path) -> None:
    mount = f"mount -t tmpfs -o size=600k tmpfs {tmp_path}"
    if run(["unshare", "-rm", "sh", "-c", mount]).returncode:
        pytest.skip("this machine lets nobody mount a small disk")
    body = """
database = await Database.open(url)
written = []
try:
    for number in range(10_000):
        await write(database, f"{number:05}", "x" * 2000)
        written.append(f"{number:05}")
except StorageError as error:
    print(type(error).__name__, len(written) > 10, await keys(database) == written)
await database.close()
database = await Database.open(url)
print(await keys(database) == written)
await database.close()
"""
    found = run(["unshare", "-rm", "sh", "-c", f'{mount} && exec "$0" "$@"', *program(body), tmp_path / "db"])
    assert found.stdout.splitlines()[-2:] == ["StorageFull True True", "True"], found.stdout + found.stderr


def test_what_sqlite_says_of_a_full_disk_is_understood() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA max_page_count = 3")
    connection.execute("CREATE TABLE t (x)")
    with pytest.raises(sqlite3.OperationalError) as full:
        connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    assert isinstance(told_by_sqlite(full.value, None), StorageFull)
    with pytest.raises(sqlite3.OperationalError) as wrong:
        connection.execute("SELEKT 1")
    assert told_by_sqlite(wrong.value, None) is None, "a mistake of ours is not dressed up"
    connection.close()


@pytest.mark.postgres
async def test_a_postgresql_that_turned_read_only_says_so() -> None:
    with cluster().database() as url:
        database = await Database.open(url)
        await database.close()
        name = url.partition("@/")[2].partition("?")[0]
        cluster().administer(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        database = await Database.open(url)
        assert await keys(database) == []
        with pytest.raises(StorageReadOnly):
            await write(database)
        await database.close()


@pytest.mark.postgres
async def test_connections_cut_by_the_server_are_replaced() -> None:
    with cluster().database() as url:
        database = await Database.open(url)
        await write(database, "before")
        cluster().administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%'")
        await write(database, "after")
        assert await keys(database) == ["after", "before"]
        await database.close()


# --- processes -------------------------------------------------------------------------------------------------------


async def test_what_was_acknowledged_survives_a_killed_process(tmp_path: Path) -> None:
    body = """
database = await Database.open(url)
for number in range(100_000):
    await write(database, f"{number:06}")
    print(f"{number:06}", flush=True)
"""
    acknowledged = lines_before_kill([*program(body), tmp_path / "db"], 20)
    database = await Database.open(address(tmp_path / "db"))
    kept = await keys(database)
    await database.close()
    assert kept[: len(acknowledged)] == acknowledged
    assert len(kept) <= len(acknowledged) + 1, "no more than what was under way"


def test_processes_that_start_at_once_migrate_once(tmp_path: Path) -> None:
    command = [*program("database = await Database.open(url); await database.close()"), str(tmp_path / "db")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(3)]
    said = [process.communicate(timeout=60)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], said
    assert "".join(said).count("database upgraded") == 1


async def test_a_start_that_has_nothing_to_migrate_does_without_alembic(tmp_path: Path) -> None:
    await (await Database.open(address(tmp_path / "db"))).close()
    source = (
        "import asyncio, sys\nfrom app.storage.engine import Database\n"
        "async def main():\n    database = await Database.open(sys.argv[1]); await database.close()\n"
        "asyncio.run(main()); print('alembic' in sys.modules, 'psycopg' in sys.modules)"
    )
    found = run([sys.executable, "-c", source, address(tmp_path / "db")])
    assert found.stdout.splitlines()[-1:] == ["False False"], found.stderr


def test_the_names_of_the_revisions_tell_what_alembic_reads_in_them() -> None:
    script = ScriptDirectory(str(Path(upgrade.__file__).parent))
    assert list(known_revisions()) == [revision.revision for revision in script.walk_revisions()][::-1]
    assert script.get_heads() == [known_revisions()[-1]]


def open_files(beginning: Path) -> list[Path]:
    """What this process has open whose path begins so."""
    links = list(Path("/proc/self/fd").iterdir())
    return [link for link in links if link.exists() and str(link.readlink()).startswith(str(beginning))]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system does not list open files in /proc")
async def test_whoever_leaves_while_a_connection_is_opened_leaves_no_open_file_behind(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite3"
    database = await Database.open(address(file))
    await database.close()  # so that its pool begins anew, and each reader has to open a connection
    gc.disable()  # memory that is cleaned up would close a lost connection, too
    try:
        for steps in range(1, 30):
            reader = asyncio.create_task(keys(database))
            for _ in range(steps):
                await asyncio.sleep(0)
            reader.cancel()
            await asyncio.wait({reader})
            await database.close()
        assert not open_files(file)
    finally:
        gc.enable()
