"""The source never sees more than it allows, and nothing locks up for ever."""

import asyncio
import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

import pytest

from app.domain.answers import Question
from app.domain.errors import DayQuotaExceeded, KnowledgeError, QuotaExceeded, SourceUnavailable, StorageUnavailable
from app.knowledge.breaker import Breaker
from app.knowledge.caching import Cached
from app.knowledge.flight import SingleFlight
from app.knowledge.quota import (
    ANSWER,
    FETCH,
    GOOGLE_LIMITS,
    SEARCH,
    UNLIMITED,
    Allowance,
    DaysInMemory,
    QuotaGuard,
    QuotaLimits,
)
from app.knowledge.windows import quota_day, until_reset
from tests.knowledge.counted import Clock, Counted, settled, told

HOUR, DAY = 3600, 86400


class Failing(DaysInMemory):
    """A day counter whose database is away."""

    async def take(self, day: str, limits: Mapping[str, int]) -> str | None:
        raise StorageUnavailable("gone")

    async def exhaust(self, day: str, unit: str) -> None:
        raise StorageUnavailable("gone")

    async def left(self, day: str, limits: Mapping[str, int]) -> Mapping[str, int]:
        raise StorageUnavailable("gone")


def guard(
    inner: Counted,
    clock: Clock,
    limits: QuotaLimits = GOOGLE_LIMITS,
    days: DaysInMemory | None = None,
) -> QuotaGuard:
    return QuotaGuard(inner, limits, days or DaysInMemory(), clock, clock.wall)


async def ask(source: QuotaGuard, number: int = 0) -> KnowledgeError | None:
    try:
        await told(source.answer_query(Question(f"How {number}?")))
    except KnowledgeError as error:
        return error
    return None


async def test_the_eleventh_answer_of_a_minute_is_refused_without_asking() -> None:
    clock, inner = Clock(), Counted()
    source = guard(inner, clock)
    results = await asyncio.gather(*(ask(source, number) for number in range(200)))
    refused = [error for error in results if error]
    assert (len(refused), len(inner.calls)) == (190, 10)
    assert all(type(error) is QuotaExceeded and error.retry_after == 61 for error in refused)
    clock.move(61)
    assert await ask(source) is None


async def test_the_fifty_first_answer_of_a_day_is_refused_until_midnight_there() -> None:
    clock, inner = Clock(), Counted()
    source = guard(inner, clock)
    for _ in range(50):
        assert await ask(source) is None
        clock.move(7)
    error = await ask(source)
    assert isinstance(error, DayQuotaExceeded)
    assert error.retry_after == 19 * HOUR - 350  # noon in UTC is five in the morning there
    assert (await source.left())[ANSWER] == 0
    clock.move(error.retry_after - 1)
    assert isinstance(await ask(source), DayQuotaExceeded)
    clock.move(1)
    assert await ask(source) is None
    assert dict(await source.left()) == {ANSWER: 49, SEARCH: None, FETCH: None}
    assert len(inner.calls) == 51


async def test_each_answer_takes_a_search_and_a_batch_counts_as_one_fetch() -> None:
    clock, inner = Clock(), Counted()
    source = guard(inner, clock, QuotaLimits(searches=Allowance(3), fetches=Allowance(2)))
    assert await ask(source) is None
    await source.search_documents("a")
    await source.search_documents("b")
    assert isinstance(await ask(source), QuotaExceeded)
    await source.batch_get_documents([f"documents/{n}" for n in range(20)])
    await source.get_document("documents/a")
    with pytest.raises(QuotaExceeded):
        await source.get_document("documents/b")
    assert inner.count == {"answer_query": 1, "search_documents": 2, "batch_get_documents": 1, "get_document": 1}


async def test_a_refusal_by_the_day_takes_nothing_of_the_minute() -> None:
    clock, inner = Clock(), Counted()
    source = guard(inner, clock, QuotaLimits(answers=Allowance(None, 1), searches=Allowance(2)))
    assert await ask(source) is None
    for _ in range(5):
        assert isinstance(await ask(source), DayQuotaExceeded)
    assert await source.search_documents("a")


async def test_several_processes_share_a_day() -> None:
    clock, days = Clock(), DaysInMemory()
    inners = [Counted() for _ in range(4)]
    sources = [guard(inner, clock, QuotaLimits(answers=Allowance(None, 50)), days) for inner in inners]
    await asyncio.gather(*(ask(source, number) for number in range(40) for source in sources))
    assert sum(len(inner.calls) for inner in inners) == 50


