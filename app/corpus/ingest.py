"""Taking documents in: only what changed, and all of it at once. Not what is in a file, nor how the index is built.

    read, many at a time ──► staged rows and uncommitted index ──► one short transaction makes the rows live
                                                               ──► the index is committed, then named

Killed anywhere before the transaction, nothing has happened but rows that nobody sees. Killed between transaction and
index, the index's generation does not fit, and whoever opens it next rebuilds it from the database.
"""

import asyncio
import fcntl
import multiprocessing
import os
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from app.corpus.index.engine import IndexChanges, IndexedChunk, IndexedDocument, IndexEngine
from app.corpus.materials import Material, Materials, SkippedFile
from app.corpus.parsing import Parsed, Refused, Result, Same, Task, parse_all
from app.domain.documents import name_of
from app.domain.errors import IndexLocked, NothingToIngest
from app.storage.documents import DocumentStore, Known, StoredDocument

TASKS_AT_ONCE = 24  # files a worker is handed: enough to hide the way there, few enough for a smooth bar
BATCHES_AHEAD = 2  # batches waiting for each worker, so that memory stays bounded
FEW = 100  # so many files are read sooner than workers start


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done, and how many of how many documents are through."""

    phase: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did, in documents."""

    added: int
    changed: int
    same: int
    removed: int
    skipped: tuple[SkippedFile, ...]
    warnings: tuple[SkippedFile, ...]
    seconds: float


OnProgress = Callable[[Progress], None]


def unobserved(_progress: Progress) -> None:
    """Nobody looks."""


@dataclass(slots=True)
class _Tally:
    added: int = 0
    changed: int = 0
    same: int = 0
    skipped: list[SkippedFile] = field(default_factory=list)
    warnings: list[SkippedFile] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)  # names that the materials still have
    stale: list[int] = field(default_factory=list)  # keys of the rows that are replaced


class Ingest:
    """Takes materials into a collection. One at a time on a data folder."""

    def __init__(self, store: DocumentStore, index: IndexEngine, data_folder: Path) -> None:
        self._store = store
        self._index = index
        self._lock = data_folder / "ingest.lock"

    async def run(
        self,
        materials: Materials,
        *,
        collection: str,
        prune: bool = False,
        progress: OnProgress = unobserved,
    ) -> IngestReport:
        """Take in what changed; with `prune` remove what the materials no longer have.

        Raises NothingToIngest where there is no document at all, IndexLocked while another ingest runs.
        """
        began = time.monotonic()
        if not materials.found:
            raise NothingToIngest(collection)
        with _alone(self._lock):
            await self._store.purge()
            known = await self._store.known(collection)
            tally = _Tally(skipped=list(materials.skipped))
            wanted = await self._wanted(materials.found, collection, tally)
            with self._index.changes() as changes:
                await self._take(wanted, collection, known, tally, changes, progress)
                gone = sorted(known.keys() - tally.kept) if prune else []
                if tally.added or tally.changed or gone:
                    generation = await self._store.publish(collection, gone)
                    changes.remove([*tally.stale, *(known[name].id for name in gone)])
                    changes.commit(generation)
        return IngestReport(
            added=tally.added,
            changed=tally.changed,
            same=tally.same,
            removed=len(gone),
            skipped=tuple(tally.skipped),
            warnings=tuple(tally.warnings),
            seconds=time.monotonic() - began,
        )

    async def _wanted(self, found: Sequence[Material], collection: str, tally: _Tally) -> list[Material]:
        elsewhere = await self._store.held_elsewhere([name_of(material.uri) for material in found], collection)
        wanted = []
        for material in found:
            if other := elsewhere.get(name_of(material.uri)):
                tally.skipped.append(SkippedFile(material.origin, f"is in the collection {other} already"))
            else:
                wanted.append(material)
        return wanted

    async def _take(  # noqa: PLR0917  # one step of one run
        self,
        wanted: Sequence[Material],
        collection: str,
        known: Mapping[str, Known],
        tally: _Tally,
        changes: IndexChanges,
        progress: OnProgress,
    ) -> None:
        tasks = [Task(material, _digest_of(known, name_of(material.uri))) for material in wanted]
        done = 0
        progress(Progress(f"Reading {collection}", 0, len(tasks)))
        async for results in _parsed(tasks, collection):
            parsed = _counted(results, known, tally)
            if parsed:
                for stored in await self._store.stage([each.new for each in parsed]):
                    changes.add(indexed(stored))
            done += len(results)
            progress(Progress(f"Reading {collection}", done, len(tasks)))


