"""Our tools as the official SDK's client meets them, over a real socket and over standard input, in both eras."""

import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from app.domain import errors
from app.domain.answers import (
    AnswerCompleted,
    AnswerEvent,
    Citation,
    CitationsFound,
    Outcome,
    Question,
    TextDelta,
)
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentBatch, DocumentChunk, Page, Passage, Scope
from app.domain.tokens import TokenScope
from app.mcp.refusals import REFUSALS
from app.mcp.replies import WORDS
from app.mcp.schemas import TOOLS
from app.mcp.served import CONTENT_BYTES, NOT_ANSWERED, cut
from tests.support.corpus import plant
from tests.support.programs import held, listening, new_token, program_app
from tests.support.scripted import ScriptedSource

ROOT = Path(__file__).parents[2]
MODES = ["2026-07-28", "legacy"]
PUMP, TANK = "documents/docs.example.com/plant/pump", "documents/docs.example.com/plant/tank"
NAMES = ["search_documents", "get_document", "batch_get_documents", "get_documents", "answer_query"]


@pytest.fixture
async def data(tmp_path: Path) -> Path:
    async with plant(tmp_path):
        pass
    return tmp_path / "data"


@pytest.fixture(params=MODES)
async def client(request: pytest.FixtureRequest, data: Path) -> AsyncIterator[Client]:
    async with listening(program_app(data)) as address, held(Client(f"{address}/mcp", mode=request.param)) as opened:
        yield opened


async def called(client: Client, tool: str, **arguments: Any) -> CallToolResult:
    """A call's result; a success says the same twice, an error once."""
    result = await client.call_tool(tool, arguments)
    (block,) = result.content
    assert block.type == "text"
    if result.is_error:
        assert result.structured_content is None
    else:
        assert json.loads(block.text) == result.structured_content
    return result


def said(result: CallToolResult) -> str:
    assert result.is_error
    return str(result.content[0].text)  # type: ignore[union-attr]


# --- what is published -----------------------------------------------------------------------------------------------


async def test_every_tool_of_the_reference_is_listed_with_its_schema_and_promises(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == NAMES
    for tool in tools:
        assert tool.annotations is not None
        hints = tool.annotations
        assert (hints.read_only_hint, hints.idempotent_hint) == (True, True)
        assert (hints.destructive_hint, hints.open_world_hint) == (False, False)
        assert tool.description
        for schema in (tool.input_schema, tool.output_schema):
            assert schema is not None
            jsonschema.Draft202012Validator.check_schema(schema)
    taken = {
        tool.name: {name: part["type"] for name, part in tool.input_schema["properties"].items()} for tool in tools
    }
    assert taken == {
        "search_documents": {"query": "string"},
        "get_document": {"name": "string"},
        "batch_get_documents": {"names": "array"},
        "get_documents": {"names": "array"},
        "answer_query": {"query": "string"},
    }
    assert all(tool.input_schema["required"] == list(tool.input_schema["properties"]) for tool in tools)


# --- what they reply -------------------------------------------------------------------------------------------------


async def test_all_tools_reply_what_their_schemas_say(client: Client) -> None:
    schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_documents", {"query": "highest speed of the pump"}),
        ("get_document", {"name": PUMP}),
        ("batch_get_documents", {"names": [TANK, PUMP]}),
        ("get_documents", {"names": [TANK, PUMP]}),
        ("answer_query", {"query": "What is the highest speed of the pump?"}),
    ]
    got = {}
    for tool, arguments in calls:
        result = await called(client, tool, **arguments)
        assert not result.is_error
        jsonschema.validate(result.structured_content, schemas[tool])
        got[tool] = result
    results = got["search_documents"].structured_content["results"]
    assert 0 < len(results) <= 5
    assert results[0]["parent"] == PUMP
    assert got["get_document"].structured_content["uri"] == "https://docs.example.com/plant/pump"
    assert got["get_document"].structured_content.keys() == {"name", "uri", "content", "description"}
    for tool in ("batch_get_documents", "get_documents"):
        assert [each["name"] for each in got[tool].structured_content["documents"]] == [TANK, PUMP]
    assert got["get_documents"].structured_content["documents"][1]["title"] == "Pump"
    answer = got["answer_query"]
    assert "85 percent" in answer.structured_content["answerText"]
    assert answer.structured_content["references"][0] == PUMP
    assert "[1]" not in answer.structured_content["answerText"]
    assert answer.meta is not None
    assert answer.meta["footnote/outcome"] == "answered"


