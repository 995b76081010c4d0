"""What every test may ask for by name. Not the fixtures of one part: those stand beside its tests."""

import os
from pathlib import Path

import pytest

from tests.support.shared import SharedMissing, shared_folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """Corpus, questions and hostile files. Without the folder a test that needs it is skipped; in CI it fails."""
    try:
        return shared_folder()
    except SharedMissing as missing:
        if os.environ.get("CI") == "true":
            pytest.fail(str(missing))
        pytest.skip(str(missing))
