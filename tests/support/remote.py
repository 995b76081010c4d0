"""A client joined with the fake upstream over a real socket. Neither of the two."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from app.domain.answers import AnswerWritten, Question, StepStarted
from app.knowledge.source import KnowledgeSource
from app.mcp.client import McpSource
from app.mcp.connecting import http_client
from tests.support.upstream import Upstream

KEY = "AIza-secret-key-of-the-operator"


@asynccontextmanager
async def remote(given: dict[str, Any] | None = None, **settings: Any) -> AsyncIterator[tuple[McpSource, Upstream]]:
    """`settings` are the upstream's, `given` the source's."""
    async with Upstream(**settings) as upstream, http_client() as client:
        yield McpSource(upstream.url, collection="remote", client=client, **{"api_key": KEY, **(given or {})}), upstream


async def written(source: KnowledgeSource, question: str) -> AnswerWritten:
    """The answer, whole, after it was said that the source is being asked."""
    events: Sequence[object] = [event async for event in source.answer_query(Question(question))]
    first, last = events
    assert isinstance(first, StepStarted)
    assert isinstance(last, AnswerWritten)
    return last
