"""Many files on many cores: all results, in order, in bounded batches; and no worker outlives its leader."""

import asyncio
import multiprocessing
import os
import signal
import sys
from pathlib import Path

import pytest

from app.corpus.materials import Material
from app.corpus.parsing import Parsed, Result, Task
from app.corpus.workers import BYTES_AT_ONCE, FEW, FILES_AT_ONCE, parsed
from app.domain.errors import CorpusError

ROOT = Path(__file__).parents[2]


def tasks(count: int, data: bytes = b"# Pump\n\nThe pump moves water.\n") -> list[Task]:
    return [
        Task(Material(f"{number}.md", f"https://example.com/{number}", f"{number}.md", data=data))
        for number in range(count)
    ]


async def test_results_come_in_order_from_one_process_and_from_many() -> None:
    for count in (1, FEW, FEW + 60):
        found: list[Result] = [result async for batch in parsed(tasks(count), count, "docs") for result in batch]
        assert [result.origin for result in found] == [f"{number}.md" for number in range(count)]
        assert all(isinstance(result, Parsed) for result in found)
    assert multiprocessing.active_children() == []


async def test_batches_are_bounded_in_files_and_bytes() -> None:
    sizes = [len(batch) async for batch in parsed(tasks(60), 60, "docs")]
    assert sizes == [FILES_AT_ONCE, FILES_AT_ONCE, 60 - 2 * FILES_AT_ONCE]
    large = b"# Pump\n\n" + b"word " * (BYTES_AT_ONCE // 12)
    assert [len(batch) async for batch in parsed(tasks(5, large), 5, "docs")] == [2, 2, 1]


async def test_a_killed_worker_is_told_and_leaves_no_other_behind() -> None:
    with pytest.raises(CorpusError, match="memory"):  # noqa: PT012  # it is raised while one asks for more
        async for _ in parsed(tasks(4000), 4000, "docs"):
            for worker in multiprocessing.active_children():
                os.kill(worker.pid or 0, signal.SIGKILL)
    assert multiprocessing.active_children() == []


LEADER = """
import asyncio, multiprocessing, os, signal
from app.corpus.workers import parsed
from tests.corpus.test_workers import tasks

async def main():
    async for _ in parsed(tasks(4000), 4000, "docs"):
        print(*(worker.pid for worker in multiprocessing.active_children()), flush=True)
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    asyncio.run(main())
"""


async def test_workers_end_when_their_leader_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "leader.py"
    program.write_text(LEADER, encoding="utf-8")
    leader = await asyncio.create_subprocess_exec(
        sys.executable, program, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=asyncio.subprocess.PIPE
    )
    async with asyncio.timeout(60):  # workers that go on would keep the pipe open
        output, _ = await leader.communicate()
    left = {int(number) for number in output.split()}
    assert left
    deadline = asyncio.get_running_loop().time() + 20
    while any(alive(number) for number in left):
        assert asyncio.get_running_loop().time() < deadline, "workers go on without their leader"
        await asyncio.sleep(0.05)


def alive(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
