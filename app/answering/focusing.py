"""A source whose search takes short queries, asked as it likes it: several focused searches in place of one question.

Google's search takes at most 500 characters, works best with a few keywords, and returns five chunks. So a question is
condensed, never cut in the middle; some short queries run at once, and what they find is merged by rank.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from app.answering.names import names_in
from app.answering.words import content_words, language_of
from app.domain.answers import Question, SourceEvent
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Scope
from app.domain.errors import KnowledgeError
from app.knowledge.source import KnowledgeSource

LONGEST_QUERY = 500  # characters, as upstream allows
KEYWORDS = 8  # words of the longer list of keywords
FEW_KEYWORDS = 4  # and of the short one
RANK_CONSTANT = 60  # of reciprocal rank fusion: Cormack, Clarke and Büttcher, 2009
OVERLAP = 40  # characters that two excerpts must share at their ends to be one
LONGEST_OVERLAP = 2_000  # more is not looked for: it costs time by its square


class FocusedSource:
    """Searches with several focused queries; everything else is the inner source's."""

    def __init__(self, source: KnowledgeSource, *, longest_query: int = LONGEST_QUERY) -> None:
        self._source = source
        self._longest_query = longest_query

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        """Raises the first query's error where all of them fail."""
        queries = focused(query, self._longest_query)
        if not queries:
            return ()
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._tried(each, scope, limit)) for each in queries]
        found = [task.result() for task in tasks]
        rounds = [each for each in found if not isinstance(each, KnowledgeError)]
        if not rounds and isinstance(found[0], KnowledgeError):
            raise found[0]
        return merged(rounds)[:limit]

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        return await self._source.get_document(name, scope)

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        return await self._source.batch_get_documents(names, scope)

    def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        return self._source.answer_query(question)

    async def _tried(self, query: str, scope: Scope, limit: int) -> tuple[DocumentChunk, ...] | KnowledgeError:
        """One query failing, as when the minute's share ends between two, does not cost what the others found."""
        try:
            return await self._source.search_documents(query, scope, limit)
        except KnowledgeError as error:
            return error


def focused(question: str, longest: int = LONGEST_QUERY) -> tuple[str, ...]:
    """Up to three queries of at most `longest` characters: the question where it is short, its keywords, its names."""
    words = [word for word in content_words(question, language_of(question)) if len(word) <= longest]
    names = names_in(question)
    distinct = list(dict.fromkeys(words))
    whole = " ".join(question.split())
    queries = [
        whole if len(whole) <= longest else _fitting(_weighty(distinct, names, 4 * KEYWORDS), longest),
        _fitting(_weighty(distinct, names, KEYWORDS), longest),
        _fitting(_weighty(distinct, names, FEW_KEYWORDS), longest),
    ]
    return tuple(dict.fromkeys(query for query in queries if query))


def _weighty(words: Sequence[str], names: Sequence[str], count: int) -> list[str]:
    """Names first, then the longest words, which are the rarest as a rule; in the question's order."""
    named = {part.lower() for name in names for part in (name, *name.split())}
    chosen = sorted(words, key=lambda word: (word.lower() not in named, -len(word)))[:count]
    return [word for word in words if word in chosen]


def _fitting(words: Sequence[str], longest: int) -> str:
    kept: list[str] = []
    for word in words:
        if len(" ".join([*kept, word])) > longest:
            break
        kept.append(word)
    return " ".join(kept)


def merged(rounds: Sequence[Sequence[DocumentChunk]]) -> tuple[DocumentChunk, ...]:
    """What several searches found, by reciprocal rank, each excerpt once and overlapping ones as one."""
    scores: dict[tuple[str, str], float] = {}
    chunks: dict[tuple[str, str], DocumentChunk] = {}
    for found in rounds:
        for place, chunk in enumerate(found):
            key = (chunk.parent, chunk.id)
            chunks.setdefault(key, chunk)
            scores[key] = scores.get(key, 0.0) + 1 / (RANK_CONSTANT + place)
    ranked = sorted(chunks, key=lambda key: -scores[key])
    return _without_overlap([chunks[key] for key in ranked])


def _without_overlap(chunks: Sequence[DocumentChunk]) -> tuple[DocumentChunk, ...]:
    """An excerpt that lies within another of its page, or goes on where it ends, joins it at the better one's place."""
    kept: list[DocumentChunk] = []
    for chunk in chunks:
        for at, other in enumerate(kept):
            joined = _joined(other.content, chunk.content) if other.parent == chunk.parent and not other.end else None
            if joined is not None:
                kept[at] = replace(other, content=joined)
                break
        else:
            kept.append(chunk)
    return tuple(kept)


def _joined(one: str, other: str) -> str | None:
    """Both as one text where one holds the other or they overlap at an end; else None."""
    if other in one:
        return one
    if one in other:
        return other
    for first, second in ((one, other), (other, one)):
        for length in range(min(len(first), len(second), LONGEST_OVERLAP), OVERLAP - 1, -1):
            if first.endswith(second[:length]):
                return first + second[length:]
    return None
