"""What tests of /mcp and /api need alike: an app over a corpus or a script, tokens, a socket. Not a client."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from starlette.types import ASGIApp

from app.bootstrap.services import open_services
from app.bootstrap.tokens import open_tokens
from app.domain.tokens import TokenScope
from app.knowledge.source import KnowledgeSource
from app.web.app import create_web_app
from app.web.rate_limit import RateLimit
from app.web.views import Interface
from tests.support.asgi import Client, Reply
from tests.support.corpus import settings_for

Value = TypeVar("Value")

MODERN, LEGACY = "2026-07-28", "2025-11-25"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
}


def program_app(
    data: Path,
    source: KnowledgeSource | None = None,
    *,
    require_token: bool = False,
    calls: RateLimit | None = None,
    public_url: str = "",
    loopback_only: bool = True,
) -> ASGIApp:
    """The app over a data folder; calls are without limit unless a test sets one."""
    return create_web_app(
        partial(open_services, settings_for(data), source=source),
        Interface(public_url=public_url),
        loopback_only=loopback_only,
        require_token=require_token,
        calls=calls or RateLimit(1e9, 1_000_000),
    )


class _Quiet(uvicorn.Server):
    """Leaves the signals to the tests, and tells when it can be reached."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


@asynccontextmanager
async def listening(app: ASGIApp) -> AsyncIterator[str]:
    """The app on a real socket of this machine; its address."""
    # The protocol is named: only then asyncio sends small replies at once (TCP_NODELAY).
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        server = _Quiet(uvicorn.Config(app, log_config=None, server_header=False, timeout_graceful_shutdown=5))
        serving = asyncio.create_task(server._serve([listener]))  # `serve` would take the signals
        try:
            async with asyncio.timeout(30):
                await server.ready.wait()
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            await serving


@asynccontextmanager
async def held(context: AbstractAsyncContextManager[Value]) -> AsyncIterator[Value]:
    """The context, entered and left in a task of its own: a fixture's beginning and end are two tasks."""
    entered: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
    done = asyncio.Event()

    async def hold() -> None:
        async with context as value:
            entered.set_result(value)
            await done.wait()

    holding = asyncio.create_task(hold())
    await asyncio.wait({holding, entered}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield entered.result() if entered.done() else holding.result()  # type: ignore[misc]
    finally:
        done.set()
        await holding


async def new_token(data: Path, *scopes: TokenScope, days: int = 9, owner: str = "") -> tuple[str, str]:
    """Its id and its secret."""
    async with open_tokens(settings_for(data)) as tokens:
        token, secret = await tokens.create("a test", scopes or tuple(TokenScope), days=days, owner=owner)
    return token.id, secret


async def revoked(data: Path, token_id: str) -> None:
    async with open_tokens(settings_for(data)) as tokens:
        assert await tokens.revoke(token_id)


def message(method: str, params: Mapping[str, Any] | None = None, era: str = LEGACY) -> tuple[bytes, dict[str, str]]:
    """A JSON-RPC request as a client of that era posts it: body and headers."""
    given = dict(params or {})
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": era,
    }
    if era == MODERN:
        given["_meta"] = META
        headers["mcp-method"] = method
        if "name" in given:
            headers["mcp-name"] = given["name"]
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": given}).encode(), headers


async def posted(
    client: Client, method: str, params: Mapping[str, Any] | None = None, era: str = LEGACY, **more: str
) -> Reply:
    """One JSON-RPC request to /mcp."""
    body, headers = message(method, params, era)
    asked = {**headers, **{name.replace("_", "-"): value for name, value in more.items()}}
    async with client.stream("POST", "/mcp", body, asked) as (status, got, pieces):
        return Reply(status, got, b"".join([piece async for piece in pieces]))


async def called(client: Client, tool: str, arguments: Mapping[str, Any], era: str = LEGACY, **more: str) -> Any:
    """The result of one call of a tool, from JSON or from an event stream."""
    return result_of(await posted(client, "tools/call", {"name": tool, "arguments": dict(arguments)}, era, **more))


def result_of(reply: Reply) -> Any:
    assert reply.status == 200, reply.text
    text = reply.text
    if reply.headers["content-type"].startswith("text/event-stream"):
        (text,) = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
    return json.loads(text)["result"]