def _digest_of(known: Mapping[str, Known], name: str) -> bytes | None:
    return known[name].digest if name in known else None


def _counted(results: Sequence[Result], known: Mapping[str, Known], tally: _Tally) -> list[Parsed]:
    """The documents that must be written; everything is counted."""
    parsed = []
    for result in results:
        match result:
            case Same(name):
                tally.same += 1
                tally.kept.add(name)
            case Refused(name, origin, reason):
                tally.skipped.append(SkippedFile(origin, reason))
                tally.kept.add(name)  # what cannot be read now is not gone
            case Parsed(new, warnings):
                tally.warnings += [SkippedFile(new.origin, warning) for warning in warnings]
                tally.kept.add(new.document.name)
                if former := known.get(new.document.name):
                    tally.changed += 1
                    tally.stale.append(former.id)
                else:
                    tally.added += 1
                parsed.append(result)
    return parsed


def indexed(stored: StoredDocument) -> IndexedDocument:
    """A stored document as the index takes it."""
    document = stored.document
    headings = tuple(dict.fromkeys(heading for slice_ in stored.slices for heading in slice_.headings))
    return IndexedDocument(
        id=stored.id,
        collection=document.collection,
        title=document.title,
        address=document.uri,
        headings=headings,
        text=document.content,
        chunks=tuple(
            IndexedChunk(key, slice_.headings, slice_.lead + document.content[slice_.start : slice_.end])
            for key, slice_ in zip(stored.chunk_ids, stored.slices, strict=True)
        ),
    )


async def rebuild(store: DocumentStore, index: IndexEngine, progress: OnProgress = unobserved) -> None:
    """Make the index anew from the database; readers keep the former one until the end."""
    total = sum(collection.documents for collection in await store.collections())
    done = 0
    with index.changes(afresh=True) as changes:
        generation = await store.generation()
        async for batch in store.live():
            for stored in batch:
                changes.add(indexed(stored))
            done += len(batch)
            progress(Progress("Building the index", done, total))
        changes.commit(generation)


async def _parsed(tasks: Sequence[Task], collection: str) -> AsyncIterator[list[Result]]:
    """Results in batches, in order, read by all cores; few files are read in this process."""
    loop = asyncio.get_running_loop()
    batches = [tasks[at : at + TASKS_AT_ONCE] for at in range(0, len(tasks), TASKS_AT_ONCE)]
    workers = min(os.cpu_count() or 1, len(batches))
    with _executor(workers, few=len(tasks) <= FEW) as pool:
        ahead: list[asyncio.Future[list[Result]]] = []
        waiting = iter(batches)
        for batch in waiting:
            ahead.append(loop.run_in_executor(pool, parse_all, batch, collection))
            if len(ahead) >= workers * BATCHES_AHEAD:
                yield await ahead.pop(0)
        for future in ahead:
            yield await future


@contextmanager
def _executor(workers: int, *, few: bool) -> Iterator[Executor]:
    """Threads for few files, else processes: spawned, since a fork would copy locks that other threads hold."""
    pool: Executor
    if few or workers <= 1:
        pool = ThreadPoolExecutor(1)
    else:
        pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise IndexLocked(str(lock.parent)) from error
        yield
