"""Reading on all cores: batches of files to worker processes, results back in order. Not what is read, nor how."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from app.corpus.materials import Material
from app.corpus.parsing import Result, Task, parse_all
from app.domain.errors import CorpusError

FILES_AT_ONCE = 24  # a worker is handed: enough to hide the way there, few enough for a smooth bar
BYTES_AT_ONCE = 1_000_000  # and no more than that, unless one file is larger
BATCHES_AHEAD = 2  # for each worker, so that memory stays bounded
MOST_WORKERS = 4  # each takes some 80 MB: so an ingest stays below 500 MB on any machine
FEW = 100  # so many files are read sooner than workers start


async def parsed(tasks: Sequence[Task], collection: str) -> AsyncIterator[list[Result]]:
    """Results in batches, in the order of the tasks. Few files are read in this process.

    Raises CorpusError where a worker was killed.
    """
    loop = asyncio.get_running_loop()
    batches = _batches(tasks)
    workers = 1 if len(tasks) <= FEW else min(os.cpu_count() or 1, len(batches), MOST_WORKERS)
    ahead: list[asyncio.Future[list[Result]]] = []
    with _executor(workers) as pool:
        try:
            for batch in batches:
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


def _batches(tasks: Sequence[Task]) -> list[list[Task]]:
    batches: list[list[Task]] = []
    size = 0
    for task in tasks:
        this = _size(task.material)
        if not batches or len(batches[-1]) == FILES_AT_ONCE or size + this > BYTES_AT_ONCE:
            batches.append([])
            size = 0
        batches[-1].append(task)
        size += this
    return batches


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
