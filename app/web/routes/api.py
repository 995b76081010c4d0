"""The interface for programs: ask, as one JSON object or as a stream of events. Errors are problem+json."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Header, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from app.answering.reporting import answer_object
from app.chat.run import Numbered
from app.domain.documents import Scope
from app.web.dependencies import CurrentUser, TheLanguage, TheServices
from app.web.streaming import api_messages, event_stream

router = APIRouter(prefix="/api/v1")


class AskBody(BaseModel):
    """`conversation` goes on with one of the asker's own; `collections` are looked in alone."""

    model_config = ConfigDict(extra="forbid")

    question: str
    conversation: str | None = None
    collections: list[Annotated[str, Field(max_length=200)]] = Field(default=[], max_length=50)


@router.post("/ask", name="api_ask")
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
    scope = Scope(collections=frozenset(body.collections))
    turn = await chat.ask(user, body.question, body.conversation, language=language.tag, scope=scope)

    def follow(after: int) -> AsyncGenerator[Numbered, None]:
        return chat.follow(user, turn.id, after)

    if "text/event-stream" in accept:
        return event_stream(api_messages(follow, turn, language, began), chat.interrupt_all)
    async with aclosing(follow(0)) as events:
        async for _ in events:  # to the end: an answer belongs to the server, and has its own time limit
            pass
    ended = await chat.turn(user, turn.id)
    milliseconds = round((asyncio.get_running_loop().time() - began) * 1000)
    return JSONResponse(answer_object(id=ended.id, status=ended.status, answer=ended.answer, ms=milliseconds))
