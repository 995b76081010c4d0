"""A source's own answer made ours: its documents opened, each sentence bound to what supports it. Not how it is bound.

An answer comes over the wire as text and names of documents. Nothing is cited that was not opened: where a document
cannot be had, its sentences stay visibly without a source, and the answer is not lost.
"""

from collections.abc import AsyncIterator, Sequence

import structlog

from app.answering.attribution.attributor import Attributor
from app.answering.titles import with_title
from app.domain.answers import (
    AnswerCompleted,
    AnswerEvent,
    AnswerWritten,
    CitationsFound,
    Origin,
    Outcome,
    Question,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import BATCH_LIMIT, Document, Page, distinct, uri_of
from app.domain.errors import DocumentNameInvalid, KnowledgeError
from app.knowledge.source import KnowledgeSource

OPENED = 2 * BATCH_LIMIT  # documents at most; a longer list of references is no proof of anything

log = structlog.get_logger(__name__)


async def bound(
    written: AnswerWritten, source: KnowledgeSource, question: Question, attributor: Attributor
) -> AsyncIterator[AnswerEvent]:
    """The events that readers see, ended by AnswerCompleted."""
    names = distinct(written.references)[:OPENED]
    documents: tuple[Document, ...] = ()
    if names:
        yield StepStarted(Step.READING, len(names))
        documents = await _opened(source, names, question)
    pages = _pages(names, documents)
    if written.outcome is Outcome.NOT_FOUND:
        yield AnswerCompleted(Outcome.NOT_FOUND, pages, origin=Origin.ANSWER_QUERY)
        return
    composition = attributor.over(documents).bound(written.text)
    yield CitationsFound(composition.citations)
    yield StepStarted(Step.WRITING if written.outcome is Outcome.ANSWERED else Step.GATHERING)
    for segment in composition.segments:
        yield TextDelta(segment.text, segment.numbers, segment.unsupported)
    yield AnswerCompleted(written.outcome, pages, origin=Origin.ANSWER_QUERY)


async def _opened(source: KnowledgeSource, names: Sequence[str], question: Question) -> tuple[Document, ...]:
    """The documents that can be had. What cannot is missing: the log says why."""
    found: list[Document] = []
    for at in range(0, len(names), BATCH_LIMIT):
        try:
            batch = await source.batch_get_documents(names[at : at + BATCH_LIMIT], question.scope)
        except KnowledgeError as error:
            log.warning("referenced documents cannot be opened", code=error.code, detail=error.detail)
        else:
            found += map(with_title, batch.documents)
    return tuple(found)


def _pages(names: Sequence[str], documents: Sequence[Document]) -> tuple[Page, ...]:
    """The references in their order; the address of one that was not opened is that which its name suggests."""
    opened = {document.name: document for document in documents}
    pages = []
    for name in names:
        if document := opened.get(name):
            pages.append(Page(name, document.uri, document.title, document.collection))
        else:
            try:
                pages.append(Page(name, uri_of(name), ""))
            except DocumentNameInvalid:
                log.info("a reference is no document's name", length=len(name))
    return tuple(pages)
