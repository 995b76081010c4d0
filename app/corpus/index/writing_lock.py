"""Who may write the index: one process at a time, by a lock on a file that says who it is. Not what is written."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from app.corpus.index.file_errors import told
from app.domain.errors import IndexLocked

LONGEST_NOTE = 200  # bytes
LOOKED_AT_SECONDS = 0.05  # whoever asks for the holder's name has the lock for an instant; wait that long once


class WritingLock:
    """A lock that ends with its process, however that ends."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold it. Raises IndexLocked, naming the holder, and StorageError where the file cannot be made."""
        with told(self._file.parent):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._file, os.O_CREAT | os.O_RDWR, 0o644)
        try:
            if not _taken(lock, fcntl.LOCK_EX):
                time.sleep(LOOKED_AT_SECONDS)
                if not _taken(lock, fcntl.LOCK_EX):
                    raise IndexLocked(f"{self._file.parent}: {_note(lock) or 'another process'} is writing")
            began = datetime.now(UTC).astimezone().isoformat(sep=" ", timespec="seconds")
            with suppress(OSError):  # on a full disk the holder has no name
                os.ftruncate(lock, 0)
                os.pwrite(lock, f"process {os.getpid()}, since {began},".encode("ascii"), 0)
            yield
        finally:
            os.close(lock)

    def holder(self) -> str:
        """Who holds it now, in words; empty where nobody does."""
        try:
            lock = os.open(self._file, os.O_RDWR)
        except OSError:  # never held, or not ours to look at
            return ""
        try:
            return "" if _taken(lock, fcntl.LOCK_SH) else _note(lock).rstrip(",") or "another process"
        finally:
            os.close(lock)


def _taken(lock: int, kind: int) -> bool:
    try:
        fcntl.flock(lock, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _note(lock: int) -> str:
    return os.pread(lock, LONGEST_NOTE, 0).decode("ascii", "replace")
