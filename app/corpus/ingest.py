"""Taking documents in: only what changed, and all of it at once. Not what is in a file, nor how the index is built.

    read, many at a time ──► staged rows, and an index written beside the one that serves
                         ──► both are counted ──► one short transaction makes the rows live ──► the new index is named

Killed anywhere before the transaction, nothing has happened but rows that nobody sees. Killed between transaction and
index, the index's generation does not fit: who has it open goes on with the former state, and whoever ingests or opens
it next makes it anew from the database.
"""

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from app.corpus.index.engine import IndexChanges, IndexedChunk, IndexedDocument, IndexEngine
from app.corpus.index.keeping import Counted, Counts
from app.corpus.materials import Material, Materials, SkippedFile
from app.corpus.parsing import Parsed, Task
from app.corpus.tally import Tally
from app.corpus.workers import parsed
from app.domain.errors import CorpusError, NothingToIngest, StorageError
from app.storage.documents import DocumentStore, NewDocument, Slice, StoredDocument

LONGEST_NAME = 200  # of a collection
NO_GENERATION = -1  # changes onto this one always begin with an empty index


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


class Ingest:
    """Takes materials into a collection. One at a time on a data folder."""

    def __init__(self, store: DocumentStore, index: IndexEngine) -> None:
        self._store = store
        self._index = index

    async def run(
        self,
        materials: Materials | Iterable[Material],
        *,
        collection: str,
        prune: bool = False,
        progress: OnProgress = unobserved,
    ) -> IngestReport:
        """Take in what changed; with `prune` remove what the materials no longer have.

        Raises NothingToIngest where there is no document at all, IndexLocked while another ingest runs, CorpusError
        where the new index does not hold what the database holds; the former state stays then.
        """
        began = time.monotonic()
        if not (collection.strip() and collection.isprintable() and len(collection) <= LONGEST_NAME):
            raise CorpusError(f"a collection needs a name of 1 to {LONGEST_NAME} characters on one line")
        given = materials if isinstance(materials, Materials) else Materials(tuple(materials))
        if not given.found:
            raise NothingToIngest(collection)
        tally = Tally(list(given.skipped))
        with self._index.alone():
            try:
                await self._change(given.found, collection, tally, prune=prune, progress=progress)
            except BaseException:
                with suppress(StorageError):  # on a full disk even that may fail; then the next ingest does it
                    await self._store.purge(removed=False)
                raise
        return IngestReport(
            added=tally.added,
            changed=tally.changed,
            same=tally.same,
            removed=tally.removed,
            skipped=tuple(tally.skipped),
            warnings=tuple(tally.warnings),
            seconds=time.monotonic() - began,
        )

    async def _change(
        self, found: Sequence[Material], collection: str, tally: Tally, *, prune: bool, progress: OnProgress
    ) -> None:
        generation = await self._store.generation()
        with self._index.changes(generation) as changes:
            # While the index is behind, its readers may still need what the last ingest removed.
            await self._store.purge(removed=not changes.afresh)
            if changes.afresh:
                await _fill(self._store, changes, progress)
            tally.knows(await self._store.known(collection))
            await self._take(found, collection, tally, changes, progress)
            gone = tally.gone() if prune else []
            tally.removed = len(gone)
            if tally.added or tally.changed or gone:
                leaving = [*tally.stale, *(each.id for each in gone)]
                changes.remove(leaving)
                await _written(self._store, changes, progress, staged=True, without=leaving)
                generation = await self._store.publish(collection, [each.name for each in gone])
                _take_into_use(changes, generation, progress)
            elif changes.afresh:
                await _written(self._store, changes, progress)
                _take_into_use(changes, generation, progress)

    async def _take(
        self,
        found: Sequence[Material],
        collection: str,
        tally: Tally,
        changes: IndexChanges,
        progress: OnProgress,
    ) -> None:
        tasks = (Task(material, tally.digests_of(material.origin)) for material in found)
        done = 0
        progress(Progress(f"Reading {collection}", done, len(found)))
        async for results in parsed(tasks, len(found), collection):
            names = [result.document.name for result in results if isinstance(result, Parsed)]
            elsewhere = await self._store.held_elsewhere(names, collection)
            new = [_new(result) for result in tally.counted(results, elsewhere)]
            for stored in await self._store.stage(new):
                changes.add(_indexed(stored))
            done += len(results)
            progress(Progress(f"Reading {collection}", done, len(found)))


async def bring_up(
    store: DocumentStore, index: IndexEngine, progress: OnProgress = unobserved, *, always: bool = False
) -> None:
    """See that the index holds what the database holds: where it does not, or with `always`, make it anew.

    Readers keep the former one until the end. Raises IndexLocked while an ingest runs, CorpusError where the new index
    does not hold what the database holds.
    """
    with index.alone():
        generation = await store.generation()
        with index.changes(NO_GENERATION if always else generation) as changes:
            if changes.afresh:
                await _fill(store, changes, progress)
                await _written(store, changes, progress)
                _take_into_use(changes, generation, progress)


async def _written(
    store: DocumentStore,
    changes: IndexChanges,
    progress: OnProgress,
    *,
    staged: bool = False,
    without: Sequence[int] = (),
) -> None:
    """Write all, then count it, before anybody sees it."""
    expected = Counts(*await store.census.counts(staged=staged, without=without))
    progress(Progress("Writing the index", 0, expected.documents))
    await _to_its_end(changes.prepare)
    progress(Progress("Writing the index", expected.documents, expected.documents))
    if isinstance(changes, Counted) and (held := changes.counts()) != expected:
        raise CorpusError(
            f"the new index holds {held.documents} documents and {held.chunks} chunks, the database "
            f"{expected.documents} and {expected.chunks}; make the index anew: footnote index rebuild"
        )


async def _to_its_end(work: Callable[[], None]) -> None:
    """In a thread, so that others are served meanwhile. A cancel waits for it: it writes where one sweeps then."""
    working = asyncio.ensure_future(asyncio.to_thread(work))
    try:
        await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait((working,))
        raise


def _take_into_use(changes: IndexChanges, generation: int, progress: OnProgress) -> None:
    progress(Progress("Taking the index into use", 0, 1))
    changes.commit(generation)
    progress(Progress("Taking the index into use", 1, 1))


async def _fill(store: DocumentStore, changes: IndexChanges, progress: OnProgress) -> None:
    """All live documents into an empty index."""
    total = sum(collection.documents or 0 for collection in await store.collections())
    done = 0
    async for batch in store.live():
        for stored in batch:
            changes.add(_indexed(stored))
        done += len(batch)
        progress(Progress("Building the index", done, total))


def _new(result: Parsed) -> NewDocument:
    slices = tuple(Slice(span.start, span.end, span.headings, span.lead) for span in result.chunks)
    return NewDocument(result.document, result.origin, result.digest, slices)


def _indexed(stored: StoredDocument) -> IndexedDocument:
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
        language=document.language,
        product=document.product,
        version=document.version,
        chunks=tuple(
            IndexedChunk(key, slice_.headings, slice_.lead + document.content[slice_.start : slice_.end])
            for key, slice_ in zip(stored.chunk_ids, stored.slices, strict=True)
        ),
    )
