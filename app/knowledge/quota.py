"""What a source allows is counted before it is asked, so that it never has to refuse. Not a cache, not a queue.

It stands inside cache, single flight and breaker: what they answer or refuse costs no unit. A unit once taken is
given back only where the call was surely never sent: else nobody can tell, and too few is better than too many.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Protocol

import structlog

from app.domain.answers import Question, SourceEvent
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Scope
from app.domain.errors import DayQuotaExceeded, QuotaExceeded, SourceUnavailable, StorageError
from app.knowledge.breaker import Pause
from app.knowledge.source import KnowledgeSource
from app.knowledge.streams import closing
from app.knowledge.windows import MinuteWindow, quota_day, until_reset

ANSWER, SEARCH, FETCH = "answer_query", "search_documents", "get_documents"
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 900.0  # after a 429
COUNTER_SECONDS = 2.0  # a database that takes longer is not waited for

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Allowance:
    """How often a minute and a day; None: as often as one likes."""

    per_minute: int | None = None
    per_day: int | None = None


@dataclass(frozen=True, slots=True)
class QuotaLimits:
    """What a source allows. A batch of documents counts as one fetch; an answer also takes one search."""

    answers: Allowance = Allowance()
    searches: Allowance = Allowance()
    fetches: Allowance = Allowance()

    def of(self, unit: str) -> Allowance:
        return {ANSWER: self.answers, SEARCH: self.searches, FETCH: self.fetches}[unit]


UNLIMITED = QuotaLimits()
# The quotas of Google's Developer Knowledge, per project.
GOOGLE_LIMITS = QuotaLimits(Allowance(10, 50), Allowance(100), Allowance(100))


class DayCounter(Protocol):
    """Counts units by day, for all processes together. Every method may raise a StorageError."""

    async def take(self, day: str, limits: Mapping[str, int]) -> str | None:
        """Take one of each unit, all or none; the unit of which nothing is left, or None when they were taken."""
        ...

    async def give_back(self, day: str, units: Sequence[str]) -> None:
        """One of each was taken for a call that was never sent."""
        ...

    async def exhaust(self, day: str, unit: str) -> None:
        """The source itself said that nothing is left of this day."""
        ...

    async def left(self, day: str, limits: Mapping[str, int]) -> Mapping[str, int]:
        """How many of each unit are left."""
        ...


@dataclass(slots=True)
class DaysInMemory:
    """A DayCounter of one process: while the database is away, and where there is none.

    It forgets no day, so that a clock that is set back grants none anew. A year takes some 30 kB.
    """

    _used: dict[tuple[str, str], int] = field(default_factory=dict)
    _exhausted: set[tuple[str, str]] = field(default_factory=set)

    async def take(self, day: str, limits: Mapping[str, int]) -> str | None:
        left = await self.left(day, limits)
        if empty := next((unit for unit in limits if not left[unit]), None):
            return empty
        self.note(day, limits)
        return None

    def note(self, day: str, limits: Mapping[str, int]) -> None:
        """One of each was taken elsewhere."""
        for unit in limits:
            self._used[day, unit] = self._used.get((day, unit), 0) + 1

    async def give_back(self, day: str, units: Sequence[str]) -> None:
        for unit in units:
            self._used[day, unit] = max(0, self._used.get((day, unit), 0) - 1)

    async def exhaust(self, day: str, unit: str) -> None:
        self._exhausted.add((day, unit))

    async def left(self, day: str, limits: Mapping[str, int]) -> Mapping[str, int]:
        return {
            unit: 0 if (day, unit) in self._exhausted else max(0, limit - self._used.get((day, unit), 0))
            for unit, limit in limits.items()
        }


class QuotaGuard:
    """A KnowledgeSource that raises QuotaExceeded or DayQuotaExceeded at once where the source within would.

    `now` is a monotonic clock in seconds, `wall` tells the time of day. Minutes are counted by each process for itself.
    """

    def __init__(
        self,
        inner: KnowledgeSource,
        limits: QuotaLimits,
        days: DayCounter,
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._inner = inner
        self._limits = limits
        self._days = days
        self._now = now
        self._wall = wall
        self._own = DaysInMemory()  # what this process took: all that is known while the database is away
        self._minutes = {unit: MinuteWindow(limits.of(unit).per_minute, now) for unit in (ANSWER, SEARCH, FETCH)}
        self._pauses = {unit: Pause(FIRST_PAUSE, LONGEST_PAUSE, now) for unit in self._minutes}
        self._paused_by: dict[str, type[QuotaExceeded]] = {}

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        async with self._counted(SEARCH):
            return await self._inner.search_documents(query, scope, limit)

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        async with self._counted(FETCH):
            return await self._inner.get_document(name, scope)

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        async with self._counted(FETCH):
            return await self._inner.batch_get_documents(names, scope)

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        async with self._counted(ANSWER, SEARCH), closing(self._inner.answer_query(question)) as events:
            async for event in events:
                yield event

    async def left(self) -> Mapping[str, int | None]:
        """What is left today, by unit; None: not limited by the day."""
        day, limits = quota_day(self._wall()), self._day_limits(*self._minutes)
        own = await self._own.left(day, limits)
        try:
            async with asyncio.timeout(COUNTER_SECONDS):
                shared = await self._days.left(day, limits) if limits else {}
        except (StorageError, TimeoutError) as error:
            _counter_away(error)
            shared = own
        return MappingProxyType(
            {unit: min(shared[unit], own[unit]) if unit in limits else None for unit in self._minutes}
        )

    @asynccontextmanager
    async def _counted(self, *units: str) -> AsyncIterator[None]:
        """Take one of each unit; learn from the source where it refuses all the same."""
        await self._take(units)
        began, day = self._now(), quota_day(self._wall())
        try:
            yield
        except DayQuotaExceeded as error:
            if not self._day_limits(units[0]):  # nobody told us when that server's day ends
                self._paused(units[0], began, error)
                raise
            await self._exhausted(units[0], day)
            raise _with_time(error, until_reset(self._wall())) from error
        except QuotaExceeded as error:
            raise _with_time(error, self._paused(units[0], began, error)) from error
        except SourceUnavailable as error:
            if not error.sent:
                await self._not_used(units, day)
            raise
        else:
            self._pauses[units[0]].end(began)

    async def _take(self, units: tuple[str, ...]) -> None:
        for unit in units:
            if pause := self._pauses[unit].left:
                day = self._paused_by[unit] is DayQuotaExceeded
                raise self._paused_by[unit](f"{unit} rests after a refusal", retry_after=None if day else pause)
        if wait := max(self._minutes[unit].wait() for unit in units):
            raise QuotaExceeded(f"this minute's {units[0]}", retry_after=wait)
        for unit in units:  # before anything is awaited: of many callers at once no more get through than may
            self._minutes[unit].take()
        taken = False
        try:
            if empty := await self._take_of_the_day(self._day_limits(*units)):
                raise DayQuotaExceeded(f"this day's {empty}", retry_after=until_reset(self._wall()))
            taken = True
        finally:
            if not taken:
                for unit in units:
                    self._minutes[unit].give_back()

    async def _take_of_the_day(self, limits: Mapping[str, int]) -> str | None:
        """The unit of which nothing is left today, or None."""
        if not limits:
            return None
        day = quota_day(self._wall())
        left = await self._own.left(day, limits)
        if empty := next((unit for unit in limits if not left[unit]), None):
            return empty  # all was taken by this process alone, or the source said so: no need to look
        try:
            async with asyncio.timeout(COUNTER_SECONDS):
                empty = await self._days.take(day, limits)
        except (StorageError, TimeoutError) as error:
            _counter_away(error)
            return await self._own.take(day, limits)  # an answer is worth more than an exact count
        if empty is None:
            self._own.note(day, limits)
        return empty

    async def _not_used(self, units: tuple[str, ...], day: str) -> None:
        """The call was never sent: an hour without a connection must not cost the day."""
        for unit in units:
            self._minutes[unit].give_back()
        limited = tuple(self._day_limits(*units))
        await self._own.give_back(day, limited)
        try:
            async with asyncio.timeout(COUNTER_SECONDS):
                await self._days.give_back(day, limited)
        except (StorageError, TimeoutError) as error:
            _counter_away(error)

    async def _exhausted(self, unit: str, day: str) -> None:
        await self._own.exhaust(day, unit)
        log.warning("the source says that the day's quota is used", tool=unit, day=day)
        try:
            async with asyncio.timeout(COUNTER_SECONDS):
                await self._days.exhaust(day, unit)
        except (StorageError, TimeoutError) as error:
            _counter_away(error)

    def _paused(self, unit: str, began: float, error: QuotaExceeded) -> float:
        left = self._pauses[unit].begin(began, error.retry_after)
        self._paused_by[unit] = DayQuotaExceeded if error.per_day else QuotaExceeded
        log.warning("the source says that its quota is used", tool=unit, seconds=round(left))
        return left

    def _day_limits(self, *units: str) -> dict[str, int]:
        allowed = {unit: self._limits.of(unit).per_day for unit in units}
        return {unit: limit for unit, limit in allowed.items() if limit is not None}


def _with_time(error: QuotaExceeded, seconds: float) -> QuotaExceeded:
    """The same error with the time when asking again helps, as the source told it or as we reckon."""
    kind = DayQuotaExceeded if error.per_day else QuotaExceeded
    return kind(error.detail, retry_after=seconds if error.retry_after is None else error.retry_after)


def _counter_away(error: StorageError | TimeoutError) -> None:
    code = error.code if isinstance(error, StorageError) else "too_slow"
    log.warning("the day's count cannot be read; this process counts for itself", code=code)
