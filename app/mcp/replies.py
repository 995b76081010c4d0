"""One tolerant reading of replies: the result of a success, or the error that a failure means. No transport, no tools.

Failures come as an HTTP status with google.rpc.Status (A), as a JSON-RPC result with `isError`, with an HTTP status
(B) or without (C), as a JSON-RPC error (D), as a filter's 403 (E), as an endpoint that is not there or a key that is
not valid (F), and as whatever a proxy says (G). All are boiled down to `Facts`, and the first row of `ROWS` that holds
tells what it is. What the server wrote is only looked through: it never gets into an error's text.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from math import isfinite
from typing import Any

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
from app.mcp.parsing import parsed
from app.mcp.wire import Reply

ANSWER = "answer_query"
FETCHES = frozenset({"get_document", "get_documents", "batch_get_documents"})

# google.rpc.Code, without OK.
WORDS = frozenset(
    "CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED UNAUTHENTICATED "
    "RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS".split()
)
# google.api.ErrorReason, those that tell of the key, the token or their project.
CREDENTIALS = frozenset(
    "API_KEY_INVALID API_KEY_SERVICE_BLOCKED API_KEY_HTTP_REFERRER_BLOCKED API_KEY_IP_ADDRESS_BLOCKED "
    "API_KEY_ANDROID_APP_BLOCKED API_KEY_IOS_APP_BLOCKED SERVICE_DISABLED BILLING_DISABLED CONSUMER_INVALID "
    "CONSUMER_SUSPENDED USER_PROJECT_DENIED CREDENTIALS_MISSING ACCESS_TOKEN_EXPIRED ACCESS_TOKEN_SCOPE_INSUFFICIENT "
    "ACCESS_TOKEN_TYPE_UNSUPPORTED ACCOUNT_STATE_INVALID IAM_PERMISSION_DENIED SERVICE_NOT_VISIBLE "
    "SECURITY_POLICY_VIOLATED LOCATION_POLICY_VIOLATED GCP_SUSPENDED".split()
)
LIMITS = frozenset({"RATE_LIMIT_EXCEEDED", "RESOURCE_QUOTA_EXCEEDED", "rateLimitExceeded", "quotaExceeded"})

_WORD = re.compile(r"\b(" + "|".join(sorted(WORDS)) + r")\b")
_OF_CREDENTIALS = re.compile(
    r"api[ _-]?key|credential|caller does not have|access token|service account|billing|quota project|"
    r"\bproject\b|\bconsumer\b|has not been used|is disabled|requests to this api|not authori[sz]ed"
)
_OF_A_KEY = re.compile(r"api[ _-]?key (?:not valid|not found|expired|is invalid)|invalid api[ _-]?key|quota project")
_OF_A_DAY = re.compile(r"per[ _-]?day|daily|\b1/d\b|requests? (?:a|each) day")
_OF_A_TOOL = re.compile(  # but not a document whose name ends in "tool"
    r"\b(?:unknown|no such) tool\b|"
    r"(?<![/\w.-])tool\b[ :'\"`]*[\w-]{0,60}['\"`]? (?:is |was |does )?(?:not found|not exist|unknown|not available)"
)
_AGAIN_IN = re.compile(
    r"\b(?:again|retry) (?:in|after) (\d{1,7}(?:\.\d{1,9})?) ?(?:s|secs?|seconds?)\b"
)  # ours says it so
_NOT_THERE = re.compile(r"not found|does not exist|no such document|unknown document")
_LONGEST_WAIT = 172_800.0  # seconds; who names more is not believed
_SHORTEST_DAY = 600.0  # seconds; a day's quota is not back sooner, though some name the wait of the minute's


Clock = Callable[[], datetime]


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Kind(Enum):
    """What a failure is."""

    QUOTA = auto()
    CREDENTIALS = auto()
    REFUSED = auto()
    NOT_OFFERED = auto()
    NO_DOCUMENT = auto()
    SLOW = auto()
    UNAVAILABLE = auto()
    REJECTED = auto()


@dataclass(frozen=True, slots=True)
class Facts:
    """What a failure tells. `http` is its status, or the one it quotes; `said` is for looking through, never shown."""

    tool: str
    http: int
    rpc: int = 0
    word: str = ""
    reasons: frozenset[str] = frozenset()
    said: str = ""
    quota: str = ""
    retry_after: float | None = None
    structured: bool = False

    @property
    def detail(self) -> str:
        """For the log: the tool, numbers, and words of a fixed list."""
        known = sorted(self.reasons & (CREDENTIALS | LIMITS))
        parts = [
            f"HTTP {self.http}" if self.http else "",
            f"JSON-RPC {self.rpc}" if self.rpc else "",
            self.word,
            *known,
        ]
        return f"{self.tool}: {' '.join(part for part in parts if part) or 'isError'}"


def _denied(facts: Facts) -> bool:
    return facts.http == 403 or facts.word == "PERMISSION_DENIED"


@dataclass(frozen=True, slots=True)
class Row:
    """One rule: `kind`, where `holds`."""

    kind: Kind
    holds: Callable[[Facts], bool]


# The first that holds is it.
ROWS: tuple[Row, ...] = (
    # A reason of the fixed list says most: a key that is not valid comes as 400, an API that is not enabled as 403.
    Row(Kind.CREDENTIALS, lambda f: bool(f.reasons & CREDENTIALS)),
    Row(Kind.CREDENTIALS, lambda f: bool(_OF_A_KEY.search(f.said))),
    Row(Kind.QUOTA, lambda f: f.http == 429 or f.word == "RESOURCE_EXHAUSTED" or bool(f.reasons & LIMITS)),
    Row(Kind.CREDENTIALS, lambda f: f.http == 401 or f.word == "UNAUTHENTICATED"),
    # JSON-RPC -32601 is a method that is not there.
    Row(Kind.NOT_OFFERED, lambda f: f.rpc == -32601 or f.http == 501 or f.word == "UNIMPLEMENTED"),
    Row(Kind.NOT_OFFERED, lambda f: bool(_OF_A_TOOL.search(f.said))),
    # Without a status word, the text has to do: "quota", as upstream says it.
    Row(Kind.QUOTA, lambda f: not f.word and f.http in (0, 403) and "quota" in f.said),
    # A 403 is about credentials where it says so; else a filter did not like the question. Other tools have no filter.
    Row(Kind.CREDENTIALS, lambda f: _denied(f) and (f.tool != ANSWER or bool(_OF_CREDENTIALS.search(f.said)))),
    Row(Kind.REFUSED, _denied),
    # NOT_FOUND of a fetch is the document. A bare 404 is the endpoint: a wrong address, or an API that is not there.
    Row(Kind.NO_DOCUMENT, lambda f: f.tool in FETCHES and f.structured and (f.http == 404 or f.word == "NOT_FOUND")),
    Row(
        Kind.NO_DOCUMENT, lambda f: f.tool in FETCHES and not f.word and not f.http and bool(_NOT_THERE.search(f.said))
    ),
    Row(Kind.SLOW, lambda f: f.http in (408, 504) or f.word == "DEADLINE_EXCEEDED"),
    Row(Kind.REJECTED, lambda f: f.word in ("INVALID_ARGUMENT", "OUT_OF_RANGE")),
    Row(Kind.REJECTED, lambda f: not f.word and f.rpc in (-32602, -32600)),
    Row(Kind.REJECTED, lambda f: not f.word and f.structured and f.http in (400, 413, 422)),
)


def result_of(reply: Reply, tool: str, now: Clock = _utc_now) -> Mapping[str, Any]:
    """The `result` of a success. `tool` is a tool's name, or a method's. Raises the KnowledgeError of a failure."""
    message = reply.message if isinstance(reply.message, dict) else None
    result = message.get("result") if message is not None else None
    failed = reply.status >= 300 or (message is not None and message.get("error") is not None)
    if failed or (isinstance(result, dict) and result.get("isError")):
        raise _error(facts_of(reply, tool, now))
    if not isinstance(result, dict):
        raise MalformedReply(f"{tool}: HTTP {reply.status} without a result")
    if result.get("resultType", "complete") != "complete":
        raise MalformedReply(f"{tool}: a result that is not complete")
    return result


def facts_of(reply: Reply, tool: str, now: Clock = _utc_now) -> Facts:
    """A failure, boiled down."""
    message = reply.message if isinstance(reply.message, dict) else {}
    error = message.get("error")
    result = message.get("result")
    source = error if error is not None else result if result is not None else message
    seen = _Seen()
    seen.look(source)
    code = error.get("code") if isinstance(error, dict) else None
    rpc = code if isinstance(code, int) and -33000 < code < -32000 else 0
    said = " ".join(seen.texts)[:20_000]
    word = seen.word or (found[1] if (found := _WORD.search(said)) else "")
    again = _AGAIN_IN.search(said.casefold())
    delay = seen.delay.removesuffix("s") or (again[1] if again else "")
    http = reply.status if reply.status >= 300 else seen.code
    return Facts(
        tool=tool,
        http=http,
        rpc=rpc,
        word=word,
        reasons=frozenset(seen.reasons),
        said=said.casefold(),
        quota=" ".join(seen.quota).casefold(),
        retry_after=_waiting(reply.retry_after, now) or _seconds(delay),
        structured=bool(message),
    )


def kind_of(facts: Facts) -> Kind:
    """What the failure is; of what no row knows we only know that it went wrong."""
    return next((row.kind for row in ROWS if row.holds(facts)), Kind.UNAVAILABLE)


def content_of(result: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
    """A result's structured content, else the JSON of its first text, and that text. None where there is neither."""
    content = result.get("content")
    texts = [each["text"] for each in content if _is_text(each)] if isinstance(content, list) else []
    text = texts[0] if texts else ""
    structured = result.get("structuredContent")
    if isinstance(structured, dict):
        return structured, text
    found = _json(text)
    return (found if isinstance(found, dict) else None), text


