"""Documents and chunks counted, and their keys: of what is live, and of what will be."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.domain.documents import Document
from app.storage.census import KEYS_AT_ONCE
from app.storage.documents import DocumentStore, NewDocument, Slice
from app.storage.engine import Database
from tests.support.postgres import cluster


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path / 'footnote.sqlite3'}"
    else:
        with cluster().database() as address:
            yield address


@pytest.fixture
async def store(url: str) -> AsyncIterator[DocumentStore]:
    database = await Database.open(url)
    yield DocumentStore(database)
    await database.close()


def new(number: int, chunks: int) -> NewDocument:
    uri = f"https://example.com/{number}"
    document = Document(uri.replace("https://", "documents/"), uri, "words", "Page", "", "en", "docs")
    return NewDocument(document, f"{number}.md", b"1" * 32, tuple(Slice(0, 5) for _ in range(chunks)))


async def test_what_is_staged_and_what_will_go_is_counted_as_it_will_be(store: DocumentStore) -> None:
    assert await store.census.counts() == (0, 0)
    first, second = await store.stage([new(1, chunks=2), new(2, chunks=3)])
    assert await store.census.counts() == (0, 0)
    assert await store.census.counts(staged=True) == (2, 5)
    await store.publish("docs", [])
    await store.stage([new(1, chunks=7)])
    assert await store.census.counts() == (2, 5)
    assert await store.census.counts(staged=True, without=[first.id]) == (2, 10)
    assert await store.census.counts(without=[first.id, second.id, 12345]) == (0, 0)
    await store.publish("docs", [])
    assert await store.census.counts() == (2, 10)


async def test_keys_come_in_batches_that_follow_each_other_and_leave_nothing_out(store: DocumentStore) -> None:
    stored = await store.stage([new(number, chunks=number % 3) for number in range(KEYS_AT_ONCE + 7)])
    await store.publish("docs", [])
    await store.stage([new(9999, chunks=1)])
    batches = [batch async for batch in store.census.live_keys()]
    assert [len(batch) for batch in batches] == [KEYS_AT_ONCE, 7]
    assert max(batches[0]) < min(batches[1])
    found = {document: sorted(chunks) for batch in batches for document, chunks in batch.items()}
    assert found == {each.id: sorted(each.chunk_ids) for each in stored}


async def test_documents_that_are_staged_together_get_keys_of_their_own_in_their_order(store: DocumentStore) -> None:
    first = await store.stage([new(1, chunks=3), new(2, chunks=0), new(3, chunks=2)])
    await store.publish("docs", [])
    second = await store.stage([new(4, chunks=1)])
    documents = [each.id for each in (*first, *second)]
    chunks = [key for each in (*first, *second) for key in each.chunk_ids]
    assert documents == sorted(set(documents))
    assert chunks == sorted(set(chunks))
    assert len(chunks) == 6
