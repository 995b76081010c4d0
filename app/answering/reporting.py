"""An answer as the one object that programs read: command line, API and evaluation alike. Not its events."""

from app.domain.answers import Answer

RETRIEVED = 10


def answer_object(*, id: str, status: str, answer: Answer, ms: int) -> dict[str, object]:  # noqa: A002  # its name there
    """`id, status, text, citations, sentences, retrieved, ms`: see docs/api.md. `ms` are milliseconds in all."""
    return {
        "id": id,
        "status": status,
        "text": answer.text,
        "citations": [
            {
                "number": citation.number,
                "name": citation.name,
                "uri": citation.uri,
                "title": citation.title,
                "passages": [passage.text for passage in citation.passages],
            }
            for citation in answer.citations
        ],
        "sentences": [
            {"text": segment.text.strip(), "numbers": list(segment.numbers)}
            for segment in answer.segments
            if segment.text.strip()
        ],
        "retrieved": [page.uri for page in answer.retrieved[:RETRIEVED]],
        "ms": ms,
    }
