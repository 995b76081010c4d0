"""What a Developer Knowledge server, or something before it, says when it fails, shapes A to G, as bytes. No server.

A failure is a shape and a meaning: `failure("A", "quota_day", 1)`. Shapes: A (HTTP status with google.rpc.Status), B
(HTTP status with an isError result), C (HTTP 200 with an isError result), D (HTTP 200 with a JSON-RPC error), DH (HTTP
status with a JSON-RPC error). Shape E is the meaning "filter" in any of them. F and G are in `RAW`, each by its name.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

SECRET = "SECRET-BODY-OF-THE-UPSTREAM"  # stands in every failure; must be seen nowhere
RETRY_SECONDS = 31

INFO = "type.googleapis.com/google.rpc.ErrorInfo"
RETRY = "type.googleapis.com/google.rpc.RetryInfo"


@dataclass(frozen=True)
class Raw:
    """An HTTP reply."""

    status: int
    body: bytes
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Meaning:
    """`code` is the HTTP status, `word` that of google.rpc.Code."""

    code: int
    word: str
    message: str
    reason: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    retry: bool = False


def _quota(unit: str, limit: str) -> dict[str, str]:
    return {"quota_limit": f"AnswerRequests{limit}PerProject", "quota_unit": f"1/{unit}/{{project}}"}


MEANINGS = {
    "quota_minute": Meaning(
        429,
        "RESOURCE_EXHAUSTED",
        "Quota exceeded for quota metric 'Answer requests' and limit 'Answer requests per minute'",
        "RATE_LIMIT_EXCEEDED",
        _quota("min", "PerMinute"),
        retry=True,
    ),
    "quota_day": Meaning(
        429,
        "RESOURCE_EXHAUSTED",
        "Quota exceeded for quota metric 'Answer requests' and limit 'Answer requests per day'",
        "RATE_LIMIT_EXCEEDED",
        _quota("d", "PerDay"),
    ),
    "key": Meaning(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "API_KEY_INVALID"),
    "blocked": Meaning(403, "PERMISSION_DENIED", "Requests to this API are blocked.", "API_KEY_SERVICE_BLOCKED"),
    "disabled": Meaning(
        403, "PERMISSION_DENIED", "The API has not been used in project 7 before or it is disabled.", "SERVICE_DISABLED"
    ),
    "project": Meaning(403, "PERMISSION_DENIED", "Permission denied on resource project 7.", "CONSUMER_INVALID"),
    "unauthenticated": Meaning(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
    "not_found": Meaning(404, "NOT_FOUND", "Document not found."),
    "invalid": Meaning(400, "INVALID_ARGUMENT", "Request contains an invalid argument."),
    "unavailable": Meaning(503, "UNAVAILABLE", "The service is currently unavailable."),
    "internal": Meaning(500, "INTERNAL", "Internal error encountered."),
    "deadline": Meaning(504, "DEADLINE_EXCEEDED", "The deadline expired."),
    "filter": Meaning(403, "PERMISSION_DENIED", "The prompt was blocked by a content filter."),
    "unknown_tool": Meaning(404, "NOT_FOUND", "Tool not found: it is unknown"),
}
SHAPES = ("A", "B", "C", "D", "DH")
_RPC = {"invalid": -32602, "unknown_tool": -32602, "internal": -32603}


def failure(shape: str, meaning: str, number: object) -> Raw:
    """The reply to the request of that JSON-RPC id."""
    what = MEANINGS[meaning]
    headers = {"Retry-After": str(RETRY_SECONDS)} if what.retry and shape in ("B", "DH") else {}
    said = f"{what.message} {SECRET}"
    status = {"code": what.code, "message": said, "status": what.word, "details": _details(what)}
    if shape == "A":
        return Raw(what.code, encoded({"error": status}), headers=headers)
    http = 200 if shape in ("C", "D") else what.code
    if shape in ("B", "C"):
        text = f"{what.word}: {said} {what.metadata.get('quota_limit', '')}".strip()
        if shape == "C" and (what.retry or what.reason):  # some put the whole status there
            text = json.dumps({"error": status})
        return Raw(
            http,
            encoded(answered(number, {"isError": True, "content": [{"type": "text", "text": text}]})),
            headers=headers,
        )
    error = {"code": _RPC.get(meaning, -32000), "message": said, "data": status}
    if meaning == "unknown_tool":
        error = {"code": -32602, "message": f"Unknown tool {SECRET}"}
    return Raw(http, encoded({"jsonrpc": "2.0", "id": number, "error": error}), headers=headers)


def answered(number: object, result: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def encoded(value: object) -> bytes:
    """UTF-8; where there are halves of letters, which it cannot hold, as escapes."""
    try:
        return json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def _details(what: Meaning) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if what.reason:
        metadata = {"service": "developerknowledge.googleapis.com", **what.metadata}
        found.append({"@type": INFO, "reason": what.reason, "domain": "googleapis.com", "metadata": metadata})
    if what.retry:
        found.append({"@type": RETRY, "retryDelay": f"{RETRY_SECONDS}s"})
    return found


_PAGE = f"<!doctype html><html><body><h1>Sorry</h1>{SECRET}</body></html>".encode()
_CALL: dict[str, Any] = {"structuredContent": {"answerText": SECRET}}

# Whole replies that have no meaning of google.rpc: what a proxy says, and what nobody should.
RAW: dict[str, Callable[[object], Raw]] = {
    "endpoint_missing": lambda _: Raw(404, _PAGE, "text/html"),
    "html": lambda _: Raw(502, _PAGE, "text/html"),
    "html_ok": lambda _: Raw(200, _PAGE, "text/html"),
    "html_forbidden": lambda _: Raw(403, _PAGE, "text/html"),
    "text": lambda _: Raw(503, f"upstream connect error {SECRET}".encode(), "text/plain"),
    "text_quota": lambda _: Raw(429, f"Too many requests {SECRET}".encode(), "text/plain"),
    "date_quota": lambda _: Raw(429, b"{}", headers={"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}),
    "nothing": lambda _: Raw(200, b""),
    "accepted": lambda _: Raw(202, b""),
    "redirect": lambda _: Raw(307, b"", headers={"Location": "http://127.0.0.1:9/"}),
    "proxy_sign_on": lambda _: Raw(407, _PAGE, "text/html"),
    "badjson": lambda _: Raw(200, b'{"jsonrpc": "2.0", "result": {"' + SECRET.encode()),
    "array": lambda number: Raw(200, encoded([answered(number, _CALL)])),
    "array_of_nothing": lambda _: Raw(200, b"[]"),
    "scalar": lambda _: Raw(200, b"7"),
    "wrong_id": lambda _: Raw(200, encoded(answered("of-another", _CALL))),
    "nan": lambda _: Raw(200, b'{"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"answerText": NaN}}}'),
    "deep": lambda _: Raw(200, b"[" * 200_000),
    "wrong_type": lambda number: Raw(200, encoded(answered(number, SECRET))),
    "no_result": lambda number: Raw(200, encoded({"jsonrpc": "2.0", "id": number})),
    "unfinished": lambda number: Raw(200, encoded(answered(number, {"resultType": "input_required"}))),
    "empty": lambda number: Raw(200, encoded(answered(number, {}))),
    "gzip": lambda _: Raw(200, b"\x1f\x8b" + bytes(40), headers={"Content-Encoding": "gzip"}),
    "unprocessable": lambda _: Raw(422, _PAGE, "text/html"),
}