async def test_what_the_documents_do_not_tell_is_said_so(client: Client) -> None:
    result = await called(client, "answer_query", query="Who won the chess championship?")
    assert result.structured_content["answerText"] == NOT_ANSWERED
    assert result.meta is not None
    assert result.meta["footnote/outcome"] == "not_found"


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search_documents", {}, "needs the argument `query`"),
    ("search_documents", {"query": 3}, "`query` must be a text"),
    ("search_documents", {"query": None}, "`query` must be a text"),
    ("search_documents", {"query": "x", "limit": 50}, "takes no argument `limit`"),
    ("search_documents", {"query": " \n"}, "empty"),
    ("answer_query", {"query": "x" * 4001}, "too long"),
    ("get_document", {"name": "docs.example.com"}, "no document's name"),
    ("get_document", {"name": "documents/" + "x" * 500}, "500 characters"),
    ("get_documents", {"names": []}, "list of 1 to 20"),
    ("get_documents", {"names": [PUMP] * 21}, "list of 1 to 20"),
    ("batch_get_documents", {"names": "x"}, "list of 1 to 20"),
    ("batch_get_documents", {"name": [PUMP]}, "names"),
    ("test_error_handling", {}, "Unknown tool"),
]


async def test_wrong_arguments_are_told_in_a_sentence(client: Client) -> None:
    for tool, arguments, sentence in WRONG:
        told = said(await called(client, tool, **arguments))
        assert sentence in told, (tool, told)
        assert told.partition(":")[0] in ("INVALID_ARGUMENT", "UNIMPLEMENTED")


async def test_one_unknown_name_fails_a_batch_as_the_reference_does(client: Client) -> None:
    for tool in ("batch_get_documents", "get_documents"):
        assert said(await called(client, tool, names=[PUMP, "documents/none"])).startswith("NOT_FOUND:")
    assert said(await called(client, "get_document", name="documents/none")).startswith("NOT_FOUND:")


# --- what they ask ---------------------------------------------------------------------------------------------------


class Failing(ScriptedSource):
    """Every tool raises the error that it was given."""

    def __init__(self, error: Exception) -> None:
        super().__init__(self._fails)
        self.error = error

    async def _fails(self, question: Question) -> AsyncIterator[AnswerEvent]:
        raise self.error
        yield

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        raise self.error

    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        raise self.error

    async def batch_get_documents(self, names: Sequence[str], scope: Scope = EVERYWHERE) -> DocumentBatch:
        raise self.error


CANARY = "canary-5d1c: at /srv/secret, key AIza-canary"
FAILURES = [
    (errors.DayQuotaExceeded(CANARY, retry_after=3600), "RESOURCE_EXHAUSTED", "Again in 3600 s."),
    (errors.QuotaExceeded(CANARY), "RESOURCE_EXHAUSTED", ""),
    (errors.SourceUnavailable(CANARY), "UNAVAILABLE", ""),
    (errors.SourceTooSlow(CANARY), "DEADLINE_EXCEEDED", ""),
    (errors.AccessRefused(CANARY), "FAILED_PRECONDITION", ""),
    (errors.StorageCorrupt(CANARY), "UNAVAILABLE", ""),
    (errors.IndexMissing(CANARY), "UNAVAILABLE", ""),
    (RuntimeError(CANARY), "INTERNAL", ""),
]


@pytest.mark.parametrize("mode", MODES)
async def test_a_failure_is_told_in_our_words_and_never_in_its_own(tmp_path: Path, mode: str) -> None:
    source = Failing(RuntimeError())
    app = program_app(tmp_path / "data", source)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search_documents", {"query": "pump"}),
        ("get_document", {"name": PUMP}),
        ("get_documents", {"names": [PUMP]}),
        ("answer_query", {"query": "pump"}),
    ]
    async with listening(app) as address, Client(f"{address}/mcp", mode=mode) as client:
        for source.error, word, more in FAILURES:
            for tool, arguments in calls:
                told = said(await called(client, tool, **arguments))
                assert told.startswith(f"{word}: "), told
                assert more in told
                assert "canary" not in told


def test_every_kind_of_error_that_a_source_raises_has_a_word_that_clients_know() -> None:
    assert {word for word, _ in REFUSALS.values()} <= WORDS
    assert all(sentence.endswith(".") for _, sentence in REFUSALS.values())


async def weak(question: Question) -> AsyncIterator[AnswerEvent]:
    yield TextDelta("Two things.", (2,))
    yield TextDelta(" And more.", (1,))
    yield CitationsFound(
        (
            Citation(2, "documents/b", "https://b", "B", passages=(Passage("b b"),)),
            Citation(1, "documents/a", "https://a", "A", passages=(Passage("a a"),)),
        )
    )
    yield AnswerCompleted(Outcome.WEAK, retrieved=(Page("documents/c", "https://c", "C"),))


