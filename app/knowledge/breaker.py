"""A source that is down is left alone for a while, then tried by one call. Not the quota, and never a repetition.

It stands outside the quota guard: what it refuses costs no unit. What the guard refuses says nothing about the source.
"""

import math
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from app.domain.answers import Question, SourceEvent
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Scope
from app.domain.errors import KnowledgeError, QuotaExceeded, SourceUnavailable
from app.knowledge.source import KnowledgeSource
from app.knowledge.streams import closing

LONGEST_TOLD = 3600.0  # seconds: a server that asks for more is asked again all the same; no state is for ever
SHORTEST_TOLD = 1.0


class Pause:
    """A time of rest after a failure, doubled when failures go on. `first` and `longest` in seconds.

    A call that began before the pause tells nothing new: a hundred that fail together double nothing. Should the clock
    go back, the pause is over sooner, never later.
    """

    def __init__(self, first: float, longest: float, now: Callable[[], float]) -> None:
        self._first = first
        self._longest = longest
        self._now = now
        self._length = 0.0  # of the last pause; 0: all was well since
        self._since = -math.inf
        self._until = -math.inf

    @property
    def left(self) -> float:
        """Seconds until the end of the pause; 0 where there is none."""
        now = self._now()
        return max(0.0, self._until - now) if now >= self._since else 0.0

    @property
    def on(self) -> bool:
        return self.left > 0

    def begin(self, began: float, told: float | None = None) -> float:
        """After the failure of a call that `began` then; what the source told wins. Returns the seconds left."""
        now = self._now()
        told = None if told is None or not math.isfinite(told) else min(max(told, SHORTEST_TOLD), LONGEST_TOLD)
        if self._length and began <= self._since <= now:  # it began before the pause did
            if told is not None and self.on:
                self._until = max(self._until, now + told)
            return self.left
        self._length = min(self._length * 2, self._longest) if self._length else self._first
        self._since, self._until = now, now + (self._length if told is None else told)
        return self.left

    def end(self, began: float) -> None:
        """A call that `began` then went well."""
        if began > self._since:
            self._length, self._since, self._until = 0.0, -math.inf, -math.inf


@dataclass(frozen=True, slots=True)
class Patience:
    """After `failures` in a row the source rests for `first` seconds, doubled up to `longest`."""

    failures: int = 5
    first: float = 10.0
    longest: float = 120.0


class Breaker:
    """A KnowledgeSource that raises SourceUnavailable at once while the source within is known to be down.

    Answers and documents are watched apart: where the one tool is down, the other is what the answer falls back to.
    `now` is a monotonic clock in seconds.
    """

    def __init__(
        self,
        inner: KnowledgeSource,
        patience: Patience | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._answers = _Watch(patience or Patience(), now)
        self._documents = _Watch(patience or Patience(), now)

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        with self._documents.watched():
            return await self._inner.search_documents(query, scope, limit)

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        with self._documents.watched():
            return await self._inner.get_document(name, scope)

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        with self._documents.watched():
            return await self._inner.batch_get_documents(names, scope)

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        with self._answers.watched():
            async with closing(self._inner.answer_query(question)) as events:
                async for event in events:
                    yield event


class _Watch:
    """Failures in a row of one kind of call, and the rest that they lead to."""

    def __init__(self, patience: Patience, now: Callable[[], float]) -> None:
        self._patience = patience
        self._now = now
        self._pause = Pause(patience.first, patience.longest, now)
        self._failures = 0
        self._open = False  # the source rests, or awaits its trial
        self._trying = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """One call. Raises SourceUnavailable while the source rests."""
        trial = self._admitted()
        began = self._now()
        try:
            yield
        except SourceUnavailable as error:
            self._failed(began, error.retry_after, trial=trial)
            raise
        except QuotaExceeded:  # may be the guard's own word: nothing is known
            raise
        except KnowledgeError:  # it answered
            self._answered(began, trial=trial)
            raise
        else:
            self._answered(began, trial=trial)
        finally:
            if trial:  # also when its caller has left: the next one may try
                self._trying = False

    def _admitted(self) -> bool:
        """Whether this call is the trial. Raises while the source rests, or is being tried by another call."""
        if not self._open:
            return False
        if self._pause.on or self._trying:
            raise SourceUnavailable("the source rests", retry_after=max(self._pause.left, SHORTEST_TOLD))
        self._trying = True
        return True

    def _failed(self, began: float, told: float | None, *, trial: bool) -> None:
        self._failures += 1
        if trial or self._failures >= self._patience.failures:
            self._open = True
            self._pause.begin(began, told)

    def _answered(self, began: float, *, trial: bool) -> None:
        if self._open and not trial:  # it began before the rest: only the trial ends it
            return
        self._failures, self._open = 0, False
        self._pause.end(began)
