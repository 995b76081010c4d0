"""The interface for programs: what it replies, what it says of itself, and how each refusal looks."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from app.domain.answers import AnswerCompleted, AnswerEvent, Outcome, Question
from app.domain.errors import SourceUnavailable
from app.domain.tokens import TokenScope
from tests.support.asgi import Client, Reply, served
from tests.support.corpus import plant
from tests.support.programs import new_token, program_app, revoked
from tests.support.scripted import ScriptedSource

PUMP, TANK = "documents/docs.example.com/plant/pump", "documents/docs.example.com/plant/tank"
QUESTION = "What is the highest speed of the pump?"


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    async with plant(tmp_path):
        pass
    return tmp_path / "data"


@pytest.fixture
async def client(data: Path) -> AsyncIterator[Client]:
    async with served(program_app(data)) as opened:
        yield opened


async def post(client: Client, path: str, body: object, **headers: str) -> Reply:
    """As a program posts JSON: it names no page."""
    return await ask(client, "POST", path, json.dumps(body).encode(), **headers)


async def ask(client: Client, method: str, path: str, body: bytes = b"", **headers: str) -> Reply:
    given = {"content-type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
    async with client.stream(method, f"/api/v1/{path}", body, given) as (status, got, pieces):
        return Reply(status, got, b"".join([piece async for piece in pieces]))


async def described(client: Client) -> dict[str, Any]:
    reply = await client.get("/api/v1/openapi.json")
    assert reply.status == 200
    found: dict[str, Any] = json.loads(reply.text)
    return found


def fits(value: object, schema: str, description: dict[str, Any]) -> None:
    """The value is what the description calls so."""
    whole = {"$ref": f"#/components/schemas/{schema}", "components": description["components"]}
    jsonschema.Draft202012Validator(whole).validate(value)


# --- what it replies -------------------------------------------------------------------------------------------------


async def test_each_reply_is_what_the_description_says(client: Client) -> None:
    description = await described(client)
    for reply, schema in (
        (await post(client, "ask", {"question": QUESTION}), "AnswerObject"),
        (await post(client, "ask", {"question": "Who won the chess championship?"}), "AnswerObject"),
        (await ask(client, "GET", "search?query=pump"), "ResultsObject"),
        (await post(client, "search", {"query": "pump", "limit": 2}), "ResultsObject"),
        (await ask(client, "GET", f"documents?name={PUMP}"), "DocumentObject"),
        (await post(client, "documents", {"names": [PUMP, "documents/none"]}), "DocumentsObject"),
        (await post(client, "search", {"query": ""}), "Problem"),
    ):
        fits(json.loads(reply.text), schema, description)


async def test_an_answer_says_where_it_comes_from(client: Client) -> None:
    answer = json.loads((await post(client, "ask", {"question": QUESTION})).text)
    assert (answer["status"], answer["origin"], answer["fell_back"]) == ("answered", "quoted", None)
    assert answer["citations"][0]["name"] == PUMP


async def test_a_search_is_the_same_by_address_and_by_body_and_keeps_to_its_limits(client: Client) -> None:
    by_address = await ask(client, "GET", "search?query=pump%20tank%20valve%20water&limit=2&collections=plant")
    by_body = await post(client, "search", {"query": "pump tank valve water", "limit": 2, "collections": ["plant"]})
    assert by_address.body == by_body.body
    results = json.loads(by_body.text)["results"]
    assert len(results) == 2
    for side, name in {"products": "other", "versions": "9", "languages": "de"}.items():
        nothing = await post(client, "search", {"query": "highest speed", side: [name]})
        assert json.loads(nothing.text) == {"results": []}, side
    elsewhere = await post(client, "search", {"query": "highest speed", "collections": ["other"]})
    assert json.loads(elsewhere.text) == {"results": []}


async def test_a_document_is_found_by_name_and_by_path(client: Client) -> None:
    by_name = await ask(client, "GET", f"documents?name={PUMP}")
    by_path = await ask(client, "GET", "documents/docs.example.com/plant/pump")
    assert by_name.body == by_path.body
    assert json.loads(by_name.text)["uri"] == "https://docs.example.com/plant/pump"


async def test_a_batch_keeps_the_order_and_tells_the_unknown(client: Client) -> None:
    batch = json.loads((await post(client, "documents", {"names": [TANK, "documents/none", PUMP]})).text)
    assert [document["name"] for document in batch["documents"]] == [TANK, PUMP]
    assert batch["unknown"] == ["documents/none"]


# --- what it says of itself ------------------------------------------------------------------------------------------


async def test_the_description_tells_of_these_routes_alone_with_errors_stream_and_token(client: Client) -> None:
    description = await described(client)
    assert set(description["paths"]) == {
        "/api/v1/ask",
        "/api/v1/search",
        "/api/v1/documents",
        "/api/v1/documents/{name}",
    }
    for path in description["paths"].values():
        for operation in path.values():
            assert {"200", "401", "403", "404", "413", "422", "429", "5XX"} <= set(operation["responses"])
            for status, told in operation["responses"].items():
                assert status == "200" or set(told["content"]) == {"application/problem+json"}
    streamed = description["paths"]["/api/v1/ask"]["post"]["responses"]["200"]["content"]
    assert set(streamed) == {"application/json", "text/event-stream"}
    assert description["components"]["securitySchemes"]["token"] == {"type": "http", "scheme": "bearer"}
    text = json.dumps(description)
    for name in description["components"]["schemas"]:
        assert name == "Problem" or f'"#/components/schemas/{name}"' in text
    assert "HTTPValidationError" not in text


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("POST", "ask", b"{}", {}, 422),
        ("POST", "ask", b"not json", {}, 422),
        ("POST", "ask", b'{"question": ""}', {}, 422),
        ("POST", "ask", b'{"question": "x", "model": "y"}', {}, 422),
        ("POST", "ask", b'{"question": "x", "conversation": "none"}', {}, 404),
        ("POST", "ask", b'{"question": "\\ud800"}', {}, 422),
        ("POST", "ask", b'{"question": "%s"}' % (b"x" * 70_000), {}, 413),
        ("GET", "ask", b"", {}, 405),
        ("GET", "search", b"", {}, 422),
        ("GET", "search?query=x&limit=51", b"", {}, 422),
        ("GET", "search?query=x&limit=0", b"", {}, 422),
        ("GET", "search?query=", b"", {}, 422),
        ("POST", "search", b'{"query": ["x"]}', {}, 422),
        ("GET", "documents", b"", {}, 422),
        ("GET", "documents?name=documents/none", b"", {}, 404),
        ("GET", "documents?name=elsewhere", b"", {}, 404),
        ("GET", "documents/none/at/all", b"", {}, 404),
        ("POST", "documents", b'{"names": []}', {}, 422),
        ("POST", "documents", json.dumps({"names": ["x"] * 21}).encode(), {}, 422),
        ("GET", "nothing/here", b"", {}, 404),
        ("POST", "ask", b'{"question": "x"}', {"origin": "http://evil.example"}, 403),
        ("POST", "ask", b'{"question": "x"}', {"content_type": "text/plain"}, 403),
        ("POST", "ask", b'{"question": "x"}', {"sec_fetch_site": "cross-site"}, 403),
    ],
)
async def test_every_refusal_is_a_problem_that_a_program_can_read(
    client: Client, method: str, path: str, body: bytes, headers: dict[str, str], status: int
) -> None:
    reply = await ask(client, method, path, body, **headers)
    assert reply.status == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    problem = json.loads(reply.text)
    assert problem.keys() == {"type", "title", "status", "detail", "code", "request_id"}
    assert problem["status"] == status
    assert problem["request_id"] == reply.headers["x-request-id"]
    assert not [name for name in reply.headers if name.startswith("access-control-")]


async def test_what_was_sent_is_never_sent_back(client: Client) -> None:
    for body in ({"question": 1, "canary": "canary"}, {"question": "x", "conversation": "canary"}):
        assert "canary" not in (await post(client, "ask", body)).text


class Down(ScriptedSource):
    async def search_documents(self, *_: object, **__: object) -> Any:
        raise SourceUnavailable("canary: connection refused", retry_after=42)


async def unused(question: Question) -> AsyncIterator[AnswerEvent]:
    yield AnswerCompleted(Outcome.NOT_FOUND)


async def test_a_source_that_is_down_is_a_problem_with_the_time_to_come_again(tmp_path: Path) -> None:
    async with served(program_app(tmp_path / "data", Down(unused))) as client:
        reply = await post(client, "search", {"query": "pump"})
    assert reply.status == 503
    assert reply.headers["retry-after"] == "42"
    assert json.loads(reply.text)["code"] == "source_unavailable"
    assert "canary" not in reply.text


# --- tokens ----------------------------------------------------------------------------------------------------------

ROUTES = [
    (TokenScope.ASK, "POST", "ask", {"question": QUESTION}),
    (TokenScope.SEARCH, "GET", "search?query=pump", None),
    (TokenScope.SEARCH, "POST", "search", {"query": "pump"}),
    (TokenScope.SEARCH, "GET", f"documents?name={PUMP}", None),
    (TokenScope.SEARCH, "GET", "documents/docs.example.com/plant/pump", None),
    (TokenScope.SEARCH, "POST", "documents", {"names": [PUMP]}),
]


async def test_a_token_opens_what_its_scopes_say_and_nothing_else(client: Client, data: Path) -> None:
    secrets = {scope: (await new_token(data, scope))[1] for scope in TokenScope}
    for needed, method, path, body in ROUTES:
        sent = b"" if body is None else json.dumps(body).encode()
        for scope, secret in secrets.items():
            reply = await ask(client, method, path, sent, authorization=f"Bearer {secret}")
            assert reply.status == (200 if scope is needed else 403), (scope, path, reply.text)
            assert "set-cookie" not in reply.headers
            if reply.status == 403:
                assert json.loads(reply.text)["code"] == "scope_missing"
                expected = f'Bearer error="insufficient_scope", scope="{needed}"'
                assert reply.headers["www-authenticate"] == expected


@pytest.mark.parametrize("required", [False, True])
async def test_a_token_that_is_not_good_opens_nothing_anywhere(data: Path, required: bool) -> None:
    gone_id, gone = await new_token(data)
    await revoked(data, gone_id)
    _, expired = await new_token(data, days=-1)
    _, good = await new_token(data)
    async with served(program_app(data, require_token=required)) as client:
        for _, method, path, body in ROUTES:
            sent = b"" if body is None else json.dumps(body).encode()
            for bad in (gone, expired, good[:-1], "fn_" + "A" * 43, "x", ""):
                reply = await ask(client, method, path, sent, authorization=f"Bearer {bad}")
                assert reply.status == 401, (bad, path)
                assert reply.headers["www-authenticate"] == 'Bearer error="invalid_token"'
                assert len(bad) < 2 or bad not in reply.text
            assert (await ask(client, method, path, sent, authorization=f"Bearer {good}")).status == 200
            anonymous = await ask(client, method, path, sent)
            assert anonymous.status == (401 if required else 200)
            if required:
                assert anonymous.headers["www-authenticate"] == "Bearer"
        assert (await client.get("/")).status == 200
        assert (await client.get("/api/v1/openapi.json")).status == 200


async def test_a_token_works_on_the_pages_alike_and_its_owner_s_conversations_are_nobody_else_s(
    client: Client, data: Path
) -> None:
    _, ada = await new_token(data, TokenScope.ASK, owner="ada")
    _, again = await new_token(data, TokenScope.ASK, owner="ada")
    _, ben = await new_token(data, TokenScope.ASK, owner="ben")
    _, searching = await new_token(data, TokenScope.SEARCH)
    made = await client.post("/conversations", {"question": QUESTION}, {"authorization": f"Bearer {ada}"})
    assert made.status == 303
    assert "set-cookie" not in made.headers
    there = made.headers["location"]
    assert (await client.get(there, {"authorization": f"Bearer {again}"})).status == 200
    assert (await client.get(there, {"authorization": f"Bearer {ben}"})).status == 404
    assert (await client.get(there)).status == 404
    assert (await client.get(there, {"authorization": f"Bearer {searching}"})).status == 403
    assert (await client.get("/search?q=pump", {"authorization": f"Bearer {searching}"})).status == 200
    assert (await client.get("/search?q=pump", {"authorization": f"Bearer {ada}"})).status == 403
