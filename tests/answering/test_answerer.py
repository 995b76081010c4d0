"""The crux: the source's own answer first, and where that cannot be had, from the documents."""

from collections.abc import AsyncIterator

import pytest

from app.answering.answerer import Answerer
from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.answering.rewriting import Rewriter
from app.domain.answers import (
    EMPTY_ANSWER,
    Answer,
    AnswerCompleted,
    AnswerEvent,
    Exchange,
    FallbackReason,
    Outcome,
    Question,
    TextDelta,
)
from app.domain.documents import Document
from app.domain.errors import (
    AccessRefused,
    DayQuotaExceeded,
    KnowledgeError,
    MalformedReply,
    NoAnswer,
    QuestionRefused,
    QuotaExceeded,
    SourceTooSlow,
    SourceUnavailable,
)
from tests.support.scripted import Script, ScriptedSource

LAMP = Document(
    "documents/a/lamp", "https://a/lamp", "# Lamp\n\nThe lamp is amber while the pump runs.\n", title="Lamp"
)


def answerer(script: Script) -> Answerer:
    return Answerer(ScriptedSource(script, [LAMP]), Grounded(ExtractiveWriter(), Gate()), Rewriter())


async def fold(events: AsyncIterator[AnswerEvent]) -> Answer:
    answer = EMPTY_ANSWER
    async for event in events:
        answer = answer.apply(event)
    return answer


def failing(error: KnowledgeError, said: str = "") -> Script:
    async def script(_question: Question) -> AsyncIterator[AnswerEvent]:
        if said:
            yield TextDelta(said)
        raise error

    return script


async def test_the_sources_own_answer_passes_through() -> None:
    async def script(_question: Question) -> AsyncIterator[AnswerEvent]:
        yield TextDelta("Own words.")
        yield AnswerCompleted(Outcome.ANSWERED)

    answer = await fold(answerer(script).answer(Question("lamp")))
    assert (answer.text, answer.outcome, answer.fell_back) == ("Own words.", Outcome.ANSWERED, None)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DayQuotaExceeded(), FallbackReason.QUOTA_DAY),
        (QuotaExceeded(retry_after=30), FallbackReason.QUOTA_MINUTE),
        (SourceUnavailable(), FallbackReason.UNAVAILABLE),
        (MalformedReply(), FallbackReason.MALFORMED),
        (NoAnswer(), FallbackReason.NO_ANSWER),
        (SourceTooSlow(), FallbackReason.UNAVAILABLE),
        (QuestionRefused(), FallbackReason.REFUSED),
    ],
)
async def test_what_cannot_be_had_is_composed_from_the_documents(error: KnowledgeError, reason: FallbackReason) -> None:
    answer = await fold(answerer(failing(error, "Half a sen")).answer(Question("When is the lamp amber?")))
    assert answer.fell_back is not None
    assert answer.fell_back.reason is reason
    assert (answer.fell_back.until is not None) == (reason is FallbackReason.QUOTA_MINUTE)
    assert "amber while the pump runs" in answer.text
    assert "Half" not in answer.text
    assert [citation.name for citation in answer.citations] == [LAMP.name]


async def test_refused_credentials_are_not_papered_over() -> None:
    with pytest.raises(AccessRefused):
        await fold(answerer(failing(AccessRefused())).answer(Question("lamp")))


async def test_a_follow_up_is_searched_with_the_topic_of_the_talk_and_says_so() -> None:
    asked: list[str] = []

    async def script(question: Question) -> AsyncIterator[AnswerEvent]:
        asked.append(question.text)
        yield AnswerCompleted(Outcome.NOT_FOUND)

    history = (Exchange("How do I replace the amber lamp?", "Turn it left."),)
    answer = await fold(answerer(script).answer(Question("And how often?", history=history)))
    assert "amber lamp" in asked[0]
    assert answer.searched_for == asked[0]


async def test_a_question_that_stands_alone_is_searched_as_it_is() -> None:
    history = (Exchange("How do I replace the amber lamp?", "Turn it left."),)
    question = Question("Which pressure does the tank sensor report at night?", history=history)
    assert await Rewriter().standalone(question) == question.text
