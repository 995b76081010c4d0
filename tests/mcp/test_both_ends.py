"""Our client at our own server: every refusal of the one means the same to the other."""

from pathlib import Path

import pytest

from app.domain import errors
from app.domain.answers import EMPTY_ANSWER, Question
from app.domain.errors import KnowledgeError
from app.mcp.client import McpSource
from app.mcp.connecting import http_client
from app.mcp.refusals import TOO_LARGE, UNKNOWN_TOOL, Refusal, refusal_of
from app.mcp.replies import result_of
from app.mcp.wire import Reply
from tests.support.corpus import plant
from tests.support.programs import listening, program_app
from tests.support.remote import written

PAIRS: list[tuple[Refusal, str, type[KnowledgeError]]] = [
    (refusal_of(errors.QuotaExceeded()), "answer_query", errors.QuotaExceeded),
    (refusal_of(errors.DayQuotaExceeded()), "answer_query", errors.DayQuotaExceeded),
    (refusal_of(errors.SourceUnavailable()), "answer_query", errors.SourceUnavailable),
    (refusal_of(errors.SourceTooSlow()), "answer_query", errors.SourceTooSlow),
    (refusal_of(errors.ToolNotOffered()), "answer_query", errors.ToolNotOffered),
    (refusal_of(errors.QuestionRefused()), "answer_query", errors.QuestionRefused),
    (refusal_of(errors.NoAnswer()), "answer_query", errors.SourceUnavailable),
    (refusal_of(errors.AccessRefused()), "answer_query", errors.SourceUnavailable),  # its operator's key, not ours
    (refusal_of(errors.QuestionTooLong(1, 2)), "search_documents", errors.ToolRejected),
    (refusal_of(errors.DocumentNotFound()), "get_documents", errors.DocumentNotFound),
    (refusal_of(errors.DocumentNameInvalid()), "get_documents", errors.ToolRejected),
    (TOO_LARGE, "get_documents", errors.ToolRejected),
    (UNKNOWN_TOOL, "get_documents", errors.ToolNotOffered),
]


@pytest.mark.parametrize(("refusal", "tool", "error"), PAIRS)
def test_what_our_server_refuses_our_client_understands(
    refusal: Refusal, tool: str, error: type[KnowledgeError]
) -> None:
    status, sentence = refusal
    content = [{"type": "text", "text": f"{status}: {sentence} Again in 700 s."}]
    with pytest.raises(KnowledgeError) as caught:
        result_of(Reply(200, {"id": 1, "result": {"isError": True, "content": content}}), tool)
    assert type(caught.value) is error
    assert getattr(caught.value, "retry_after", 700.0) == 700.0


async def test_both_ends_joined_over_a_socket_answer_as_the_corpus_itself(tmp_path: Path) -> None:
    question = "What is the highest speed of the pump?"
    async with plant(tmp_path) as corpus:
        own = EMPTY_ANSWER
        async for event in corpus.source.answer_query(Question(question)):
            own = own.apply(event)  # type: ignore[arg-type]
        found = [(chunk.parent, chunk.id, chunk.content) for chunk in await corpus.source.search_documents(question)]
    async with listening(program_app(tmp_path / "data")) as address, http_client() as client:
        source = McpSource(f"{address}/mcp", collection="remote", client=client)
        answer = await written(source, question)
        assert answer.text.strip() == own.text
        assert answer.references == tuple(citation.name for citation in own.citations)
        assert answer.outcome is own.outcome
        chunks = await source.search_documents(question)
        assert [(chunk.parent, chunk.id, chunk.content) for chunk in chunks] == found
        for citation in own.citations:
            assert (await source.get_document(citation.name)).uri == citation.uri