async def quoted(question: Question) -> AsyncIterator[AnswerEvent]:
    yield CitationsFound((Citation(1, "documents/a", "https://a", "A", passages=(Passage("a a"), Passage("z"))),))
    yield AnswerCompleted(Outcome.WEAK)


async def missing(question: Question) -> AsyncIterator[AnswerEvent]:
    yield AnswerCompleted(
        Outcome.NOT_FOUND, retrieved=tuple(Page(f"documents/{n}", f"https://{n}", n) for n in "abcdefg")
    )


@pytest.mark.parametrize(
    ("script", "text", "references"),
    [
        (weak, "Two things. And more.", ["documents/a", "documents/b"]),
        (quoted, "a a\n\nz", ["documents/a"]),
        (missing, NOT_ANSWERED, [f"documents/{n}" for n in "abcde"]),
    ],
)
async def test_references_are_the_cited_documents_by_number_else_the_closest_pages(
    tmp_path: Path, script: Any, text: str, references: list[str]
) -> None:
    app = program_app(tmp_path / "data", ScriptedSource(script))
    async with listening(app) as address, Client(f"{address}/mcp", mode="2026-07-28") as client:
        result = await called(client, "answer_query", query="What?")
    assert result.structured_content == {"answerText": text, "references": references}


def large(name: str, size: int) -> Document:
    sections = (f"\n## Section {number}\n\n{'wörter ' * 200}\n" for number in range(size // 1600))
    return Document(f"documents/{name}", f"https://{name}", f"# {name}\n" + "".join(sections), name)


@pytest.mark.parametrize("mode", MODES)
async def test_documents_too_large_together_are_told_and_one_alone_is_cut_at_a_section(
    tmp_path: Path, mode: str
) -> None:
    big, half = large("big", 2 * CONTENT_BYTES), large("half", CONTENT_BYTES // 2)
    more = large("more", CONTENT_BYTES // 2 + 5000)
    app = program_app(tmp_path / "data", ScriptedSource(missing, [big, half, more]))
    async with listening(app) as address, Client(f"{address}/mcp", mode=mode) as client:
        assert "fewer" in said(await called(client, "get_documents", names=[half.name, more.name]))
        (whole,) = (await called(client, "get_documents", names=[half.name])).structured_content["documents"]
        assert whole["content"] == half.content
        got = (await called(client, "get_document", name=big.name)).structured_content["content"]
    kept, _, told = got.rpartition("\n\n[Cut here: ")
    assert big.content.startswith(kept)
    assert big.content[len(kept) :].lstrip().startswith("## Section")
    assert told.endswith("more characters. The whole document: https://big]")
    assert len(got.encode()) <= CONTENT_BYTES + 200


def test_a_document_without_sections_is_cut_all_the_same_and_never_within_a_character() -> None:
    for content in ("ü" * 1000, "word " * 500, "\n\n" * 1000):
        shown = cut(Document("documents/x", "https://x", content), 501)
        assert len(shown.encode()) < 501 + 120
        assert content.startswith(shown.partition("\n\n[Cut here")[0])


# --- who asks --------------------------------------------------------------------------------------------------------


async def test_the_sdk_s_client_is_let_in_by_its_token(data: Path) -> None:
    _, secret = await new_token(data, TokenScope.MCP)
    async with listening(program_app(data, require_token=True)) as address:
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport, mode="2026-07-28") as client:
                assert len((await client.list_tools()).tools) == len(TOOLS)
                assert not (await called(client, "search_documents", query="pump")).is_error


@pytest.mark.parametrize("mode", MODES)
async def test_footnote_mcp_serves_a_client_that_starts_it(data: Path, mode: str) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FOOTNOTE_")}
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "app", "mcp"],
        env={**kept, "PYTHONPATH": str(ROOT), "FOOTNOTE_DATA": str(data), "FOOTNOTE_LOG_LEVEL": "debug"},
        cwd=data,
    )
    async with Client(stdio_client(command), mode=mode) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
        found = await called(client, "search_documents", query="vinegar")
        assert found.structured_content["results"][0]["parent"] == TANK
        answer = await called(client, "answer_query", query="What is the highest speed of the pump?")
        assert "85 percent" in answer.structured_content["answerText"]
        assert said(await called(client, "get_document", name="documents/none")).startswith("NOT_FOUND:")
