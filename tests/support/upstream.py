"""A Developer Knowledge server on loopback, which can be told to fail in every known way. No test, no real knowledge.

In a test::

    async with Upstream(tools="live", answers_a_day=2) as upstream:
        source = McpSource(upstream.url, ...)
        upstream.play("answer_query", "A:quota_day")            # until told otherwise; times=2: the next two calls
        upstream.calls["answer_query"]                          # tools/call received, by tool; exact
        upstream.requests[-1].headers["x-goog-api-key"]         # each request; .cancelled where the caller left
        await upstream.left.wait()                              # set when a caller left before its answer

As a program, `python -m tests.support.upstream --port 0 --tools live --answers-a-day 2` prints `ready on PORT`. Then
`POST /play` takes `{"tool", "play", "times"}` (an empty play: as usual again), `POST /new-day` and `/new-minute` renew
quotas, `GET /calls` tells `{"calls", "refused", "cancelled", "most"}`. A question with "play:NAME" in it plays that.

Plays, joined by "+":
 - SHAPE:MEANING, see `upstream_shapes`: A:quota_day, B:quota_minute, C:key, D:unavailable, A:filter (shape E), ...
 - whole replies, `upstream_shapes.RAW`: endpoint_missing (shape F), html, text, nothing, badjson, wrong_id, deep, ...
 - how it is sent: silent, slow (`delay` seconds before the head), drip (`delay` between pieces), cut (in mid-body),
   reset, sse, sse_open (open after the answer), sse_inside (events that claim to be JSON), huge (30 MB),
   endless (blanks without end, no length told)
 - what is said, `upstream_tools.CHANGES`: hostile, brackets, no_answer, no_results, text_only, many_references, ...

`tools`: live (search_documents, answer_query, get_documents), reference (the four of the reference), single (no
batches), search (that alone), all. `protocol`: any, 2026 (needs `_meta` and headers), session (needs initialize).
Quotas: None for "no limit". `key`: needed where given. `shape`: in which its own errors come. One unknown name fails a
whole batch.
"""

import argparse
import asyncio
import json
import re
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Self

from tests.support.upstream_pages import PAGES, UpstreamPage
from tests.support.upstream_requests import Requested, request_from
from tests.support.upstream_shapes import MEANINGS, RAW, SECRET, SHAPES, Raw, answered, encoded, failure
from tests.support.upstream_tools import CHANGES, TOOLS, Refused, Shelves, changed, listed

HUGE = 30_000_000
PATH = "/mcp"
_SENT = {"silent", "slow", "drip", "cut", "reset", "sse", "sse_open", "sse_inside", "huge", "endless"}
_MODERN = "2026-07-28"
_META = "io.modelcontextprotocol/"


