"""What became of each call of a source, for log, metrics and readiness. Never what was asked, never what was told.

It stands next to the source itself, inside all other wrappers: what it sees are real calls.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import structlog

from app.domain.answers import AnswerWritten, Question, SourceEvent, TextDelta
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Readiness, Scope
from app.domain.errors import AccessRefused, AppError, KnowledgeError, MalformedReply, SourceUnavailable, ToolNotOffered
from app.knowledge.flight import Flights
from app.knowledge.source import KnowledgeSource
from app.knowledge.streams import closing

OK, LEFT, BROKEN = "ok", "left", "error"  # outcomes beside the codes of errors
UNREADY = (SourceUnavailable, AccessRefused, MalformedReply, ToolNotOffered)
STALE = 30.0  # seconds after which a failure is looked at again
PROBE = "documentation"
PROBE_SECONDS = 5.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that has ended. `outcome`: `ok`, `left` (the caller did not wait), `error`, or the code of our error.

    `items` are chunks, documents or events, `characters` those of their texts. `ended` is monotonic, in seconds.
    `ready` is what the call says of the source; None: nothing.
    """

    tool: str
    outcome: str
    milliseconds: int
    items: int
    characters: int
    ended: float
    ready: bool | None


Listener = Callable[[Call], None]


@dataclass(slots=True)
class _Seen:
    items: int = 0
    characters: int = 0

    def add(self, *texts: str) -> None:
        self.items += len(texts)
        self.characters += sum(map(len, texts))


class Instrumented:
    """A KnowledgeSource that writes a line for each call, tells `listener`, and remembers the last one.

    `last` is the last call that says something of the source: one that its caller left says nothing.
    """

    def __init__(
        self,
        inner: KnowledgeSource,
        name: str = "",
        listener: Listener | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._name = name
        self._listener = listener
        self._now = now
        self.last: Call | None = None

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        with self._measured("search_documents") as seen:
            found = await self._inner.search_documents(query, scope, limit)
            seen.add(*(chunk.content for chunk in found))
            return found

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        with self._measured("get_document") as seen:
            document = await self._inner.get_document(name, scope)
            seen.add(document.content)
            return document

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        with self._measured("batch_get_documents") as seen:
            batch = await self._inner.batch_get_documents(names, scope)
            seen.add(*(document.content for document in batch.documents))
            return batch

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        with self._measured("answer_query") as seen:
            async with closing(self._inner.answer_query(question)) as events:
                async for event in events:
                    seen.add(event.text if isinstance(event, TextDelta | AnswerWritten) else "")
                    yield event

    @contextmanager
    def _measured(self, tool: str) -> Iterator[_Seen]:
        seen, began = _Seen(), self._now()
        outcome, ready = BROKEN, None
        try:
            yield seen
        except KnowledgeError as error:
            outcome, ready = error.code, not isinstance(error, UNREADY)
            raise
        except AppError as error:
            outcome = error.code
            raise
        except (asyncio.CancelledError, GeneratorExit):
            outcome = LEFT
            raise
        else:
            outcome, ready = OK, True
        finally:
            ended = self._now()
            elapsed = max(0, round((ended - began) * 1000))
            self._ended(Call(tool, outcome, elapsed, seen.items, seen.characters, ended, ready))

    def _ended(self, call: Call) -> None:
        if call.ready is not None:
            self.last = call
        log.info(
            "called a source",
            source=self._name,
            tool=call.tool,
            outcome=call.outcome,
            milliseconds=call.milliseconds,
            items=call.items,
            characters=call.characters,
        )
        if self._listener is not None:
            self._listener(call)


class SourceHealth:
    """Whether a source answers, by its last real call.

    Before the first call it is ready. A failure is looked at again after a while by one small search, so that a server
    that gets no questions because it is not ready becomes ready again. The search goes `through` the quota guard, never
    through a cache.
    """

    def __init__(
        self,
        calls: Instrumented,
        through: KnowledgeSource,
        now: Callable[[], float] = time.monotonic,
        probe_seconds: float = PROBE_SECONDS,
    ) -> None:
        self._calls = calls
        self._through = through
        self._now = now
        self._probe_seconds = probe_seconds
        self._probed: float | None = None
        self._probes: Flights[None] = Flights()

    async def readiness(self) -> Readiness:
        """`problem` is the code of the last call's error. Asks the source itself at most every 30 seconds."""
        if self._stale():
            async with closing(self._probes.join("probe", self._probe)) as probe:
                async for _ in probe:
                    pass
        last = self._calls.last
        if last is None or last.ready:
            return Readiness(ready=True)
        return Readiness(ready=False, problem=last.outcome)

    def _stale(self) -> bool:
        """Whether the last failure is old. One from the future (the clock went back) is."""
        last = self._calls.last
        if last is None or last.ready:
            return False
        latest = last.ended if self._probed is None else max(last.ended, self._probed)
        return not 0 <= self._now() - latest < STALE

    async def _probe(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._probe_seconds):
                await self._through.search_documents(PROBE, limit=1)
        except (AppError, TimeoutError) as error:  # a real call has told its outcome; else the former one stands
            log.info("the source still does not answer", error=type(error).__name__)
        finally:
            self._probed = self._now()
        yield None
