"""The seam of the index: what every engine takes and finds. Derived from the database, and always to be rebuilt."""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from app.domain.documents import Scope


@dataclass(frozen=True, slots=True)
class IndexedChunk:
    """A chunk as it is searched: its key, its heading path, and its text with its lead."""

    id: int
    headings: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as it is searched, with its chunks. `address` is the uri; its words count, too.

    `language` is a BCP 47 tag.
    """

    id: int
    collection: str
    title: str
    address: str
    headings: tuple[str, ...]
    text: str
    chunks: tuple[IndexedChunk, ...]
    language: str = "en"
    product: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is searched for: stems, each once, and stems that should stand side by side (a flag, an error's words)."""

    terms: tuple[str, ...]
    literals: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkHit:
    """A chunk that was found. `score` ranks chunks; `page_score` is its document's, comparable within a search."""

    chunk_id: int
    document_id: int
    score: float
    page_score: float


class IndexChanges(Protocol):
    """Changes that nobody sees until they are committed; left without a commit, they are as if never made."""

    @property
    def afresh(self) -> bool:
        """Whether the changes begin with an empty index, so that every live document must be added."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def add(self, document: IndexedDocument) -> None: ...

    def remove(self, document_ids: Iterable[int]) -> None: ...

    def prepare(self) -> None:
        """Write all, so that a full disk shows now: what is left for `commit` is small. No changes after it."""
        ...

    def commit(self, generation: int) -> None:
        """Make the changes seen, as those of the database's `generation`."""
        ...


class IndexEngine(Protocol):
    """Finds chunks by words. Also tells how frequent a word is, for those who weigh words themselves."""

    @property
    def generation(self) -> int | None:
        """The database's generation that the index holds; None where it holds nothing that can be trusted."""
        ...

    @property
    def chunk_count(self) -> int: ...

    def document_frequency(self, term: str) -> int:
        """In how many chunks a stem occurs; `term` as `terms` yields it."""
        ...

    def terms(self, text: str) -> tuple[str, ...]:
        """The stems of a text, in order, as the index knows them. Any text will do."""
        ...

    def search(self, wanted: Wanted, scope: Scope, limit: int) -> tuple[ChunkHit, ...]:
        """The best chunks, best first, within the scope. Groups are not the index's: nothing is kept to any yet.

        May be called from any thread. Raises IndexMissing where there is no index to be trusted.
        """
        ...

    def alone(self) -> AbstractContextManager[None]:
        """The right to change documents and index, for one process at a time. Raises IndexLocked where it is taken."""
        ...

    def changes(self, onto: int) -> IndexChanges:
        """Changes to the index of the database's generation `onto`; where it is of another one, or damaged, to an
        empty one that takes its place. Only while `alone`.
        """
        ...

    def refresh(self) -> None:
        """Look whether another process has committed, and follow it. Cheap: may be called at every question."""
        ...
