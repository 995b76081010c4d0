"""Writing the embedded index: changes in a folder of their own, so that readers keep the former one. No searching."""

from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import tantivy
from tantivy import TextAnalyzer

from app.corpus.index import snapshots
from app.corpus.index.engine import IndexedDocument
from app.corpus.index.file_errors import told
from app.corpus.index.keeping import Counts
from app.corpus.index.snapshots import Snapshot, Sums
from app.corpus.index.tantivy_levels import (
    RECIPE,
    chunk_entries,
    chunk_index,
    document_queries,
    page_entry,
    page_index,
)

HEAP_BYTES = 40_000_000  # for each of the two writers; tantivy wants 15 MB at least


class TantivyChanges:
    """IndexChanges that can be counted."""

    def __init__(
        self, folder: Path, former: Snapshot | None, words: TextAnalyzer, committed: Callable[[], None]
    ) -> None:
        self._folder = folder
        self._former = former
        self._analyser = words
        self._committed = committed
        self._writers: tuple[tantivy.IndexWriter, ...] = ()
        self._sums: Sums | None = None
        self._done = False

    @property
    def afresh(self) -> bool:
        return self._former is None

    def __enter__(self) -> Self:
        with told(self._folder):
            self._place = snapshots.begin(self._folder, self._former)
            self._indexes = (chunk_index(self._place, self._analyser), page_index(self._place, self._analyser))
            self._writers = tuple(index.writer(HEAP_BYTES, 1) for index in self._indexes)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._done:
            self._writers = ()  # the library ends their threads as they go
            snapshots.drop(self._place)

    def add(self, document: IndexedDocument) -> None:
        chunks, pages = self._writers
        with told(self._folder):
            for entry in chunk_entries(document):
                chunks.add_document(entry)
            pages.add_document(page_entry(document))

    def remove(self, document_ids: Iterable[int]) -> None:
        for document_id in document_ids:
            for writer, query in zip(self._writers, document_queries(document_id), strict=True):
                writer.delete_documents_by_query(query)  # by_term takes no key for an unsigned one, and says nothing

    def prepare(self) -> None:
        if self._sums is not None:
            return
        with told(self._folder):
            for writer in self._writers:
                writer.commit()
                writer.wait_merging_threads()  # from here on the files stay as they are
            self._writers = ()
            self._sums = snapshots.sums(self._place)

    def counts(self) -> Counts:
        with told(self._folder):
            for index in self._indexes:
                index.reload()
            chunks, pages = (int(index.searcher().num_docs) for index in self._indexes)
        return Counts(pages, chunks)

    def commit(self, generation: int) -> None:
        self.prepare()
        snapshot = Snapshot(generation, self._place)
        with told(self._folder):
            snapshots.name(self._folder, RECIPE, snapshot, self._sums or {})
        self._done = True
        self._committed()
        snapshots.sweep(self._folder, snapshot)
