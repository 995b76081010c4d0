"""Every shape of failure becomes the error that it means, and says nothing of what the server wrote."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from app.domain.errors import (
    AccessRefused,
    DayQuotaExceeded,
    DocumentNotFound,
    KnowledgeError,
    MalformedReply,
    QuestionRefused,
    QuotaExceeded,
    SourceTooSlow,
    SourceUnavailable,
    ToolNotOffered,
    ToolRejected,
)
from app.mcp.replies import ROWS, Facts, content_of, facts_of, kind_of, result_of
from app.mcp.wire import Reply
from tests.support.remote import remote, written
from tests.support.upstream_shapes import RAW, RETRY_SECONDS, SECRET, SHAPES, failure

ANSWER, SEARCH, FETCH = "answer_query", "search_documents", "get_documents"
NOW = datetime(2026, 10, 5, 12, tzinfo=UTC)


def raised(reply: Reply, tool: str) -> KnowledgeError:
    with pytest.raises(KnowledgeError) as caught:
        result_of(reply, tool, lambda: NOW)
    return caught.value


def told(shape: str, meaning: str, tool: str) -> KnowledgeError:
    raw = failure(shape, meaning, 1)
    reply = Reply(raw.status, json.loads(raw.body), raw.headers.get("Retry-After", ""))
    return raised(reply, tool)


# What each meaning is, by tool, in each of the shapes A, B, C, D and DH.
TABLE = [
    ("quota_minute", ANSWER, QuotaExceeded),
    ("quota_minute", FETCH, QuotaExceeded),
    ("quota_day", ANSWER, DayQuotaExceeded),
    ("quota_day", SEARCH, DayQuotaExceeded),
    ("key", ANSWER, AccessRefused),
    ("key", FETCH, AccessRefused),
    ("blocked", ANSWER, AccessRefused),
    ("disabled", ANSWER, AccessRefused),
    ("project", ANSWER, AccessRefused),
    ("unauthenticated", SEARCH, AccessRefused),
    ("not_found", FETCH, DocumentNotFound),
    ("not_found", ANSWER, SourceUnavailable),
    ("not_found", SEARCH, SourceUnavailable),
    ("invalid", ANSWER, ToolRejected),
    ("invalid", FETCH, ToolRejected),
    ("unavailable", ANSWER, SourceUnavailable),
    ("internal", SEARCH, SourceUnavailable),
    ("deadline", ANSWER, SourceTooSlow),
    ("filter", ANSWER, QuestionRefused),
    ("filter", SEARCH, AccessRefused),
    ("unknown_tool", ANSWER, ToolNotOffered),
    ("unknown_tool", FETCH, ToolNotOffered),
]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("meaning", "tool", "error"), TABLE)
def test_a_failure_means_the_same_in_every_shape(
    shape: str, meaning: str, tool: str, error: type[KnowledgeError]
) -> None:
    found = told(shape, meaning, tool)
    assert type(found) is error
    assert SECRET not in found.detail


# Whole replies of a proxy or of nobody, as they come over a real socket.
PROXIES = [
    ("endpoint_missing", SourceUnavailable),
    ("html", SourceUnavailable),
    ("html_ok", MalformedReply),
    ("html_forbidden", QuestionRefused),
    ("text", SourceUnavailable),
    ("text_quota", QuotaExceeded),
    ("date_quota", QuotaExceeded),
    ("nothing", MalformedReply),
    ("accepted", MalformedReply),
    ("redirect", SourceUnavailable),
    ("proxy_sign_on", SourceUnavailable),
    ("badjson", MalformedReply),
    ("array_of_nothing", MalformedReply),
    ("scalar", MalformedReply),
    ("wrong_id", MalformedReply),
    ("nan", MalformedReply),
    ("deep", MalformedReply),
    ("wrong_type", MalformedReply),
    ("no_result", MalformedReply),
    ("unfinished", MalformedReply),
    ("gzip", MalformedReply),
    ("unprocessable", SourceUnavailable),
    ("cut", SourceUnavailable),
    ("reset", SourceUnavailable),
]


@pytest.mark.parametrize(("play", "error"), PROXIES)
async def test_what_is_no_reply_of_the_tool_is_told_for_what_it_is(play: str, error: type[KnowledgeError]) -> None:
    async with remote() as (source, upstream):
        await source.offered()
        upstream.play(ANSWER, play)
        with pytest.raises(KnowledgeError) as caught:
            await written(source, "How long is a token valid?")
        assert type(caught.value) is error
        assert len(upstream.called(ANSWER)) == 1


def test_every_whole_reply_of_the_fake_has_its_row() -> None:
    assert set(RAW) <= {play for play, _ in PROXIES} | {"array", "empty"}


def status(code: int, message: str, word: str = "", *details: object) -> Reply:
    return Reply(code, {"error": {"code": code, "message": message, "status": word, "details": list(details)}})


def is_error(text: str, http: int = 200) -> Reply:
    return Reply(http, {"jsonrpc": "2.0", "id": 1, "result": {"isError": True, "content": [{"text": text}]}})


@pytest.mark.parametrize(
    ("reply", "tool", "error"),
    [
        (is_error("Quota exceeded."), ANSWER, QuotaExceeded),
        (is_error("Something went wrong."), ANSWER, SourceUnavailable),
        (is_error("FAILED_PRECONDITION: User location is not supported."), ANSWER, SourceUnavailable),
        (status(400, "User location is not supported.", "FAILED_PRECONDITION"), ANSWER, SourceUnavailable),
        (is_error("Unknown tool: 'get_documents'"), FETCH, ToolNotOffered),
        (is_error("Document not found: documents/a"), FETCH, DocumentNotFound),
        (is_error("NOT_FOUND: documents/x.dev/my-tool not found"), FETCH, DocumentNotFound),
        (is_error("NOT_FOUND: documents/x.dev/quota"), FETCH, DocumentNotFound),
        (is_error("API key not valid. Please pass a valid API key."), SEARCH, AccessRefused),
        (is_error("INVALID_ARGUMENT: too long", 400), SEARCH, ToolRejected),
        (is_error("PERMISSION_DENIED: The caller does not have permission", 403), ANSWER, AccessRefused),
        (
            status(403, "The API requires a quota project, which is not set.", "PERMISSION_DENIED"),
            ANSWER,
            AccessRefused,
        ),
        (status(400, "API key not valid.", "INVALID_ARGUMENT"), ANSWER, AccessRefused),
        (status(400, "API Key not found.", "INVALID_ARGUMENT"), ANSWER, AccessRefused),
        (status(403, "Blocked by Model Armor.", "PERMISSION_DENIED"), ANSWER, QuestionRefused),
        (status(403, "x", "", {"reason": "RATE_LIMIT_EXCEEDED"}), ANSWER, QuotaExceeded),
        (status(404, "Method not found.", "NOT_FOUND"), SEARCH, SourceUnavailable),
        (status(501, "x", "UNIMPLEMENTED"), ANSWER, ToolNotOffered),
        (status(413, "x"), ANSWER, ToolRejected),
        (Reply(200, {"jsonrpc": "2.0", "error": {"code": -32601, "message": "x"}}), ANSWER, ToolNotOffered),
        (Reply(200, {"jsonrpc": "2.0", "error": {"code": -32602, "message": "x"}}), ANSWER, ToolRejected),
        (Reply(200, {"jsonrpc": "2.0", "error": {"code": -32603, "message": "x"}}), ANSWER, SourceUnavailable),
        (Reply(200, {"jsonrpc": "2.0", "error": "x"}), ANSWER, SourceUnavailable),
        (Reply(401), SEARCH, AccessRefused),
        (Reply(403), FETCH, AccessRefused),
        (Reply(404), FETCH, SourceUnavailable),
        (Reply(408), FETCH, SourceTooSlow),
        (Reply(504), FETCH, SourceTooSlow),
        (Reply(302), FETCH, SourceUnavailable),
    ],
)
def test_what_the_text_says_decides_where_no_word_does(reply: Reply, tool: str, error: type[KnowledgeError]) -> None:
    assert type(raised(reply, tool)) is error


def test_every_row_of_the_rules_decides_something() -> None:
    """A row that no failure reaches is none; each is reached by one of those above."""
    facts = [facts_of(Reply(raw.status, json.loads(raw.body)), tool) for raw, tool in _failures()]
    facts += [Facts(FETCH, 0, said="document not found"), Facts(ANSWER, 0, said="over quota"), Facts(ANSWER, 504)]
    facts += [Facts(ANSWER, 0, rpc=-32601), Facts(ANSWER, 0, rpc=-32602), Facts(ANSWER, 400, structured=True)]
    facts += [Facts(ANSWER, 400, said="api key not valid"), Facts(ANSWER, 401)]
    first = {next((place for place, row in enumerate(ROWS) if row.holds(each)), None) for each in facts}
    assert set(range(len(ROWS))) <= first
    assert {kind_of(each) for each in facts}


def _failures():
    return [(failure(shape, meaning, 1), tool) for shape in SHAPES for meaning, tool, _ in TABLE]


# --- when to come back ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
def test_the_time_to_wait_is_told_in_every_shape(shape: str) -> None:
    error = told(shape, "quota_minute", ANSWER)
    assert isinstance(error, QuotaExceeded)
    assert error.retry_after == RETRY_SECONDS
    assert not error.per_day


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("", None),
        ("soon", None),
        ("-3", None),
        ("nan", None),
        ("inf", None),
        ("1e99", None),
        ("9" * 90, None),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(seconds=90), usegmt=True), None),
        ("Fri, 99 Zzz 2100 99:99:99 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_or_nothing(header: str, wait: float | None) -> None:
    for code in (429, 503):
        error = raised(Reply(code, None, header), ANSWER)
        assert error.retry_after == wait  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["Again in 31 s.", "Please retry in 31.0s.", "Try again after 31 seconds."])
def test_the_time_to_wait_may_stand_in_the_text(text: str) -> None:
    error = raised(is_error(f"RESOURCE_EXHAUSTED: Too often. {text}"), ANSWER)
    assert isinstance(error, QuotaExceeded)
    assert error.retry_after == RETRY_SECONDS


@pytest.mark.parametrize(("wait", "kept"), [("31", None), ("7200", 7200.0), ("", None)])
def test_a_days_quota_is_not_back_in_a_minute(wait: str, kept: float | None) -> None:
    error = raised(Reply(429, {"error": {"message": "Queries per day exceeded"}}, wait), ANSWER)
    assert isinstance(error, DayQuotaExceeded)
    assert error.retry_after == kept


@pytest.mark.parametrize("text", ["PerDay", "per day", "per-day", "daily limit", "1/d/{project}"])
def test_a_days_quota_is_known_by_its_words(text: str) -> None:
    assert (
        raised(Reply(429, {"error": {"details": [{"metadata": {"quota": text}}]}}), ANSWER).code == "day_quota_exceeded"
    )


# --- success --------------------------------------------------------------------------------------------------------


def test_structured_content_comes_before_text_and_text_may_be_json() -> None:
    text = {"type": "text", "text": '{"answerText": "text"}'}
    assert content_of({"structuredContent": {"a": 1}, "content": [text]})[0] == {"a": 1}
    assert content_of({"content": [{"type": "image"}, text]})[0] == {"answerText": "text"}
    assert content_of({"content": [{"type": "text", "text": "[1, 2]"}]}) == (None, "[1, 2]")
    assert content_of({"content": "x", "structuredContent": []}) == (None, "")


def test_an_error_is_looked_for_before_the_content() -> None:
    result = {"isError": True, "structuredContent": {"answerText": "x"}, "content": []}
    assert isinstance(raised(Reply(200, {"result": result}), ANSWER), SourceUnavailable)
