"""A private PostgreSQL server for this test process, from the system's own binaries. Not a server to keep."""

import atexit
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psycopg
import pytest

BINARIES = Path("/usr/lib/postgresql")  # where Debian puts them, by version
ACCOUNT = "postgres"  # the server refuses to run as root


class Cluster:
    """A server that listens on a socket in its own folder and forgets everything at the end."""

    def __init__(self, binaries: Path) -> None:
        self._binaries = binaries
        self._folder = Path(tempfile.mkdtemp(prefix="footnote-pg-"))
        self._as = {"user": ACCOUNT, "group": pwd.getpwnam(ACCOUNT).pw_gid, "extra_groups": []} if _root() else {}
        if _root():
            shutil.chown(self._folder, ACCOUNT, ACCOUNT)
        data = self._folder / "data"
        self._run("initdb", "-D", data, "-U", ACCOUNT, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
        options = f"-c listen_addresses= -c unix_socket_directories={self._folder} -c fsync=off -c max_connections=60"
        # Its output goes to a file: with a pipe we would wait for the server's end.
        self._run("pg_ctl", "start", "-w", "-D", data, "-l", self._folder / "log", "-o", options)
        self._data = data

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "-D", self._data, "-m", "immediate", "-w")
        shutil.rmtree(self._folder, ignore_errors=True)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The address of a new, empty database, dropped at the end."""
        name = f"test_{secrets.token_hex(6)}"
        self.administer(f'CREATE DATABASE "{name}"')
        yield f"postgresql+psycopg://{ACCOUNT}@/{name}?host={self._folder}"
        self.administer(f'DROP DATABASE "{name}" WITH (FORCE)')

    def administer(self, statement: str) -> None:
        address = f"host={self._folder} user={ACCOUNT} dbname=postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(statement)

    def _run(self, program: str, *arguments: object) -> None:
        subprocess.run(
            [self._binaries / program, *map(str, arguments)],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd=self._folder,
            timeout=60,
            **self._as,
        )


def cluster() -> Cluster:
    """The server of this process, started when first asked for. Without PostgreSQL: a skip, in CI a failure."""
    found = _cluster()
    if found is None:
        reason = f"no PostgreSQL below {BINARIES}: apt-get install postgresql"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@cache
def _cluster() -> Cluster | None:
    versions = sorted(BINARIES.glob("*/bin"), key=lambda folder: int(folder.parent.name))
    if not versions:
        return None
    started = Cluster(versions[-1])
    atexit.register(started.stop)
    return started


def _root() -> bool:
    return os.geteuid() == 0
