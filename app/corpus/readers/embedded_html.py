"""HTML and components within Markdown -> plain Markdown. Not whole HTML pages, not template tags.

Tables, lists and the like are parsed as HTML; all other tags are taken from around their words, which are Markdown.
What only looks like a tag (`List<String>`, `<your-project>`) stays.
"""

import html
import re
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass

from app.corpus.readers.components import component_words
from app.corpus.readers.elements import (
    BLOCKS,
    CLOSED_BY_THE_NEXT,
    CODE,
    DROPPED,
    KNOWN,
    MARKS,
    VOID,
    is_hidden,
)
from app.corpus.readers.html_markdown import fragment, link, to_markdown
from app.corpus.readers.vault import FENCE_CLOSE, FENCE_OPEN, SPAN, Vault

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ATTRIBUTES = r"((?:\s(?:[^<>\"'{}]|\"[^\"<]{0,4000}\"|'[^'<]{0,4000}'|\"(?=\s*/?>)|\{(?:[^{}]|\{[^{}]{0,1000}\}){0,2000}\}){0,2000})?)"
_TAG = re.compile(rf"<(/?)([A-Za-z][\w.:-]*){_ATTRIBUTES}(/?)>|<>|</>")
_ATTRIBUTE = re.compile(
    r"([\w:@.-]+)\s*(?:=\s*(?:\"([^\"]*)\"|'([^']*)'|\{((?:[^{}]|\{[^{}]*\})*)\}|([^\s\"'=<>`]+)))?"
)
_LINE_PREFIX = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_PRE = re.compile(r"<pre\b[^<>]{0,1000}>|</pre\s*>", re.IGNORECASE)