@dataclass
class Upstream:
    """Use as `async with`; see the module's text."""

    tools: str = "live"
    pages: Sequence[UpstreamPage] = PAGES
    protocol: str = "any"
    shape: str = "A"
    key: str | None = None
    answers_a_day: int | None = None
    answers_a_minute: int | None = None
    searches_a_minute: int | None = None
    fetches_a_minute: int | None = None
    answer_seconds: float = 0.0  # how long an answer takes
    delay: float = 0.0  # for slow and drip
    port: int = 0
    tools_a_page: int = 50
    clock: Callable[[], float] = monotonic
    requests: list[Requested] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)  # of these, refused for a quota
    raw: Callable[[], Raw] | None = None  # says everything, where given
    huge: set[str] = field(default_factory=set)  # names of documents that are of 30 MB
    left: asyncio.Event = field(default_factory=asyncio.Event)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    open: int = 0
    most: int = 0  # requests at once

    def __post_init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()
        self._plays: dict[str, tuple[str, int | None]] = {}
        self._answers_today = 0
        self._minute: dict[str, deque[float]] = {}
        self._sessions: set[str] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # --- what tests tell it ------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{PATH}"

    def play(self, tool: str, play: str, times: int | None = None) -> None:
        """What calls of the tool get from now on; tool "" means all methods, "tools/list" and "initialize" those."""
        unknown = [each for each in play.split("+") if each and not _known(each)]
        assert not unknown, f"no such play: {unknown}"
        self._plays.pop(tool, None)
        if play:
            self._plays[tool] = (play, times)

    def new_day(self) -> None:
        self._answers_today = 0
        self.new_minute()

    def new_minute(self) -> None:
        self._minute.clear()

    def forget_sessions(self) -> None:
        self._sessions.clear()

    def called(self, tool: str) -> list[Requested]:
        return [each for each in self.requests if each.tool == tool]

    # --- connections -------------------------------------------------------------------------------------------------

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (requested := await request_from(reader)) is not None:
                if not await self._watched(requested, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._tasks.discard(task)
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _watched(self, requested: Requested, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answers, until done or until the caller is gone. Whether the connection can be used again."""
        self.open += 1
        self.most = max(self.most, self.open)
        playing = asyncio.ensure_future(self._answer(requested, writer))
        watching = asyncio.ensure_future(reader.read(1))  # nothing may come before the answer's end but the end itself
        try:
            await asyncio.wait((playing, watching), return_when=asyncio.FIRST_COMPLETED)
            if not playing.done():
                raise ConnectionResetError
            requested.finished = True
            return playing.result()
        except ConnectionError:
            requested.cancelled = True
            self.left.set()
            return False
        finally:
            self.open -= 1
            for task in (playing, watching):
                task.cancel()
            await asyncio.gather(playing, watching, return_exceptions=True)

    async def _answer(self, requested: Requested, writer: asyncio.StreamWriter) -> bool:
        if requested.path != PATH:
            return await self._told(requested, writer)
        self.requests.append(requested)
        if requested.tool:
            self.calls[requested.tool] += 1
        self.arrived.set()
        plays = self._chosen(requested)
        if "silent" in plays:
            await asyncio.Event().wait()
        if "reset" in plays:
            return False
        if requested.tool == "answer_query" and self.answer_seconds:
            await asyncio.sleep(self.answer_seconds)
        if "slow" in plays:
            await asyncio.sleep(self.delay)
        raw = self._said(requested, plays)
        requested.status = raw.status
        return await self._send(raw, plays, writer)

    def _chosen(self, requested: Requested) -> set[str]:
        for key in (requested.tool or requested.method, ""):
            if key not in self._plays:
                continue
            play, times = self._plays[key]
            if times is not None:
                if times <= 1:
                    del self._plays[key]
                else:
                    self._plays[key] = (play, times - 1)
            return set(play.split("+"))
        asked = re.search(r"play:([\w:+]+)", str(requested.arguments.get("query", "")))
        return {each for each in asked[1].split("+") if _known(each)} if asked else set()

    # --- what is said ------------------------------------------------------------------------------------------------

    def _said(self, requested: Requested, plays: set[str]) -> Raw:
        number = requested.body.get("id")
        if self.raw is not None:
            return self.raw()
        whole = _whole(plays, number) or self._form_refused(requested)
        if whole is not None:
            return whole
        if requested.method == "initialize":
            session = f"session-{len(self.requests)}"
            self._sessions.add(session)
            said = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "fake"}}
            return Raw(200, encoded(answered(number, said)), headers={"Mcp-Session-Id": session})
        if requested.method.startswith("notifications/"):
            return Raw(202, b"")
        if requested.method == "tools/list":
            found = listed(TOOLS[self.tools], str(requested.params.get("cursor", "")), self.tools_a_page)
            return Raw(200, encoded(answered(number, found)))
        if requested.method != "tools/call":
            return Raw(200, encoded({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": SECRET}}))
        return self._called(requested, plays, number)

    def _called(self, requested: Requested, plays: set[str], number: object) -> Raw:
        if self.key is not None and requested.headers.get("x-goog-api-key") != self.key:
            return failure(self.shape, "key", number)
        if requested.tool not in TOOLS[self.tools]:
            return failure("D", "unknown_tool", number)
        spent = self._spend(requested.tool)
        if spent:
            self.refused[requested.tool] += 1
            return failure(self.shape, spent, number)
        try:
            content = Shelves(self.pages, self.huge).call(requested.tool, requested.arguments)
        except Refused as refused:
            return failure(self.shape, refused.meaning, number)
        result = changed(content, requested.tool, plays)
        if self.protocol == "2026":
            result["resultType"] = "complete"
        return Raw(200, encoded(answered(number, result)))

    def _form_refused(self, requested: Requested) -> Raw | None:
        """The protocol's own refusals."""
        number, headers = requested.body.get("id"), requested.headers
        if self.protocol == "2026":
            meta = requested.params.get("_meta") or {}
            version = meta.get(_META + "protocolVersion")
            if version is None or _META + "clientCapabilities" not in meta:
                return _rpc_error(400, number, -32602, "params._meta is needed")
            if headers.get("mcp-protocol-version") != version or headers.get("mcp-method") != requested.method:
                return _rpc_error(400, number, -32020, "header mismatch")
            if version != _MODERN:
                return _rpc_error(400, number, -32022, "unsupported protocol version")
            if requested.tool and headers.get("mcp-name") != requested.tool:
                return _rpc_error(400, number, -32020, "header mismatch")
        if self.protocol == "session" and requested.method != "initialize":
            session = headers.get("mcp-session-id")
            if session is None:
                return _rpc_error(400, number, -32000, "Bad Request: Mcp-Session-Id header is required")
            if session not in self._sessions:
                return _rpc_error(404, number, -32001, "Session not found")
        return None

    def _spend(self, tool: str) -> str:
        """Takes one unit of each quota that the call needs; the meaning of the refusal where one is used up."""
        minute = {"answer_query": ["answer", "search"], "search_documents": ["search"]}.get(tool, ["fetch"])
        limits = {"answer": self.answers_a_minute, "search": self.searches_a_minute, "fetch": self.fetches_a_minute}
        if tool == "answer_query" and self.answers_a_day is not None and self._answers_today >= self.answers_a_day:
            return "quota_day"
        now = self.clock()
        for name in minute:
            times = self._minute.setdefault(name, deque())
            while times and times[0] <= now - 60:
                times.popleft()
            limit = limits[name]
            if limit is not None and len(times) >= limit:
                return "quota_minute"
        for name in minute:
            self._minute[name].append(now)
        self._answers_today += tool == "answer_query"
        return ""

    # --- how it is sent ----------------------------------------------------------------------------------------------

    async def _send(self, raw: Raw, plays: set[str], writer: asyncio.StreamWriter) -> bool:
        body, kind = raw.body, raw.kind
        if "huge" in plays:
            body = body[:-1] + b" " * HUGE + body[-1:]
        if plays & {"sse", "sse_open", "sse_inside"}:
            notice = json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "x"}})
            events = f": hello\r\n\r\nevent: message\r\ndata: {notice}\r\n\r\nid: 7\nevent: message\ndata: ".encode()
            body = events + body.replace(b'"result"', b'\ndata: "result"', 1) + b"\n\n"
            kind = "application/json" if "sse_inside" in plays else "text/event-stream"
        head = f"HTTP/1.1 {raw.status} Said\r\nContent-Type: {kind}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in raw.headers.items())
        if "sse_open" in plays:
            writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n{len(body):x}\r\n".encode() + body + b"\r\n")
            await writer.drain()
            await asyncio.Event().wait()
        if "endless" in plays:
            writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
            while True:
                writer.write(b"10000\r\n" + b" " * 65_536 + b"\r\n")
                await writer.drain()
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode())
        if "cut" in plays:
            writer.write(body[: len(body) // 2])
            await writer.drain()
            return False
        size = 16 if "drip" in plays else 262_144
        for start in range(0, len(body), size):
            writer.write(body[start : start + size])
            await writer.drain()
            if "drip" in plays:
                await asyncio.sleep(self.delay)
        await writer.drain()
        return True

    async def _told(self, requested: Requested, writer: asyncio.StreamWriter) -> bool:
        body = requested.body
        status = 200
        if requested.path == "/play":
            self.play(body.get("tool", ""), body.get("play", ""), body.get("times"))
        elif requested.path == "/new-day":
            self.new_day()
        elif requested.path == "/new-minute":
            self.new_minute()
        elif requested.path != "/calls":
            status = 404
        cancelled = sum(each.cancelled for each in self.requests)
        said = {"calls": self.calls, "refused": self.refused, "cancelled": cancelled, "most": self.most}
        return await self._send(Raw(status, encoded(said)), set(), writer)


def _whole(plays: set[str], number: object) -> Raw | None:
    for play in sorted(plays):
        if play in RAW:
            return RAW[play](number)
        if ":" in play:
            return failure(*play.split(":"), number)
    return None


def _known(play: str) -> bool:
    shape, _, meaning = play.partition(":")
    return play in RAW or play in CHANGES or play in _SENT or (shape in SHAPES and meaning in MEANINGS)


def _rpc_error(status: int, number: object, code: int, message: str) -> Raw:
    error = {"code": code, "message": f"{message} {SECRET}"}
    return Raw(status, encoded({"jsonrpc": "2.0", "id": number, "error": error}))


async def _run(serving: Callable[[], Upstream]) -> None:
    async with serving() as upstream:
        print(f"ready on {upstream.port}", flush=True)  # noqa: T201
        await asyncio.Event().wait()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tools", default="live", choices=sorted(TOOLS))
    options.add_argument("--protocol", default="any", choices=["any", "2026", "session"])
    options.add_argument("--shape", default="A", choices=SHAPES)
    options.add_argument("--key")
    for limit in ("answers-a-day", "answers-a-minute", "searches-a-minute", "fetches-a-minute", "port"):
        options.add_argument(f"--{limit}", type=int, default=0 if limit == "port" else None)
    options.add_argument("--answer-seconds", type=float, default=0.0)
    options.add_argument("--delay", type=float, default=0.5)
    options.add_argument("--play", default="", help="for answer_query")
    given = vars(options.parse_args())
    play = given.pop("play")

    def serving() -> Upstream:
        upstream = Upstream(**given)
        upstream.play("answer_query", play)
        return upstream

    with suppress(KeyboardInterrupt):
        asyncio.run(_run(serving))


if __name__ == "__main__":
    main()
