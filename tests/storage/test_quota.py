"""The count of a day, on every database: shared, exact, and kept."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.domain.errors import StorageError
from app.knowledge.quota import DayCounter
from app.storage.engine import Database
from app.storage.quota import QuotaDays
from tests.support.postgres import cluster

DAY, NEXT = "2026-05-01", "2026-05-02"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'footnote.sqlite3'}"
    else:
        with cluster().database() as address:
            yield address


@pytest.fixture
async def databases(url: str) -> AsyncIterator[tuple[Database, Database]]:
    """Two openings of one database: two processes."""
    opened = await Database.open(url), await Database.open(url)
    yield opened
    for database in opened:
        await database.close()


async def test_of_many_takes_in_two_processes_exactly_the_limit_is_granted(
    databases: tuple[Database, Database],
) -> None:
    counters: list[DayCounter] = [QuotaDays(database, "google") for database in databases]
    limits = {"answer_query": 50, "search_documents": 70}
    async with asyncio.timeout(60):
        taken = await asyncio.gather(*(counters[number % 2].take(DAY, limits) for number in range(90)))
    assert taken.count(None) == 50
    assert taken.count("answer_query") == 40
    assert await counters[0].left(DAY, limits) == {"answer_query": 0, "search_documents": 20}


async def test_all_units_are_taken_or_none(databases: tuple[Database, Database]) -> None:
    counter = QuotaDays(databases[0], "google")
    limits = {"search_documents": 5, "answer_query": 2}
    assert [await counter.take(DAY, limits) for _ in range(4)] == [None, None, "answer_query", "answer_query"]
    assert await counter.left(DAY, limits) == {"search_documents": 3, "answer_query": 0}


async def test_days_and_sources_are_counted_apart(databases: tuple[Database, Database]) -> None:
    google, other = (QuotaDays(databases[0], name) for name in ("google", "other"))
    limit = {"answer_query": 1}
    assert await google.take(DAY, limit) is None
    assert await google.take(DAY, limit) == "answer_query"
    assert await google.take(NEXT, limit) is None
    assert await other.take(DAY, limit) is None
    assert await google.take(DAY, limit) == "answer_query"  # the clock was set back


async def test_a_day_that_the_source_calls_used_is_used_for_all_processes(
    databases: tuple[Database, Database],
) -> None:
    here, there = (QuotaDays(database, "google") for database in databases)
    limit = {"answer_query": 50}
    await here.take(DAY, limit)
    for _ in range(2):
        await here.exhaust(DAY, "answer_query")
        assert await there.take(DAY, limit) == "answer_query"
        assert await there.left(DAY, limit) == {"answer_query": 0}
    assert await there.take(DAY, {"search_documents": 5}) is None
    await here.exhaust(NEXT, "answer_query")  # of which nothing was taken before
    assert await there.take(NEXT, limit) == "answer_query"


async def test_the_count_is_there_after_opening_again(url: str) -> None:
    for left in (2, 1, 0):
        database = await Database.open(url)
        counter = QuotaDays(database, "google")
        assert await counter.take(DAY, {"answer_query": 3}) is None
        assert await counter.left(DAY, {"answer_query": 3}) == {"answer_query": left}
        await database.close()


async def test_a_limit_that_was_lowered_counts_at_once(databases: tuple[Database, Database]) -> None:
    counter = QuotaDays(databases[0], "google")
    for _ in range(3):
        await counter.take(DAY, {"answer_query": 9})
    assert await counter.take(DAY, {"answer_query": 2}) == "answer_query"
    assert await counter.left(DAY, {"answer_query": 2}) == {"answer_query": 0}


async def test_a_database_that_cannot_be_written_is_told_as_such(tmp_path: Path) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'footnote.sqlite3'}", busy_seconds=0.05)
    counter = QuotaDays(database, "google")
    async with database.writing():
        with pytest.raises(StorageError):
            await counter.take(DAY, {"answer_query": 9})
    await database.close()
