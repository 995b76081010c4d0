"""A source of one collection is asked only for that one."""

import pytest

from app.domain.answers import AnswerCompleted, Outcome, Question
from app.domain.documents import Scope
from app.domain.errors import DocumentNotFound
from app.knowledge.scoped import ScopedSource
from tests.knowledge.counted import Counted, told

NAME = "documents/a"
OTHER, OWN = Scope(frozenset({"other"})), Scope(frozenset({"other", "remote"}))


async def test_what_is_asked_of_other_collections_finds_nothing_and_costs_no_call() -> None:
    inner = Counted()
    source = ScopedSource(inner, "remote")
    assert await source.search_documents("message", OTHER) == ()
    assert (await source.batch_get_documents([NAME], OTHER)).unknown == (NAME,)
    with pytest.raises(DocumentNotFound):
        await source.get_document(NAME, OTHER)
    assert await told(source.answer_query(Question("How?", scope=OTHER))) == [AnswerCompleted(Outcome.NOT_FOUND)]
    assert inner.calls == []


async def test_what_is_asked_of_its_own_collection_or_of_all_passes_through() -> None:
    for scope in (OWN, Scope()):
        inner = Counted()
        source = ScopedSource(inner, "remote")
        assert await source.search_documents("message", scope)
        assert (await source.get_document(NAME, scope)).name == NAME
        assert (await source.batch_get_documents([NAME], scope)).unknown == ()
        assert await told(source.answer_query(Question("How?", scope=scope)))
        assert len(inner.calls) == 4