_PARSED = frozenset(("table", "ul", "ol", "dl", "pre", "blockquote", "menu"))
_BOILERPLATE = re.compile(r"notebook-buttons|feedback|breadcrumb|cookie|table-of-contents", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Tag:
    start: int
    end: int
    name: str  # as written; lower case for elements of HTML
    attributes: dict[str, str | None]
    closing: bool = False
    whole: bool = False  # it holds nothing: <br>, <Card />

    @property
    def component(self) -> bool:
        return self.name not in KNOWN


def hide_preformatted(text: str, vault: Vault) -> str:
    """The text with each `<pre>` as a code block in the vault, before anything in it can be taken for Markdown."""
    if "<pre" not in text and "<PRE" not in text:
        return text
    marks = list(_PRE.finditer(text))
    out: list[str] = []
    done, index = 0, 0
    while index < len(marks):
        opening = marks[index]
        index += 1
        if opening[0].startswith("</"):
            continue
        while index < len(marks) and not marks[index][0].startswith("</"):
            index += 1
        if index == len(marks):
            break
        source = vault.raw(text[opening.start() : marks[index].end()])
        body = fragment(source)
        token = to_markdown(body, vault, escape=False) if body is not None else ""
        line = text[text.rfind("\n", 0, opening.start()) + 1 : opening.start()]
        indent = " " * len(line) if not line.strip() else _indent(line)
        out.append(text[done : opening.start()])
        out.append(f"{token}\n" if not line.strip() else f"\n{indent}{token}\n{indent}")
        done = marks[index].end()
        index += 1
    out.append(text[done:])
    return "".join(out)


def strip_comments(text: str) -> tuple[str, bool]:
    """The text without HTML comments, and whether one was never closed (then all below it is one)."""
    if "<!--" not in text:
        return text, False
    return _COMMENT.sub("", text), text.rfind("<!--") > text.rfind("-->")


def strip_tags(text: str, vault: Vault, *, components: bool) -> str:
    """The text with HTML as Markdown. `components`: every capitalised tag is a component, as in MDX."""
    if "<" not in text:
        return text
    tags = _real_tags(text, components=components)
    closers: dict[str, list[int]] = defaultdict(list)
    openers: dict[str, list[int]] = defaultdict(list)
    for index, tag in enumerate(tags):
        (closers if tag.closing else openers)[tag.name].append(index)
    out: list[str] = []
    marks: list[tuple[str, int, str]] = []  # links and code that are open: name, place in `out`, target
    done, index = 0, 0
    while index < len(tags):
        tag = tags[index]
        out.append(text[done : tag.start])
        done = tag.end
        line = text[text.rfind("\n", 0, tag.start) + 1 : tag.start]
        end = None
        if not tag.closing and not tag.whole and _whole(tag):
            end = _partner(index, tag.name, openers, closers)
        if end is not None:
            source = text[tag.start : tags[end].end]
            done = tags[end].end
            index = end + 1
            out.append(_parsed(tag, source, line, vault))
            continue
        index += 1
        _inline(tag, line, text, out, marks, vault)
    out.append(text[done:])
    return "".join(out)


# --- which tags are tags -----------------------------------------------------------------------------------------------


def _real_tags(text: str, *, components: bool) -> list[_Tag]:
    found = [_tag_of(match) for match in _TAG.finditer(text)]
    closed = {tag.name for tag in found if tag.closing}
    opened = {tag.name for tag in found if not tag.closing}
    return [tag for tag in found if _is_real(tag, opened, closed, components=components)]


def _tag_of(match: re.Match[str]) -> _Tag:
    name = match[2] or ""
    lower = name.lower()
    if lower in KNOWN and (name == lower or name.isupper()):
        name = lower
    source = match[3] or ""
    attributes = _attributes(source) if source.strip() else {}
    whole = bool(match[4]) or source.rstrip().endswith("/") or name in VOID
    return _Tag(match.start(), match.end(), name, attributes, closing=bool(match[1]), whole=whole)


def _is_real(tag: _Tag, opened: set[str], closed: set[str], *, components: bool) -> bool:
    name = tag.name
    if not name:
        return components  # <> and </> of JSX
    if tag.closing:
        return name in KNOWN or name in opened
    if name in KNOWN:
        if name in ("br", "hr", "wbr", "img"):
            return True
        return bool(tag.attributes) or name in closed or name in CLOSED_BY_THE_NEXT or tag.whole and name not in VOID
    if name[0].isupper():
        return tag.whole or name in closed or (components and bool(tag.attributes)) or "=" in str(tag.attributes)
    return "-" in name and name in closed or tag.whole and bool(tag.attributes)


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


# --- what becomes of them ----------------------------------------------------------------------------------------------


def _whole(tag: _Tag) -> bool:
    return tag.name in _PARSED or tag.name in DROPPED or is_hidden(tag.attributes)


def _partner(index: int, name: str, openers: dict[str, list[int]], closers: dict[str, list[int]]) -> int | None:
    """The closing tag that belongs to an opening one, with the same name nested between them; None if there is none."""
    opens, closes = openers[name], closers.get(name, [])
    nested = bisect_left(opens, index) + 1
    at = bisect_left(closes, index)
    depth = 1
    while at < len(closes):
        while nested < len(opens) and opens[nested] < closes[at]:
            depth += 1
            nested += 1
        depth -= 1
        if depth <= 0:
            return closes[at]
        at += 1
    nearest = bisect_left(closes, index)
    return closes[nearest] if nearest < len(closes) else None


def _parsed(tag: _Tag, source: str, line: str, vault: Vault) -> str:
    if tag.name not in _PARSED or is_hidden(tag.attributes) or _BOILERPLATE.search(tag.attributes.get("class") or ""):
        return ""
    body = fragment(source)
    markdown = to_markdown(body, vault, escape=False) if body is not None else ""
    if not markdown:
        return ""
    if line.lstrip().startswith("|"):
        return vault.cell(" ".join(markdown.split()))
    indent = _indent(line)
    block = markdown.replace("\n", f"\n{indent}") if indent else markdown
    return f"\n\n{indent}{block}\n\n" if line.strip() else f"{block}\n\n"


def _inline(tag: _Tag, line: str, text: str, out: list[str], marks: list[tuple[str, int, str]], vault: Vault) -> None:
    name = tag.name
    if tag.component:
        words = "" if tag.closing else component_words(name, tag.attributes, vault, whole=tag.whole)
        if words and line.lstrip().startswith("|"):
            words = " ".join(words.split())
        out.append(words.replace("\n", "\n" + _indent(line)) if words else "")
    elif name in CODE or name == "a":
        _mark(tag, out, marks, vault)
    elif name in MARKS:
        out.append(_emphasis(tag, text))
    elif name == "img":
        out.append(" ".join((tag.attributes.get("alt") or "").split()))
    elif name == "br":
        out.append(_break(line, "\n"))
    elif name in ("h1", "h2", "h3", "h4", "h5", "h6"):
        out.append(
            _break(line, "\n\n") + ("" if tag.closing or line.lstrip().startswith("|") else "#" * int(name[1]) + " ")
        )
    elif name in ("summary", "legend"):
        out.append("**" + _break(line, "\n\n") if tag.closing else _break(line, "\n\n") + "**")
    elif name == "li":
        out.append("" if tag.closing else _break(line, "\n") + "- ")
    elif name == "span":
        out.append(" " if tag.closing and text.startswith("<span", tag.end) else "")
    elif name in ("td", "th"):
        out.append(" ")
    elif name in BLOCKS:
        out.append(_break(line, "\n\n") if line.strip() or tag.closing else "")


def _mark(tag: _Tag, out: list[str], marks: list[tuple[str, int, str]], vault: Vault) -> None:
    if not tag.closing:
        if not tag.whole:
            target = tag.attributes.get("href") or ""
            marks.append((tag.name, len(out), "" if target == f"#{tag.attributes.get('id')}" else target))
        return
    at = next((i for i in range(len(marks) - 1, max(-1, len(marks) - 9), -1) if marks[i][0] == tag.name), None)
    if at is None:
        return
    _, start, target = marks[at]
    del marks[at:]
    inner = "".join(out[start:])
    core = inner.strip()
    if not core or "\n\n" in core or FENCE_OPEN in core or FENCE_CLOSE in core:
        return
    if tag.name == "a":
        marked = link(" ".join(core.split()), target) if "](" not in core else core
    else:
        marked = _code(core, vault)
    lead = inner[: len(inner) - len(inner.lstrip())]
    out[start:] = [lead + marked + inner[len(inner.rstrip()) :]]


def _code(core: str, vault: Vault) -> str:
    """Inline code from Markdown words in `<code>`: a link around or in it stays a link."""
    if match := re.fullmatch(r"\[([^\[\]]*)\]\(([^()\s]*)\)", core):
        return f"[{_code(match[1], vault)}]({match[2]})"
    words = vault.raw(core)
    words = words.strip("`") if "`" in words else re.sub(r"\*\*|(?<!\w)_|_(?!\w)", "", words)
    return vault.code_span(html.unescape(words.replace("&#124;", r"\|").replace("&vert;", r"\|")))


def _emphasis(tag: _Tag, text: str) -> str:
    """The mark of bold or italic words; none where blanks would keep it from being one."""
    before, after = text[tag.start - 1 : tag.start], text[tag.end : tag.end + 1]
    if tag.closing:
        return MARKS[tag.name] if before.strip() and before not in "*_>" else ""
    return MARKS[tag.name] if after.strip() and after not in "*_<" else ""


def _break(line: str, ends: str) -> str:
    """A line's end where the line can take one: not in a table's row."""
    if line.lstrip().startswith(("|", ">")):
        return " "
    if not line.strip():
        return "\n" if ends == "\n\n" else ""
    return ends + _indent(line)


def _indent(line: str) -> str:
    match = _LINE_PREFIX.match(line)
    return " " * len(match[0].expandtabs(4)) if match else ""
