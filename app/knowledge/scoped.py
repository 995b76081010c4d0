"""A source of one collection, asked only for that one. Not what the source itself makes of a scope.

It stands outside all other wrappers: what lies outside costs no unit, and says nothing about the source.
"""

from collections.abc import AsyncIterator, Sequence

from app.domain.answers import AnswerCompleted, Outcome, Question, SourceEvent
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Scope
from app.domain.errors import DocumentNotFound
from app.knowledge.source import KnowledgeSource
from app.knowledge.streams import closing


class ScopedSource:
    """A KnowledgeSource that holds the collection `name`; of products and versions it knows none."""

    def __init__(self, inner: KnowledgeSource, name: str) -> None:
        self._inner = inner
        self._name = name

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        return () if self._is_outside(scope) else await self._inner.search_documents(query, scope, limit)

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        if self._is_outside(scope):
            raise DocumentNotFound(name)
        return await self._inner.get_document(name, scope)

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        if self._is_outside(scope):
            return DocumentBatch((), tuple(names))
        return await self._inner.batch_get_documents(names, scope)

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        if self._is_outside(question.scope):
            yield AnswerCompleted(Outcome.NOT_FOUND)
            return
        async with closing(self._inner.answer_query(question)) as events:
            async for event in events:
                yield event

    def _is_outside(self, scope: Scope) -> bool:
        return bool(scope.collections) and self._name not in scope.collections