async def test_when_the_source_says_the_day_is_used_nobody_asks_again_that_day() -> None:
    clock, days = Clock(), DaysInMemory()
    first, second = Counted(errors=[DayQuotaExceeded("429")]), Counted()
    one, two = (guard(inner, clock, days=days) for inner in (first, second))
    error = await ask(one)
    assert isinstance(error, DayQuotaExceeded)
    assert error.retry_after == 19 * HOUR
    assert isinstance(await ask(one), DayQuotaExceeded)
    assert isinstance(await ask(two), DayQuotaExceeded)
    assert (len(first.calls), len(second.calls)) == (1, 0)
    assert (await two.left())[ANSWER] == 0
    clock.move(19 * HOUR)
    assert await ask(two) is None


async def test_a_refusal_by_the_source_closes_the_tool_for_a_minute_then_two_and_at_most_fifteen() -> None:
    clock, inner = Clock(), Counted()
    source = guard(inner, clock)
    for pause in (60, 120, 240, 480, 900, 900):
        inner.errors = [QuotaExceeded("429")]
        error = await ask(source)
        assert isinstance(error, QuotaExceeded)
        assert error.retry_after == pause
        calls = len(inner.calls)
        clock.move(pause - 1)
        error = await ask(source)
        assert isinstance(error, QuotaExceeded)
        assert error.retry_after == 1
        assert len(inner.calls) == calls
        assert await source.search_documents("other tools go on")
        clock.move(1)
    assert await ask(source) is None
    inner.errors = [QuotaExceeded("429")]
    error = await ask(source)
    assert isinstance(error, QuotaExceeded)
    assert error.retry_after == 60


async def test_the_time_that_the_source_tells_wins() -> None:
    clock, inner = Clock(), Counted(errors=[QuotaExceeded("429", retry_after=7)])
    source = guard(inner, clock, UNLIMITED)
    await ask(source)
    clock.move(6)
    assert isinstance(await ask(source), QuotaExceeded)
    clock.move(1)
    assert await ask(source) is None


async def test_ten_refusals_at_once_are_one_pause() -> None:
    clock, inner = Clock(), Counted(held=asyncio.Event(), errors=[QuotaExceeded("429") for _ in range(10)])
    source = guard(inner, clock)
    asked = [asyncio.create_task(ask(source, number)) for number in range(10)]
    await settled()
    inner.held.set()
    assert all(isinstance(error, QuotaExceeded) and error.retry_after == 60 for error in await asyncio.gather(*asked))


async def test_a_source_without_daily_limits_that_names_the_day_is_asked_again_soon() -> None:
    clock, inner = Clock(), Counted(errors=[DayQuotaExceeded("429")])
    source = guard(inner, clock, UNLIMITED)
    assert isinstance(await ask(source), DayQuotaExceeded)
    assert isinstance(await ask(source), DayQuotaExceeded)
    clock.move(60)
    assert await ask(source) is None


async def test_without_the_database_the_process_counts_for_itself() -> None:
    clock, inner = Clock(), Counted()
    source = guard(inner, clock, QuotaLimits(answers=Allowance(None, 50)), Failing())
    results = await asyncio.gather(*(ask(source, number) for number in range(60)))
    assert sum(error is None for error in results) == len(inner.calls) == 50
    assert (await source.left())[ANSWER] == 0
    clock.move(DAY)
    inner.errors = [DayQuotaExceeded("429")]
    assert isinstance(await ask(source), DayQuotaExceeded)
    assert isinstance(await ask(source), DayQuotaExceeded)
    assert len(inner.calls) == 51


async def test_what_was_taken_before_the_database_went_away_is_remembered() -> None:
    class Leaving(DaysInMemory):
        away = False

        async def take(self, day: str, limits: Mapping[str, int]) -> str | None:
            if self.away:
                raise StorageUnavailable("gone")
            return await super().take(day, limits)

    clock, inner, days = Clock(), Counted(), Leaving()
    source = guard(inner, clock, QuotaLimits(answers=Allowance(None, 50)), days)
    for number in range(60):
        Leaving.away = number >= 30
        await ask(source)
    assert len(inner.calls) == 50


async def test_a_clock_set_back_grants_no_more_than_the_day_allows_and_locks_nothing() -> None:
    clock, inner, days = Clock(), Counted(), DaysInMemory()
    source = guard(inner, clock, QuotaLimits(answers=Allowance(None, 50)), days)
    by_day: dict[str, int] = {}
    chance = random.Random(3)
    for _ in range(900):
        if await ask(source) is None:
            day = quota_day(clock.wall())
            by_day[day] = by_day.get(day, 0) + 1
        clock.move(chance.choice([60, 600, 900, -3 * HOUR, HOUR, -600]))
    assert max(by_day.values()) <= 50
    clock.move(DAY * 60)
    assert await ask(source) is None


