"""Our client at our own server: every refusal of the one means the same to the other."""

import pytest

from app.domain import errors
from app.domain.errors import KnowledgeError
from app.mcp.refusals import TOO_LARGE, UNKNOWN_TOOL, Refusal, refusal_of
from app.mcp.replies import result_of
from app.mcp.wire import Reply

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
