"""A page's title as plain text. Not its headings as the page shows them."""

import html
import re

from app.corpus.readers.elements import KNOWN

MAX_TITLE = 300

_HEADING = re.compile(
    r"^ {0,3}(#{1,6})[ \t]+(\S[^\n]*?)(?:[ \t]+#+)?[ \t]*$|^ {0,3}(?![-+*>|#])(\S[^\n]*)\n {0,3}(=+|-{2,})[ \t]*$",
    re.MULTILINE,
)
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_TAG = re.compile(r"</?([A-Za-z][\w-]*)(?:\s[^<>]*)?/?>")
_CODE = re.compile(r"(`+[^`]+`+)")
_EMPHASIS = re.compile(r"(\*{1,3}|~~|(?<!\w)_{1,3}(?=\S))(\S|\S.*?\S)\1(?!\w)")


def headings_of(text: str) -> tuple[str, ...]:
    """The first heading of the first level, then the first at all. Code is not looked at: it is in the vault."""
    first = ""
    for match in _HEADING.finditer(text):
        words = match[2] or match[3] or ""
        level = len(match[1]) if match[1] else 1 if match[4][0] == "=" else 2
        if level == 1:
            return (words, first or words)
        first = first or words
    return (first,) if first else ()


def plain(markdown: str) -> str:
    """Markdown or HTML of one line as plain text, at most 300 characters."""
    text = " ".join(markdown[: 4 * MAX_TITLE].split())
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    pieces = _CODE.split(text)
    text = "".join(piece.strip("`") if nth % 2 else _words(piece) for nth, piece in enumerate(pieces))
    text = " ".join(text.split())
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1].rstrip() + "…"


def _words(text: str) -> str:
    if "<" in text:
        text = _TAG.sub(lambda match: "" if match[1].lower() in KNOWN else match[0], text)
    if "*" in text or "_" in text or "~~" in text:
        text = _EMPHASIS.sub(r"\2", text)
    return html.unescape(re.sub(r"\\([\\`*_{}\[\]()#+.!<>|~-])", r"\1", text))