async def test_a_monotonic_clock_that_goes_back_locks_a_minute_at_most() -> None:
    clock, inner = Clock(), Counted()
    source = guard(inner, clock, QuotaLimits(answers=Allowance(10)))
    for _ in range(10):
        await ask(source)
    clock.move(-900)
    assert isinstance(await ask(source), QuotaExceeded)
    clock.move(61)
    assert await ask(source) is None


@pytest.mark.parametrize("seed", range(20))
async def test_no_minute_ever_has_more_than_its_share(seed: int) -> None:
    chance, clock, inner = random.Random(seed), Clock(), Counted()
    source = guard(inner, clock, QuotaLimits(answers=Allowance(10)))
    granted: list[float] = []
    for _ in range(400):
        if await ask(source) is None:
            granted.append(clock())
        clock.move(chance.choice([0, 0, 0.2, 3, 11]))
    for at in granted:
        assert sum(at <= other < at + 60 for other in granted) <= 10
    assert len(granted) >= (clock() - 1000) / 61 * 5


async def test_a_caller_who_leaves_while_the_day_is_counted_gives_the_minute_back() -> None:
    class Slow(DaysInMemory):
        held = asyncio.Event()

        async def take(self, day: str, limits: Mapping[str, int]) -> str | None:
            await self.held.wait()
            return await super().take(day, limits)

    clock, inner, days = Clock(), Counted(), Slow()
    source = guard(inner, clock, days=days)
    asked = [asyncio.create_task(ask(source)) for _ in range(10)]
    await settled()
    for task in asked:
        task.cancel()
    await settled()
    days.held.set()
    assert [await ask(source) for _ in range(10)] == [None] * 10


async def test_a_call_that_failed_keeps_its_unit() -> None:
    clock, inner = Clock(), Counted(errors=[SourceUnavailable("connect")])
    source = guard(inner, clock)
    assert isinstance(await ask(source), SourceUnavailable)
    assert (await source.left())[ANSWER] == 49


@pytest.mark.parametrize(
    ("at", "day", "hours"),
    [
        (datetime(2026, 1, 1, 7, 59, tzinfo=UTC), "2025-12-31", 1 / 60),
        (datetime(2026, 1, 1, 8, 0, tzinfo=UTC), "2026-01-01", 24),
        (datetime(2026, 7, 1, 7, 0, tzinfo=UTC), "2026-07-01", 24),
        (datetime(2026, 3, 8, 8, 0, tzinfo=UTC), "2026-03-08", 23),  # summer time begins
        (datetime(2026, 11, 1, 7, 0, tzinfo=UTC), "2026-11-01", 25),  # and ends
    ],
)
def test_a_day_begins_at_midnight_in_california(at: datetime, day: str, hours: float) -> None:
    assert quota_day(at) == day
    assert until_reset(at) == pytest.approx(hours * HOUR)


def test_without_time_zone_data_the_day_is_that_of_winter_time() -> None:
    winter = timezone(timedelta(hours=-8))
    at = datetime(2026, 7, 1, 7, 30, tzinfo=UTC)
    assert (quota_day(at, winter), until_reset(at, winter)) == ("2026-06-30", 1800)


def stack(inner: Counted, clock: Clock) -> tuple[SingleFlight, QuotaGuard]:
    """All wrappers in their order."""
    counted = guard(inner, clock)
    return SingleFlight(Cached(Breaker(counted, now=clock), now=clock)), counted


async def test_two_hundred_equal_questions_and_their_repetition_take_one_unit() -> None:
    clock, inner = Clock(), Counted(held=asyncio.Event())
    source, counted = stack(inner, clock)
    asked = [asyncio.create_task(told(source.answer_query(Question("How?")))) for _ in range(200)]
    await settled()
    inner.held.set()
    await asyncio.gather(*asked)
    await told(source.answer_query(Question("How?")))
    assert inner.count == {"answer_query": 1}
    assert (await counted.left())[ANSWER] == 49


async def test_two_hundred_different_questions_are_ten_calls_and_the_others_know_at_once() -> None:
    clock, inner = Clock(), Counted(held=asyncio.Event())
    source, _ = stack(inner, clock)
    asked = [asyncio.create_task(told(source.answer_query(Question(f"How {n}?")))) for n in range(200)]
    await settled()
    assert sum(task.done() for task in asked) == 190
    inner.held.set()
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(result, list) for result in results) == len(inner.calls) == 10


async def test_what_the_breaker_refuses_takes_no_unit() -> None:
    clock, inner = Clock(), Counted(errors=[SourceUnavailable("502") for _ in range(5)])
    source, counted = stack(inner, clock)
    for number in range(30):
        with pytest.raises(SourceUnavailable):
            await told(source.answer_query(Question(f"How {number}?")))
    assert len(inner.calls) == 5
    assert (await counted.left())[ANSWER] == 45
