"""What a document is called whose source tells no title: its first heading, else the last words of its name."""

import re
from dataclasses import replace

from app.domain.documents import Document

_HEADING = re.compile(r"^[ ]{0,3}#{1,2}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
LOOKED_AT = 4_000  # characters: a title stands at the beginning
LONGEST = 200


def with_title(document: Document) -> Document:
    """The document, with a title in any case."""
    return document if document.title else replace(document, title=title_of(document.content, document.name))


def title_of(content: str, name: str) -> str:
    """A title of at most 200 characters; the name's last part where no heading begins the text."""
    found = _HEADING.search(content[:LOOKED_AT])
    heading = _LINK.sub(r"\1", found[1]).strip("*_` ") if found else ""
    return heading[:LONGEST] or name.rstrip("/").rpartition("/")[2].replace("-", " ").replace("_", " ")[:LONGEST]
