"""The embedded index: tantivy at two levels in one folder, which many processes read and one writes. No documents."""

import errno
import fcntl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
import tantivy
from tantivy import TextAnalyzer

from app.corpus.index import snapshots
from app.corpus.index.engine import ChunkHit, IndexedDocument, Wanted
from app.corpus.index.ranking import ranked
from app.corpus.index.snapshots import Snapshot
from app.corpus.index.tantivy_levels import (
    RECIPE,
    Level,
    analyser,
    chunk_entries,
    chunk_index,
    document_queries,
    page_entry,
    page_index,
)
from app.domain.documents import Scope
from app.domain.errors import IndexLocked, IndexMissing, StorageFull, StorageReadOnly, StorageUnavailable

HEAP_BYTES = 40_000_000  # for each of the two writers; tantivy wants 15 MB at least
LOOK_SECONDS = 0.5  # how often at most a reader looks for a new generation
ATTEMPTS = 3  # to open what is named, while a writer names the next

log = structlog.get_logger(__name__)


class TantivyIndex:
    """An IndexEngine over a folder. `ingest.lock` beside the folder says who may write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._analyser = analyser()
        self._levels: tuple[Level, Level] | None = None
        self._generation: int | None = None
        self._stamp: snapshots.Stamp | None = None
        self._looked = 0.0
        self._follow()

    @property
    def generation(self) -> int | None:
        return self._generation

    @property
    def chunk_count(self) -> int:
        return int(self._levels[0].searcher.num_docs) if self._levels else 0

    def document_frequency(self, term: str) -> int:
        return int(self._levels[0].searcher.doc_freq("body", term)) if self._levels else 0

    def terms(self, text: str) -> tuple[str, ...]:
        return tuple(self._analyser.analyze(text.encode("utf-8", "ignore").decode("utf-8")))

    def search(self, wanted: Wanted, scope: Scope, limit: int) -> tuple[ChunkHit, ...]:
        if self._levels is None:
            raise IndexMissing(str(self._folder))
        if not wanted.terms:
            return ()
        chunks, pages = self._levels
        return ranked(chunks.chunk_hits(wanted, scope), pages.page_scores(wanted, scope), limit)

    @contextmanager
    def alone(self) -> Iterator[None]:
        with _told(self._folder):
            self._folder.parent.mkdir(parents=True, exist_ok=True)
            lock = (self._folder.parent / "ingest.lock").open("w")
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise IndexLocked(str(self._folder.parent)) from error
            yield

    def changes(self, onto: int) -> "TantivyChanges":
        former = _sound(self._folder)
        return TantivyChanges(
            self._folder, former if former and former.generation == onto else None, self._analyser, self._follow
        )

    def refresh(self) -> None:
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        if snapshots.stamp(self._folder) != self._stamp:
            self._follow()

    def _follow(self) -> None:
        """Open what is named. Where that is missing, damaged or of another recipe, what is open stays open."""
        for _ in range(ATTEMPTS):
            self._stamp = snapshots.stamp(self._folder)
            opened = self._opened()
            if opened or snapshots.stamp(self._folder) == self._stamp:
                break  # else the next one was named meanwhile, and this one swept away
        if opened:
            self._generation, self._levels = opened

    def _opened(self) -> tuple[int, tuple[Level, Level]] | None:
        snapshot = _sound(self._folder)
        if snapshot is None:
            return None
        try:
            return snapshot.generation, (
                Level.of_chunks(snapshot.place, self._analyser),
                Level.of_pages(snapshot.place, self._analyser),
            )
        except ValueError as error:  # what tantivy raises, whatever is wrong
            _warn(error)
            return None


class TantivyChanges:
    """Changes in a folder of their own, so that readers keep the former index until the end."""

    def __init__(
        self, folder: Path, former: Snapshot | None, words: TextAnalyzer, committed: Callable[[], None]
    ) -> None:
        self._folder = folder
        self._former = former
        self._analyser = words
        self._committed = committed
        self._writers: tuple[tantivy.IndexWriter, ...] = ()
        self._done = False

    @property
    def afresh(self) -> bool:
        return self._former is None

    def __enter__(self) -> Self:
        with _told(self._folder):
            self._place = snapshots.begin(self._folder, self._former)
            both = (chunk_index(self._place, self._analyser), page_index(self._place, self._analyser))
            self._writers = tuple(index.writer(HEAP_BYTES, 1) for index in both)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._done:
            self._writers = ()  # the library ends their threads as they go
            snapshots.drop(self._place)

    def add(self, document: IndexedDocument) -> None:
        chunks, pages = self._writers
        with _told(self._folder):
            for entry in chunk_entries(document):
                chunks.add_document(entry)
            pages.add_document(page_entry(document))

    def remove(self, document_ids: Iterable[int]) -> None:
        for document_id in document_ids:
            for writer, query in zip(self._writers, document_queries(document_id), strict=True):
                writer.delete_documents_by_query(query)  # by_term takes no key for an unsigned one, and says nothing

    def prepare(self) -> None:
        with _told(self._folder):
            for writer in self._writers:
                writer.commit()
                writer.wait_merging_threads()  # from here on the files stay as they are
        self._writers = ()

    def commit(self, generation: int) -> None:
        self.prepare()
        with _told(self._folder):
            snapshots.name(self._folder, RECIPE, Snapshot(generation, self._place))
        self._done = True
        self._committed()


def _sound(folder: Path) -> Snapshot | None:
    try:
        return snapshots.newest(folder, RECIPE)
    except (ValueError, OSError) as error:
        _warn(error)
        return None


def _warn(error: Exception) -> None:
    log.warning("the index cannot be used; it will be made anew from the database", reason=str(error)[:300])


@contextmanager
def _told(folder: Path) -> Iterator[None]:
    """What the file system refuses, in our words. tantivy tells it as a ValueError with the system's sentence."""
    try:
        yield
    except (OSError, ValueError) as error:
        number, text = getattr(error, "errno", None), str(error)
        if number in (errno.ENOSPC, errno.EDQUOT) or "No space left" in text or "quota exceeded" in text:
            raise StorageFull(str(folder)) from error
        if number in (errno.EACCES, errno.EPERM, errno.EROFS) or "denied" in text or "Read-only" in text:
            raise StorageReadOnly(str(folder)) from error
        raise StorageUnavailable(f"{folder}: {text[:300]}") from error
