"""What the file system refuses an index, in our words. Not what is done about it."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.domain.errors import StorageFull, StorageReadOnly, StorageUnavailable


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Raises a StorageError for an OSError. tantivy tells one as a ValueError with the system's sentence."""
    try:
        yield
    except (OSError, ValueError) as error:
        number, text = getattr(error, "errno", None), str(error)
        if number in (errno.ENOSPC, errno.EDQUOT) or "No space left" in text or "quota exceeded" in text:
            raise StorageFull(str(folder)) from error
        if number in (errno.EACCES, errno.EPERM, errno.EROFS) or "denied" in text or "Read-only" in text:
            raise StorageReadOnly(str(folder)) from error
        raise StorageUnavailable(f"{folder}: {text[:300]}") from error
