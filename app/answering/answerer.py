"""How a question is answered: the source's own answer first, and where that cannot be had, from the documents."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from app.answering.attribution.attributor import Attributor
from app.answering.binding import bound
from app.answering.grounded import Grounded
from app.answering.rewriting import Rewriting
from app.domain.answers import (
    AnswerCompleted,
    AnswerEvent,
    AnswerWritten,
    FallbackReason,
    FellBack,
    Question,
)
from app.domain.errors import (
    FALLBACK_ON,
    DayQuotaExceeded,
    KnowledgeError,
    MalformedReply,
    NoAnswer,
    QuestionRefused,
    QuotaExceeded,
    SourceUnavailable,
    ToolNotOffered,
)
from app.knowledge.source import KnowledgeSource


class Answerer:
    """Yields an answer's events, ended by AnswerCompleted. Raises what even the documents could not mend."""

    def __init__(
        self,
        source: KnowledgeSource,
        grounded: Grounded,
        rewriter: Rewriting,
        attributor: Attributor | None = None,
        *,
        composes: bool = False,
    ) -> None:
        """`composes`: the source's answers are composed of documents already; there is nothing to fall back to."""
        self._source = source
        self._composes = composes
        self._grounded = grounded
        self._rewriter = rewriter
        self._attributor = attributor or Attributor()

    async def answer(self, question: Question) -> AsyncIterator[AnswerEvent]:
        standalone = await self.standalone(question)
        try:
            async for event in self._source.answer_query(standalone):
                if isinstance(event, AnswerWritten):
                    async for each in bound(event, self._source, standalone, self._attributor):
                        yield _told(each, standalone)
                else:
                    yield _told(event, standalone)
        except FALLBACK_ON as error:
            if self._composes:
                raise
            yield FellBack(_reason(error), _until(error))
            async for each in self._grounded.answer(self._source, standalone):
                yield _told(each, standalone)

    async def standalone(self, question: Question) -> Question:
        """The question as it is searched for; what was asked stands in `asked` where that is something else."""
        text = await self._rewriter.standalone(question)
        return question if text == question.text else replace(question, text=text, asked=question.text)


def _told(event: AnswerEvent, question: Question) -> AnswerEvent:
    """Where the question was made to stand alone, its reader sees what was searched for."""
    if isinstance(event, AnswerCompleted) and question.asked:
        return replace(event, searched_for=question.text)
    return event


def _reason(error: KnowledgeError) -> FallbackReason:
    match error:
        case DayQuotaExceeded():
            return FallbackReason.QUOTA_DAY
        case QuotaExceeded():
            return FallbackReason.QUOTA_MINUTE
        case ToolNotOffered():
            return FallbackReason.NOT_OFFERED
        case MalformedReply():
            return FallbackReason.MALFORMED
        case QuestionRefused():
            return FallbackReason.REFUSED
        case NoAnswer():
            return FallbackReason.NO_ANSWER
        case _:
            return FallbackReason.UNAVAILABLE


def _until(error: KnowledgeError) -> datetime | None:
    if isinstance(error, QuotaExceeded | SourceUnavailable) and error.retry_after is not None:
        return datetime.now(UTC) + timedelta(seconds=error.retry_after)
    return None
