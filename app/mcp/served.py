"""What our tools reply: domain values as the reference's objects, within a size that can travel. Not the protocol."""

from collections.abc import Sequence
from typing import Any, Final

from app.domain.answers import Answer, Outcome
from app.domain.documents import SEARCH_LIMIT, Document, DocumentChunk, distinct

NOT_ANSWERED: Final = "The documents do not answer this."
# A reply holds its content twice, as structure and as text within JSON within JSON. Clients are known to take 2 MiB.
CONTENT_BYTES: Final = 800_000


class TooLarge(Exception):
    """Several documents that do not fit into one reply together."""


def chunk_object(chunk: DocumentChunk) -> dict[str, Any]:
    return {"parent": chunk.parent, "id": chunk.id, "content": chunk.content}


def document_object(document: Document, *, titled: bool = False) -> dict[str, Any]:
    """A document as the reference has it; `titled` adds what the live service adds."""
    made = {
        "name": document.name,
        "uri": document.uri,
        "content": cut(document),
        "description": document.description,
    }
    return {**made, "title": document.title} if titled else made


def documents_object(documents: Sequence[Document], *, titled: bool = False) -> dict[str, Any]:
    """Raises TooLarge; a single one that is too large is cut instead."""
    if len(documents) > 1 and sum(len(each.content.encode()) for each in documents) > CONTENT_BYTES:
        raise TooLarge
    return {"documents": [document_object(each, titled=titled) for each in documents]}


def cut(document: Document, limit: int = CONTENT_BYTES) -> str:
    """The content by whole sections up to `limit` bytes, and a line that tells of the rest."""
    encoded = document.content.encode()
    if len(encoded) <= limit:
        return document.content
    kept = encoded[:limit].decode("utf-8", "ignore")
    end = max(kept.rfind("\n# "), kept.rfind("\n## "), kept.rfind("\n### "))
    if end < len(kept) // 2:
        end = max(kept.rfind("\n\n"), len(kept) // 2)
    left = len(document.content) - end
    return f"{kept[:end].rstrip()}\n\n[Cut here: {left} more characters. The whole document: {document.uri}]"


def answer_result(answer: Answer) -> dict[str, Any]:
    """The text without numbers, and the documents cited, by first use; else the pages that come closest."""
    cited = [each.name for each in sorted(answer.citations, key=lambda each: each.number)]
    closest = [page.name for page in answer.retrieved[:SEARCH_LIMIT]]
    if answer.outcome in (Outcome.ANSWERED, Outcome.WEAK):
        quoted = "\n\n".join(passage.text for each in answer.citations for passage in each.passages)
        text = answer.text or quoted
    else:
        text, cited = NOT_ANSWERED, []
    return {"answerText": text or NOT_ANSWERED, "references": list(distinct(cited or closest))}
