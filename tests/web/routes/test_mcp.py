"""/mcp as it is reached: who may, from where, how often, in which form; and what never happens."""

import asyncio
import json
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import structlog

from app.domain.answers import AnswerEvent, Question, Step, StepStarted
from app.domain.errors import TooManyQuestions
from app.domain.tokens import TokenScope
from app.web.rate_limit import RateLimit
from tests.support.asgi import Client, served
from tests.support.corpus import plant
from tests.support.programs import LEGACY, META, MODERN, called, message, new_token, posted, program_app, revoked
from tests.support.scripted import ScriptedSource

SEED = 20261201
ERAS = [MODERN, LEGACY]


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    async with plant(tmp_path):
        pass
    return tmp_path / "data"


@pytest.fixture
async def client(data: Path) -> AsyncIterator[Client]:
    async with served(program_app(data)) as opened:
        yield opened


# --- from where ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example:8000", "localhost.evil.example", ""])
async def test_a_foreign_host_is_misdirected(client: Client, era: str, host: str) -> None:
    reply = await posted(client, "tools/list", era=era, host=host)
    assert reply.status == 421


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:8000.evil.example", "http://127.0.0.1:9", "file://"]
)
async def test_a_page_of_another_origin_is_refused_whatever_its_method(client: Client, era: str, origin: str) -> None:
    assert (await posted(client, "tools/list", era=era, origin=origin)).status == 403
    assert (await client.get("/mcp", {"origin": origin})).status == 403
    async with client.stream("OPTIONS", "/mcp", b"", {"origin": origin}) as (status, headers, _):
        assert status == 403
        assert not [name for name in headers if name.startswith("access-control-")]


@pytest.mark.parametrize("era", ERAS)
async def test_our_own_origin_and_none_are_let_in_and_no_reply_opens_us_to_pages(client: Client, era: str) -> None:
    for more in ({}, {"origin": "http://127.0.0.1:8000"}):
        reply = await posted(client, "tools/list", era=era, **more)
        assert reply.status == 200
        assert not [name for name in reply.headers if name.startswith("access-control-")]
        assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonp"])
async def test_only_json_is_taken(client: Client, kind: str) -> None:
    body, headers = message("tools/list")
    async with client.stream("POST", "/mcp", body, {**headers, "content-type": kind}) as (status, got, _):
        assert status == 415
        assert got["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", ["/mcp", "/mcp/"])
async def test_every_other_method_is_told_to_post(client: Client, method: str, path: str) -> None:
    headers = {"accept": "text/event-stream", "mcp-session-id": "x"}
    async with client.stream(method, path, b"", headers) as (status, got, _):
        assert status == 405
        assert got["allow"] == "POST"


async def test_a_slash_at_the_end_makes_no_redirect(client: Client) -> None:
    body, headers = message("tools/list")
    async with client.stream("POST", "/mcp/", body, headers) as (status, got, _):
        assert status == 200
        assert "location" not in got


async def test_a_body_beyond_the_limit_is_too_large(client: Client) -> None:
    reply = await posted(client, "tools/call", {"name": "search_documents", "arguments": {"query": "x" * 70_000}})
    assert reply.status == 413


async def test_beyond_this_machine_the_public_origin_is_let_in(data: Path) -> None:
    app = program_app(data, public_url="https://ask.example.com", loopback_only=False)
    async with served(app) as client:
        client.host = "ask.example.com"
        assert (await posted(client, "tools/list", origin="https://ask.example.com")).status == 200
        assert (await posted(client, "tools/list", origin="https://evil.example")).status == 403


# --- who -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_a_token_needs_the_scope_and_to_be_good(client: Client, data: Path, era: str) -> None:
    good = {scope: await new_token(data, scope) for scope in TokenScope}
    gone_id, gone = await new_token(data)
    await revoked(data, gone_id)
    _, expired = await new_token(data, days=-1)
    for scope, (_, secret) in good.items():
        reply = await posted(client, "tools/list", era=era, authorization=f"Bearer {secret}")
        assert reply.status == (200 if scope is TokenScope.MCP else 403), scope
        if reply.status == 403:
            assert reply.headers["www-authenticate"] == 'Bearer error="insufficient_scope", scope="mcp"'
            assert json.loads(reply.text)["code"] == "scope_missing"
    for bad in (gone, expired, "fn_" + "A" * 43, "x", ""):
        reply = await posted(client, "tools/list", era=era, authorization=f"Bearer {bad}")
        assert reply.status == 401
        assert reply.headers["www-authenticate"] == 'Bearer error="invalid_token"'
        assert json.loads(reply.text)["code"] == "token_invalid"
        assert not bad or bad == "x" or bad not in reply.text
    assert (await posted(client, "tools/list", era=era)).status == 200  # nobody signs in here


