"""The embedded index: tantivy at two levels in one folder, which many processes read and one writes. No documents."""

from contextlib import AbstractContextManager
from pathlib import Path

import structlog

from app.corpus.index import snapshots
from app.corpus.index.engine import ChunkHit, Wanted
from app.corpus.index.file_errors import told
from app.corpus.index.keeping import Counts, Entries, Named
from app.corpus.index.ranking import ranked
from app.corpus.index.snapshots import Snapshot
from app.corpus.index.tantivy_changes import TantivyChanges
from app.corpus.index.tantivy_entries import entries_of
from app.corpus.index.tantivy_levels import RECIPE, Level, analyser
from app.corpus.index.writing_lock import WritingLock
from app.domain.documents import Scope
from app.domain.errors import IndexMissing

ATTEMPTS = 3  # to open what is named, while a writer names the next

log = structlog.get_logger(__name__)


class TantivyIndex:
    """A KeptIndex over a folder. `ingest.lock` beside the folder says who may write."""

    recipe = RECIPE

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._analyser = analyser()
        self._levels: tuple[Level, Level] | None = None
        self._generation: int | None = None
        self._stamp: snapshots.Stamp | None = None
        self._lock = WritingLock(folder.parent / "ingest.lock")
        self._follow(whole=True)

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

    def alone(self) -> AbstractContextManager[None]:
        return self._lock.held()

    def changes(self, onto: int) -> TantivyChanges:
        former = _sound(self._folder)
        return TantivyChanges(
            self._folder, former if former and former.generation == onto else None, self._analyser, self._follow
        )

    def refresh(self) -> None:
        if snapshots.stamp(self._folder) != self._stamp:
            self._follow()

    def _follow(self, *, whole: bool = False) -> None:
        """Open what is named. Where that is missing, damaged or of another recipe, what is open stays open."""
        for _ in range(ATTEMPTS):
            self._stamp = snapshots.stamp(self._folder)
            opened = self._opened(whole=whole)
            if opened or snapshots.stamp(self._folder) == self._stamp:
                break  # else the next one was named meanwhile, and this one swept away
        if opened:
            self._generation, self._levels = opened
        elif self._levels:
            log.warning(
                "the index that is named cannot be opened; the former one goes on serving",
                generation=self._generation,
                mend="footnote index rebuild",
            )

    # --- upkeep ------------------------------------------------------------------------------------------------------

    def named(self) -> Named | None:
        return snapshots.described(self._folder)

    def counts(self) -> Counts:
        if self._levels is None:
            return Counts(0, 0)
        chunks, pages = self._levels
        return Counts(int(pages.searcher.num_docs), int(chunks.searcher.num_docs))

    def entries(self, after: int, upto: int | None) -> Entries:
        return entries_of(*self._levels, after, upto) if self._levels else Entries({}, {})

    def faults(self) -> tuple[str, ...]:
        with told(self._folder):
            return snapshots.faults(self._folder, RECIPE)

    def writer(self) -> str:
        return self._lock.holder()

    def _opened(self, *, whole: bool) -> tuple[int, tuple[Level, Level]] | None:
        snapshot = _sound(self._folder, whole=whole)
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


def _sound(folder: Path, *, whole: bool = True) -> Snapshot | None:
    try:
        return snapshots.newest(folder, RECIPE, whole=whole)
    except (ValueError, OSError) as error:
        _warn(error)
        return None


def _warn(error: Exception) -> None:
    log.warning("the index cannot be used; it will be made anew from the database", reason=str(error)[:300])
