"""An app joined to a test in memory: its lifespan, requests with cookies, and streams while they are in flight.

Not a socket and not a browser. httpx's own ASGI transport gathers a whole body first, and so cannot show a stream.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from starlette.types import ASGIApp, Message

WAIT_SECONDS = 10


@dataclass(slots=True)
class Reply:
    """A reply; `headers` have lower-case names, the last of a name counts."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")


@dataclass(slots=True)
class Client:
    """A browser without scripts: it keeps cookies and follows nothing by itself."""

    app: ASGIApp
    state: dict[str, Any]
    host: str = "127.0.0.1:8000"
    cookies: dict[str, str] = field(default_factory=dict)

    async def get(self, address: str, headers: Mapping[str, str] | None = None) -> Reply:
        return await self._whole("GET", address, b"", headers or {})

    async def post(
        self,
        address: str,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        *,
        body: bytes = b"",
    ) -> Reply:
        """A form of the app's own page, unless `headers` say otherwise."""
        own = {"content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin"}
        return await self._whole("POST", address, body or urlencode(form or {}).encode(), {**own, **(headers or {})})

    async def _whole(self, method: str, address: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        async with self.stream(method, address, body, headers) as (status, got, pieces):
            return Reply(status, got, b"".join([piece async for piece in pieces]))

    @asynccontextmanager
    async def stream(
        self, method: str, address: str, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[tuple[int, dict[str, str], AsyncIterator[bytes]]]:
        """Status, headers, and the body's pieces as they are sent; leaving hangs up."""
        sent: asyncio.Queue[Message | None] = asyncio.Queue()
        gone = asyncio.Event()
        bodies = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if bodies:
                return bodies.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def run() -> None:
            try:
                await self.app(self._scope(method, address, headers or {}), receive, sent.put)
            finally:
                await sent.put(None)

        task = asyncio.create_task(run())
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                start = await sent.get()
            if start is None:
                await task
                raise AssertionError("the app ended without a reply")
            got = {name.decode().lower(): value.decode("latin-1") for name, value in start["headers"]}
            self._keep(start["headers"])
            yield start["status"], got, _pieces(sent)
        finally:
            gone.set()
            await asyncio.wait({task}, timeout=WAIT_SECONDS)
            task.cancel()

    def _scope(self, method: str, address: str, headers: Mapping[str, str]) -> dict[str, Any]:
        parts = urlsplit(address)
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"host": self.host, **({"cookie": cookie} if cookie else {}), **headers}
        return {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": _decoded(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.items()],
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8000),
            "state": self.state.copy(),
        }

    def _keep(self, headers: list[tuple[bytes, bytes]]) -> None:
        for name, value in headers:
            if name.lower() == b"set-cookie":
                jar = SimpleCookie(value.decode("latin-1"))
                self.cookies.update({key: morsel.value for key, morsel in jar.items()})


def _decoded(path: str) -> str:
    return unquote(path)


async def _pieces(sent: asyncio.Queue[Message | None]) -> AsyncIterator[bytes]:
    while True:
        async with asyncio.timeout(WAIT_SECONDS):
            message = await sent.get()
        if message is None:
            return
        if message.get("body"):
            yield message["body"]
        if not message.get("more_body"):
            return


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[Client]:
    """The app started, and stopped in the end."""
    state: dict[str, Any] = {}
    inbox: asyncio.Queue[Message] = asyncio.Queue()
    outbox: asyncio.Queue[Message] = asyncio.Queue()
    task = asyncio.create_task(
        app({"type": "lifespan", "asgi": {"version": "3.0"}, "state": state}, inbox.get, outbox.put)
    )
    try:
        await inbox.put({"type": "lifespan.startup"})
        async with asyncio.timeout(WAIT_SECONDS):
            said = await outbox.get()
        assert said["type"] == "lifespan.startup.complete", said
        yield Client(app, state)
    finally:
        await inbox.put({"type": "lifespan.shutdown"})
        async with asyncio.timeout(WAIT_SECONDS):
            await task
