"""Equal calls that are under way at the same time are one call. Not a cache: what has ended is asked anew."""

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Sequence
from typing import Any, Generic, TypeVar

from app.domain.answers import Question, SourceEvent
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Scope
from app.knowledge.source import KnowledgeSource
from app.knowledge.streams import closing

T = TypeVar("T")


def normalised(text: str) -> str:
    """The text by which equal questions are known: composed letters, single spaces. Case stays: `-e` is not `-E`."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def question_key(question: Question) -> Hashable:
    """What an answer depends on. A question that reaches a source stands alone: its history is no part of it."""
    return ("answer_query", normalised(question.text), question.language, question.scope)


class _Flight(Generic[T]):
    """One call, those who wait for it, and what it has yielded so far (a single value is a stream of one)."""

    def __init__(self) -> None:
        self.passengers = 0
        self.yielded: list[T] = []
        self.news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def tell(self) -> None:
        """Wake all who wait; who waits from now on waits for the next news."""
        self.news.set()
        self.news = asyncio.Event()


class Flights(Generic[T]):
    """Calls under way, by key. Every passenger sees all that a call yields, from the first, and its error."""

    def __init__(self) -> None:
        self._flights: dict[Hashable, _Flight[T]] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop itself holds tasks only weakly

    @property
    def under_way(self) -> int:
        """Calls that have not ended, those included that nobody waits for any more."""
        return len(self._tasks)

    async def join(self, key: Hashable, start: Callable[[], AsyncIterator[T]]) -> AsyncIterator[T]:
        """All that the call yields. Whoever leaves disturbs nobody; with the last one the call is cancelled."""
        flight = self._flights.get(key)
        if flight is None:
            flight = self._begun(key, start)
        task, place = flight.task, 0
        if task is None:  # set when it was begun
            raise AssertionError(key)
        flight.passengers += 1
        try:
            while True:
                while place < len(flight.yielded):
                    yield flight.yielded[place]
                    place += 1
                if task.done():
                    task.result()
                    return
                await flight.news.wait()
        finally:
            flight.passengers -= 1
            if not flight.passengers and not task.done():
                self._forget(key, flight)  # who comes now begins anew, instead of joining what is being cancelled
                task.cancel()

    def _begun(self, key: Hashable, start: Callable[[], AsyncIterator[T]]) -> _Flight[T]:
        flight: _Flight[T] = _Flight()
        self._flights[key] = flight

        async def fly() -> None:
            try:
                async with closing(start()) as values:
                    async for value in values:
                        flight.yielded.append(value)
                        flight.tell()
            finally:  # at once: until the task's callbacks run, somebody could still join what has ended
                self._forget(key, flight)

        def landed(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            self._forget(key, flight)
            if not task.cancelled():
                task.exception()  # seen, though nobody may be left who waits for it
            flight.tell()

        flight.task = asyncio.create_task(fly())
        self._tasks.add(flight.task)
        flight.task.add_done_callback(landed)
        return flight

    def _forget(self, key: Hashable, flight: _Flight[T]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


class SingleFlight:
    """A KnowledgeSource whose equal calls share one call of the source within. Scopes never share."""

    def __init__(self, inner: KnowledgeSource) -> None:
        self._inner = inner
        self._flights: Flights[Any] = Flights()  # a key begins with the tool, which tells what its flight yields

    @property
    def under_way(self) -> int:
        """Calls of the source within that have not ended."""
        return self._flights.under_way

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        key = ("search_documents", normalised(query), scope, limit)
        return await self._one(key, lambda: self._inner.search_documents(query, scope, limit))

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        return await self._one(("get_document", name, scope), lambda: self._inner.get_document(name, scope))

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        asked = tuple(names)
        key = ("batch_get_documents", asked, scope)
        return await self._one(key, lambda: self._inner.batch_get_documents(asked, scope))

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        events = self._flights.join(question_key(question), lambda: self._inner.answer_query(question))
        async with closing(events):
            async for event in events:
                yield event

    async def _one(self, key: Hashable, call: Callable[[], Coroutine[Any, Any, T]]) -> T:
        async def values() -> AsyncIterator[T]:
            yield await call()

        async with closing(self._flights.join(key, values)) as found:
            return await anext(found)
