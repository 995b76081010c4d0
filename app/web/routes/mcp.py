"""`/mcp`: our MCP server over HTTP, for whoever is admitted, at the pace that is allowed. Not the tools themselves.

A plain ASGI object on a plain route: a mounted app would redirect. Stateless: each request stands alone, in both eras
of the protocol. Host, Origin and size of the body were looked at before (`app.web.security`); the SDK's own lists are
off.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Send
from starlette.types import Scope as AsgiScope

from app import __version__
from app.chat.service import question_text
from app.domain.documents import Scope
from app.domain.tokens import TokenScope
from app.identity.authenticator import Admission
from app.services import Services
from app.web.admission import admitted
from app.web.rate_limit import RateLimit

JSON = "application/json"
GROUPS = "mcp_groups"  # where, in a request's state, the tools find what its sender may find


class McpEndpoint:
    """The endpoint of one app. It runs within the app's lifespan; the SDK is loaded with the first request."""

    def __init__(self, limit: RateLimit) -> None:
        self._limit = limit
        self._wanted = asyncio.Event()
        self._ended = asyncio.Event()
        self._transports: asyncio.Future[_Transports] | None = None

    @asynccontextmanager
    async def running(self, services: Services, question_limit: int) -> AsyncIterator[None]:
        """Whoever is being served when this ends is cut off."""
        self._wanted, self._ended = asyncio.Event(), asyncio.Event()
        self._transports = asyncio.get_running_loop().create_future()
        keeper = asyncio.create_task(self._keep(services, question_limit, self._transports))
        try:
            yield
        finally:
            self._ended.set()
            self._wanted.set()
            await keeper

    async def _keep(self, services: Services, question_limit: int, transports: "asyncio.Future[_Transports]") -> None:
        """In one task from start to end, as the SDK's managers need it."""
        await self._wanted.wait()
        if self._ended.is_set():
            transports.cancel()
            return
        async with AsyncExitStack() as stack:
            try:
                made = await asyncio.to_thread(_Transports, services, question_limit)
                await stack.enter_async_context(made.running())
            except Exception as error:
                transports.set_exception(error)
                raise
            transports.set_result(made)
            await self._ended.wait()

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.method != "POST":
            raise HTTPException(405, headers={"Allow": "POST"})
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            raise HTTPException(415)
        admission = await admitted(request, request.state.services, TokenScope.MCP)
        try:
            body = await request.body()
        except ClientDisconnect:  # it left, or sent more than we take and was told so
            return
        tool = _tool_called(body)
        if tool is not None:
            self._limit.take(_caller(request, admission))
        self._wanted.set()
        assert self._transports is not None  # noqa: S101  # the lifespan has begun
        transports = await asyncio.shield(self._transports)
        scope["state"][GROUPS] = admission.user.groups
        # Blanks round a value are none of it (RFC 9110, 5.5); not every server takes them away.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        # A long answer needs signs of life on its way; whatever is quick travels as one JSON object.
        streams = tool == "answer_query" and "text/event-stream" in request.headers.get("accept", "")
        manager = transports.streaming if streams else transports.plain
        await _until_hung_up(partial(manager.handle_request, scope, _once(body), send), receive)


class _Transports:
    """The SDK's two transports over one server."""

    def __init__(self, services: Services, question_limit: int) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager  # noqa: PLC0415

        from app.mcp.server import Desk, create_server  # noqa: PLC0415  # late: loading them takes half a second

        desk = Desk(
            services.source,
            services.answer,
            partial(question_text, limit=question_limit),
            services.answer_seconds,
        )
        server = create_server(desk, scope_of=_scope_of, version=__version__)
        self.plain: StreamableHTTPSessionManager = StreamableHTTPSessionManager(
            server, json_response=True, stateless=True
        )
        self.streaming: StreamableHTTPSessionManager = StreamableHTTPSessionManager(server, stateless=True)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self.plain.run(), self.streaming.run():
            yield


def _scope_of(request: Request) -> Scope:
    groups: frozenset[str] = request.scope["state"][GROUPS]
    return Scope(groups=groups)


def _tool_called(body: bytes) -> str | None:
    """The tool of a `tools/call`; None for any other message, and for what is none."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(message, dict) or message.get("method") != "tools/call":
        return None
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    return name if isinstance(name, str) else ""


def _caller(request: Request, admission: Admission) -> str:
    """Whose calls are counted together: a token's, a user's; of those who are unknown, those from one address."""
    if admission.token is not None:
        return f"token {admission.token.id}"
    if not admission.user.anonymous:
        return f"user {admission.user.id}"
    return f"peer {request.client.host if request.client else ''}"


def _once(body: bytes) -> Receive:
    """The body, read before; what comes after it is waited for elsewhere."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if waiting:
            return waiting.pop()
        await asyncio.Event().wait()
        raise AssertionError("never")

    return receive


async def _until_hung_up(work: Callable[[], Coroutine[None, None, None]], receive: Receive) -> None:
    """Do the work; when its caller hangs up first, it is cancelled, and with it the answer that is being made."""

    async def hung_up() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    doing, watching = asyncio.ensure_future(work()), asyncio.ensure_future(hung_up())
    try:
        await asyncio.wait({doing, watching}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        watching.cancel()
        if not doing.done():
            doing.cancel()
        await asyncio.wait({doing, watching})
    with contextlib.suppress(asyncio.CancelledError):
        doing.result()
