"""Looking after the index: how it is, whether it holds what the database holds, making it anew. Not taking pages in."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from app.corpus.index.keeping import Counts, Entries, KeptIndex
from app.corpus.ingest import OnProgress, bring_up, unobserved
from app.storage.documents import DocumentStore

MOST_FAULTS = 50  # told; where there are more, the rest is counted


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """Index and database side by side. Generations are None, and so is the time, where there is nothing yet."""

    database_generation: int | None
    index_generation: int | None
    recipe: str | None
    recipe_wanted: str
    made_at: datetime | None
    bytes: int
    in_database: Counts
    in_index: Counts
    writer: str  # who is writing now; empty where nobody is

    @property
    def agrees(self) -> bool:
        return self.database_generation == self.index_generation and self.in_database == self.in_index


@dataclass(frozen=True, slots=True)
class Verified:
    """What comparing found: sentences, none where all is well. `faults_in_all` counts those that are not told, too."""

    counts: Counts
    faults: tuple[str, ...]
    faults_in_all: int

    @property
    def sound(self) -> bool:
        return not self.faults_in_all


@dataclass(frozen=True, slots=True)
class Rebuilt:
    counts: Counts
    bytes: int
    seconds: float


class Upkeep:
    """Looks after one index and its database."""

    def __init__(self, store: DocumentStore, index: KeptIndex) -> None:
        self._store = store
        self._index = index

    async def status(self) -> IndexStatus:
        """How it is now, without changing or waiting for anything."""
        named = self._index.named()
        return IndexStatus(
            database_generation=await self._store.generation() or None,
            index_generation=self._index.generation,
            recipe=named.recipe if named else None,
            recipe_wanted=self._index.recipe,
            made_at=named.made_at if named else None,
            bytes=named.bytes if named else 0,
            in_database=Counts(*await self._store.census.counts()),
            in_index=self._index.counts(),
            writer=self._index.writer(),
        )

    async def rebuild(self, progress: OnProgress = unobserved) -> Rebuilt:
        """Make the index anew beside the one that serves, and take it into use at once.

        Raises IndexLocked while an ingest runs, CorpusError where the new one does not hold what the database holds.
        """
        began = time.monotonic()
        await bring_up(self._store, self._index, progress, always=True)
        named = self._index.named()
        return Rebuilt(self._index.counts(), named.bytes if named else 0, time.monotonic() - began)

    async def verify(self) -> Verified:
        """Compare all files with their sums, and all keys with the database's.

        Raises IndexLocked while an ingest runs.
        """
        with self._index.alone():
            self._index.refresh()
            generation = await self._store.generation() or None
            if generation is None and self._index.named() is None:  # before the first ingest
                return Verified(Counts(0, 0), (), 0)
            faults = _Faults([*self._index.faults()])
            if self._index.generation != generation:
                faults.add(
                    f"the index is of generation {self._index.generation or 'none'}, the database of "
                    f"{generation or 'none'}"
                )
            if self._index.generation is not None:
                await self._compare(faults)
            return Verified(self._index.counts(), tuple(faults.told[:MOST_FAULTS]), len(faults.told) + faults.untold)

    async def _compare(self, faults: "_Faults") -> None:
        after = -1
        async for held in self._store.census.live_keys():
            last = max(held)
            found = self._index.entries(after, last)
            for document, chunks in held.items():
                _compare_one(document, sorted(chunks), found, faults)
            _find_foreign(found, held.keys(), faults)
            after = last
        _find_foreign(self._index.entries(after, None), (), faults)


@dataclass(slots=True)
class _Faults:
    """Those that are told, and how many more there are."""

    told: list[str]
    untold: int = 0

    def add(self, fault: str) -> None:
        if len(self.told) < MOST_FAULTS:
            self.told.append(fault)
        else:
            self.untold += 1


def _compare_one(document: int, chunks: Sequence[int], found: Entries, faults: _Faults) -> None:
    """A live document, which must have one page in the index, and each of its chunks once."""
    pages = found.pages.get(document, 0)
    if pages != 1:
        faults.add(f"document {document} has {pages} pages in the index instead of 1")
    indexed = sorted(found.chunks.get(document, ()))
    if indexed != chunks:
        faults.add(f"document {document} has {len(chunks)} chunks, in the index {len(indexed)}, or others")


def _find_foreign(found: Entries, live: Collection[int], faults: _Faults) -> None:
    for document in sorted({*found.pages, *found.chunks} - set(live)):
        faults.add(f"document {document} is in the index, but not live in the database")
