"""The reader: one whole document, with the passages marked that a link names. Not its rendering."""

import asyncio
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import APIRouter, Query, Request, Response

from app.answering.titles import with_title
from app.domain.documents import NAME_PREFIX, Document, Scope
from app.domain.errors import DocumentNotFound
from app.knowledge.source import KnowledgeSource
from app.web.addresses import PassageMark
from app.web.dependencies import CurrentUser, TheLanguage, ThePages, ThePresenter, TheServices
from app.web.document_view import OutlineEntry, RenderedDocument, document_html
from app.web.i18n import text_direction
from app.web.markdown import plain
from app.web.views import DocumentPage, Marked, Outline

MOST_PASSAGES = 20
OUTLINE_LEVELS = (2, 3)
MARK_CHARACTERS = 60

router = APIRouter()


@router.get("/documents/{name:path}", name="document")
async def show(
    request: Request,
    pages: ThePages,
    presenter: ThePresenter,
    services: TheServices,
    language: TheLanguage,
    user: CurrentUser,
    passage: Annotated[list[str] | None, Query()] = None,
) -> Response:
    """The document, whole. A passage that is no longer there word for word is told, never guessed."""
    document = with_title(await _asked_for(request, services.source, Scope(groups=user.groups)))
    marks = [mark for text in (passage or [])[:MOST_PASSAGES] if (mark := PassageMark.read(text))]
    found = [mark for mark in marks if mark.found_in(document.content)]
    spans = [(mark.start, mark.end) for mark in found]
    rendered = await asyncio.to_thread(document_html, document, spans, words=presenter.words)
    place = presenter.place(document.name, document.uri, document.title, document.collection)
    view = DocumentPage(
        place=place,
        address=document.uri.partition("://")[2],
        language=document.language or language.tag,
        direction=text_direction(document.language),
        html=rendered.html,
        outline=_outline(rendered.outline),
        marked=_marked(document, spans, rendered),
        titled=rendered.titled,
        lost=len(passage or []) - sum(rendered.marked),
    )
    return pages.page("document", view)


async def _asked_for(request: Request, source: KnowledgeSource, scope: Scope) -> Document:
    """The document that the path names. Our links encode a name once, so its own `%2F` and `%20` stay as they are.

    An address that somebody wrote by hand after a document's own may hold that document's encoding as it is.
    """
    raw = request.scope.get("raw_path") or quote(request.scope["path"]).encode()
    path = bytes(raw).decode("latin-1").partition("?")[0].removeprefix(request.scope["root_path"])
    written = path.removeprefix("/documents/")
    try:
        return await source.get_document(NAME_PREFIX + unquote(written), scope)
    except DocumentNotFound:
        if unquote(written) == written:
            raise
        return await source.get_document(NAME_PREFIX + written, scope)


def _outline(entries: Sequence[OutlineEntry]) -> tuple[Outline, ...]:
    """Headings of two levels, the lower ones below the upper."""
    upper, lower = OUTLINE_LEVELS
    found: list[tuple[OutlineEntry, list[Outline]]] = []
    for entry in entries:
        if entry.level == upper or (entry.level == lower and not found):
            found.append((entry, []))
        elif entry.level == lower:
            found[-1][1].append(Outline(entry.text, entry.anchor))
    return tuple(Outline(entry.text, entry.anchor, tuple(below)) for entry, below in found)


def _marked(document: Document, spans: Sequence[tuple[int, int]], rendered: RenderedDocument) -> tuple[Marked, ...]:
    return tuple(
        Marked(f"passage-{number}", _beginning(document.content[start:end]))
        for number, ((start, end), there) in enumerate(zip(spans, rendered.marked, strict=True), 1)
        if there
    )


def _beginning(text: str) -> str:
    words = plain(text)
    return words if len(words) <= MARK_CHARACTERS else words[:MARK_CHARACTERS].rpartition(" ")[0] + "…"
