"""The data folder: that it can be written, its key, and who serves from it. Not what lies in the database."""

import errno
import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from app.domain.errors import DataInUse, StorageFull, StorageReadOnly, StorageUnavailable


class DataFolder:
    """The one folder written to. Raises StorageReadOnly, StorageFull or StorageUnavailable, never an OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def prepare(self) -> None:
        """Make the folder and try it: a start fails here, with a sentence, and not later at a reader's question."""
        with _told(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            probe = self.path / f".probe-{os.getpid()}"
            probe.write_bytes(b"x")
            probe.unlink()

    def secret_key(self) -> str:
        """The key that signs readers' cookies: made once, readable by its owner alone."""
        file = self.path / "secret.key"
        with _told(self.path):
            with suppress(FileExistsError):
                fresh = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                with os.fdopen(fresh, "w", encoding="ascii") as out:
                    out.write(secrets.token_hex(32))
            key = file.read_text(encoding="ascii").strip()
        if len(key) < 32:
            raise StorageUnavailable(f"{file} holds no key; delete it, and a new one is made")
        return key

    @contextmanager
    def held_by_server(self) -> Iterator[None]:
        """Hold the folder as its only server. Raises DataInUse, naming the process that holds it already."""
        with _told(self.path):
            lock = os.open(self.path / "serve.lock", os.O_CREAT | os.O_RDWR, 0o644)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                holder = os.pread(lock, 20, 0).decode("ascii", "replace").strip()
                raise DataInUse(f"{self.path}, process {holder or 'unknown'}") from error
            with _told(self.path):
                os.ftruncate(lock, 0)
                os.pwrite(lock, str(os.getpid()).encode("ascii"), 0)
            yield
        finally:
            os.close(lock)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = error.filename or str(path)
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise StorageReadOnly(str(where)) from error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StorageFull(str(where)) from error
        raise StorageUnavailable(f"{where}: {error.strerror}") from error
