"""An answer from the documents themselves: search, open, quote, cite. Only what was opened is cited."""

from collections.abc import AsyncIterator, Sequence

from app.answering.extractive import BUDGET_WORDS, ExtractiveWriter
from app.answering.gate import Gate
from app.domain.answers import (
    AnswerCompleted,
    AnswerEvent,
    CitationsFound,
    Outcome,
    Question,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import BATCH_LIMIT, DocumentChunk, Page, distinct_names
from app.knowledge.source import KnowledgeSource

SEARCHED = 30  # chunks asked for: enough for ten pages
OPENED = 5  # documents whose chunks may be quoted, and one more to judge by
WEAK_WORDS = 180  # pages that may only help are quoted at less length than an answer
NAMED = 10  # pages named as found


class Grounded:
    """Answers over any source that can search and fetch."""

    def __init__(self, writer: ExtractiveWriter, gate: Gate) -> None:
        self._writer = writer
        self._gate = gate

    async def answer(self, source: KnowledgeSource, question: Question) -> AsyncIterator[AnswerEvent]:
        """The answer's events, ended by AnswerCompleted."""
        yield StepStarted(Step.SEARCHING)
        chunks = await source.search_documents(question.text, question.scope, SEARCHED)
        names = distinct_names(chunks)[: min(OPENED + 1, BATCH_LIMIT)]
        if names:
            yield StepStarted(Step.READING, len(names))
        batch = await source.batch_get_documents(names, question.scope) if names else None
        documents = {document.name: document for document in batch.documents} if batch else {}
        outcome = self._gate.outcome(question, chunks, documents)
        pages = _pages(chunks)
        if outcome is not Outcome.NOT_FOUND:
            words = BUDGET_WORDS if outcome is Outcome.ANSWERED else WEAK_WORDS
            composition = self._writer.compose(question, chunks, documents, words=words)
            if composition.segments:
                yield CitationsFound(composition.citations)
                yield StepStarted(Step.WRITING if outcome is Outcome.ANSWERED else Step.GATHERING)
                for segment in composition.segments:
                    yield TextDelta(segment.text, segment.numbers)
            else:
                outcome = Outcome.NOT_FOUND
        yield AnswerCompleted(outcome, pages)


def _pages(chunks: Sequence[DocumentChunk]) -> tuple[Page, ...]:
    """The pages of the chunks in the order of their rank, each with its best chunk's beginning."""
    best: dict[str, DocumentChunk] = {}
    for chunk in chunks:
        best.setdefault(chunk.parent, chunk)
    return tuple(
        Page(chunk.parent, chunk.uri, chunk.title, chunk.collection, chunk.headings, chunk.content.strip()[:300])
        for chunk in list(best.values())[:NAMED]
    )
