"""Answers, parts and documents as the objects that programs read: command line, API and evaluation alike."""

from app.domain.answers import Answer, FallbackReason, FellBack
from app.domain.documents import Document, DocumentChunk

RETRIEVED = 10

# Programs are told which kind of thing went wrong; readers are told more.
REASONS = {
    FallbackReason.QUOTA_MINUTE: "quota",
    FallbackReason.QUOTA_DAY: "quota",
    FallbackReason.UNAVAILABLE: "unavailable",
    FallbackReason.MALFORMED: "malformed",
    FallbackReason.NO_ANSWER: "empty",
    FallbackReason.NOT_OFFERED: "not_offered",
    FallbackReason.REFUSED: "refused",
}


def answer_object(*, id: str, status: str, answer: Answer, ms: int) -> dict[str, object]:  # noqa: A002  # its name there
    """The fields that docs/api.md lists. `ms` are milliseconds in all."""
    return {
        "id": id,
        "status": status,
        "origin": str(answer.origin),
        "fell_back": fell_back_object(answer.fell_back),
        "searched_for": answer.searched_for,
        "text": answer.text,
        "citations": [
            {
                "number": citation.number,
                "name": citation.name,
                "uri": citation.uri,
                "title": citation.title,
                "collection": citation.collection,
                "passages": [passage.text for passage in citation.passages],
            }
            for citation in answer.citations
        ],
        "sentences": [
            {"text": segment.text.strip(), "numbers": list(segment.numbers), "unsupported": segment.unsupported}
            for segment in answer.segments
            if segment.text.strip()
        ],
        "retrieved": [page.uri for page in answer.retrieved[:RETRIEVED]],
        "unreachable": list(answer.unreachable),
        "failure": _failure_object(answer),
        "ms": ms,
    }


def fell_back_object(event: FellBack | None) -> dict[str, object] | None:
    """Why the source's own answer was not to be had, and the time when it may be again (ISO 8601, UTC, or null)."""
    if event is None:
        return None
    return {"reason": REASONS[event.reason], "until": event.until.isoformat() if event.until else None}


def _failure_object(answer: Answer) -> dict[str, object] | None:
    """The code of docs/errors.md, the number under which the log tells more, and when to ask again (or null)."""
    if answer.failure is None:
        return None
    until = answer.failure.until
    return {
        "code": answer.failure.code,
        "request_id": answer.failure.request_id,
        "until": until.isoformat() if until else None,
    }


def part_object(chunk: DocumentChunk) -> dict[str, object]:
    """A part of a document that a search found."""
    return {
        "parent": chunk.parent,
        "id": chunk.id,
        "content": chunk.content,
        "uri": chunk.uri,
        "title": chunk.title,
        "headings": list(chunk.headings),
        "score": round(chunk.score, 4),
    }


def document_object(document: Document) -> dict[str, object]:
    """A whole document; its content is Markdown."""
    return {
        "name": document.name,
        "uri": document.uri,
        "title": document.title,
        "content": document.content,
        "description": document.description,
    }
