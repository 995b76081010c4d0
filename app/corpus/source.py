"""The operator's own documents as a KnowledgeSource: the four tools over database and index. Not how they got there."""

from collections.abc import AsyncIterator, Sequence

from app.answering.grounded import Grounded
from app.answering.words import content_words
from app.corpus.index.engine import ChunkHit, IndexEngine
from app.corpus.ingest import OnProgress, rebuild, unobserved
from app.domain.answers import AnswerEvent, Question
from app.domain.documents import (
    BATCH_LIMIT,
    EVERYWHERE,
    NAME_PREFIX,
    SEARCH_LIMIT,
    Collection,
    Document,
    DocumentBatch,
    DocumentChunk,
    Scope,
)
from app.domain.errors import DocumentNameInvalid, DocumentNotFound, StorageError, ToolRejected
from app.services import Readiness
from app.storage.documents import DocumentStore, StoredChunk

LONGEST_QUERY = 4000  # characters looked at; what a question says it says before that
SPARE = 20  # hits read beyond those asked for, since some say the same twice


class CorpusSource:
    """Answers from the own corpus. Also tells what there is to ask about."""

    def __init__(self, store: DocumentStore, index: IndexEngine, grounded: Grounded) -> None:
        self._store = store
        self._index = index
        self._grounded = grounded

    async def open(self, progress: OnProgress = unobserved) -> None:
        """See that the index holds what the database holds; else rebuild it."""
        if self._index.generation != await self._store.generation():
            await rebuild(self._store, self._index, progress)

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        self._index.refresh()
        words = " ".join(content_words(query[:LONGEST_QUERY]))
        hits = self._index.search(self._index.terms(words), scope.collections, limit + SPARE)
        chunks = await self._store.chunks([hit.chunk_id for hit in hits])
        found = [_as_chunk(chunks[hit.chunk_id], hit) for hit in hits if hit.chunk_id in chunks]
        return _without_repetition(found)[:limit]

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        _check(name)
        document = await self._store.document(name)
        if document is None or not _inside(scope, document):
            raise DocumentNotFound(name)
        return document

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        if len(names) > BATCH_LIMIT:
            raise ToolRejected(f"{len(names)} names, at most {BATCH_LIMIT}")
        for name in names:
            _check(name)
        found = await self._store.documents(names)
        kept = {name: document for name, document in found.items() if _inside(scope, document)}
        return DocumentBatch(
            tuple(kept[name] for name in names if name in kept),
            tuple(name for name in names if name not in kept),
        )

    def answer_query(self, question: Question) -> AsyncIterator[AnswerEvent]:
        return self._grounded.answer(self, question)

    # --- what there is -----------------------------------------------------------------------------------------------

    async def collections(self) -> tuple[Collection, ...]:
        return await self._store.collections()

    async def readiness(self) -> Readiness:
        try:
            self._index.refresh()
            generation = await self._store.generation()
        except StorageError as error:
            return Readiness(ready=False, problem=error.code)
        if not generation or not self._index.chunk_count:
            return Readiness(ready=False, problem="index_missing")
        return Readiness(ready=True)


def _check(name: str) -> None:
    if not name.startswith(NAME_PREFIX) or len(name) == len(NAME_PREFIX) or not name.isprintable():
        raise DocumentNameInvalid(name)


def _inside(scope: Scope, document: Document) -> bool:
    return not scope.collections or document.collection in scope.collections


def _as_chunk(chunk: StoredChunk, hit: ChunkHit) -> DocumentChunk:
    return DocumentChunk(
        parent=chunk.name,
        id=str(chunk.position),
        content=chunk.slice.lead + chunk.text,
        uri=chunk.uri,
        title=chunk.title,
        collection=chunk.collection,
        language=chunk.language,
        headings=chunk.slice.headings,
        lead=chunk.slice.lead,
        start=chunk.slice.start,
        end=chunk.slice.end,
        score=hit.score,
        page_score=hit.page_score,
    )


def _without_repetition(found: Sequence[DocumentChunk]) -> tuple[DocumentChunk, ...]:
    """One page under two addresses, or one paragraph on two pages, takes one place."""
    first: dict[str, DocumentChunk] = {}
    for chunk in found:
        first.setdefault(" ".join(chunk.content.split()), chunk)
    return tuple(first.values())
