"""Hits of a remote search, called as their documents are."""

from collections.abc import AsyncIterator, Sequence

from app.answering.describing import described
from app.domain.answers import AnswerCompleted, AnswerEvent, Outcome, Question
from app.domain.documents import EVERYWHERE, Document, DocumentBatch, DocumentChunk, Scope
from app.domain.errors import SourceUnavailable
from tests.support.scripted import ScriptedSource

PAGE = Document("documents/docs.a.com/create-queue", "https://a.com/create-queue", "# Create a queue\n\nSo.\n")
HIT = DocumentChunk(PAGE.name, "1", "So.", uri="https://docs.a.com/create-queue")


async def unused(_question: Question) -> AsyncIterator[AnswerEvent]:
    yield AnswerCompleted(Outcome.NOT_FOUND)


class Down(ScriptedSource):
    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        raise SourceUnavailable("502")


async def test_a_bare_hit_gets_the_address_that_the_fetch_tells_and_the_pages_title() -> None:
    (found,) = await described(ScriptedSource(unused, [PAGE]), (HIT,), EVERYWHERE)
    assert (found.uri, found.title, found.content) == (PAGE.uri, "Create a queue", "So.")


async def test_a_hit_whose_page_cannot_be_opened_is_called_by_its_name() -> None:
    for source in (Down(unused), ScriptedSource(unused)):
        (found,) = await described(source, (HIT,), EVERYWHERE)
        assert (found.uri, found.title) == (HIT.uri, "create queue")


async def test_hits_that_tell_their_title_cost_no_fetch() -> None:
    told = DocumentChunk(PAGE.name, "1", "So.", uri=PAGE.uri, title="Told")
    assert await described(Down(unused), (told,), EVERYWHERE) == (told,)
