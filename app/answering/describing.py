"""What a search found, with titles and addresses where the search told none. Not the search, and no ranking."""

from collections.abc import Sequence
from dataclasses import replace

import structlog

from app.answering.titles import title_of, with_title
from app.domain.documents import BATCH_LIMIT, DocumentChunk, Scope, distinct_names
from app.domain.errors import KnowledgeError
from app.knowledge.source import KnowledgeSource

log = structlog.get_logger(__name__)


async def described(
    source: KnowledgeSource, chunks: Sequence[DocumentChunk], scope: Scope
) -> tuple[DocumentChunk, ...]:
    """The chunks in their order. A remote search names documents only: an address that is made of a name may be wrong.

    What cannot be opened keeps the address that its name suggests, and is called by its name's last words.
    """
    bare = distinct_names(chunk for chunk in chunks if not chunk.title)[:BATCH_LIMIT]
    if not bare:
        return tuple(chunks)
    try:
        opened = {each.name: with_title(each) for each in (await source.batch_get_documents(bare, scope)).documents}
    except KnowledgeError as error:
        log.warning("what was found cannot be described", code=error.code, detail=error.detail)
        opened = {}
    found = []
    for chunk in chunks:
        if chunk.title:
            found.append(chunk)
        elif document := opened.get(chunk.parent):
            found.append(replace(chunk, title=document.title, uri=document.uri, language=document.language))
        else:
            found.append(replace(chunk, title=title_of("", chunk.parent)))
    return tuple(found)
