"""Our MCP server: the reference's tools over any KnowledgeSource. Not how it is reached (HTTP, standard input).

Import it late: the SDK takes half a second to load. Nothing is kept between two calls.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, assert_never

import mcp_types as types
import structlog
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server

from app.domain.answers import EMPTY_ANSWER, AnswerEvent, Outcome, Question
from app.domain.documents import Scope
from app.domain.errors import AppError, DocumentNotFound, NoAnswer, SourceUnavailable
from app.knowledge.source import KnowledgeSource
from app.mcp.refusals import TOO_LARGE, TOO_SLOW, UNKNOWN_TOOL, Refusal, refusal_of
from app.mcp.schemas import BY_NAME, TOOLS, Name, Names, Query, WrongArguments, checked
from app.mcp.served import TooLarge, answer_result, chunk_object, document_object, documents_object

OUTCOME = "footnote/outcome"  # in a result's _meta: answered, weak or not_found

AnswerStream = Callable[[Question], AsyncIterator[AnswerEvent]]
Result = tuple[dict[str, Any], dict[str, Any]]  # the reply and its _meta

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Desk:
    """Whom the tools ask. `readable` cleans a query or raises a QuestionError; an answer may take `answer_seconds`."""

    source: KnowledgeSource
    answer: AnswerStream
    readable: Callable[[str], str]
    answer_seconds: float


def create_server(desk: Desk, *, scope_of: Callable[[Any], Scope], version: str) -> Server[Any]:
    """The server; `scope_of` tells from a transport's request what its sender may find (None: no request, stdio)."""
    tools = [_published(tool.name) for tool in TOOLS]

    async def list_tools(_context: object, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(
        context: ServerRequestContext[Any, Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in BY_NAME:
            return _refused(UNKNOWN_TOOL)
        return await _called(desk, params.name, params.arguments, scope_of(context.request))

    server: Server[Any] = Server(
        "footnote",
        version=version,
        title="Footnote",
        instructions="Answers questions from documentation. Name the source of what you use: a document's uri or name.",
        get_tool_input_schema=lambda name: BY_NAME[name].takes if name in BY_NAME else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.clear()  # the one there is tells a tracer of each call
    return server


def _published(name: str) -> types.Tool:
    tool = BY_NAME[name]
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.takes,
        output_schema=tool.gives,
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
    )


async def _called(desk: Desk, name: str, arguments: dict[str, Any] | None, scope: Scope) -> types.CallToolResult:
    """What a tool replies; every failure in our own words."""
    try:
        reply, meta = await _worked(desk, name, checked(BY_NAME[name], arguments), scope)
    except WrongArguments as error:
        return _refused(("INVALID_ARGUMENT", str(error)))
    except TooLarge:
        return _refused(TOO_LARGE)
    except TimeoutError:
        log.warning("a tool took too long", tool=name)
        return _refused(TOO_SLOW)
    except AppError as error:
        status, sentence = refusal_of(error)
        log.info("a tool was refused", tool=name, code=error.code)
        return _refused((status, sentence + _wait(error)))
    except Exception:  # whatever it is, its text is not for the caller
        log.exception("a tool failed", tool=name)
        return _refused(refusal_of(AppError()))
    text = json.dumps(reply, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=reply, _meta=meta or None
    )


async def _worked(desk: Desk, name: str, given: Query | Name | Names, scope: Scope) -> Result:
    match given:
        case Query() if name == "answer_query":
            async with asyncio.timeout(desk.answer_seconds):
                return await _answered(desk, Question(desk.readable(given.query), scope=scope))
        case Query():
            found = await desk.source.search_documents(desk.readable(given.query), scope)
            return {"results": [chunk_object(chunk) for chunk in found]}, {}
        case Name():
            return document_object(await desk.source.get_document(given.name, scope)), {}
        case Names():
            batch = await desk.source.batch_get_documents(given.names, scope)
            if batch.unknown:  # as the reference: all or nothing
                raise DocumentNotFound(batch.unknown[0])
            if batch.failed:
                raise SourceUnavailable(batch.failed[0])
            return documents_object(batch.documents, titled=name == "get_documents"), {}
        case _:
            assert_never(given)


async def _answered(desk: Desk, question: Question) -> Result:
    answer = EMPTY_ANSWER
    events = desk.answer(question)
    async with aclosing(events):  # type: ignore[type-var]  # a generator: closed at once when the caller has left
        async for event in events:
            answer = answer.apply(event)
    if answer.failure is not None:
        raise NoAnswer(answer.failure.code)
    return answer_result(answer), {OUTCOME: str(answer.outcome or Outcome.NOT_FOUND)}


def _wait(error: AppError) -> str:
    seconds = getattr(error, "retry_after", None)
    return "" if seconds is None else f" Again in {max(1, round(seconds))} s."


def _refused(refusal: Refusal) -> types.CallToolResult:
    status, sentence = refusal
    return types.CallToolResult(content=[types.TextContent(type="text", text=f"{status}: {sentence}")], is_error=True)