def _error(facts: Facts) -> KnowledgeError:
    kind = kind_of(facts)
    if kind is Kind.QUOTA:
        if _OF_A_DAY.search(facts.quota or facts.said):  # a text may quote what was asked
            wait = facts.retry_after if (facts.retry_after or 0) >= _SHORTEST_DAY else None
            return DayQuotaExceeded(facts.detail, retry_after=wait)
        return QuotaExceeded(facts.detail, retry_after=facts.retry_after)
    if kind in (Kind.UNAVAILABLE, Kind.SLOW):
        slow = kind is Kind.SLOW
        return (SourceTooSlow if slow else SourceUnavailable)(facts.detail, retry_after=facts.retry_after)
    plain: dict[Kind, type[KnowledgeError]] = {
        Kind.CREDENTIALS: AccessRefused,
        Kind.REFUSED: QuestionRefused,
        Kind.NOT_OFFERED: ToolNotOffered,
        Kind.NO_DOCUMENT: DocumentNotFound,
        Kind.REJECTED: ToolRejected,
    }
    return plain[kind](facts.detail)


class _Seen:
    """What stands anywhere in an error, however it is nested: texts, reasons, the status word and code, the wait."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.reasons: set[str] = set()
        self.quota: list[str] = []  # which one, by the names of its limit and unit
        self.word = ""
        self.code = 0
        self.delay = ""

    def look(self, value: object) -> None:
        for key, text in _leaves(value):
            if isinstance(text, int):
                if key == "code" and 400 <= text < 600:
                    self.code = self.code or text
                continue
            inner = _json(text) if key in ("text", "message", "data") else None
            if isinstance(inner, dict | list):
                self.look(inner)
                continue
            self._note(key, text)

    def _note(self, key: str, text: str) -> None:
        self.texts.append(text[:4000])
        if key == "status" and text in WORDS:
            self.word = self.word or text
        elif key == "reason":
            self.reasons.add(text[:100])
        elif key.startswith("quota"):
            self.quota.append(text[:200])
        elif key == "retryDelay":
            self.delay = self.delay or text[:30]


def _leaves(value: object) -> Iterator[tuple[str, str | int]]:
    """Texts and whole numbers with the key that they stand under; of hostile nesting only the beginning."""
    waiting: deque[tuple[str, object]] = deque([("", value)])
    for _ in range(2000):
        if not waiting:
            return
        key, each = waiting.popleft()
        if isinstance(each, dict):
            waiting += each.items()
        elif isinstance(each, list):
            waiting += [(key, item) for item in each]
        elif isinstance(each, str) or (isinstance(each, int) and not isinstance(each, bool)):
            yield str(key), each


def _json(text: str) -> object:
    return parsed(text.encode("utf-8", "replace")) if text.lstrip().startswith(("{", "[")) else None


def _is_text(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("text"), str)


def _seconds(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if isfinite(found) and 0 <= found <= _LONGEST_WAIT else None


def _waiting(header: str, now: Clock) -> float | None:
    """`Retry-After`, which is a number of seconds or a date."""
    seconds = _seconds(header)
    if seconds is not None or not header:
        return seconds
    try:
        until = parsedate_to_datetime(header)
    except (ValueError, IndexError, OverflowError):
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=UTC)
    wait = (until - now()).total_seconds()
    return wait if 0 <= wait <= _LONGEST_WAIT else None
