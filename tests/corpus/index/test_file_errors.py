"""What the file system refuses is told as what it is, whoever says it: Python, or the library with its sentence."""

import errno
from pathlib import Path

import pytest

from app.corpus.index.file_errors import told
from app.domain.errors import StorageFull, StorageReadOnly, StorageUnavailable


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError(errno.ENOSPC, "no room"), StorageFull),
        (OSError(errno.EDQUOT, "no room"), StorageFull),
        (ValueError("An IO error occurred: 'No space left on device (os error 28)'"), StorageFull),
        (OSError(errno.EROFS, "no"), StorageReadOnly),
        (ValueError("Permission denied (os error 13)"), StorageReadOnly),
        (OSError(errno.EIO, "broken"), StorageUnavailable),
        (ValueError("something else"), StorageUnavailable),
    ],
)
def test_the_file_systems_words_become_ours(error: Exception, expected: type[Exception]) -> None:
    with pytest.raises(expected, match="/index") as raised, told(Path("/index")):
        raise error
    assert type(raised.value) is expected


def test_other_errors_pass_as_they_are() -> None:
    with pytest.raises(KeyError), told(Path("/index")):
        raise KeyError
