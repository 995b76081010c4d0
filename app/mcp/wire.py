"""JSON-RPC over one pooled HTTP client: the forms of the protocol, sessions, bounded replies. Not what a reply means.

The bare form first, since servers of both eras of MCP accept it; the form of 2026-07-28 where a 400 asks for it;
`initialize` and a session where the server wants one. What worked is kept, for each server its own.
"""

import asyncio
import itertools
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, cast

import httpx

from app import __version__
from app.domain.errors import KnowledgeError, MalformedReply, SourceTooSlow, SourceUnavailable
from app.mcp.connecting import Timeouts
from app.mcp.parsing import EventLines, parsed

BARE_VERSION = "2025-11-25"
MODERN_VERSION = "2026-07-28"
_META = "io.modelcontextprotocol/"
_CLIENT = {"name": "footnote", "version": __version__}
_ASKS_FOR_MODERN = frozenset({-32602, -32020, -32022})  # no _meta; headers that differ; version not supported
_ASKS_FOR_SESSION = re.compile(r"session|initiali[sz]", re.IGNORECASE)
_ERROR_BYTES = 65_536  # of a failure no more is read: its status says enough
_IN_A_THREAD = 262_144  # bytes; parsing more would hold up everyone else


class ReplyTooLarge(MalformedReply):
    """More bytes than the call may bring. A batch is split then."""


class Form(StrEnum):
    """How the server wants to be spoken to."""

    BARE = "bare, 2025-11-25"
    MODERN = "2026-07-28"
    SESSION = "session, after initialize"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `message` is the JSON that answers our request, or None where there is none that can be read."""

    status: int
    message: object = None
    retry_after: str = ""
    session: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class _Session:
    id: str = field(default="", repr=False)
    version: str = BARE_VERSION


class Wire:
    """Speaks JSON-RPC with one server."""

    def __init__(self, url: str, client: httpx.AsyncClient, secrets: Mapping[str, str], timeouts: Timeouts) -> None:
        self._url = url
        self._client = client
        self._secrets = dict(secrets)
        self._timeouts = timeouts
        self._numbers = itertools.count(1)
        self._form = Form.BARE
        self._session = _Session()
        self._starting = asyncio.Lock()
        self._understood: set[str] = set()  # methods that were answered in the present form

    @property
    def form(self) -> Form:
        """The form that the server took last."""
        return self._form

    async def request(self, method: str, params: Mapping[str, Any], *, largest: int, patience: float) -> Reply:
        """The reply to one request, however the server wants it put. `largest` in bytes, `patience` in seconds.

        Sent a second time only where the first was refused for its form, or its session was forgotten. Raises
        SourceUnavailable, SourceTooSlow, MalformedReply.
        """
        call = _Call(method, params, largest, patience)
        form, session = self._form, self._session
        reply = await self._send(call, form, session)
        other = self._wanted(reply, form)
        if other is None:
            if reply.status < 400:
                self._understood.add(method)
            return reply
        if other is Form.SESSION:
            session = await self._started(session, patience)
        second = await self._send(call, other, session)
        if other is not form and _is_refused_for_its_form(second):
            return reply  # neither form helps: what the first was told is the better reason
        self._adopt(other)
        return second

    def _adopt(self, form: Form) -> None:
        if form is not self._form:
            self._form = form
            self._understood.clear()

    def _wanted(self, reply: Reply, form: Form) -> Form | None:
        """The form in which to ask again, or None."""
        code, said = _protocol_error(reply.message)
        if form is Form.SESSION:
            return Form.SESSION if _forgot_session(reply, said) else None
        if code and _ASKS_FOR_SESSION.search(said) and (reply.status == 400 or code in (-32002, -32000)):
            return Form.SESSION
        if reply.status != 400 or code not in _ASKS_FOR_MODERN:
            return None
        if form is Form.MODERN:
            return Form.BARE if code == -32022 else None
        if code == -32602 and self._understood:
            return None  # the form is right; it is the arguments that are not
        return Form.MODERN

    # --- sessions ----------------------------------------------------------------------------------------------------

    async def _started(self, stale: _Session, patience: float) -> _Session:
        """A new session, made once for all who found the old one gone."""
        async with self._starting:
            if self._session is not stale:
                return self._session
            params = {"protocolVersion": BARE_VERSION, "capabilities": {}, "clientInfo": _CLIENT}
            first = await self._send(_Call("initialize", params, _ERROR_BYTES, patience), Form.SESSION, None)
            result = first.message.get("result") if isinstance(first.message, dict) else None
            if not isinstance(result, dict):
                raise SourceUnavailable(f"initialize: HTTP {first.status} without a result")
            version = str(result.get("protocolVersion", ""))
            session = _Session(
                first.session, version if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", version) else BARE_VERSION
            )
            await self._send(_Call("notifications/initialized", {}, _ERROR_BYTES, patience), Form.SESSION, session)
            self._session = session
            return session

    # --- one exchange ------------------------------------------------------------------------------------------------

    async def _send(self, call: "_Call", form: Form, session: _Session | None) -> Reply:
        number = next(self._numbers)
        headers = {**self._headers(call, form, session), **self._secrets}
        try:
            return await self._exchange(call, number, call.body(number, form), headers)
        except (httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            problem: KnowledgeError = SourceTooSlow(f"{call.method}: {type(error).__name__}", sent=False)
        except httpx.ConnectError as error:
            problem = SourceUnavailable(f"{call.method}: {type(error).__name__}", sent=False)
        except httpx.TimeoutException as error:
            problem = SourceTooSlow(f"{call.method}: {type(error).__name__}")
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
            problem = SourceUnavailable(f"{call.method}: {type(error).__name__}")
        raise problem  # here, so that no other error with its request hangs on it

    def _headers(self, call: "_Call", form: Form, session: _Session | None) -> dict[str, str]:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Accept-Encoding": "identity",  # else a small reply could become a large one
        }
        if session is None:  # initialize itself
            return headers
        headers["MCP-Protocol-Version"] = {Form.MODERN: MODERN_VERSION, Form.SESSION: session.version}.get(
            form, BARE_VERSION
        )
        headers["Mcp-Method"] = call.method
        if call.method == "tools/call":
            headers["Mcp-Name"] = str(call.params["name"])
        if form is Form.SESSION and session.id:
            headers["Mcp-Session-Id"] = session.id
        return headers

    async def _exchange(self, call: "_Call", number: int, body: bytes, headers: Mapping[str, str]) -> Reply:
        timeout = httpx.Timeout(call.patience, connect=self._timeouts.connect)
        async with self._client.stream(
            "POST", self._url, content=body, headers=headers, timeout=timeout, follow_redirects=False
        ) as response:
            message = await self._message(call, number, response)
            retry_after = response.headers.get("retry-after", "")
            session = response.headers.get("mcp-session-id", "")
            if not (session.isascii() and session.isprintable()) or len(session) > 1024:
                session = ""
            return Reply(response.status_code, message, retry_after[:100], session)

    async def _message(self, call: "_Call", number: int, response: httpx.Response) -> object:
        """The JSON that answers, or None."""
        failed = response.status_code >= 400
        if response.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            if failed:
                return None
            raise MalformedReply(f"{call.method}: an encoding that was not asked for")
        if not failed and "text/event-stream" in response.headers.get("content-type", "").lower():
            async with aclosing(_bounded(response, call)) as pieces:
                return await _first_answer(pieces, number)
        body = bytearray()
        async with aclosing(_bounded(response, call)) as pieces:
            async for piece in pieces:
                body += piece
        if len(body) > _IN_A_THREAD:
            return await asyncio.to_thread(_answer_in, bytes(body), number, failed=failed)
        return _answer_in(bytes(body), number, failed=failed)


@dataclass(frozen=True, slots=True)
class _Call:
    method: str
    params: Mapping[str, Any]
    largest: int
    patience: float

    def body(self, number: int, form: Form) -> bytes:
        params = dict(self.params)
        if form is Form.MODERN:
            params["_meta"] = {
                _META + "protocolVersion": MODERN_VERSION,
                _META + "clientInfo": _CLIENT,
                _META + "clientCapabilities": {},
            }
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": self.method}
        if not self.method.startswith("notifications/"):
            message["id"] = number
        if params:
            message["params"] = params
        return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


async def _bounded(response: httpx.Response, call: _Call) -> AsyncGenerator[bytes, None]:
    """The body's pieces. Of a failure only the beginning; a success that is too large raises ReplyTooLarge."""
    failed = response.status_code >= 400
    limit = _ERROR_BYTES if failed else call.largest
    declared = response.headers.get("content-length", "")
    size = int(declared) if declared.isascii() and declared.isdigit() and len(declared) < 20 else 0
    if size > limit and not failed:
        raise ReplyTooLarge(f"{call.method}: {size} bytes, at most {limit}")
    async with aclosing(cast("AsyncGenerator[bytes, None]", response.aiter_raw())) as pieces:
        async for piece in pieces:
            if response.num_bytes_downloaded > limit:
                if failed:
                    return
                raise ReplyTooLarge(f"{call.method}: more than {limit} bytes")
            yield piece