async def test_where_tokens_are_needed_none_is_no_way_in(data: Path) -> None:
    _, secret = await new_token(data, TokenScope.MCP)
    async with served(program_app(data, require_token=True)) as client:
        refused = await posted(client, "tools/list")
        assert refused.status == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert (await posted(client, "tools/list", authorization=f"Bearer {secret}")).status == 200
        assert (await client.get("/")).status == 200  # people are not asked for a token
        assert (await client.get("/healthz")).status == 200


async def test_a_secret_stands_in_no_reply_and_no_log(
    client: Client, data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    secrets = [(await new_token(data, scope))[1] for scope in TokenScope]
    with structlog.testing.capture_logs() as logs:
        replies = [
            await posted(client, method, era=era, authorization=f"Bearer {secret}")
            for secret in secrets
            for era in ERAS
            for method in ("tools/list", "no/such", "tools/call")
        ]
    told = repr(logs) + caplog.text + "".join(f"{reply.headers}{reply.text}" for reply in replies)
    assert not [secret for secret in secrets if secret[7:] in told]


# --- how often -------------------------------------------------------------------------------------------------------


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_each_caller_has_a_bucket_of_its_own_and_is_told_when_to_come_again(data: Path) -> None:
    clock = Clock()
    ada, ben = [(await new_token(data, TokenScope.MCP))[1] for _ in range(2)]
    pump = {"name": "search_documents", "arguments": {"query": "pump"}}
    async with served(program_app(data, calls=RateLimit(60, 3, now=clock))) as client:

        async def status(secret: str | None) -> int:
            more = {"authorization": f"Bearer {secret}"} if secret else {}
            return (await posted(client, "tools/call", pump, **more)).status

        assert [await status(ada) for _ in range(4)] == [200, 200, 200, 429]
        assert [await status(ben), await status(None)] == [200, 200]
        limited = await posted(client, "tools/call", pump, authorization=f"Bearer {ada}")
        assert limited.headers["retry-after"] == "1"
        assert limited.headers["content-type"] == "application/problem+json"
        assert (await posted(client, "tools/list", authorization=f"Bearer {ada}")).status == 200  # costs nothing
        clock.now += 1.0
        assert [await status(ada) for _ in range(2)] == [200, 429]


def test_buckets_do_not_grow_without_end_and_a_clock_set_back_gives_nothing() -> None:
    clock = Clock()
    limit = RateLimit(60, 2, now=clock, callers=10)
    for number in range(100):
        limit.take(f"caller {number}")
    assert len(limit._left) == 10
    limit.take("caller 99")
    clock.now -= 1000
    with pytest.raises(TooManyQuestions) as error:
        limit.take("caller 99")
    assert error.value.retry_after == pytest.approx(1.0)


# --- what never happens ----------------------------------------------------------------------------------------------


def garbage(dice: random.Random) -> bytes:
    """A body: broken JSON, or JSON-RPC with some part of it wrong."""
    values = [None, True, -1, 1e308, 10**400, "", "\ud800", "tools/call", [], {}, [[]] * 3, {"a": {"b": []}}]
    if dice.random() < 0.2:
        return dice.randbytes(dice.randrange(200))
    if dice.random() < 0.1:
        return b"[" * 20_000
    whole = {
        "jsonrpc": dice.choice(["2.0", "1.0", *values]),
        "id": dice.choice([1, "x", *values]),
        "method": dice.choice(["tools/call", "tools/list", "initialize", "ping", "notifications/x", *values]),
        "params": dice.choice(
            [
                {"name": "search_documents", "arguments": {"query": dice.choice(values)}},
                {"name": "get_document", "arguments": {"name": dice.choice([*values, "documents/x", "x" * 501])}},
                {"name": "get_documents", "arguments": {"names": dice.choice([*values, ["x"] * 21, [1]])}},
                {"name": dice.choice(values), "arguments": dice.choice(values)},
                {"name": "search_documents", "arguments": {"query": "pump"}, "_meta": dice.choice([META, *values])},
                *values,
            ]
        ),
    }
    for name in list(whole):
        if dice.random() < 0.1:
            del whole[name]
    text = json.dumps(dice.choice([whole, [whole], [whole, whole]]) if dice.random() < 0.1 else whole)
    return (text[: dice.randrange(len(text))] if dice.random() < 0.1 else text).encode()


async def test_a_question_stands_in_no_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    with structlog.testing.capture_logs() as logs:
        for era in ERAS:
            for tool in ("search_documents", "answer_query"):
                await called(client, tool, {"query": "canary pump"}, era)
                await called(client, tool, {"query": ["canary"]}, era)
            await posted(client, "tools/call", {"name": "answer_query", "arguments": "canary"}, era)
            await posted(client, "canary", {"canary": "canary"}, era)
    assert "canary" not in repr(logs) + caplog.text


async def test_no_message_whatsoever_is_our_failure(client: Client) -> None:
    dice = random.Random(SEED)
    for number in range(400):
        body = garbage(dice)
        headers = {
            "content-type": "application/json",
            "accept": dice.choice(["application/json, text/event-stream", "*/*", "application/json", "text/html", ""]),
            "mcp-protocol-version": dice.choice([*ERAS, "1999-01-01", "", "x" * 1000]),
            "mcp-method": dice.choice(["tools/call", "tools/list", ""]),
            "mcp-name": dice.choice(["search_documents", "=?base64?//8=?=", ""]),
        }
        async with client.stream("POST", "/mcp", body, headers) as (status, _, pieces):
            text = b"".join([piece async for piece in pieces])
        assert status < 500, f"{number}: {body[:200]!r} {headers} {text[:300]!r}"
    found = await called(client, "search_documents", {"query": "pump"})
    assert found["structuredContent"]["results"]


class Endless:
    """An answer that never comes; it tells when it began and when it was given up."""

    def __init__(self) -> None:
        self.began, self.given_up = asyncio.Event(), asyncio.Event()

    async def __call__(self, question: Question) -> AsyncIterator[AnswerEvent]:
        try:
            self.began.set()
            yield StepStarted(Step.SEARCHING)
            await asyncio.Event().wait()
        finally:
            self.given_up.set()


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
@pytest.mark.parametrize("era", ERAS)
async def test_who_hangs_up_ends_the_answer(tmp_path: Path, era: str, accept: str) -> None:
    endless = Endless()
    app = program_app(tmp_path / "data", ScriptedSource(endless))
    body, headers = message("tools/call", {"name": "answer_query", "arguments": {"query": "Why?"}}, era)
    async with served(app) as client:
        gone, inbox = asyncio.Event(), [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, object]:
            if inbox:
                return inbox.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(_: object) -> None:
            pass

        scope = client._scope("POST", "/mcp", {**headers, "accept": accept})
        serving = asyncio.create_task(app(scope, receive, send))  # type: ignore[arg-type]
        async with asyncio.timeout(20):
            await endless.began.wait()
            assert not endless.given_up.is_set()
            gone.set()
            await endless.given_up.wait()
            await asyncio.wait({serving})


async def test_what_is_being_answered_when_the_app_stops_is_given_up(tmp_path: Path) -> None:
    endless = Endless()
    app = program_app(tmp_path / "data", ScriptedSource(endless))
    async with served(app) as client:
        asking = asyncio.create_task(
            posted(client, "tools/call", {"name": "answer_query", "arguments": {"query": "W?"}})
        )
        async with asyncio.timeout(20):
            await endless.began.wait()
    async with asyncio.timeout(20):
        await endless.given_up.wait()
    asking.cancel()
    await asyncio.wait({asking})


async def test_an_app_that_stops_without_a_call_stops_at_once(data: Path) -> None:
    async with served(program_app(data)) as client:
        assert (await client.get("/healthz")).status == 200
