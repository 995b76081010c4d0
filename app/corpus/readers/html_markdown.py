"""A tree of HTML -> Markdown. Not the choice of what is the page's article, and not tags within Markdown.

The tree is walked without recursion, so no nesting is too deep; beyond a limit the inner lists and quotes are one.
"""

import re
import textwrap
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from app.corpus.readers.elements import BLOCKS, CODE, DROPPED, KNOWN, MARKS, is_hidden
from app.corpus.readers.html_frames import Frame, listed, put_cell, put_item, put_row, table_lines
from app.corpus.readers.vault import FENCE_OPEN, Vault

LABEL = "data-label"  # words that belong above an element though they stand elsewhere: a tab's name
MAX_NESTING = 24  # lists, quotes and tables inside each other
MAX_MARKS = 12  # bold, italic and links inside each other
MAX_SPAN = 30  # a cell that claims more columns is believed no further

_BLANKS = re.compile(r"[ \t\n\f]+")
_ESCAPED = re.compile(r"([\\`*]|(?<![^\W_])_|_(?![^\W_])|~~|\](?=\())")
_LINE_START = re.compile(r"^(#{1,6}\s|>|[-+]\s|=+\s*$|-+\s*$|\|)|^(\d{1,9})([.)]\s)")
_TAG_LIKE = re.compile(r"<(?=/?([A-Za-z][\w-]*)|!--|\?)")
_LANGUAGE = re.compile(r"(?:lang(?:uage)?|highlight|brush|sourceCode|src)[-: ]+([\w+#-]+)", re.IGNORECASE)
_NO_CODE = ".prompt, .gp, .linenos, .lineno, .copybtn"
_KINDS = {
    "ul": "list", "ol": "list", "menu": "list", "dl": "list", "li": "item", "dd": "item", "blockquote": "quote",
    "table": "table", "tr": "row", "td": "cell", "th": "cell",
}  # fmt: skip
_PARENTS = {"item": ("list",), "row": ("table",), "cell": ("row",)}
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BOLD = frozenset(("summary", "dt", "caption", "legend"))
_PROMPT_CLASSES = frozenset(
    ("prompt", "gp", "headerlink", "anchor-link", "linenos", "lineno", "copybtn", "heading-anchor")
)
_ANCHOR_TEXTS = frozenset(("¶", "#", "🔗", "§", "link", "permalink", "anchor", ""))


def to_markdown(node: LexborNode, vault: Vault, *, escape: bool = True) -> str:
    """The Markdown of the node's content; code goes into the vault. `escape` is off for text that is Markdown."""
    writer = _Writer(vault, escape=escape)
    for event, current in _walk(node):
        if event == "text":
            writer.text(current.text_content or "")
        elif event == "open":
            writer.open(current)
        else:
            writer.close(current.tag or "")
    return writer.finish()


def fragment(source: str) -> LexborNode | None:
    """The body of a piece of HTML, None where there is none."""
    return LexborHTMLParser(source).body


def text_of(node: LexborNode) -> str:
    """The node's words in one line."""
    return " ".join(node.text(deep=True, separator="", strip=False).split())


def guarded(text: str) -> str:
    """The text with every `<` that would begin a known element written as an entity: words stay words everywhere."""
    if "<" not in text:
        return text
    return _TAG_LIKE.sub(lambda match: "&lt;" if match[1] is None or match[1].lower() in KNOWN else "<", text)


def _walk(root: LexborNode) -> Iterator[tuple[str, LexborNode]]:
    node = root.child
    path: list[LexborNode] = []
    while node is not None or path:
        if node is None:
            node = path.pop()
            yield "close", node
            node = node.next
            continue
        tag = node.tag
        if tag == "-text":
            yield "text", node
        elif tag and tag[0] not in "-!_" and tag not in DROPPED and not _skipped(node):
            yield "open", node
            if tag == "pre" or tag in CODE:
                node = node.next  # taken whole by `open`
                continue
            path.append(node)
            node = node.child
            continue
        node = node.next


