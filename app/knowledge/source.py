"""The one seam of knowledge: the four tools of a Developer Knowledge server. Not where the knowledge lies."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from app.domain.answers import Question, SourceEvent
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Scope


class KnowledgeSource(Protocol):
    """Anything that offers the four tools: the own corpus, a remote server, a wrapper around either.

    Every method may raise a `KnowledgeError`, and honours `scope`: what lies outside is as if it were not there.
    """

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        """The chunks that match best, best first; empty where nothing matches. `query` is the raw question."""
        ...

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        """The whole document. Raises DocumentNotFound or DocumentNameInvalid."""
        ...

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        """At most 20 documents in the order of `names`; unknown names are told. Raises ToolRejected beyond 20."""
        ...

    def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        """The events of an answer, ended by AnswerCompleted or AnswerWritten; errors are raised, not yielded."""
        ...
