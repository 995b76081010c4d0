"""Searching the documents without an answer, for those who want to look themselves. Not the ranking."""

import re
import time
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from markupsafe import Markup

from app.answering.describing import described
from app.domain.documents import DocumentChunk, Passage
from app.domain.errors import AppError
from app.web.dependencies import CurrentUser, TheLanguage, ThePages, ThePresenter, TheServices
from app.web.document_view import passage_html
from app.web.errors import told
from app.web.presenting import Presenter
from app.web.routes.conversations import scope_of
from app.web.views import Result, SearchPage

SEARCHED, SHOWN = 40, 15
EXCERPT_CHARACTERS = 420
WORD = re.compile(r"\w{3,}")
BLANK = re.compile(r"(\n\s*\n)")
FENCE = re.compile(r"^ {0,3}(?:```|~~~)", re.MULTILINE)
HEADING = re.compile(r"#{1,6} .*")  # the path of headings stands above the excerpt

router = APIRouter()


@router.get("/search", name="search")
async def search(
    request: Request,
    pages: ThePages,
    presenter: ThePresenter,
    services: TheServices,
    language: TheLanguage,
    user: CurrentUser,
    q: Annotated[str, Query()] = "",
    collection: Annotated[str, Query()] = "",
) -> Response:
    """Pages by their best part; a failing search says so and keeps the words."""
    scope = replace(scope_of(collection), groups=user.groups)
    query = q.strip()[: presenter.interface.question_limit]
    results, error, seconds = None, None, ""
    if query:
        began = time.monotonic()
        try:
            chunks = await described(
                services.source, await services.source.search_documents(query, scope, SEARCHED), scope
            )
            results = tuple(
                Result(presenter.found(chunk), _excerpt(chunk, query, presenter)) for chunk in _one_a_page(chunks)
            )
            seconds = language.seconds(round((time.monotonic() - began) * 1000))
        except AppError as failure:
            error = told(failure, language)
    # The list of conversations shows questions: a token that may only search is not shown them.
    asked = await services.chat.conversations(user) if request.state.may_ask else ()
    view = SearchPage(
        query=query,
        collection=collection,
        tabs=presenter.choices(await services.library.collections(), scope),
        results=results,
        seconds=seconds,
        error=error,
        days=presenter.days(asked),
    )
    return pages.page("search", view, error.status if error else 200)


def _one_a_page(chunks: tuple[DocumentChunk, ...]) -> list[DocumentChunk]:
    best: dict[str, DocumentChunk] = {}
    for chunk in chunks:
        best.setdefault(chunk.parent, chunk)
    return list(best.values())[:SHOWN]


def _excerpt(chunk: DocumentChunk, query: str, presenter: Presenter) -> Markup:
    """The paragraphs around most of the words that were searched for, those words marked."""
    sought = {_stem(word) for word in WORD.findall(query)}
    starts = _starts(chunk.content)
    hits = [len({_stem(word) for word in WORD.findall(text)} & sought) for text in starts.values()]
    text = chunk.content[list(starts)[hits.index(max(hits))] :].strip() if hits else ""
    if len(text) > EXCERPT_CHARACTERS:
        end = text.rfind("\n\n", EXCERPT_CHARACTERS // 3, EXCERPT_CHARACTERS)
        text = text[:end] if end > 0 else text[:EXCERPT_CHARACTERS].rpartition(" ")[0] + " …"
    marks = tuple(found.span() for found in WORD.finditer(text) if _stem(found[0]) in sought)
    return passage_html(Passage(text, chunk.headings, marks=marks), uri=chunk.uri, words=presenter.words)


def _starts(content: str) -> dict[int, str]:
    """Where an excerpt may begin, with the paragraph there: outside of code, and not at a heading."""
    found: dict[int, str] = {}
    place, in_code = 0, False
    for paragraph in BLANK.split(content):
        text = paragraph.strip()
        if text and not in_code and not HEADING.fullmatch(text):
            found[place] = text
        in_code ^= len(FENCE.findall(paragraph)) % 2 == 1
        place += len(paragraph)
    return found


def _stem(word: str) -> str:
    """Rough on purpose: it only decides what is marked, not what is found."""
    return word.casefold()[: max(4, len(word) - 3)]
