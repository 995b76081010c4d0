"""Documents in the database, SQLite and PostgreSQL alike: staged, live, removed, and cut where they say."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.domain.documents import Collection, Document
from app.storage.documents import DocumentStore, NewDocument, Slice
from app.storage.engine import Database
from tests.support.postgres import cluster

PUMP, TANK = "documents/example.com/pump", "documents/example.com/tank"
TEXT = "# Pump 🙂\n\nDie Pümpe 👩‍👩‍👧 läuft.\n\nİkinci paragraf.\n"


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


def new(name: str = PUMP, content: str = TEXT, *slices: Slice, collection: str = "docs") -> NewDocument:
    document = Document(name, name.replace("documents/", "https://"), content, "Pump", "", "en", collection)
    return NewDocument(document, f"{name.rpartition('/')[2]}.md", b"1" * 32, slices or (Slice(0, len(content)),))


async def live(store: DocumentStore, *documents: NewDocument, collection: str = "docs") -> tuple[int, ...]:
    """Store and publish; the keys of the chunks."""
    stored = await store.stage(documents)
    await store.publish(collection, [])
    return tuple(key for each in stored for key in each.chunk_ids)


async def test_what_is_staged_is_seen_by_nobody_until_it_is_published(store: DocumentStore) -> None:
    (staged,) = await store.stage([new()])
    assert await store.document(PUMP) is None
    assert await store.collections() == ()
    assert await store.known("docs") == ()
    assert await store.chunks(staged.chunk_ids) == {}
    assert [batch async for batch in store.live()] == []
    assert await store.generation() == 0
    assert await store.generation() != await store.publish("docs", []) == await store.generation()
    assert await store.document(PUMP) == new().document
    assert await store.collections() == (Collection("docs", 1, 1),)
    assert [batch async for batch in store.live()] == [[staged]]


async def test_each_publication_is_the_next_generation(store: DocumentStore) -> None:
    first = await store.publish("docs", [])
    assert [await store.publish("docs", []), await store.publish("docs", [])] == [first + 1, first + 2]
    assert first + 1000 < 2**31


async def test_a_chunk_is_cut_by_characters_whatever_they_are(store: DocumentStore) -> None:
    slices = (Slice(0, 8), Slice(10, 33, ("Pump 🙂",), "| a |\n"), Slice(35, len(TEXT), ("Pump 🙂", "Zwei")))
    keys = await live(store, new(PUMP, TEXT, *slices))
    found = await store.chunks(keys)
    assert [found[key].text for key in keys] == [TEXT[each.start : each.end] for each in slices]
    assert [found[key].slice for key in keys] == list(slices)
    assert [found[key].position for key in keys] == [0, 1, 2]
    assert (found[keys[0]].name, found[keys[0]].collection) == (PUMP, "docs")


async def test_many_documents_at_once_keep_their_own_chunks(store: DocumentStore) -> None:
    documents = [
        new(f"documents/example.com/{number}", "abcdefghij", *(Slice(at, 10) for at in range(number % 4)))
        for number in range(1, 300)
    ]
    stored = await store.stage(documents)
    assert [each.document for each in stored] == [each.document for each in documents]
    await store.publish("docs", [])
    again = [each async for batch in store.live() for each in batch]
    assert again == list(stored)
    key = stored[2].chunk_ids[1]
    found = (await store.chunks([key]))[key]
    assert (found.name, found.text) == ("documents/example.com/3", "bcdefghij")


async def test_a_changed_document_takes_the_place_of_the_former_one(store: DocumentStore) -> None:
    await live(store, new())
    await live(store, new(PUMP, "Now otherwise.\n"))
    document = await store.document(PUMP)
    assert document is not None
    assert document.content == "Now otherwise.\n"
    assert await store.collections() == (Collection("docs", 1, 1),)
    assert len(await store.known("docs")) == 1


async def test_a_chunk_of_the_former_document_counts_while_its_words_stand_where_they_stood(
    store: DocumentStore,
) -> None:
    first, second = await live(store, new(PUMP, "Same.\n\nOld.\n", Slice(0, 5), Slice(7, 11)))
    await live(store, new(PUMP, "Same.\n\nNew.\n", Slice(0, 5), Slice(7, 11)))
    assert list(await store.chunks([first, second])) == [first]


async def test_a_chunk_of_a_removed_document_does_not_count(store: DocumentStore) -> None:
    keys = await live(store, new(), new(TANK))
    await store.publish("docs", [PUMP])
    assert list(await store.chunks(keys)) == [keys[1]]
    assert await store.document(PUMP) is None
    await store.publish("other", [TANK])  # another collection's name is none of its business
    assert await store.document(TANK) is not None


async def test_a_purge_forgets_what_was_staged_and_what_was_removed_when_asked(store: DocumentStore) -> None:
    (former,) = await live(store, new(PUMP, "Same.\n"))
    await live(store, new(PUMP, "Same.\n"))
    await store.stage([new(TANK)])
    await store.purge(removed=False)
    await store.publish("docs", [])
    assert await store.document(TANK) is None
    assert list(await store.chunks([former])) == [former]
    await store.purge(removed=True)
    assert await store.chunks([former]) == {}
    assert await store.document(PUMP) is not None


async def test_names_that_another_collection_holds_are_told(store: DocumentStore) -> None:
    await live(store, new())
    assert await store.held_elsewhere([PUMP, TANK], "other") == {PUMP: "docs"}
    assert await store.held_elsewhere([PUMP, TANK], "docs") == {}


async def test_documents_are_found_by_their_names(store: DocumentStore) -> None:
    await live(store, new(), new(TANK))
    assert set(await store.documents([TANK, "documents/none", PUMP])) == {PUMP, TANK}
    assert await store.documents([]) == {}


async def test_collections_are_counted_by_name(store: DocumentStore) -> None:
    await live(store, new(PUMP, "abc", Slice(0, 1), Slice(1, 2)), new(TANK, collection="b"))
    assert await store.collections() == (Collection("b", 1, 1), Collection("docs", 1, 2))
