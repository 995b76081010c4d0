"""Which `<...>` in a Markdown text are tags, with their attributes. Not what becomes of them.

`List<String>` and `<your-project>` are words: a tag is an element of HTML, or has attributes, or is closed somewhere.
"""

import re
from dataclasses import dataclass

from app.corpus.readers.elements import CLOSED_BY_THE_NEXT, KNOWN, VOID
from app.corpus.readers.vault import SPAN

_ATTRIBUTES = (
    r"((?:\s(?:[^<>\"'{}]|\"[^\"<]{0,4000}\"|'[^'<]{0,4000}'|\"(?=\s*/?>)"
    r"|\{(?:[^{}]|\{[^{}]{0,1000}\}){0,2000}\}){0,2000})?)"
)
_TAG = re.compile(rf"<(/?)([A-Za-z][\w.:-]*){_ATTRIBUTES}(/?)>|<>|</>")
_ATTRIBUTE = re.compile(
    r"([\w:@.-]+)\s*(?:=\s*(?:\"([^\"]*)\"|'([^']*)'|\{((?:[^{}]|\{[^{}]*\})*)\}|([^\s\"'=<>`]+)))?"
)


@dataclass(frozen=True, slots=True)
class MarkupTag:
    """A tag in the text: its place, its name as written (lower case for elements of HTML), its attributes."""

    start: int
    end: int
    name: str
    attributes: dict[str, str | None]
    closing: bool = False
    whole: bool = False  # it holds nothing: <br>, <Card />

    @property
    def component(self) -> bool:
        """Whether it is no element of HTML."""
        return self.name not in KNOWN


def real_tags(text: str, *, components: bool) -> list[MarkupTag]:
    """The tags of a text in their order. `components`: every capitalised one with attributes is a component (MDX)."""
    found = [_tag_of(match) for match in _TAG.finditer(text)]
    closed = {tag.name for tag in found if tag.closing}
    opened = {tag.name for tag in found if not tag.closing}
    return [tag for tag in found if _is_real(tag, opened, closed, components=components)]


def _tag_of(match: re.Match[str]) -> MarkupTag:
    name = match[2] or ""
    lower = name.lower()
    if lower in KNOWN and (name == lower or name.isupper()):
        name = lower
    source = match[3] or ""
    attributes = _attributes(source) if source.strip() else {}
    whole = bool(match[4]) or source.rstrip().endswith("/") or name in VOID
    return MarkupTag(match.start(), match.end(), name, attributes, closing=bool(match[1]), whole=whole)


def _is_real(tag: MarkupTag, opened: set[str], closed: set[str], *, components: bool) -> bool:
    name = tag.name
    if not name:
        return components  # <> and </> of JSX
    if tag.closing:
        return name in KNOWN or name in opened
    if name in KNOWN:
        if name in ("br", "hr", "wbr", "img"):
            return True
        return bool(tag.attributes) or name in closed or name in CLOSED_BY_THE_NEXT or (tag.whole and name not in VOID)
    if name[0].isupper():
        return tag.whole or name in closed or (components and bool(tag.attributes)) or "=" in str(tag.attributes)
    return ("-" in name and name in closed) or (tag.whole and bool(tag.attributes))


def _attributes(source: str) -> dict[str, str | None]:
    attributes: dict[str, str | None] = {}
    for match in _ATTRIBUTE.finditer(source, 0, 20_000):
        value = next((part for part in match.groups()[1:] if part is not None), None)
        if match[4] is not None:
            value = _expression(match[4])
        attributes.setdefault(match[1], value)
    return attributes


def _expression(source: str) -> str:
    """A JSX value: plain text in quotes is its text, anything else nothing."""
    source = source.strip()
    if SPAN.fullmatch(source):
        return source  # a template text between backticks: the vault took it for code
    if len(source) > 1 and source[0] in "\"'`" and source[-1] == source[0] and "${" not in source:
        return source[1:-1]
    return ""
