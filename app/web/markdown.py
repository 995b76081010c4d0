"""Everything foreign that is shown passes here: answers, passages, documents, and their one-line texts.

One pipeline for all (behaviour 27); it renders values and knows no request. The steps have modules of their own.
"""

from app.domain.documents import Passage
from app.web.answer_view import AnswerRendering, Rendered, answer_html
from app.web.blocks import Words, block_tokens, inline_text, parse_inlines
from app.web.document_view import OutlineEntry, RenderedDocument, document_html, passage_html
from app.web.links import text_directive
from app.web.sanitising import characters

__all__ = [
    "AnswerRendering",
    "OutlineEntry",
    "Rendered",
    "RenderedDocument",
    "Words",
    "answer_html",
    "document_html",
    "passage_html",
    "plain",
    "text_fragment",
]

PLAIN_LIMIT = 4_000  # characters read of a text that becomes one line
FRAGMENT_WORDS = 5  # at each end of a passage; more make an address long, fewer match elsewhere


def plain(text: str) -> str:
    """Markdown as one line of plain text: for titles, tab names and excerpts. Not HTML: it must still be escaped."""
    return " ".join(" ".join(_texts(characters(text[:PLAIN_LIMIT]))).split())


def text_fragment(uri: str, passage: Passage) -> str:
    """The address with a text fragment that scrolls to the passage, where it is verbatim prose; else as it is.

    The plain address always works; browsers that find nothing to match open the page at its top.
    """
    words = _prose(passage).split()
    if passage.start is None or len(words) < 3:
        return uri
    if len(words) <= 2 * FRAGMENT_WORDS:
        return text_directive(uri, " ".join(words))
    return text_directive(uri, " ".join(words[:FRAGMENT_WORDS]), " ".join(words[-FRAGMENT_WORDS:]))


def _texts(text: str) -> list[str]:
    references: dict[str, object] = {}
    tokens = block_tokens(text, references)
    parse_inlines(tokens, references)
    return [inline_text(token.children) if token.children else token.content for token in tokens]


def _prose(passage: Passage) -> str:
    """The passage's supporting words, else its first paragraph; nothing where that is no plain paragraph."""
    text = passage.text
    if passage.marks:
        start, end = passage.marks[0]
        text = text[start:end]
    tokens = block_tokens(characters(text[:PLAIN_LIMIT]), {})
    at = next((place for place, token in enumerate(tokens) if token.type == "inline"), None)
    if at is None or any(token.type in ("fence", "code_block", "table_open") for token in tokens[:at]):
        return ""
    if tokens[at - 1].type != "paragraph_open" or len(text) > PLAIN_LIMIT:
        return ""
    parse_inlines(tokens, {})
    children = tokens[at].children or []
    return inline_text(children) if all(child.type != "image" for child in children) else ""
