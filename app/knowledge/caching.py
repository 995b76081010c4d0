"""What a source told is kept for a while, bounded in bytes, entries and age. Not across scopes, and never an error."""

import dataclasses
import sys
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from app.domain.answers import (
    AnswerCompleted,
    AnswerFailed,
    AnswerWritten,
    FellBack,
    ModelGaveUp,
    Outcome,
    Question,
    SourceEvent,
)
from app.domain.documents import (
    BATCH_LIMIT,
    EVERYWHERE,
    SEARCH_LIMIT,
    Document,
    DocumentBatch,
    DocumentChunk,
    Scope,
    distinct,
)
from app.domain.errors import DocumentNotFound
from app.knowledge.flight import normalised, question_key
from app.knowledge.source import KnowledgeSource
from app.knowledge.streams import closing

HOUR = 3600.0
LARGEST_SHARE = 4  # what would take more than this part of all bytes is not kept: it would push out all the rest
OVERHEAD = 200  # bytes of an entry beside its texts, roughly


@dataclass(frozen=True, slots=True)
class Ages:
    """For how many seconds each kind is kept. `nothing`: unknown documents, and searches that found nothing."""

    documents: float = 24 * HOUR
    searches: float = HOUR
    answers: float = 6 * HOUR
    nothing: float = 60.0


@dataclass(frozen=True, slots=True)
class Bounds:
    """At most so many entries, and so many bytes of memory (estimated from their texts)."""

    entries: int = 20_000
    size: int = 128 * 1024 * 1024


class _Unknown(Enum):
    DOCUMENT = "a document that the source does not know"


UNKNOWN: Final = _Unknown.DOCUMENT
Value = Document | _Unknown | tuple[DocumentChunk, ...] | tuple[SourceEvent, ...]


@dataclass(frozen=True, slots=True)
class _Entry:
    value: Value
    size: int
    since: float
    until: float


class Shelf:
    """Values by key; the one that was not used for longest goes first.

    `now` is a monotonic clock, so that setting the computer's clock moves nothing. Should it go back all the same, what
    was kept at a later time than now is dropped: no entry outlives its age.
    """

    def __init__(self, bounds: Bounds, now: Callable[[], float]) -> None:
        self._bounds = bounds
        self._now = now
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> Value | None:
        """The value, if it is young enough."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        if not entry.since <= self._now() < entry.until:
            self.drop(key)
            return None
        self._entries.move_to_end(key)
        return entry.value

    def put(self, key: Hashable, value: Value, age: float) -> None:
        """Keep it for `age` seconds; what is too large is not kept."""
        self.drop(key)
        size = OVERHEAD + weight(key) + weight(value)
        if age <= 0 or size > self._bounds.size // LARGEST_SHARE:
            return
        now = self._now()
        self._entries[key] = _Entry(value, size, now, now + age)
        self.size += size
        while self.size > self._bounds.size or len(self._entries) > self._bounds.entries:
            self.drop(next(iter(self._entries)))

    def drop(self, key: Hashable) -> None:
        """Forget it."""
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.size -= entry.size


class Cached:
    """A KnowledgeSource that asks the source within only for what it does not remember.

    An answer is kept when it is whole and claims to be one; it is told again as the same events.
    """

    def __init__(
        self,
        inner: KnowledgeSource,
        ages: Ages | None = None,
        bounds: Bounds | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._ages = ages or Ages()
        self.shelf = Shelf(bounds or Bounds(), now)

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        key = ("search_documents", normalised(query), scope, limit)
        kept = self.shelf.get(key)
        if isinstance(kept, tuple):
            return tuple(each for each in kept if isinstance(each, DocumentChunk))
        found = await self._inner.search_documents(query, scope, limit)
        self.shelf.put(key, found, self._ages.searches if found else self._ages.nothing)
        return found

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        kept = self._kept(name, scope)
        if isinstance(kept, Document):
            return kept
        if kept is UNKNOWN:
            raise DocumentNotFound(name)
        try:
            document = await self._inner.get_document(name, scope)
        except DocumentNotFound:
            self._keep(name, scope, UNKNOWN)
            raise
        self._keep(name, scope, document)
        return document

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        """Only the names that are not remembered are asked for; order and repetitions stay as they were asked."""
        if len(names) > BATCH_LIMIT:
            return await self._inner.batch_get_documents(names, scope)  # which refuses it
        kept = {name: self._kept(name, scope) for name in names}
        missing = [name for name in distinct(names) if kept[name] is None]
        if missing or not names:
            batch = await self._inner.batch_get_documents(missing, scope)
            found = iter(batch.documents)
            for name in missing:  # by their order: a document may go by another name than it was asked for
                if name in batch.failed:  # perhaps the next time
                    continue
                kept[name] = UNKNOWN if name in batch.unknown else next(found, None)
                self._keep(name, scope, kept[name])
        asked = [(name, kept[name]) for name in names]
        return DocumentBatch(
            tuple(each for _, each in asked if isinstance(each, Document)),
            tuple(name for name, each in asked if each is UNKNOWN),
            tuple(name for name, each in asked if each is None),
        )

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        key = question_key(question)
        kept = self.shelf.get(key)
        if isinstance(kept, tuple):
            for event in kept:
                if not isinstance(event, DocumentChunk):
                    yield event
            return
        events: list[SourceEvent] = []
        async with closing(self._inner.answer_query(question)) as answer:
            async for event in answer:
                events.append(event)
                if worth_keeping(events):  # before the last event is told: who has that does not come back here
                    self.shelf.put(key, tuple(events), self._ages.answers)
                else:  # also where something came behind what looked like the end
                    self.shelf.drop(key)
                yield event

    def _kept(self, name: str, scope: Scope) -> Value | None:
        return self.shelf.get(("document", name, scope))

    def _keep(self, name: str, scope: Scope, value: Value | None) -> None:
        if value is not None:
            age = self._ages.nothing if value is UNKNOWN else self._ages.documents
            self.shelf.put(("document", name, scope), value, age)


def worth_keeping(events: Sequence[SourceEvent]) -> bool:
    """Whether these are a whole answer that was written as it should be: nothing failed, nobody was out of reach."""
    if any(isinstance(event, FellBack | ModelGaveUp | AnswerFailed) for event in events):
        return False
    match events[-1] if events else None:
        case AnswerWritten(text=text, outcome=Outcome.ANSWERED):
            return bool(text.strip())
        case AnswerCompleted(outcome=Outcome.ANSWERED, unreachable=()):
            return True
        case _:
            return False


def weight(value: object) -> int:
    """About how many bytes a value takes: texts as they lie in memory, and what holds them."""
    if isinstance(value, tuple | list | frozenset):
        return sys.getsizeof(value) + sum(map(weight, value))
    if dataclasses.is_dataclass(value):
        return OVERHEAD + sum(weight(getattr(value, field.name)) for field in dataclasses.fields(value))
    return sys.getsizeof(value)
