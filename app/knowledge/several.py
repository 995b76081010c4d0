"""Several sources side by side as one: searched together, merged by rank, cited by collection. Not how one is asked.

A source that cannot be asked degrades the answer and is told; only when none can be asked is it an error.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from app.domain.answers import AnswerCompleted, AnswerEvent, Question, SourceEvent
from app.domain.documents import (
    BATCH_LIMIT,
    EVERYWHERE,
    SEARCH_LIMIT,
    Document,
    DocumentBatch,
    DocumentChunk,
    Scope,
    distinct,
)
from app.domain.errors import AppError, DocumentNotFound, SourceTooSlow, ToolNotOffered, ToolRejected
from app.knowledge.source import KnowledgeSource
from app.knowledge.streams import closing

DEADLINE = 8.0  # seconds: who has not answered then is left out
FLATTENING = 60  # of reciprocal rank fusion (Cormack et al., 2009): how little the first places count above the next
FINDERS_REMEMBERED = 2000

T = TypeVar("T")
Compose = Callable[[KnowledgeSource, Question], AsyncIterator[AnswerEvent]]


@dataclass(frozen=True, slots=True)
class Member:
    """One of several. `collections`: those that it holds; a remote server holds one of its own name.

    None: not known beforehand (the own documents), it looks for itself.
    """

    name: str
    source: KnowledgeSource
    collections: frozenset[str] | None = None

    def scope(self, asked: Scope) -> Scope | None:
        """What it is to be asked of `asked`; None: nothing. A remote server does not know itself by our name."""
        if not asked.collections or self.collections is None:
            return asked
        held = asked.collections & self.collections
        if not held:
            return None
        return replace(asked, collections=held - {self.name})

    def chunk(self, found: DocumentChunk) -> DocumentChunk:
        return found if found.collection else replace(found, collection=self.name)

    def document(self, found: Document) -> Document:
        return found if found.collection else replace(found, collection=self.name)


class _Round:
    """The members for the time of one question: who found which page, and who could not be asked."""

    def __init__(self, members: Sequence[Member], deadline: float) -> None:
        self._members = members
        self._deadline = deadline
        self._finders: OrderedDict[str, Member] = OrderedDict()
        self._failed: dict[str, AppError] = {}

    @property
    def unreachable(self) -> tuple[str, ...]:
        """The names of those that failed, in the members' order."""
        return tuple(member.name for member in self._members if member.name in self._failed)

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        async def ask(member: Member, narrowed: Scope) -> tuple[DocumentChunk, ...]:
            return await member.source.search_documents(query, narrowed, limit)

        found = await self._each([(member, narrowed, ask) for member, narrowed in self._asked(scope)])
        results = [result for result in found if not isinstance(result, AppError)]
        if found and not results:
            raise next(error for error in found if isinstance(error, AppError))
        kept = [
            (member, tuple(map(member.chunk, result)))
            for (member, _), result in zip(self._asked(scope), found, strict=True)
            if not isinstance(result, AppError)
        ]
        merged = fused([chunks for _, chunks in kept], limit)
        names = {chunk.parent for chunk in merged}
        for member, chunks in reversed(kept):  # the first member wins
            for chunk in chunks:
                if chunk.parent in names:
                    self._found(chunk.parent, member)
        return merged

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        failure: AppError | None = None
        for member, narrowed in self._in_turn(name, scope):
            (result,) = await self._each([(member, narrowed, lambda who, where: who.source.get_document(name, where))])
            if not isinstance(result, AppError):
                self._found(name, member)
                return member.document(result)
            if not isinstance(result, DocumentNotFound):
                failure = failure or result
        raise failure or DocumentNotFound(name)

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        if len(names) > BATCH_LIMIT:
            raise ToolRejected(f"{len(names)} names, at most {BATCH_LIMIT}")
        documents: dict[str, Document] = {}
        failure: AppError | None = None
        missed: set[str] = set()
        turns = {name: list(self._in_turn(name, scope)) for name in distinct(names)}
        while waiting := [name for name, members in turns.items() if members and name not in documents]:
            shares: dict[str, tuple[Member, Scope, list[str]]] = {}
            for name in waiting:  # each goes to whoever is next for it; equal addressees share a batch
                member, narrowed = turns[name].pop(0)
                shares.setdefault(member.name, (member, narrowed, []))[2].append(name)
            results = await self._each([(who, where, _batch(wanted)) for who, where, wanted in shares.values()])
            for (member, _, wanted), result in zip(shares.values(), results, strict=True):
                if isinstance(result, AppError):
                    if not isinstance(result, DocumentNotFound):
                        failure = failure or result
                        missed.update(wanted)
                    continue
                missed.update(result.failed)
                told = iter(result.documents)
                for name in wanted:
                    document = None if name in result.unknown or name in result.failed else next(told, None)
                    if document is not None:
                        documents[name] = member.document(document)
                        self._found(name, member)
        if failure is not None and not documents:
            raise failure
        return DocumentBatch(
            tuple(documents[name] for name in names if name in documents),
            tuple(name for name in names if name not in documents and name not in missed),
            tuple(name for name in names if name not in documents and name in missed),
        )

    def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:  # noqa: ARG002  # there is no such answer
        """Nobody asks a round for an answer: it is what the answer is composed from."""
        raise ToolNotOffered("answer_query")

    def _asked(self, scope: Scope) -> list[tuple[Member, Scope]]:
        narrowed = ((member, member.scope(scope)) for member in self._members)
        return [(member, where) for member, where in narrowed if where is not None]

    def _in_turn(self, name: str, scope: Scope) -> list[tuple[Member, Scope]]:
        """Who may have this document: its finder first."""
        finder = self._finders.get(name)
        return sorted(self._asked(scope), key=lambda asked: asked[0] is not finder)

    def _found(self, name: str, member: Member) -> None:
        self._finders[name] = member
        self._finders.move_to_end(name)
        if len(self._finders) > FINDERS_REMEMBERED:
            self._finders.popitem(last=False)

    async def _each(
        self, calls: Sequence[tuple[Member, Scope, Callable[[Member, Scope], Awaitable[T]]]]
    ) -> list[T | AppError]:
        """What each says, at the same time, in their order; an error in the place of who could not be asked."""

        async def tried(member: Member, scope: Scope, ask: Callable[[Member, Scope], Awaitable[T]]) -> T | AppError:
            try:
                async with asyncio.timeout(self._deadline):
                    return await ask(member, scope)
            except TimeoutError:
                return SourceTooSlow(f"{member.name} took longer than {self._deadline:g} s")
            except AppError as error:
                return error

        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(tried(*call)) for call in calls]
        except BaseExceptionGroup as errors:  # a mistake of ours: as it would come from one source
            raise errors.exceptions[0] from None
        results = [task.result() for task in tasks]
        for (member, _, _), result in zip(calls, results, strict=True):
            if isinstance(result, AppError) and not isinstance(result, DocumentNotFound | ToolRejected):
                self._failed.setdefault(member.name, result)
        return results


