"""HTML and components within Markdown -> plain Markdown. Not whole HTML pages, not template tags.

Tables, lists and the like are parsed as HTML; all other tags are taken from around their words, which are Markdown.
"""

import html
import re
from bisect import bisect_left
from collections import defaultdict

from app.corpus.readers.components import component_words
from app.corpus.readers.elements import BLOCKS, CODE, DROPPED, MARKS, is_hidden
from app.corpus.readers.html_markdown import fragment, link, to_markdown
from app.corpus.readers.markup_tags import MarkupTag, real_tags
from app.corpus.readers.vault import FENCE_OPEN, Vault

MAX_PARTNERS = 2000  # closing tags looked at for one opening tag: beyond that nothing is nested in earnest

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINE_PREFIX = re.compile(r"[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
_PRE = re.compile(r"<pre\b[^<>]{0,1000}>|</pre\s*>", re.IGNORECASE)

_PARSED = frozenset(("table", "ul", "ol", "dl", "pre", "blockquote", "menu"))
_BOILERPLATE = re.compile(r"notebook-buttons|feedback|breadcrumb|cookie|table-of-contents", re.IGNORECASE)


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
    return _Stripped(text, vault, real_tags(text, components=components)).text()


class _Stripped:
    """One pass over a text's tags: what is parsed as HTML is replaced whole, all others one by one."""

    def __init__(self, text: str, vault: Vault, tags: list[MarkupTag]) -> None:
        self._source = text
        self._vault = vault
        self._tags = tags
        self._openers: dict[str, list[int]] = defaultdict(list)
        self._closers: dict[str, list[int]] = defaultdict(list)
        for index, tag in enumerate(tags):
            (self._closers if tag.closing else self._openers)[tag.name].append(index)
        self._out: list[str] = []
        self._marks: list[tuple[str, int, str]] = []  # links and code that are open: name, place in `_out`, target

    def text(self) -> str:
        done, index = 0, 0
        while index < len(self._tags):
            tag = self._tags[index]
            self._out.append(self._source[done : tag.start])
            line = self._source[self._source.rfind("\n", 0, tag.start) + 1 : tag.start]
            last = self._partner(index) if _is_parsed(tag) else None
            if last is None:
                done = tag.end
                self._one(tag, line)
            else:
                done, index = self._tags[last].end, last
                self._out.append(self._parsed(tag, self._source[tag.start : done], line))
            index += 1
        self._out.append(self._source[done:])
        return "".join(self._out)

    def _partner(self, index: int) -> int | None:
        """The tag that closes the one at `index`, with the same name nested between them; None if there is none."""
        name = self._tags[index].name
        opens, closes = self._openers[name], self._closers.get(name, [])
        nested = bisect_left(opens, index) + 1
        first = bisect_left(closes, index)
        depth = 1
        for closer in closes[first : first + MAX_PARTNERS]:
            while nested < len(opens) and opens[nested] < closer:
                depth += 1
                nested += 1
            depth -= 1
            if depth <= 0:
                return closer
        return closes[first] if first < len(closes) else None

    def _parsed(self, tag: MarkupTag, source: str, line: str) -> str:
        boilerplate = _BOILERPLATE.search(tag.attributes.get("class") or "")
        if tag.name not in _PARSED or is_hidden(tag.attributes) or boilerplate:
            return ""
        body = fragment(source)
        markdown = to_markdown(body, self._vault, escape=False) if body is not None else ""
        if not markdown:
            return ""
        if line.lstrip().startswith("|"):
            return self._vault.cell(" ".join(markdown.split()))
        indent = _indent(line)
        block = markdown.replace("\n", f"\n{indent}") if indent else markdown
        return f"\n\n{indent}{block}\n\n" if line.strip() else f"{block}\n\n"

    def _one(self, tag: MarkupTag, line: str) -> None:
        name = tag.name
        if tag.component:
            self._out.append(self._component(tag, line))
        elif name in CODE or name == "a":
            self._mark(tag)
        elif name in MARKS:
            self._out.append(_emphasis(tag, self._source))
        elif name == "img":
            self._out.append(" ".join((tag.attributes.get("alt") or "").split()))
        elif name == "span":
            self._out.append(" " if tag.closing and self._source.startswith("<span", tag.end) else "")
        else:
            self._out.append(_structure(tag, line))

    def _component(self, tag: MarkupTag, line: str) -> str:
        words = "" if tag.closing else component_words(tag.name, tag.attributes, self._vault, whole=tag.whole)
        if line.lstrip().startswith("|"):
            return " ".join(words.split())
        return words.replace("\n", "\n" + _indent(line))

    def _mark(self, tag: MarkupTag) -> None:
        """Begin or end a link or inline code: at its end the words since its beginning are known."""
        marks, out = self._marks, self._out
        if not tag.closing:
            if not tag.whole:
                target = tag.attributes.get("href") or ""
                marks.append((tag.name, len(out), "" if target == f"#{tag.attributes.get('id')}" else target))
            return
        recent = range(len(marks) - 1, max(-1, len(marks) - 9), -1)
        at = next((i for i in recent if marks[i][0] == tag.name), None)
        if at is None:
            return
        _, start, target = marks[at]
        del marks[at:]
        inner = "".join(out[start:])
        core = inner.strip()
        if not core or "\n\n" in core or FENCE_OPEN in core:
            return
        if tag.name == "a":
            marked = link(" ".join(core.split()), target) if "](" not in core else core
        else:
            marked = _code(core, self._vault)
        out[start:] = [inner[: len(inner) - len(inner.lstrip())] + marked + inner[len(inner.rstrip()) :]]


def _is_parsed(tag: MarkupTag) -> bool:
    if tag.closing or tag.whole:
        return False
    return tag.name in _PARSED or tag.name in DROPPED or is_hidden(tag.attributes)


def _structure(tag: MarkupTag, line: str) -> str:
    """What a tag of structure leaves: a line's end, the marks of a heading, of an item, of a summary."""
    in_row = line.lstrip().startswith("|")
    match tag.name:
        case "br":
            return _break(line, "\n")
        case "h1" | "h2" | "h3" | "h4" | "h5" | "h6":
            return _break(line, "\n\n") + ("" if tag.closing or in_row else "#" * int(tag.name[1]) + " ")
        case "summary" | "legend":
            return "**" + _break(line, "\n\n") if tag.closing else _break(line, "\n\n") + "**"
        case "li":
            return "" if tag.closing else _break(line, "\n") + "- "
        case "td" | "th":
            return " "
        case name if name in BLOCKS and (line.strip() or tag.closing):
            return _break(line, "\n\n")
        case _:
            return ""


def _code(core: str, vault: Vault) -> str:
    """Inline code from Markdown words in `<code>`: a link around or in it stays a link."""
    if match := re.fullmatch(r"\[([^\[\]]*)\]\(([^()\s]*)\)", core):
        return f"[{_code(match[1], vault)}]({match[2]})"
    words = vault.raw(core)
    words = words.strip("`") if "`" in words else re.sub(r"\*\*|(?<!\w)_|_(?!\w)", "", words)
    return vault.code_span(html.unescape(words.replace("&#124;", r"\|").replace("&vert;", r"\|")))


def _emphasis(tag: MarkupTag, text: str) -> str:
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
