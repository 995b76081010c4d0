"""One suite for every IndexEngine: whatever finds chunks by words must behave like this."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.corpus.index.engine import IndexedChunk, IndexedDocument, IndexEngine, Wanted
from app.corpus.index.tantivy_index import TantivyIndex
from app.domain.documents import EVERYWHERE, Scope
from app.domain.errors import IndexLocked, IndexMissing


@pytest.fixture(params=["tantivy"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], IndexEngine]:
    """Opens the one index of this test, as often as asked."""
    return lambda: TantivyIndex(tmp_path / "index")


def document(key: int, title: str, *texts: str, collection: str = "docs", **filed: str) -> IndexedDocument:
    chunks = tuple(IndexedChunk(key * 100 + place, (), text) for place, text in enumerate(texts))
    text = "\n\n".join(texts)
    return IndexedDocument(key, collection, title, f"https://example.com/{key}", (), text, chunks, **filed)


PUMP = document(1, "Pump", "The pump moves water.", "Its speed is set by a dial.")
TANK = document(2, "Tank", "The tank holds water from the pump.", collection="store")


def within(*collections: str) -> Scope:
    return Scope(collections=frozenset(collections))


def made(engine: IndexEngine, *documents: IndexedDocument, generation: int = 1) -> IndexEngine:
    with engine.alone(), engine.changes(0) as changes:
        for each in documents:
            changes.add(each)
        changes.commit(generation)
    return engine


def found(engine: IndexEngine, query: str, scope: Scope = EVERYWHERE, limit: int = 10) -> list[int]:
    return [hit.chunk_id for hit in engine.search(Wanted(engine.terms(query)), scope, limit)]


def test_without_an_index_a_search_says_so(opened: Callable[[], IndexEngine]) -> None:
    engine = opened()
    assert (engine.generation, engine.chunk_count, engine.document_frequency("pump")) == (None, 0, 0)
    with pytest.raises(IndexMissing):
        engine.search(Wanted(("pump",)), EVERYWHERE, 5)


def test_what_is_committed_is_found_by_its_stems(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP, TANK, generation=7)
    assert (engine.generation, engine.chunk_count) == (7, 3)
    assert found(engine, "PUMPS moving")[0] == 100
    assert found(engine, "speeds") == [101]
    assert found(engine, "nothing of that kind") == []
    assert found(engine, "") == []


def test_hits_are_ordered_and_share_their_pages_score(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP, TANK)
    hits = engine.search(Wanted(engine.terms("pump water speed")), EVERYWHERE, 10)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.chunk_id for hit in hits}) == len(hits) == 3
    assert len({hit.page_score for hit in hits if hit.document_id == 1}) == 1
    assert max(hits, key=lambda hit: hit.page_score).document_id == 1
    assert found(engine, "pump water speed", limit=1) == [hits[0].chunk_id]


def test_a_title_finds_the_chunks_of_its_page(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), document(1, "Zirconium", "A metal."), document(2, "Copper", "A metal."))
    assert found(engine, "zirconium") == [100]


def test_only_the_collections_that_are_named_are_searched(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP, TANK)
    assert found(engine, "water", within("store")) == [200]
    assert sorted(found(engine, "water", within("store", "docs"))) == [100, 200]
    assert found(engine, "water", within("nowhere")) == []


def test_products_versions_and_languages_narrow_a_search(opened: Callable[[], IndexEngine]) -> None:
    old = document(1, "Pump", "The pump is new.", product="Pump", version="1", language="en")
    new = document(2, "Pump", "The pump is new.", product="Pump", version="2", language="en-GB")
    other = document(3, "Pumpe", "Die pump ist neu.", product="Tank", version="2", language="de")
    engine = made(opened(), old, new, other)
    assert found(engine, "pump", Scope(products=frozenset({"Tank"}))) == [300]
    assert sorted(found(engine, "pump", Scope(versions=frozenset({"2"})))) == [200, 300]
    assert found(engine, "pump", Scope(products=frozenset({"Pump"}), versions=frozenset({"2"}))) == [200]
    assert sorted(found(engine, "pump", Scope(languages=frozenset({"EN"})))) == [100, 200]
    assert found(engine, "pump", Scope(languages=frozenset({"en-gb"}))) == [200]
    assert found(engine, "pump", Scope(products=frozenset({"pump"}))) == [], "labels are compared as they are written"


def test_the_scope_does_not_change_the_scores(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP)
    wanted = Wanted(engine.terms("pump water"))
    (inside,) = engine.search(wanted, within("docs"), 1)
    (anywhere,) = engine.search(wanted, EVERYWHERE, 1)
    assert inside.page_score == pytest.approx(anywhere.page_score)


def test_words_are_counted_by_chunks(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP, TANK)
    assert [engine.document_frequency(term) for term in ("pump", "water", "dial", "none")] == [2, 2, 1, 0]


@pytest.mark.parametrize("text", ["\0", "\ud800", "🙂", "a" * 20_000, 'title:"x" AND (', "İI", "مضخة"])
def test_no_text_breaks_terms_or_search(opened: Callable[[], IndexEngine], text: str) -> None:
    engine = made(opened(), PUMP)
    assert found(engine, text) == []


def test_changes_are_seen_by_nobody_until_they_are_committed(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP)
    with engine.alone(), engine.changes(1) as changes:
        changes.add(TANK)
        changes.remove([1])
        assert not changes.afresh
        assert found(engine, "pump") == found(opened(), "pump") == [100, 101]
        changes.commit(2)
        assert found(engine, "pump") == found(opened(), "pump") == [200]
    assert engine.generation == opened().generation == 2


def test_what_is_only_prepared_is_seen_by_nobody(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP)
    with engine.alone(), engine.changes(1) as changes:
        changes.add(TANK)
        changes.prepare()
        assert found(opened(), "tank") == []
    assert found(opened(), "tank") == []
    with engine.alone(), engine.changes(1) as changes:
        changes.add(TANK)
        changes.prepare()
        changes.commit(2)
    assert found(opened(), "tank") == [200]


def test_changes_that_are_left_are_as_if_never_made(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP)
    with engine.alone(), engine.changes(1) as changes:
        changes.add(TANK)
        changes.remove([1])
    assert found(engine, "pump") == found(opened(), "pump") == [100, 101]
    with engine.alone(), engine.changes(1) as changes:
        changes.add(TANK)
        changes.commit(2)
    assert found(engine, "tank") == [200]


def test_changes_to_another_generation_begin_with_an_empty_index(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP)
    with engine.alone(), engine.changes(5) as changes:
        assert changes.afresh
        changes.add(TANK)
        assert found(opened(), "pump") == [100, 101]  # the former one serves until the end
        changes.commit(6)
    assert found(opened(), "pump") == [200]


def test_only_one_may_write_at_a_time(opened: Callable[[], IndexEngine]) -> None:
    first, second = opened(), opened()
    with first.alone(), pytest.raises(IndexLocked), second.alone():
        pytest.fail("two writers at once")
    with second.alone():
        pass


def test_many_changes_leave_one_index_that_holds_them_all(opened: Callable[[], IndexEngine]) -> None:
    engine = made(opened(), PUMP)
    for key in range(2, 20):
        with engine.alone(), engine.changes(key - 1) as changes:
            assert not changes.afresh
            changes.add(document(key, f"Page {key}", "The valve is blue."))
            changes.remove([key - 1] if key % 2 else [])
            changes.commit(key)
    for each in (engine, opened()):
        assert sorted(found(each, "valve", limit=50)) == [key * 100 for key in range(3, 20, 2)]
        assert found(each, "pump") == [100, 101]
        assert each.chunk_count == 2 + 9