class SeveralSources:
    """A KnowledgeSource over named members, the first of which wins where two have the same page.

    `compose` writes an answer from a source (Grounded.answer). `deadline` in seconds is the longest that one member
    may hold a search or a fetch.
    """

    def __init__(self, members: Sequence[Member], compose: Compose, deadline: float = DEADLINE) -> None:
        self._members = tuple(members)
        self._compose = compose
        self._deadline = deadline
        self._standing = self._round()

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        return await self._standing.search_documents(query, scope, limit)

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        return await self._standing.get_document(name, scope)

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        return await self._standing.batch_get_documents(names, scope)

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        """The composed answer's events; AnswerCompleted names the members that could not be asked."""
        asked = self._round()
        async with closing(self._compose(asked, question)) as events:
            async for event in events:
                if isinstance(event, AnswerCompleted):
                    yield replace(event, unreachable=distinct((*event.unreachable, *asked.unreachable)))
                else:
                    yield event

    def _round(self) -> _Round:
        return _Round(self._members, self._deadline)


def _batch(names: Sequence[str]) -> Callable[[Member, Scope], Awaitable[DocumentBatch]]:
    return lambda member, scope: member.source.batch_get_documents(tuple(names), scope)


def fused(results: Sequence[Sequence[DocumentChunk]], limit: int) -> tuple[DocumentChunk, ...]:
    """Ranked chunks of several searches as one ranking of at most `limit`.

    Documents are ranked by reciprocal rank fusion: scores of different engines cannot be compared, places can. A page
    that two searches found is one page, with the chunks of the first; chunks of a page keep their order. Where not all
    have room, each page has its first chunk before another has its second.
    """
    worth: dict[str, float] = {}
    pages: dict[str, list[DocumentChunk]] = {}
    same: dict[str, str] = {}  # name or address -> the page's key
    for chunks in results:
        mine: dict[str, list[DocumentChunk]] = {}
        for chunk in chunks:
            key = same.get(_name(chunk)) or same.get(_address(chunk)) or _name(chunk)
            same.setdefault(_name(chunk), key)
            if chunk.uri:
                same.setdefault(_address(chunk), key)
            mine.setdefault(key, []).append(chunk)
        for place, (key, found) in enumerate(mine.items()):
            worth[key] = worth.get(key, 0.0) + 1 / (FLATTENING + place)
            pages.setdefault(key, found)
    ranked = sorted(pages, key=lambda key: -worth[key])  # stable: of equals the first member's page first
    kept = dict.fromkeys(ranked, 0)
    room = min(limit, sum(map(len, pages.values())))
    while room > 0:
        for key in ranked:
            if room > 0 and kept[key] < len(pages[key]):
                kept[key] += 1
                room -= 1
    return tuple(chunk for key in ranked for chunk in pages[key][: kept[key]])


def _name(chunk: DocumentChunk) -> str:
    return chunk.parent.rstrip("/")


def _address(chunk: DocumentChunk) -> str:
    """The address without scheme, fragment and final slash; the host in small letters."""
    if not chunk.uri:
        return ""
    bare = chunk.uri.partition("://")[2].partition("#")[0]
    host, slash, rest = bare.partition("/")
    return "//" + (host.lower() + slash + rest).rstrip("/")
