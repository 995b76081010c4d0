"""A KnowledgeSource that says what a test tells it to. Its documents are real values, its answers are scripts."""

from collections.abc import AsyncIterator, Callable, Sequence

from app.domain.answers import AnswerEvent, Question
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Scope
from app.domain.errors import DocumentNotFound

Script = Callable[[Question], AsyncIterator[AnswerEvent]]


class ScriptedSource:
    """`answer_query` plays `script`; the other tools know `documents`, each of one chunk, in their given order."""

    def __init__(self, script: Script, documents: Sequence[Document] = ()) -> None:
        self._script = script
        self._documents = {document.name: document for document in documents}

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        ranked = enumerate(self._documents.values())
        return tuple(
            DocumentChunk(
                parent=document.name,
                id="0",
                content=document.content,
                uri=document.uri,
                title=document.title,
                end=len(document.content),
                score=10 / (1 + place),
                page_score=10 / (1 + place),
            )
            for place, document in ranked
        )[:limit]

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        if name not in self._documents:
            raise DocumentNotFound(name)
        return self._documents[name]

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        return DocumentBatch(
            tuple(self._documents[name] for name in names if name in self._documents),
            tuple(name for name in names if name not in self._documents),
        )

    def answer_query(self, question: Question) -> AsyncIterator[AnswerEvent]:
        return self._script(question)