def _skipped(node: LexborNode) -> bool:
    attributes = node.attributes
    if not attributes:
        return False
    if is_hidden(attributes):
        return True
    classes = (attributes.get("class") or "").lower().split()
    if not _PROMPT_CLASSES.isdisjoint(classes):
        return True
    return (
        node.tag == "a"
        and "href" in attributes
        and text_of(node).lower() in _ANCHOR_TEXTS
        and node.css_first("img") is None
    )


class _Writer:
    def __init__(self, vault: Vault, *, escape: bool) -> None:
        self._vault = vault
        self._escape = escape
        self._frames = [Frame("page")]
        self._open: list[bool] = []  # per open element: whether it has a frame of its own
        self._marks: list[tuple[str, int, str]] = []  # tag, where its words begin, a link's target

    # --- events ---

    def text(self, text: str) -> None:
        text = _BLANKS.sub(" ", text.replace("\xa0", " "))
        if self._escape:
            text = _ESCAPED.sub(r"\\\1", text)
        frame = self._frames[-1]
        if text == " " and (not frame.words or frame.words[-1].endswith((" ", "\n"))):
            return
        if text.strip() or (text and frame.kind not in ("table", "row", "list")):
            frame.words.append(guarded(text))

    def open(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "pre":
            self._pre(node)
        elif tag in CODE:
            self._words().append(self._vault.code_span(self._vault.raw(node.text(deep=True))))
        elif tag == "br":
            self._words().append("\n")
        elif tag == "hr":
            self._flush()
        elif tag == "img":
            self._words().append(self._escaped(node.attributes.get("alt") or ""))
        elif tag in MARKS or tag == "a":
            if len(self._marks) < MAX_MARKS:
                self._marks.append((tag, len(self._words()), node.attributes.get("href") or ""))
        elif tag in BLOCKS:
            self._open_block(tag, node)
            if label := node.attributes.get(LABEL):
                self._frames[-1].blocks.append(f"**{self._escaped(label)}**")

    def close(self, tag: str) -> None:
        if tag in MARKS or tag == "a":
            self._close_mark(tag)
        elif tag in BLOCKS and tag not in ("hr", "pre"):
            self._close_block(tag)

    def finish(self) -> str:
        while len(self._frames) > 1:
            self._leave()
        self._flush()
        return "\n\n".join(self._frames[0].blocks)

    # --- words ---

    def _words(self) -> list[str]:
        return self._frames[-1].words

    def _escaped(self, text: str) -> str:
        text = " ".join(text.split())
        return guarded(_ESCAPED.sub(r"\\\1", text) if self._escape else text)

    def _close_mark(self, tag: str) -> None:
        at = next((i for i in range(len(self._marks) - 1, -1, -1) if self._marks[i][0] == tag), None)
        if at is None:
            return
        _, start, target = self._marks.pop(at)
        words = self._words()
        if start > len(words):
            return  # a block ended in between: its words are written already
        inner = "".join(words[start:])
        core = inner.strip()
        if not core or FENCE_OPEN in core:
            return
        before = inner[: len(inner) - len(inner.lstrip())]
        after = inner[len(inner.rstrip()) :]
        if tag == "a":
            marked = link(core.replace("\n", " "), target)
        else:
            mark = MARKS[tag]
            marked = core if core.startswith(mark) and core.endswith(mark) else f"{mark}{core}{mark}"
        words[start:] = [before + marked + after]

    def _flush(self) -> None:
        """End the paragraph in hand."""
        frame = self._frames[-1]
        if not frame.words:
            return
        paragraph = "".join(frame.words)
        frame.words.clear()
        self._marks.clear()
        lines = [_BLANKS.sub(" ", line).strip() for line in paragraph.split("\n")]
        paragraph = "\n".join(line for line in lines if line)
        if paragraph:
            if self._escape:
                paragraph = "\n".join(_LINE_START.sub(_escape_start, line) for line in paragraph.split("\n"))
            frame.blocks.append(paragraph)

    # --- blocks ---

    def _pre(self, node: LexborNode) -> None:
        self._flush()
        for number in node.css(_NO_CODE):
            number.decompose()
        for line_end in node.css("br"):
            line_end.replace_with("\n")
        code = textwrap.dedent(self._vault.raw(node.text(deep=True)).strip("\n"))
        token = self._vault.fence(code, _pre_language(node))
        if token:
            self._frames[-1].blocks.append(token)

    def _open_block(self, tag: str, node: LexborNode) -> None:
        frame = self._frames[-1]
        if frame.kind not in ("table", "row"):
            self._flush()
        if tag == "thead" and frame.kind == "table" and not frame.rows:
            frame.heads = 1
        kind = _KINDS.get(tag)
        framed = (
            kind is not None and frame.kind in _PARENTS.get(kind, (frame.kind,)) and len(self._frames) < MAX_NESTING
        )
        self._open.append(framed)
        if not framed or kind is None:
            return
        inner = Frame(kind, ordered=tag == "ol")
        if kind == "list" and tag == "ol":
            start = node.attributes.get("start") or ""
            inner.count = int(start[:6]) - 1 if start.isdecimal() else 0
        if kind == "cell":
            inner.span, inner.count, inner.heads = _span(node, "colspan"), _span(node, "rowspan"), int(tag == "th")
        self._frames.append(inner)

    def _close_block(self, tag: str) -> None:
        framed = self._open.pop() if self._open else False
        if framed:
            self._leave()
            return
        frame = self._frames[-1]
        if tag in _HEADINGS or tag in _BOLD:
            words = " ".join("".join(frame.words).split())
            frame.words.clear()
            self._marks.clear()
            if words:
                self._titled(frame, tag, words)
        else:
            self._flush()

    def _titled(self, frame: Frame, tag: str, words: str) -> None:
        bold = words if "**" in words else f"**{words}**"
        if tag == "dt" and frame.kind == "list":
            frame.terms.append(bold)
        elif tag in _HEADINGS and frame.kind != "cell":
            frame.blocks.append(f"{'#' * int(tag[1])} {words}")
        else:
            frame.blocks.append(bold)

    def _leave(self) -> None:
        self._flush()
        frame = self._frames.pop()
        parent = self._frames[-1]
        match frame.kind:
            case "item":
                put_item(parent, frame)
            case "list":
                frame.blocks.extend(f"- {term}" for term in frame.terms)
                if frame.blocks:
                    parent.blocks.append(listed(frame.blocks))
            case "quote":
                inner = "\n\n".join(frame.blocks)
                if inner:
                    parent.blocks.append("\n".join(f"> {line}".rstrip() for line in inner.split("\n")))
            case "cell":
                parent.heads += frame.heads
                put_cell(self._vault, parent, frame)
            case "row":
                put_row(parent, frame)
            case _:
                parent.blocks.extend([*frame.blocks, *table_lines(frame)])


def link(text: str, target: str) -> str:
    """A Markdown link; only its text where the target is empty or text holds what a link cannot."""
    target = target.strip()
    if not target or "\n" in text:
        return text
    if re.search(r"[\s()<>]", target):
        target = "<" + re.sub(r"[<>\n]", "", target) + ">"
    return f"[{text}]({target})"


def _pre_language(node: LexborNode) -> str:
    code = node.css_first("code")
    for candidate in (code, node, node.parent):
        if candidate is None:
            continue
        attributes = candidate.attributes
        for name in ("data-lang", "data-language", "lang"):
            if re.fullmatch(r"[\w+#-]{1,20}", attributes.get(name) or "") and name != "lang":
                return (attributes[name] or "").lower()
        if match := _LANGUAGE.search(attributes.get("class") or ""):
            return match[1].lower()
    return ""


def _escape_start(match: re.Match[str]) -> str:
    return f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}"


def _span(node: LexborNode, name: str) -> int:
    value = node.attributes.get(name) or ""
    return min(int(value), MAX_SPAN) if value.isdigit() and len(value) < 6 and int(value) else 1
