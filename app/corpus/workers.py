"""Reading on all cores: batches of files to worker processes, results back in order. Not what is read, nor how."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from app.corpus.materials import Material
from app.corpus.parsing import Result, Task, parse_all
from app.domain.errors import CorpusError

FILES_AT_ONCE = 24  # a worker is handed: enough to hide the way there, few enough for a smooth bar
BYTES_AT_ONCE = 1_000_000  # and no more than that, unless one file is larger
BATCHES_AHEAD = 6  # for each worker: one long file does not make the others wait, and memory stays bounded
MOST_WORKERS = 4  # each takes some 80 MB: so an ingest stays below 500 MB on any machine
FEW = 100  # so many files are read sooner than workers start


async def parsed(tasks: Iterable[Task], count: int, collection: str) -> AsyncIterator[list[Result]]:
    """Results in batches, in the order of the tasks, of which there are `count`. Few files are read in this process.

    Raises CorpusError where a worker was killed.
    """
    loop = asyncio.get_running_loop()
    workers = 1 if count <= FEW else min(os.cpu_count() or 1, MOST_WORKERS)
    ahead: list[asyncio.Future[list[Result]]] = []
    with _executor(workers) as pool:
        try:
            for batch in _batches(tasks):
                ahead.append(loop.run_in_executor(pool, parse_all, batch, collection))
                if len(ahead) >= workers * BATCHES_AHEAD:
                    yield await ahead.pop(0)
            while ahead:
                yield await ahead.pop(0)
        except BrokenProcessPool as error:
            raise CorpusError("a process that reads documents was ended; is there enough memory?") from error
        finally:
            for future in ahead:
                future.cancel()


def _batches(tasks: Iterable[Task]) -> Iterator[list[Task]]:
    """Made as they are needed: of many tasks only those on their way are held."""
    batch: list[Task] = []
    size = 0
    for task in tasks:
        this = _size(task.material)
        if batch and (len(batch) == FILES_AT_ONCE or size + this > BYTES_AT_ONCE):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += this
    if batch:
        yield batch


def _size(material: Material) -> int:
    if material.path is None:
        return len(material.data or b"")
    try:
        return material.path.stat().st_size
    except OSError:  # whoever reads it will tell
        return 0


@contextmanager
def _executor(workers: int) -> Iterator[Executor]:
    """A thread for one worker, else processes: spawned, since a fork would copy locks that other threads hold."""
    pool: Executor
    if workers == 1:
        pool = ThreadPoolExecutor(1)
    else:
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker)
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _begin_worker() -> None:
    """An interrupt is for the process that leads; and when that one is gone, nobody needs a worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leader = multiprocessing.parent_process()
    if leader is not None:
        threading.Thread(target=_end_after, args=(leader,), daemon=True).start()


def _end_after(leader: multiprocessing.process.BaseProcess) -> None:
    leader.join()
    os._exit(1)
