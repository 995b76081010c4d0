"""Plain text -> Markdown that shows the same: nothing in it is a heading or a link. Not the guessing of structure."""

import re

from app.corpus.readers.draft import Draft

_MARKED = re.compile(r"^([ ]{0,3})(#{1,6}(?=\s|$)|>|```|~~~|=+[ ]*$|-{2,}[ ]*$|\|)", re.MULTILINE)
_LINE_END = re.compile(r"(?<=[^\s])[ \t]*\n(?=[^\n])")


def read_plain_text(text: str) -> Draft:
    """The text with its line ends kept (as Markdown's hard breaks) and marks of headings, quotes and fences escaped."""
    text = _MARKED.sub(r"\1\\\2", text.strip("\n"))
    return Draft(content=_LINE_END.sub("  \n", text))
