"""A remote Developer Knowledge server as a KnowledgeSource. Not the wire, and no cache, quota or retry of its own."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import httpx
import structlog

from app.domain.answers import AnswerWritten, Question, SourceEvent, Step, StepStarted
from app.domain.documents import (
    BATCH_LIMIT,
    EVERYWHERE,
    NAME_PREFIX,
    SEARCH_LIMIT,
    Document,
    DocumentBatch,
    DocumentChunk,
    Scope,
    distinct,
)
from app.domain.errors import (
    DocumentNameInvalid,
    DocumentNotFound,
    KnowledgeError,
    MalformedReply,
    SourceTooSlow,
    SourceUnavailable,
    ToolNotOffered,
    ToolRejected,
)
from app.mcp.connecting import USUAL_TIMEOUTS, Timeouts, secret_headers
from app.mcp.offering import ANSWER, DOCUMENTS, ONE_DOCUMENT, SEARCH, Offering
from app.mcp.parsing import clean
from app.mcp.replies import content_of, result_of
from app.mcp.results import NAME_LIMIT, answer_in, chunks_in, documents_in, tools_in
from app.mcp.wire import Form, ReplyTooLarge, Wire

QUERY_LIMIT = 500  # characters; the server refuses longer searches
AT_ONCE = 5  # documents fetched side by side where a server has no batches
SHARE_OF_ONE = 0.8  # of the time for all, which one that hangs may take
PAGES_OF_TOOLS = 10  # of tools/list; no server that we know has more than one

# Bytes of a reply. A batch of 20 pages that travels twice (text and structured) is some 2 MB.
SMALL, LARGE = 2_000_000, 8_000_000

log = structlog.get_logger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Fetched:
    """Documents by the name asked for, and what stood in the way of others. A name in neither is not known."""

    documents: Mapping[str, Document] = field(default_factory=dict)
    problems: Mapping[str, KnowledgeError] = field(default_factory=dict)

    def joined(self, other: "_Fetched") -> "_Fetched":
        return _Fetched({**self.documents, **other.documents}, {**self.problems, **other.problems})


class McpSource:
    """The four tools of one server. `collection` is what citations call it; keep one instance for each server.

    The wire has no scope: what lies outside of one is kept away by the `ScopedSource` before this. Every call has a
    deadline for all that belongs to it.
    """

    def __init__(
        self,
        url: str,
        *,
        collection: str,
        client: httpx.AsyncClient,
        api_key: str | None = None,
        token: str | None = None,
        timeouts: Timeouts = USUAL_TIMEOUTS,
    ) -> None:
        """`client` comes from `http_client` and is not closed here. Raises SettingsError for an unfit key."""
        self._collection = collection
        self._timeouts = timeouts
        self._wire = Wire(url, client, secret_headers(api_key, token), timeouts)
        self._offering = Offering(self._read_tools)

    # --- the four tools ----------------------------------------------------------------------------------------------

    async def search_documents(
        self,
        query: str,
        scope: Scope = EVERYWHERE,  # noqa: ARG002  # the wire has none
        limit: int = SEARCH_LIMIT,
    ) -> tuple[DocumentChunk, ...]:
        """At most five chunks come, whatever the limit. Raises ToolRejected beyond 500 characters."""
        query = clean(query).strip()
        if len(query) > QUERY_LIMIT:
            raise ToolRejected(f"search_documents: {len(query)} characters, at most {QUERY_LIMIT}")
        if not query:
            return ()
        return (await self._within(self._timeouts.call, self._search(query)))[: max(0, limit)]

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:  # noqa: ARG002  # as above
        """Its `name` is the one asked for, its `uri` the one that the server tells."""
        _check_name(name)
        fetched = await self._within(self._timeouts.call, self._fetch(ONE_DOCUMENT, (name,)))
        if name not in fetched.documents:
            raise fetched.problems.get(name) or DocumentNotFound(name)
        return fetched.documents[name]

    async def batch_get_documents(
        self,
        names: Sequence[str],
        scope: Scope = EVERYWHERE,  # noqa: ARG002  # as above
    ) -> DocumentBatch:
        """One bad name, one huge or one hanging document does not lose the others.

        Raises what stood in the way only where no document could be had.
        """
        if len(names) > BATCH_LIMIT:
            raise ToolRejected(f"{len(names)} names, at most {BATCH_LIMIT}")
        for name in names:
            _check_name(name)
        if not names:
            return DocumentBatch((), tuple(names))
        fetched = await self._within(self._timeouts.call, self._fetch(DOCUMENTS, distinct(names)))
        found = fetched.documents
        if fetched.problems:
            if not found:
                raise next(iter(fetched.problems.values()))
            codes = sorted({problem.code for problem in fetched.problems.values()})
            log.warning("some documents could not be fetched", source=self._collection, codes=codes)
        return DocumentBatch(
            tuple(found[name] for name in names if name in found),
            tuple(name for name in names if name not in found and name not in fetched.problems),
            tuple(name for name in names if name not in found and name in fetched.problems),
        )

    async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
        """ASKING, then the whole answer. Never asked twice: each call uses up a share of the day."""
        text = clean(question.text).strip()
        if not text:
            raise ToolRejected("answer_query: an empty question")
        yield StepStarted(Step.ASKING)
        yield await self._within(self._timeouts.answer, self._answer(text))

    # --- for the operator --------------------------------------------------------------------------------------------

    async def offered(self) -> tuple[str, ...]:
        """The names of the server's tools, read now. A handshake: it says nothing of the key."""
        return await self._within(self._timeouts.call, self._offering.anew(self._offering.known))

    @property
    def form(self) -> Form:
        """The form of the protocol in use."""
        return self._wire.form

    # --- calls -------------------------------------------------------------------------------------------------------

    async def _within(self, seconds: float, work: Coroutine[Any, Any, T]) -> T:
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError:
            problem = SourceTooSlow(f"no reply within {seconds:g} s")
        raise problem

    async def _search(self, query: str) -> tuple[DocumentChunk, ...]:
        result = await self._ask(SEARCH, query, self._timeouts.call)
        return chunks_in(_structured(result), self._collection)

    async def _answer(self, text: str) -> AnswerWritten:
        result = await self._ask(ANSWER, text, self._timeouts.answer)
        return answer_in(result, *content_of(result))

    async def _ask(self, wanted: tuple[str, ...], query: str, patience: float) -> Mapping[str, Any]:
        try:
            tool = await self._offering.pick(wanted)
        except SourceUnavailable as error:
            error.sent = False  # of this tool nothing was asked
            raise
        try:
            return await self._call(tool, {"query": query}, SMALL, patience)
        except ToolNotOffered:  # nothing else would do; but what is offered must be looked at again
            self._offering.forget()
            raise

    async def _fetch(self, wanted: tuple[str, ...], names: tuple[str, ...]) -> _Fetched:
        tool = await self._offering.pick(wanted)
        fetched = await self._fetch_with(tool, names)
        if fetched.documents or not any(isinstance(problem, ToolNotOffered) for problem in fetched.problems.values()):
            return fetched
        return await self._fetch_with(await self._offering.pick_instead(wanted, tool), names)

    async def _fetch_with(self, tool: str, names: tuple[str, ...]) -> _Fetched:
        if tool != "get_document":
            return await self._split(tool, names)
        places = asyncio.Semaphore(AT_ONCE)

        async def one(name: str) -> _Fetched:
            async with places:
                try:
                    async with asyncio.timeout(self._timeouts.call * SHARE_OF_ONE):
                        return await self._split(tool, (name,))
                except TimeoutError:
                    return _Fetched(problems={name: SourceTooSlow("a document did not come in time")})

        return _all(await asyncio.gather(*map(one, names)))

    async def _split(self, tool: str, names: tuple[str, ...]) -> _Fetched:
        """The documents of one call. The server fails a batch as a whole: then each half is asked for."""
        arguments = {"name": names[0]} if tool == "get_document" else {"names": list(names)}
        try:
            result = await self._call(tool, arguments, LARGE, self._timeouts.call)
            return _Fetched(documents_in(tool, _structured(result), names, self._collection))
        except (DocumentNotFound, ReplyTooLarge, ToolRejected) as error:  # may be the fault of one name among them
            problem: KnowledgeError = error.with_traceback(None)
        except KnowledgeError as error:
            return _Fetched(problems=dict.fromkeys(names, error.with_traceback(None)))
        if len(names) == 1:
            return _Fetched() if isinstance(problem, DocumentNotFound) else _Fetched(problems={names[0]: problem})
        half = len(names) // 2
        return _all(await asyncio.gather(self._split(tool, names[:half]), self._split(tool, names[half:])))

    async def _call(self, tool: str, arguments: Mapping[str, Any], largest: int, patience: float) -> Mapping[str, Any]:
        reply = await self._wire.request(
            "tools/call", {"name": tool, "arguments": dict(arguments)}, largest=largest, patience=patience
        )
        return result_of(reply, tool)

    async def _read_tools(self) -> tuple[str, ...]:
        names: list[str] = []
        cursor = ""
        for _ in range(PAGES_OF_TOOLS):
            params = {"cursor": cursor} if cursor else {}
            reply = await self._wire.request("tools/list", params, largest=SMALL, patience=self._timeouts.call)
            found, cursor = tools_in(result_of(reply, "tools/list"))
            names += found
            if not cursor:
                break
        return tuple(names)


def _structured(result: Mapping[str, Any]) -> Mapping[str, Any]:
    content, text = content_of(result)
    if content is None:
        raise MalformedReply(f"a result without structure, {len(text)} characters of text")
    return content


def _all(fetched: Sequence[_Fetched]) -> _Fetched:
    joined = _Fetched()
    for each in fetched:
        joined = joined.joined(each)
    return joined


def _check_name(name: str) -> None:
    if not name.startswith(NAME_PREFIX) or len(name) == len(NAME_PREFIX) or not name.isprintable():
        raise DocumentNameInvalid(name)
    if len(name) > NAME_LIMIT:
        raise ToolRejected(f"a name of {len(name)} characters, at most {NAME_LIMIT}")
