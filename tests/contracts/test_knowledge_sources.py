"""One suite for every KnowledgeSource: whatever offers the four tools must behave like this.

What only an own corpus can do stands below, behind `own`: more than the four tools can say goes over no wire.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.domain.answers import EMPTY_ANSWER, AnswerCompleted, AnswerWritten, Outcome, Question
from app.domain.documents import Scope
from app.domain.errors import DocumentNameInvalid, DocumentNotFound, ToolRejected
from app.knowledge.scoped import ScopedSource
from app.knowledge.source import KnowledgeSource
from app.mcp.client import McpSource
from app.mcp.connecting import http_client
from tests.support.corpus import BASE, PAGES, plant
from tests.support.programs import listening, program_app
from tests.support.remote import remote
from tests.support.upstream_pages import pages_from

PUMP = "documents/docs.example.com/plant/pump"
TANK = "documents/docs.example.com/plant/tank"


@pytest.fixture
async def own(tmp_path: Path) -> AsyncIterator[KnowledgeSource]:
    async with plant(tmp_path) as corpus:
        yield corpus.source


@pytest.fixture(params=["corpus", "live", "reference", "single", "served"])
async def source(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[KnowledgeSource]:
    """The own corpus, clients of servers with these sets of tools, and a client of our own server over that corpus."""
    if request.param == "corpus":
        async with plant(tmp_path) as corpus:
            yield corpus.source
    elif request.param == "served":
        async with plant(tmp_path):
            pass
        async with listening(program_app(tmp_path / "data")) as address, http_client() as client:
            yield ScopedSource(McpSource(f"{address}/mcp", collection="remote", client=client), "remote")
    else:
        async with remote(tools=request.param, pages=pages_from(PAGES, BASE)) as (joined, _):
            yield ScopedSource(joined, "remote")


async def test_search_yields_at_most_five_chunks_with_their_parents(source: KnowledgeSource) -> None:
    found = await source.search_documents("How do I start the pump?")
    assert 0 < len(found) <= 5
    assert found[0].parent == PUMP
    assert "green button" in found[0].content
    assert len({(chunk.parent, chunk.id) for chunk in found}) == len(found)


@pytest.mark.parametrize(
    "query", ["", "   ", "\0", "\ud800", "🙂🙂", "?!", "مضخة", "a" * 500, "the of and", '"AND (OR']
)
async def test_no_text_breaks_a_search(source: KnowledgeSource, query: str) -> None:
    assert isinstance(await source.search_documents(query), tuple)


async def test_a_search_outside_the_scope_finds_nothing(source: KnowledgeSource) -> None:
    assert await source.search_documents("pump", Scope(collections=frozenset({"other"}))) == ()
    with pytest.raises(DocumentNotFound):
        await source.get_document(PUMP, Scope(collections=frozenset({"other"})))


async def test_a_search_keeps_to_its_limit_and_the_best_stay_the_best(source: KnowledgeSource) -> None:
    many = await source.search_documents("pump tank valve water", limit=50)
    assert len(many) > 2
    for limit in (1, 2):
        fewer = await source.search_documents("pump tank valve water", limit=limit)
        assert [(chunk.parent, chunk.id) for chunk in fewer] == [(chunk.parent, chunk.id) for chunk in many[:limit]]


async def test_all_that_is_found_can_be_fetched_by_its_parent(source: KnowledgeSource) -> None:
    found = await source.search_documents("pump tank valve water", limit=20)
    names = list({chunk.parent for chunk in found})
    batch = await source.batch_get_documents(names)
    assert [document.name for document in batch.documents] == names
    assert {chunk.uri for chunk in found} == {document.uri for document in batch.documents}


async def test_a_document_is_whole(source: KnowledgeSource) -> None:
    document = await source.get_document(PUMP)
    assert document.uri == "https://docs.example.com/plant/pump"
    assert document.content.startswith("# Pump")
    assert "pumpctl speed --percent 40" in document.content


async def test_an_unknown_document_is_told_by_its_name(source: KnowledgeSource) -> None:
    with pytest.raises(DocumentNotFound, match="plant/none"):
        await source.get_document("documents/docs.example.com/plant/none")


@pytest.mark.parametrize(
    "name", ["", "documents/", "docs.example.com/plant/pump", "documents/a\nb", "documents/\ud800"]
)
async def test_what_is_no_name_is_refused(source: KnowledgeSource, name: str) -> None:
    with pytest.raises(DocumentNameInvalid):
        await source.get_document(name)
    with pytest.raises(DocumentNameInvalid):
        await source.batch_get_documents([PUMP, name])


@pytest.mark.parametrize("name", ["documents/a b", "documents/a%2Fb", "documents/a#b", "documents/a?b", PUMP + "/"])
async def test_a_name_of_any_letters_is_just_not_known(source: KnowledgeSource, name: str) -> None:
    with pytest.raises(DocumentNotFound):
        await source.get_document(name)


async def test_a_batch_keeps_the_order_and_tells_unknown_names(source: KnowledgeSource) -> None:
    batch = await source.batch_get_documents([TANK, "documents/none", PUMP])
    assert [document.name for document in batch.documents] == [TANK, PUMP]
    assert batch.unknown == ("documents/none",)
    assert (await source.batch_get_documents([])).documents == ()


async def test_a_batch_of_more_than_twenty_is_refused(source: KnowledgeSource) -> None:
    with pytest.raises(ToolRejected, match="20"):
        await source.batch_get_documents([PUMP] * 21)


async def test_an_answer_refers_to_documents_that_can_be_fetched(source: KnowledgeSource) -> None:
    """A corpus cites them itself; of a remote answer, attribution finds out what rests on what."""
    events = [event async for event in source.answer_query(Question("What is the highest speed of the pump?"))]
    last = events[-1]
    assert isinstance(last, AnswerCompleted | AnswerWritten)
    assert last.outcome in (Outcome.ANSWERED, Outcome.WEAK)
    assert not any(isinstance(event, AnswerCompleted | AnswerWritten) for event in events[:-1])
    names = last.references if isinstance(last, AnswerWritten) else tuple(page.name for page in last.retrieved)
    assert names[0] == PUMP
    assert "85 percent" in (await source.get_document(names[0])).content


# --- what only an own corpus can do ---------------------------------------------------------------------------------


async def test_a_query_of_any_length_is_searched_for(own: KnowledgeSource) -> None:
    assert isinstance(await own.search_documents("a" * 20_000), tuple)


async def test_a_chunk_is_a_slice_of_its_document(own: KnowledgeSource) -> None:
    for chunk in await own.search_documents("pump tank valve", limit=20):
        document = await own.get_document(chunk.parent)
        assert chunk.content == chunk.lead + document.content[chunk.start : chunk.end]


async def test_a_scope_that_names_what_no_document_has_finds_nothing(own: KnowledgeSource) -> None:
    for scope in (Scope(products=frozenset({"x"})), Scope(versions=frozenset({"9"}))):
        assert await own.search_documents("pump", scope) == ()
        with pytest.raises(DocumentNotFound):
            await own.get_document(PUMP, scope)
        assert (await own.batch_get_documents([PUMP], scope)).unknown == (PUMP,)


async def test_an_answer_ends_with_its_outcome_and_cites_documents_that_can_be_fetched(own: KnowledgeSource) -> None:
    answer, events = EMPTY_ANSWER, []
    async for event in own.answer_query(Question("What is the highest speed of the pump?")):
        events.append(event)
        answer = answer.apply(event)
    assert isinstance(events[-1], AnswerCompleted)
    assert answer.outcome in (Outcome.ANSWERED, Outcome.WEAK)
    assert "85 percent" in answer.text
    assert answer.citations[0].name == PUMP
    for citation in answer.citations:
        document = await own.get_document(citation.name)
        assert document.uri == citation.uri
        assert all(passage.text in document.content for passage in citation.passages)
    numbers = {number for segment in answer.segments for number in segment.numbers}
    assert numbers == {citation.number for citation in answer.citations}


async def test_what_the_documents_do_not_tell_is_not_found(own: KnowledgeSource) -> None:
    answer = EMPTY_ANSWER
    async for event in own.answer_query(Question("Who won the chess championship?")):
        answer = answer.apply(event)
    assert answer.outcome is Outcome.NOT_FOUND
    assert (answer.text, answer.citations) == ("", ())
