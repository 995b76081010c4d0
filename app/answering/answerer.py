"""How a question is answered: the source's own answer first, and where that cannot be had, from the documents."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.answering.grounded import Grounded
from app.answering.rewriting import Rewriter
from app.domain.answers import (
    AnswerCompleted,
    AnswerEvent,
    FallbackReason,
    FellBack,
    Question,
)
from app.domain.errors import (
    FALLBACK_ON,
    KnowledgeError,
    MalformedReply,
    NoAnswer,
    QuotaExceeded,
    ToolNotOffered,
)
from app.knowledge.source import KnowledgeSource


class Answerer:
    """Yields an answer's events, ended by AnswerCompleted. Raises what even the documents could not mend."""

    def __init__(self, source: KnowledgeSource, grounded: Grounded, rewriter: Rewriter) -> None:
        self._source = source
        self._grounded = grounded
        self._rewriter = rewriter

    async def answer(self, question: Question) -> AsyncIterator[AnswerEvent]:
        query = self._rewriter.standalone(question)
        standalone = replace(question, text=query)
        try:
            async for event in self._source.answer_query(standalone):
                yield _told(event, question, query)
        except FALLBACK_ON as error:
            yield FellBack(_reason(error), _until(error))
            async for event in self._grounded.answer(self._source, standalone):
                yield _told(event, question, query)


def _told(event: AnswerEvent, question: Question, query: str) -> AnswerEvent:
    """A follow-up's reader sees what was searched for."""
    if isinstance(event, AnswerCompleted) and query != question.text:
        return replace(event, searched_for=query)
    return event


def _reason(error: KnowledgeError) -> FallbackReason:
    match error:
        case QuotaExceeded(per_day=True):
            return FallbackReason.QUOTA_DAY
        case QuotaExceeded():
            return FallbackReason.QUOTA_MINUTE
        case ToolNotOffered():
            return FallbackReason.NOT_OFFERED
        case MalformedReply():
            return FallbackReason.MALFORMED
        case NoAnswer():
            return FallbackReason.NO_ANSWER
        case _:
            return FallbackReason.UNAVAILABLE


def _until(error: KnowledgeError) -> datetime | None:
    if isinstance(error, QuotaExceeded) and error.retry_after is not None:
        return datetime.now(UTC) + timedelta(seconds=error.retry_after)
    return None
