"""The interface for programs: ask, search, read, as JSON or as a stream of events. Errors are problem+json."""

import asyncio
from collections.abc import AsyncGenerator
from functools import cache
from typing import Annotated, Any
from urllib.parse import unquote

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import JSONResponse

from app import __version__
from app.answering.describing import described
from app.answering.reporting import answer_object, document_object, part_object
from app.chat.run import Numbered
from app.chat.service import question_text
from app.domain.documents import NAME_PREFIX, SEARCH_LIMIT, Scope
from app.web.api_schemas import (
    AnswerObject,
    AskBody,
    DocumentObject,
    DocumentsBody,
    DocumentsObject,
    Labels,
    Limit,
    ResultsObject,
    SearchBody,
    openapi_of,
)
from app.web.dependencies import CurrentUser, TheLanguage, TheServices, interface_of
from app.web.streaming import api_messages, event_stream

PATH = "/api/v1/documents/"
STREAM: dict[str, Any] = {"text/event-stream": {"schema": {"type": "string"}}}

router = APIRouter(prefix="/api/v1", default_response_class=JSONResponse)
description = APIRouter(prefix="/api/v1")


@router.post("/ask", name="api_ask", response_model=AnswerObject, responses={200: {"content": STREAM}})
async def ask(
    body: AskBody,
    services: TheServices,
    language: TheLanguage,
    user: CurrentUser,
    accept: Annotated[str, Header()] = "",
) -> Response:
    """The object of `footnote ask --json`, or with `Accept: text/event-stream` the events as they come."""
    began = asyncio.get_running_loop().time()
    chat = services.chat
    scope = body.scope()
    if "text/event-stream" not in accept:
        ended = await chat.answered(user, body.question, body.conversation, language=language.tag, scope=scope)
        milliseconds = round((asyncio.get_running_loop().time() - began) * 1000)
        return JSONResponse(answer_object(id=ended.id, status=ended.status, answer=ended.answer, ms=milliseconds))
    turn = await chat.ask(user, body.question, body.conversation, language=language.tag, scope=scope)

    def follow(after: int) -> AsyncGenerator[Numbered, None]:
        return chat.follow(user, turn.id, after)

    return event_stream(api_messages(follow, turn, language, began), chat.interrupt_all)


@router.get("/search", name="api_search", response_model=ResultsObject)
async def search(
    request: Request,
    services: TheServices,
    user: CurrentUser,
    query: Annotated[str, Query()],
    collections: Annotated[Labels | None, Query()] = None,
    products: Annotated[Labels | None, Query()] = None,
    versions: Annotated[Labels | None, Query()] = None,
    languages: Annotated[Labels | None, Query()] = None,
    limit: Annotated[Limit, Query()] = SEARCH_LIMIT,
) -> Response:
    """The parts of documents that match best, best first; the object of `footnote search --json`."""
    body = SearchBody(
        query=query,
        collections=collections or [],
        products=products or [],
        versions=versions or [],
        languages=languages or [],
        limit=limit,
    )
    return await _found(request, services, user, body)


@router.post("/search", name="api_search_posted", response_model=ResultsObject)
async def search_posted(request: Request, services: TheServices, user: CurrentUser, body: SearchBody) -> Response:
    """The same, with the words in the body: they stand in no log of addresses."""
    return await _found(request, services, user, body)


async def _found(request: Request, services: TheServices, user: CurrentUser, body: SearchBody) -> Response:
    query = question_text(body.query, interface_of(request).question_limit)
    scope = body.scope(user.groups)
    found = await described(services.source, await services.source.search_documents(query, scope, body.limit), scope)
    return JSONResponse({"results": [part_object(chunk) for chunk in found]})


@router.get("/documents", name="api_document", response_model=DocumentObject)
async def document(services: TheServices, user: CurrentUser, name: Annotated[str, Query(max_length=2000)]) -> Response:
    """One whole document by its name, documents/{uri without scheme}."""
    found = await services.source.get_document(name, Scope(groups=user.groups))
    return JSONResponse(document_object(found))


@router.get("/documents/{name:path}", name="api_document", response_model=DocumentObject)
async def document_at(
    request: Request, services: TheServices, user: CurrentUser, name: Annotated[str, Path()]
) -> Response:
    """One whole document by its address without scheme, encoded once."""
    raw = bytes(request.scope.get("raw_path") or b"").decode("latin-1").partition("?")[0]
    written = raw.removeprefix(request.scope["root_path"]).removeprefix(PATH)
    found = await services.source.get_document(
        NAME_PREFIX + (unquote(written) if raw else name), Scope(groups=user.groups)
    )
    return JSONResponse(document_object(found))


@router.post("/documents", name="api_documents", response_model=DocumentsObject)
async def documents(services: TheServices, user: CurrentUser, body: DocumentsBody) -> Response:
    """Up to 20 whole documents in the order of their names; unknown names are told, and fail nothing."""
    batch = await services.source.batch_get_documents(body.names, Scope(groups=user.groups))
    found = [document_object(each) for each in batch.documents]
    return JSONResponse({"documents": found, "unknown": list(batch.unknown), "failed": list(batch.failed)})


@description.get("/openapi.json", name="api_openapi")
async def openapi() -> Response:
    """These routes for machines, as OpenAPI."""
    return JSONResponse(_openapi())


@cache
def _openapi() -> dict[str, Any]:
    return openapi_of(router, __version__)
