"""Tells indented code from indented prose, line by line, as CommonMark does. Not a Markdown parser.

Indented code goes into the vault; lines of HTML lose their indentation, so that they are not code once the tags are gone.
"""

import re

from app.corpus.readers.elements import BLOCKS, KNOWN
from app.corpus.readers.vault import FENCE_OPEN, Vault

_ITEM = re.compile(r"[ ]*(?:[-*+]|\d{1,9}[.)])(?:[ ]+|$)")
_HTML_LINE = re.compile(r"</?([A-Za-z][\w-]*)(?=[\s/>]|$)|<!--")
_TAG_ALONE = re.compile(r"</?[A-Za-z][^<>]*>\s*$")


def settle_indentation(text: str, vault: Vault) -> str:
    """The text with indented code in the vault and without indentation in front of HTML and plain paragraphs."""
    if "\n    " not in text and "\n\t" not in text and not text.startswith(("    ", "\t")):
        return text
    out: list[str] = []
    code: list[str] = []
    offsets: list[int] = []  # of the list items that are open: where their content begins
    blank, markup = True, False  # whether the line before is blank; whether we are inside a block of HTML

    def end_code() -> None:
        if code:
            base = offsets[-1] if offsets else 0
            token = vault.fence(vault.raw("\n".join(line[base + 4 :] for line in code)).rstrip())
            out.extend([" " * base + token, ""] if token else [""])
            code.clear()

    for raw in text.split("\n"):
        line = raw.expandtabs(4) if "\t" in raw else raw
        if not line or line.isspace():
            if code:
                code.append("")
            else:
                out.append("")
            blank, markup = True, False
            continue
        words = line.lstrip(" ")
        indent = len(line) - len(words)
        if code and indent >= (offsets[-1] if offsets else 0) + 4:
            code.append(line)
            continue
        end_code()
        if blank:
            while offsets and indent < offsets[-1]:
                offsets.pop()
        base = offsets[-1] if offsets else 0
        if not markup and _begins_markup(words):
            markup = True
        if markup:
            out.append(" " * min(indent, base) + words)
        elif blank and indent >= base + 4 and not words.startswith(FENCE_OPEN):
            code.append(line)
            continue
        else:
            out.append(_prose(line, indent, words, offsets, blank=blank))
        blank = False
    end_code()
    return "\n".join(out)


def _prose(line: str, indent: int, words: str, offsets: list[int], *, blank: bool) -> str:
    """A line that is neither code nor HTML; opens the list item that it begins."""
    match = _ITEM.match(line)
    if match:
        while offsets and indent < offsets[-1]:
            offsets.pop()
        content = len(match[0])
        width = content - indent
        offsets.append(content if width <= 5 and words[width:] else indent + 2)
    elif not blank and not offsets and indent >= 4 and not words.startswith(FENCE_OPEN):
        return words  # the paragraph goes on: its indentation means nothing
    return line


def _begins_markup(words: str) -> bool:
    if not words.startswith("<"):
        return False
    match = _HTML_LINE.match(words)
    if match is None:
        return False
    name = (match[1] or "").lower()
    return not name or name in BLOCKS or (name in KNOWN and _TAG_ALONE.match(words) is not None)
