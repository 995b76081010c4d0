"""A whole document, or one passage of it, as HTML with the cited words marked. Not the page around it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import unquote, urldefrag

from markdown_it.token import Token
from markupsafe import Markup

from app.domain.documents import Document, Passage
from app.web.blocks import ENGLISH, Style, Words, block_tokens, inline_text, parse_inlines, to_html
from app.web.sanitising import characters
from app.web.span_marks import Span, SpanMarks

DOCUMENT_LIMIT = 400_000  # characters shown of one document: whole sections round the first passage
PASSAGE_LIMIT = 40_000
PASSAGE_ID = "passage-"
SECTION_ID = "section-"  # before every anchor made of foreign text, so that it never meets an id of ours


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A heading: its level (1 to 6), its text, and the id that it has in the HTML."""

    level: int
    text: str
    anchor: str


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """`marked` tells for each span whether it was found. `titled`: the HTML begins with the document's own h1.

    `shortened`: the document is very long, and only the sections round the first passage are here.
    """

    html: Markup
    outline: tuple[OutlineEntry, ...]
    marked: tuple[bool, ...]
    titled: bool = False
    shortened: bool = False


def document_html(document: Document, spans: Sequence[Span], *, words: Words = ENGLISH) -> RenderedDocument:
    """The document with the spans (offsets in its content) marked as passage-1, passage-2, …; their blocks "cited".

    Takes about a second for half a megabyte: call it in a thread.
    """
    source, moved = _uniform(document.content, spans)
    begin, end = _window(source, moved)
    marks = SpanMarks(source[begin:end], [(start - begin, stop - begin) for start, stop in moved], PASSAGE_ID)
    references: dict[str, object] = {}
    tokens = block_tokens(marks.source, references)
    marks.place(tokens, references)
    parse_inlines(tokens, references)
    outline = _outline(tokens)
    _link_within(tokens, outline, document.uri)
    titled = bool(tokens) and tokens[0].type == "heading_open" and tokens[0].tag == "h1" and "id" in tokens[0].attrs
    html = to_html(tokens, Style(words, document.uri))
    return RenderedDocument(
        html=Markup(marks.applied(html)),  # noqa: S704 - sanitised, and our own marks
        outline=tuple(outline[1:] if titled else outline),
        marked=tuple(number in marks.found for number in range(len(spans))),
        titled=titled,
        shortened=end - begin < len(source),
    )


def passage_html(passage: Passage, *, uri: str = "", words: Words = ENGLISH) -> Markup:
    """A passage as compact HTML, headings as bold lines, its supporting words in <mark>. `uri`: for relative links."""
    source, spans = _as_table(*_uniform(passage.text[:PASSAGE_LIMIT], passage.marks))
    marks = SpanMarks(source, spans)
    references: dict[str, object] = {}
    tokens = block_tokens(source, references)
    marks.place(tokens, references)
    parse_inlines(tokens, references)
    html = to_html(tokens, Style(words, uri, heading=_bold_line))
    return Markup(marks.applied(html))  # noqa: S704 - sanitised, and our own marks


def _as_table(source: str, spans: list[Span]) -> tuple[str, list[Span]]:
    """Rows that were quoted without their table's head get an empty one, else they would be lines with bars in them."""
    lines = source.strip().split("\n")
    is_head = len(lines) > 1 and set(lines[1]) <= set("|-: ")
    if is_head or not all(line.startswith("|") and line.rstrip().endswith("|") for line in lines):
        return source, spans
    columns = len(re.findall(r"(?<!\\)\|", lines[0])) - 1
    head = "|" + "  |" * columns + "\n|" + " --- |" * columns + "\n"
    return head + source, [(start + len(head), end + len(head)) for start, end in spans]


def _bold_line(level: int) -> int:  # noqa: ARG001 - whatever the level
    return 0


def _uniform(content: str, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    """Text with line ends as LF and readable characters only, and the spans moved along."""
    if "\r" not in content:
        return characters(content), list(spans)

    def moved(offset: int) -> int:
        return offset - content.count("\r\n", 0, max(0, offset))

    text = characters(content.replace("\r\n", "\n").replace("\r", "\n"))
    return text, [(moved(start), moved(end)) for start, end in spans]


def _window(source: str, spans: Sequence[Span]) -> tuple[int, int]:
    """What is shown of a very long source: from heading to heading round the first span, else from the beginning."""
    if len(source) <= DOCUMENT_LIMIT:
        return 0, len(source)
    wanted = next((start for start, end in spans if 0 <= start < end <= len(source)), 0)
    earliest, latest = max(0, wanted - DOCUMENT_LIMIT // 2), min(len(source), wanted + DOCUMENT_LIMIT // 2)
    bounds = [found.start() for found in _SECTION.finditer(source, earliest, latest)]
    before = next((bound for bound in bounds if bound <= wanted), None)
    after = next((bound for bound in reversed(bounds) if bound > wanted), None)
    begin = 0 if earliest == 0 else before
    if begin is None:
        begin = source.rfind("\n", 0, max(1, wanted - 2_000)) + 1
    return begin, len(source) if latest == len(source) else after or latest


_SECTION = re.compile(r"^#{1,6} ", re.MULTILINE)


def _outline(tokens: list[Token]) -> list[OutlineEntry]:
    """The headings, each given an id of its own."""
    entries: list[OutlineEntry] = []
    taken: set[str] = set()
    for opening, content in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        text = inline_text(content.children or ()).strip()
        if not text:
            continue
        anchor = _distinct(SECTION_ID + (slug(str(opening.meta.get("id", ""))) or slug(text) or "untitled"), taken)
        opening.attrSet("id", anchor)
        entries.append(OutlineEntry(int(opening.tag[1]), text, anchor))
    return entries


def slug(text: str) -> str:
    """The fragment that most generators make of a heading: lower case, words joined by dashes."""
    return re.sub(r"[\s_-]+", "-", re.sub(r"[^\w\s-]", "", text.lower())).strip("-")[:80]


def _distinct(anchor: str, taken: set[str]) -> str:
    number = 1
    candidate = anchor
    while candidate in taken:
        number += 1
        candidate = f"{anchor}-{number}"
    taken.add(candidate)
    return candidate


def _link_within(tokens: list[Token], outline: Sequence[OutlineEntry], uri: str) -> None:
    """Links to a heading of the same document lead there in our page."""
    anchors = {entry.anchor for entry in outline}
    for child in (child for token in tokens for child in token.children or ()):
        if child.type != "link_open":
            continue
        address, fragment = urldefrag(str(child.attrGet("href") or ""))
        anchor = SECTION_ID + slug(unquote(fragment))
        if fragment and address in ("", uri) and anchor in anchors:
            child.meta["anchor"] = anchor
