"""Bytes and JSON by chance, from a fixed seed: whatever comes, the source answers or raises a KnowledgeError."""

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from app.domain.errors import KnowledgeError
from app.mcp.replies import content_of, facts_of, kind_of, result_of
from app.mcp.results import answer_in, chunks_in, documents_in, tools_in
from app.mcp.wire import Reply
from tests.support.remote import remote, written
from tests.support.upstream_pages import PAGES
from tests.support.upstream_shapes import Raw

KEYS = [
    *("result", "error", "structuredContent", "content", "isError", "text", "answerText", "references", "results"),
    *("documents", "name", "uri", "parent", "id", "title", "description", "tools", "nextCursor", "_meta", "message"),
    *("status", "code", "details", "reason", "retryDelay", "data", "resultType", "jsonrpc", "footnote/outcome"),
]
TEXTS = [
    *("", "documents/a.dev/b", "https://[", "http://a b", "\ud800", "\0", "RESOURCE_EXHAUSTED", "quota per day", "//"),
    *("documents/", "{", "[[[[", '{"error": {"code": 429}}', "NaN", "9" * 400, "31s", "-1s", "nans", "weak", "a\nb"),
]
NAMES = [page.name for page in PAGES[:3]]


def chance(random_: random.Random, depth: int = 0) -> Any:
    kind = random_.randrange(9 if depth < 5 else 6)
    if kind < 3:
        return random_.choice(TEXTS)
    if kind < 6:
        return random_.choice([None, True, False, 0, -32602, 429, 10**30, 1.5, 1e308, -1])
    if kind == 6:
        return [chance(random_, depth + 1) for _ in range(random_.randrange(5))]
    return {random_.choice(KEYS): chance(random_, depth + 1) for _ in range(random_.randrange(7))}


def read_all(reply: Reply) -> None:
    kind_of(facts_of(reply, "answer_query"))
    for tool in ("answer_query", "search_documents", "get_document", "get_documents", "tools/list"):
        with suppress(KnowledgeError):
            result = result_of(reply, tool)
            content, text = content_of(result)
            if tool == "answer_query":
                assert answer_in(result, content, text).text.encode() is not None
            elif tool == "tools/list":
                tools_in(result)
            elif tool == "search_documents":
                assert all(chunk.content.encode() for chunk in chunks_in(content or {}, "c"))
            else:
                assert set(documents_in(tool, content or {}, NAMES, "c")) <= set(NAMES)


@pytest.mark.parametrize("seed", range(20))
def test_json_by_chance_is_read_or_refused(seed: int) -> None:
    random_ = random.Random(seed)
    for _ in range(300):
        message = {"jsonrpc": "2.0", "id": 1, random_.choice(["result", "error"]): chance(random_)}
        if isinstance(message.get("result"), dict) and random_.random() < 0.7:
            message["result"]["structuredContent"] = {random_.choice(KEYS): chance(random_) for _ in range(4)}
        read_all(
            Reply(random_.choice([200, 200, 200, 302, 400, 403, 404, 429, 500, 503]), message, random_.choice(TEXTS))
        )


@pytest.mark.parametrize("seed", range(6))
async def test_bytes_by_chance_are_read_or_refused(seed: int) -> None:
    random_ = random.Random(seed)
    whole = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"answerText": "a"}}}).encode()

    def noise() -> Raw:
        body = bytearray(whole if random_.random() < 0.7 else b"data: " + whole + b"\n\n")
        for _ in range(random_.randrange(12)):
            body[random_.randrange(len(body))] = random_.randrange(256)
        kind = random_.choice(["application/json", "text/event-stream", "text/html", "\xff", ""])
        status = random_.choice([200, 200, 200, 201, 204, 301, 400, 404, 418, 429, 500, 599, 999])
        return Raw(status, b"" if status == 204 else bytes(body[: random_.randrange(len(body) + 1)]), kind)

    async with remote(raw=noise) as (source, _):
        for _ in range(40):
            for work in (
                source.offered,
                lambda: written(source, "a question"),
                lambda: source.batch_get_documents(NAMES),
            ):
                with suppress(KnowledgeError):
                    await work()
