"""An answer from the documents themselves: search, open, write or quote, cite. Only what was opened is cited."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

import structlog

from app.answering.attribution.attributor import Attributor
from app.answering.evidence import Evidence
from app.answering.extractive import BUDGET_WORDS, ExtractiveWriter
from app.answering.gate import Gate
from app.answering.locating import known, located
from app.answering.model.writer import ModelWriter, PassagesSilent
from app.answering.terms import TermStatistics
from app.answering.titles import with_title
from app.domain.answers import (
    AnswerCompleted,
    AnswerEvent,
    CitationsFound,
    ModelGaveUp,
    Origin,
    Outcome,
    Question,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import BATCH_LIMIT, Document, DocumentChunk, Page, distinct_names
from app.domain.errors import ModelError
from app.knowledge.source import KnowledgeSource

SEARCHED = 30  # chunks asked for: enough for ten pages
OPENED = 5  # documents whose chunks may be quoted, and one more to judge by
WEAK_WORDS = 180  # pages that may only help are quoted at less length than an answer
NAMED = 10  # pages named as found
EVIDENCE = 10  # passages that a model writes from

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """What a question led to: chunks with places, best first, their opened documents, pages by rank."""

    chunks: tuple[DocumentChunk, ...]
    documents: Mapping[str, Document]
    pages: tuple[Page, ...]
    statistics: TermStatistics | None = None


class Grounded:
    """Answers over any source that can search and fetch. A `model` writes where there is one; else it quotes."""

    def __init__(
        self,
        writer: ExtractiveWriter,
        gate: Gate,
        model: ModelWriter | None = None,
        attributor: Attributor | None = None,
    ) -> None:
        self._writer = writer
        self._gate = gate
        self._model = model
        self._attributor = attributor or Attributor()

    async def answer(self, source: KnowledgeSource, question: Question) -> AsyncIterator[AnswerEvent]:
        """The answer's events, ended by AnswerCompleted."""
        yield StepStarted(Step.SEARCHING)
        chunks = await source.search_documents(question.text, question.scope, SEARCHED)
        names = distinct_names(chunks)[: min(OPENED + 1, BATCH_LIMIT)]
        if names:
            yield StepStarted(Step.READING, len(names))
        batch = await source.batch_get_documents(names, question.scope) if names else None
        found = _placed(question, chunks, batch.documents if batch else ())
        outcome = self._gate.outcome(question, found.chunks, found.documents, found.statistics)
        if self._model is not None and outcome is not Outcome.NOT_FOUND:
            try:
                async for event in self._written(self._model, question, found):
                    yield event
            except PassagesSilent:  # who has read the passages knows better than who has weighed their words
                outcome = Outcome.WEAK
            except ModelError as error:
                log.warning("the model gave no answer", code=error.code, detail=error.detail)
                yield ModelGaveUp(error.code)
            else:
                yield AnswerCompleted(Outcome.ANSWERED, found.pages, origin=Origin.MODEL)
                return
        async for event in self._quoted(question, found, outcome):
            yield event

    async def _written(self, model: ModelWriter, question: Question, found: Found) -> AsyncIterator[AnswerEvent]:
        yield StepStarted(Step.WRITING)
        supporting = self._attributor.over(tuple(found.documents.values()))
        async with aclosing(model.write(question, _evidence(found), supporting)) as events:
            async for event in events:
                yield event

    async def _quoted(self, question: Question, found: Found, outcome: Outcome) -> AsyncIterator[AnswerEvent]:
        if outcome is not Outcome.NOT_FOUND:
            words = BUDGET_WORDS if outcome is Outcome.ANSWERED else WEAK_WORDS
            composition = self._writer.compose(
                question, found.chunks, found.documents, words=words, statistics=found.statistics
            )
            if composition.segments:
                yield CitationsFound(composition.citations)
                yield StepStarted(Step.WRITING if outcome is Outcome.ANSWERED else Step.GATHERING)
                for segment in composition.segments:
                    yield TextDelta(segment.text, segment.numbers)
            else:
                outcome = Outcome.NOT_FOUND
        yield AnswerCompleted(outcome, found.pages)


def _placed(question: Question, chunks: Sequence[DocumentChunk], opened: Sequence[Document]) -> Found:
    """The chunks as they were found where their places are known, else the opened documents' own, ranked here."""
    if known(chunks):
        return Found(tuple(chunks), {document.name: document for document in opened}, _pages(chunks))
    documents = {document.name: with_title(document) for document in opened}
    own = located(question.text, chunks, documents)
    return Found(own.chunks, documents, _pages(_named(chunks, documents)), own)


def _named(chunks: Sequence[DocumentChunk], documents: Mapping[str, Document]) -> list[DocumentChunk]:
    """Chunks of a search that tells neither titles nor addresses, with those of the opened documents."""
    return [
        replace(chunk, uri=document.uri, title=document.title) if (document := documents.get(chunk.parent)) else chunk
        for chunk in chunks
    ]


def _evidence(found: Found) -> tuple[Evidence, ...]:
    """The best passages of opened documents, for a model to write from."""
    return tuple(
        Evidence(found.documents[chunk.parent], chunk.start, chunk.end, chunk.headings)
        for chunk in found.chunks
        if chunk.parent in found.documents
    )[:EVIDENCE]


def _pages(chunks: Sequence[DocumentChunk]) -> tuple[Page, ...]:
    """The pages of the chunks in the order of their rank, each with its best chunk's beginning."""
    best: dict[str, DocumentChunk] = {}
    for chunk in chunks:
        best.setdefault(chunk.parent, chunk)
    return tuple(
        Page(chunk.parent, chunk.uri, chunk.title, chunk.collection, chunk.headings, chunk.content.strip()[:300])
        for chunk in list(best.values())[:NAMED]
    )
