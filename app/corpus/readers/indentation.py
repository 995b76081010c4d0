"""Tells indented code from indented prose, line by line, as CommonMark does. Not a Markdown parser.

Indented code goes into the vault; lines of HTML lose their indentation, lest they be code once the tags are gone.
"""

import re

from app.corpus.readers.elements import BLOCKS, KNOWN
from app.corpus.readers.vault import FENCE_OPEN, Vault

_ITEM = re.compile(r"[ ]*(?:[-*+]|\d{1,9}[.)])(?:[ ]+|$)")
_HTML_LINE = re.compile(r"</?([A-Za-z][\w-]*)(?=[\s/>]|$)|<!--")
_TAG_ALONE = re.compile(r"</?[A-Za-z][^<>]*>\s*$")


def settle_indentation(text: str, vault: Vault, *, code: bool = True) -> str:
    """The text with indented code in the vault and without indentation in front of HTML and plain paragraphs.

    `code` is off for MDX, where indentation makes no code: there it is taken away.
    """
    settled = _Settled(vault, code=code)
    for line in text.split("\n"):
        settled.take(line.expandtabs(4) if "\t" in line else line, line)
    settled.end_code()
    return "\n".join(settled.out)


class _Settled:
    def __init__(self, vault: Vault, *, code: bool) -> None:
        self.out: list[str] = []
        self._vault = vault
        self._makes_code = code
        self._code: list[str] = []
        self._written: list[str] = []
        self._offsets: list[int] = []  # of the list items that are open: where their content begins
        self._blank = True  # the line before is blank
        self._markup = False  # we are inside a block of HTML, which a blank line ends
        self._tables = 0  # of HTML, open: a blank line does not end them
        self._shift = 0  # by how much the paragraphs of a component are moved to the left

    def take(self, line: str, raw: str) -> None:
        """One line, with its tabs expanded and as it is written."""
        words = line.lstrip(" ")
        if not words or words.isspace():
            (self._code or self.out).append("")
            self._written.append("")
            self._blank, self._markup = True, self._tables > 0
            return
        indent = len(line) - len(words)
        if self._shift and indent < self._shift:
            self._shift = 0
        if self._shift:
            line, indent = line[self._shift :], indent - self._shift
        if self._code and indent >= self._base() + 4:
            self._code.append(line)
            self._written.append(raw)
            return
        self.end_code()
        if self._blank:
            while self._offsets and indent < self._offsets[-1]:
                self._offsets.pop()
        self._put(line, words, indent, raw)

    def end_code(self) -> None:
        """Put the indented code that has been gathered into the vault."""
        if self._code:
            base = self._base()
            code = self._vault.raw("\n".join(line[base + 4 :] for line in self._code))
            token = self._vault.fence(code, written="\n".join(self._written).rstrip())
            self.out.extend([" " * base + token, ""] if token else [""])
            self._code.clear()
        self._written.clear()

    def _base(self) -> int:
        return self._offsets[-1] if self._offsets else 0

    def _put(self, line: str, words: str, indent: int, raw: str) -> None:
        base = self._base()
        if not self._markup and _begins_markup(words):
            self._markup = True
        if "<" in words:
            self._tables = max(0, self._tables + words.count("<table") - words.count("</table"))
        if self._markup:
            self.out.append(" " * min(indent, base) + words)
        elif self._blank and indent >= base + 4 and not words.startswith(FENCE_OPEN):
            if self._makes_code:
                self._code.append(line)
                self._written.append(raw)
                return
            self._shift += indent - base
            self.out.append(self._prose(line[indent - base :], base, words))
        else:
            self.out.append(self._prose(line, indent, words))
        self._blank = False

    def _prose(self, line: str, indent: int, words: str) -> str:
        """A line that is neither code nor HTML; opens the list item that it begins."""
        offsets = self._offsets
        match = _ITEM.match(line)
        if match:
            while offsets and indent < offsets[-1]:
                offsets.pop()
            content = len(match[0])
            offsets.append(content if content - indent <= 5 and words[content - indent :] else indent + 2)
            return line
        plain = not offsets and not words.startswith(FENCE_OPEN) and (indent < 4 or not self._blank)
        return words if plain else line  # outside of lists its indentation means nothing


def _begins_markup(words: str) -> bool:
    if not words.startswith("<"):
        return False
    match = _HTML_LINE.match(words)
    if match is None:
        return False
    name = (match[1] or "").lower()
    return not name or name in BLOCKS or (name in KNOWN and _TAG_ALONE.match(words) is not None)
