"""The operator's own documents as a KnowledgeSource: the four tools over database and index. Not how they got there."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence

import structlog

from app.answering.grounded import Grounded
from app.answering.words import content_words
from app.corpus.index.engine import ChunkHit, IndexEngine, Wanted
from app.corpus.ingest import OnProgress, bring_up, unobserved
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
    Readiness,
    Scope,
    widened,
)
from app.domain.errors import DocumentNameInvalid, DocumentNotFound, IndexLocked, StorageError, ToolRejected
from app.storage.documents import DocumentStore, StoredChunk

LONGEST_QUERY = 4000  # characters looked at; what a question says it says before that
RAREST_TERMS = 60  # of a longer query only these are searched for: the others hardly change the order, but cost time
SPARE = 20  # hits read beyond those asked for, since some say the same twice

log = structlog.get_logger(__name__)


class CorpusSource:
    """Answers from the own corpus. Also tells what there is to ask about.

    Documents belong to a collection, and to the product and version that they were filed under. None is kept to a
    group.
    """

    def __init__(self, store: DocumentStore, index: IndexEngine, grounded: Grounded) -> None:
        self._store = store
        self._index = index
        self._grounded = grounded

    async def open(self, progress: OnProgress = unobserved) -> None:
        """See that the index holds what the database holds; else make it anew.

        While another process ingests, the former index serves, and the new one is followed when it is there.
        """
        if self._index.generation == (await self._store.generation() or None):  # before the first ingest: neither
            return
        try:
            await bring_up(self._store, self._index, progress)
        except IndexLocked:
            log.info("another process is changing the index; following it", generation=self._index.generation)

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        """Raises IndexMissing where nothing was ever ingested."""
        self._index.refresh()
        wanted = Wanted(self._terms(query))
        hits = await asyncio.to_thread(self._index.search, wanted, scope, limit + SPARE)
        chunks = await self._store.chunks([hit.chunk_id for hit in hits])
        found = (_as_chunk(chunks[hit.chunk_id], hit) for hit in hits if hit.chunk_id in chunks)
        return _without_repetition(found, limit)

    def _terms(self, query: str) -> tuple[str, ...]:
        """The stems to search for, each once; of very many the rarest that occur."""
        terms = tuple(dict.fromkeys(self._index.terms(" ".join(content_words(query[:LONGEST_QUERY])))))
        if len(terms) <= RAREST_TERMS:
            return terms
        counted = ((self._index.document_frequency(term), term) for term in terms)
        return tuple(term for _, term in sorted(pair for pair in counted if pair[0])[:RAREST_TERMS])

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        batch = await self.batch_get_documents((name,), scope)
        if batch.unknown:
            raise DocumentNotFound(name)
        return batch.documents[0]

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        if len(names) > BATCH_LIMIT:
            raise ToolRejected(f"{len(names)} names, at most {BATCH_LIMIT}")
        for name in names:
            if not name.startswith(NAME_PREFIX) or len(name) == len(NAME_PREFIX) or not name.isprintable():
                raise DocumentNameInvalid(name)
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
        self._index.refresh()
        try:
            generation = await self._store.generation()
        except StorageError as error:
            return Readiness(ready=False, problem=error.code)
        if not generation or not self._index.chunk_count:
            return Readiness(ready=False, problem="index_missing")
        return Readiness(ready=True)


def _inside(scope: Scope, document: Document) -> bool:
    tags = frozenset(widened(document.language))
    return (
        (not scope.collections or document.collection in scope.collections)
        and (not scope.products or document.product in scope.products)
        and (not scope.versions or document.version in scope.versions)
        and (not scope.languages or any(tag.lower() in tags for tag in scope.languages))
    )


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


def _without_repetition(found: Iterable[DocumentChunk], limit: int) -> tuple[DocumentChunk, ...]:
    """One page under two addresses, or one paragraph on two pages, takes one place: the better one."""
    first: dict[str, DocumentChunk] = {}
    for chunk in found:
        first.setdefault(" ".join(chunk.content.split()), chunk)
    return tuple(first.values())[:limit]
