"""One writer at a time, who says who it is; a lock that ends with its process."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from app.corpus.index.writing_lock import WritingLock
from app.domain.errors import IndexLocked, StorageUnavailable

ROOT = Path(__file__).parents[3]

HOLDER = """
import sys
from pathlib import Path
from app.corpus.index.writing_lock import WritingLock

with WritingLock(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_one_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    file = tmp_path / "data" / "ingest.lock"
    first, second = WritingLock(file), WritingLock(file)
    assert second.holder() == ""
    with first.held():
        assert second.holder().startswith(f"process {os.getpid()}, since 2")
        for _ in range(2):
            with pytest.raises(IndexLocked, match=f"process {os.getpid()}, since .* is writing"), second.held():
                pytest.fail("there are two writers")
    assert second.holder() == ""
    with second.held():
        assert first.holder()


async def test_a_killed_holder_holds_it_no_longer(tmp_path: Path) -> None:
    lock = WritingLock(tmp_path / "ingest.lock")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, str(tmp_path / "ingest.lock")),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=-1,
        stdout=-1,
    )
    assert process.stdout
    async with asyncio.timeout(30):
        assert await process.stdout.readline() == b"held\n"
    assert lock.holder().startswith(f"process {process.pid}, ")
    process.kill()
    await process.communicate()
    assert lock.holder() == ""
    with lock.held():
        assert lock.holder().startswith(f"process {os.getpid()}, ")


def test_a_place_where_no_lock_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way", encoding="utf-8")
    with pytest.raises(StorageUnavailable), WritingLock(tmp_path / "data" / "ingest.lock").held():
        pytest.fail("there is no folder")