async def _first_answer(pieces: AsyncIterator[bytes], number: int) -> object:
    """The first event that answers our request; what comes behind it is not waited for."""
    lines = EventLines()
    async for piece in pieces:
        for data in lines.feed(piece):
            message = _answering(parsed(data), number, failed=False)
            if message is not None:
                return message
    for data in lines.end():
        message = _answering(parsed(data), number, failed=False)
        if message is not None:
            return message
    return None


def _answer_in(body: bytes, number: int, *, failed: bool) -> object:
    """The answer in a body, which is JSON, or events that claim to be JSON."""
    message = parsed(body)
    if message is not None:
        return _answering(message, number, failed=failed)
    lines = EventLines()
    events = [*lines.feed(body), *lines.end()]
    found = (_answering(parsed(data), number, failed=failed) for data in events)
    return next((each for each in found if each is not None), None)


def _answering(message: object, number: int, *, failed: bool) -> object:
    """The message, where it answers our request: a result has our id; an error may have any, or none."""
    if isinstance(message, list):
        found = (_answering(each, number, failed=failed) for each in message if isinstance(each, dict))
        return next((each for each in found if each is not None), None)
    if not isinstance(message, dict):
        return None
    if failed or "error" in message:
        return message
    return message if "result" in message and str(message.get("id")) == str(number) else None


def _is_refused_for_its_form(reply: Reply) -> bool:
    code, said = _protocol_error(reply.message)
    return reply.status == 400 and (code in _ASKS_FOR_MODERN or bool(code and _ASKS_FOR_SESSION.search(said)))


def _forgot_session(reply: Reply, said: str) -> bool:
    """A 404 means that; but a tool may say 404 as well, in JSON that speaks of something else."""
    if reply.status == 404 and not isinstance(reply.message, dict):
        return True
    return reply.status in (400, 404) and bool(_ASKS_FOR_SESSION.search(said))


def _protocol_error(message: object) -> tuple[int, str]:
    """The code and the text of a JSON-RPC error; (0, "") of anything else."""
    error = message.get("error") if isinstance(message, dict) and "jsonrpc" in message else None
    if not isinstance(error, dict) or not isinstance(error.get("code"), int):
        return 0, ""
    return error["code"], str(error.get("message", ""))[:1000]
