"""Our client against our own endpoint over a real socket: the same answers as the documents themselves give."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.answering.answerer import Answerer
from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.answering.rewriting import Rewriter
from app.domain.answers import EMPTY_ANSWER, Answer, AnswerWritten, Question
from app.domain.errors import DocumentNotFound
from app.mcp.client import McpSource
from app.mcp.connecting import http_client
from tests.support.corpus import opened, plant
from tests.support.programs import listening, program_app

QUESTIONS = [
    "What is the highest speed of the pump?",
    "How do I start the pump?",
    "How often is the tank cleaned, and with what?",
    "Which colour is the inlet valve?",
    "How much does the tank hold?",
    "Who won the chess championship?",
]
PUMP, TANK = "documents/docs.example.com/plant/pump", "documents/docs.example.com/plant/tank"


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    async with plant(tmp_path):
        pass
    return tmp_path / "data"


@pytest.fixture
async def remote(data: Path) -> AsyncIterator[McpSource]:
    async with listening(program_app(data)) as address, http_client() as client:
        yield McpSource(f"{address}/mcp", collection="plant", client=client)


async def embedded(data: Path, question: str) -> Answer:
    answer = EMPTY_ANSWER
    async with opened(data) as corpus:
        async for event in corpus.answerer.answer(Question(question)):
            answer = answer.apply(event)
    return answer


async def written(source: McpSource, question: str) -> AnswerWritten:
    (found,) = [event async for event in source.answer_query(Question(question)) if isinstance(event, AnswerWritten)]
    return found


@pytest.mark.parametrize("question", QUESTIONS)
async def test_an_answer_over_the_wire_is_the_documents_own(data: Path, remote: McpSource, question: str) -> None:
    here, there = await embedded(data, question), await written(remote, question)
    assert there.outcome is here.outcome
    if here.text:
        assert there.text == here.text
    cited = [citation.name for citation in here.citations]
    assert list(there.references) == (cited or [page.name for page in here.retrieved[:5]])


@pytest.mark.parametrize("question", QUESTIONS)
async def test_a_reader_of_the_remote_one_sees_the_same_outcome_and_the_same_documents(
    data: Path, remote: McpSource, question: str
) -> None:
    here, there = await embedded(data, question), EMPTY_ANSWER
    async for event in Answerer(remote, Grounded(ExtractiveWriter(), Gate()), Rewriter()).answer(Question(question)):
        there = there.apply(event)
    assert there.outcome is here.outcome
    assert {citation.name for citation in there.citations} <= {citation.name for citation in here.citations}
    if here.citations:
        assert "".join(there.text.split()) == "".join(here.text.split())
        assert there.citations[0].name == here.citations[0].name
        assert there.citations[0].uri == here.citations[0].uri


async def test_searches_and_documents_over_the_wire_are_the_documents_own(data: Path, remote: McpSource) -> None:
    async with opened(data) as corpus:
        for question in QUESTIONS:
            here = await corpus.source.search_documents(question)
            there = await remote.search_documents(question)
            assert [(chunk.parent, chunk.id, chunk.content) for chunk in there] == [
                (chunk.parent, chunk.id, chunk.content) for chunk in here
            ]
        for name in (PUMP, TANK):
            whole = await corpus.source.get_document(name)
            fetched = await remote.get_document(name)
            assert (fetched.name, fetched.uri, fetched.content) == (whole.name, whole.uri, whole.content)
    batch = await remote.batch_get_documents([TANK, "documents/none", PUMP])
    assert [document.name for document in batch.documents] == [TANK, PUMP]
    assert batch.unknown == ("documents/none",)
    with pytest.raises(DocumentNotFound):
        await remote.get_document("documents/none")
