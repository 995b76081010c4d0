"""The seam of upkeep: what an index tells of itself to those who count, compare and mend it. Not for searching."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, runtime_checkable

from app.corpus.index.engine import IndexEngine


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is, in an index or in the database."""

    documents: int
    chunks: int


@runtime_checkable
class Counted(Protocol):
    """Changes that can be counted before they are seen. IndexChanges that offer this are checked by an ingest."""

    def counts(self) -> Counts:
        """What the index will hold; after `prepare`."""
        ...


@dataclass(frozen=True, slots=True)
class Named:
    """The index as it is named on disk, whether it is sound or not. `bytes` is the size of its files."""

    recipe: str
    generation: int
    made_at: datetime
    bytes: int


@dataclass(frozen=True, slots=True)
class Entries:
    """What an index holds of some documents: chunk keys by document, and how often each has a page."""

    chunks: Mapping[int, Sequence[int]]
    pages: Mapping[int, int]


class KeptIndex(IndexEngine, Protocol):
    """An index that can be looked after."""

    @property
    def recipe(self) -> str:
        """The form in which this version of the app makes an index."""
        ...

    def named(self) -> Named | None:
        """What is named on disk; None where nothing is, or nothing that can be read."""
        ...

    def counts(self) -> Counts:
        """What is open; zeros where nothing is."""
        ...

    def entries(self, after: int, upto: int | None) -> Entries:
        """All entries of documents with keys above `after`, up to `upto` or to the end."""
        ...

    def faults(self) -> tuple[str, ...]:
        """What is wrong with the files, each as a sentence; reads all of them."""
        ...

    def writer(self) -> str:
        """Who is writing now, in words; empty where nobody is."""
        ...
