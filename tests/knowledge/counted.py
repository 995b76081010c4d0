"""A source that counts its calls and ends each as told, and a clock that stands still until moved."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from app.domain.answers import AnswerWritten, Question, SourceEvent, Step, StepStarted, TextDelta
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Scope
from app.domain.errors import DocumentNotFound


@dataclass
class Clock:
    """Monotonic seconds by calling it; the time of day by `wall`."""

    seconds: float = 1000.0
    start: datetime = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> float:
        return self.seconds

    def wall(self) -> datetime:
        return self.start + timedelta(seconds=self.seconds - 1000)

    def move(self, seconds: float) -> None:
        self.seconds += seconds


def page(name: str, content: str = "Words.", uri: str = "") -> Document:
    return Document(name=f"documents/{name}", uri=uri or f"https://{name}", content=content, title=name)


@dataclass
class Counted:
    """Knows every document but `unknown` ones; finds `found`, or one chunk that repeats the query.

    `held`: calls wait until it is set. `errors`: the next calls fail with these, in order. `events`: an answer's.
    """

    held: asyncio.Event | None = None
    errors: list[Exception] = field(default_factory=list)
    unknown: frozenset[str] = frozenset()
    found: tuple[DocumentChunk, ...] | None = None
    events: tuple[SourceEvent, ...] | None = None
    calls: list[tuple[str, object]] = field(default_factory=list)
    cancelled: int = 0
    running: int = 0

    @property
    def count(self) -> Counter[str]:
        return Counter(tool for tool, _ in self.calls)

    async def _call(self, tool: str, asked: object) -> None:
        self.calls.append((tool, asked))
        self.running += 1
        try:
            if self.held is not None:
                await self.held.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        if self.errors:
            raise self.errors.pop(0)

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        await self._call("search_documents", (query, scope, limit))
        if self.found is not None:
            return self.found[:limit]
        return (DocumentChunk("documents/a", "0", query, uri="https://a"),)

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        await self._call("get_document", (name, scope))
        if name in self.unknown:
            raise DocumentNotFound(name)
        return page(name.removeprefix("documents/"))

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        await self._call("batch_get_documents", tuple(names))
        return DocumentBatch(
            tuple(page(name.removeprefix("documents/")) for name in names if name not in self.unknown),
            tuple(name for name in names if name in self.unknown),
        )

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        events = self.events
        if events is None:
            events = (StepStarted(Step.ASKING), TextDelta(f"{question.text}: yes"), AnswerWritten("Yes."))
        yield events[0]
        await self._call("answer_query", question.text)
        for event in events[1:]:
            yield event


async def told(events: AsyncIterator[SourceEvent]) -> list[SourceEvent]:
    return [event async for event in events]


async def settled(rounds: int = 60) -> None:
    """Let all that can go on go on."""
    for _ in range(rounds):
        await asyncio.sleep(0)
