"""Markdown -> its blocks and sentences, as places in the text. Not the rendering, and no words of a block are changed.

A block is what can be quoted by itself: a paragraph, a list item with all that belongs to it, a table's row, a block of
code. Blocks come in reading order and never overlap; blank lines and a table's head lie between them.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from markdown_it import MarkdownIt
from markdown_it.token import Token

LONG_ITEM = 120  # words from which on an item with a list inside is several blocks
LONG_QUOTE = 120


class BlockKind(StrEnum):
    """What a block is. A RULE is a line across the page and holds no words."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    QUOTE = "quote"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Block:
    """One block: `text[start:end]` is its Markdown, verbatim, without the line end after it.

    `level` is a heading's level (1 to 6) or the depth of the list that an item stands in (1 for the outermost).
    `text` is a heading's text without its marks. `lead` is what has to be read before the block: for a ROW the table's
    header and delimiter lines, for an ITEM or CODE the sentence that leads in ("Run this command:"), empty if there is
    none; `lead_span` is where that stands. A block inside a list keeps its indentation: `start` is its line's start.
    """

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    text: str = ""
    lead: str = ""
    lead_span: tuple[int, int] | None = None
    ordered: bool = False


def blocks_of(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text. Never raises, whatever the text: what is no Markdown is paragraphs."""
    if not text:
        return ()
    lines = _Lines(text)
    tokens = _PARSER.parse(text)
    return tuple(_led(text, _blocks(tokens, lines)))


def leads_in(paragraph: str) -> bool:
    """Whether a paragraph announces what follows: it ends in a colon, or is nothing but bold words ("**Python**")."""
    return paragraph.rstrip("*_ \n").endswith((":", "：")) or _BOLD.fullmatch(paragraph.strip()) is not None


def sentences_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where the sentences of a paragraph stand, without the blanks between them.

    A dot in a number, a version, a name, an abbreviation, in code or in a link ends nothing.
    """
    kept = [match.span() for match in _UNCUT.finditer(text)]
    starts = [start for start, _ in kept]
    spans: list[tuple[int, int]] = []
    begin = len(text) - len(text.lstrip())
    for match in _END.finditer(text):
        at = match.start()
        if at < begin or _inside(at, starts, kept) or not _ends(text, begin, match):
            continue
        spans.append((begin, match.end("mark") if match["mark"] else match.end("wide")))
        begin = match.end()
    end = len(text.rstrip())
    if begin < end:
        spans.append((begin, end))
    return tuple(spans)


# --- blocks ----------------------------------------------------------------------------------------------------------

_PARSER = MarkdownIt("commonmark").enable("table").disable(["html_block", "reference"])
_PARSER.core.ruler.enableOnly(["normalize", "block"])
_LINE_END = re.compile(r"\r\n?|\n")
_BOLD = re.compile(r"\*\*[^*\n]{1,200}\*\*")
_WORDS = re.compile(r"\S+")
_HEADING_MARKS = re.compile(r"^\s{0,3}#{1,6}[ \t]*|[ \t]+#+[ \t]*$|^\s{0,3}#+$")
_INLINE_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)")
_INLINE_MARKS = re.compile(
    r"(?<![\\\w])(?:\*{1,3}|_{1,3}|~~)(?=\S)|(?<=[^\s\\])(?:\*{1,3}|_{1,3}|~~)(?!\w)|`+|\\(?=[^\w\s])"
)


class _Lines:
    """Where the lines of a text begin and end, as the parser counts them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The offsets of the lines from `first` up to before `last`, without blank lines at the end."""
        start = self.starts[min(first, len(self.starts) - 1)]
        end = self.starts[last] if last < len(self.starts) else len(self.text)
        return start, start + len(self.text[start:end].rstrip())

    def words(self, first: int, last: int) -> int:
        start, end = self.span(first, last)
        return len(_WORDS.findall(self.text, start, end))


def _blocks(tokens: Sequence[Token], lines: _Lines) -> Iterator[Block]:
    at = 0
    while at < len(tokens):
        end = _partner(tokens, at)
        yield from _block(tokens, at, end, lines, depth=0)
        at = end + 1


def _block(tokens: Sequence[Token], at: int, end: int, lines: _Lines, depth: int) -> Iterator[Block]:
    token = tokens[at]
    if token.map is None:
        return
    start, stop = lines.span(*token.map)
    if start >= stop:
        return
    match token.type:
        case "heading_open":
            text = _heading_text(lines.text[start:stop], token.markup)
            yield Block(BlockKind.HEADING, start, stop, level=int(token.tag[1]), text=text)
        case "fence" | "code_block":
            yield Block(BlockKind.CODE, start, stop)
        case "hr":
            yield Block(BlockKind.RULE, start, stop)
        case "blockquote_open":
            yield Block(BlockKind.QUOTE, start, stop)
        case "bullet_list_open" | "ordered_list_open":
            yield from _items(tokens, at, end, lines, depth + 1)
        case "table_open":
            yield from _rows(tokens, at, end, lines)
        case _:
            yield Block(BlockKind.PARAGRAPH, start, stop)


def _items(tokens: Sequence[Token], at: int, end: int, lines: _Lines, depth: int) -> Iterator[Block]:
    ordered = tokens[at].type == "ordered_list_open"
    inner = at + 1
    while inner < end:
        last = _partner(tokens, inner)
        place = tokens[inner].map
        if place is not None:
            children = _children(tokens, inner, last)
            if len(children) > 1 and lines.words(*place) > LONG_ITEM and depth < 10:
                yield from _long_item(tokens, children, lines, depth, place[0], ordered=ordered)
            else:
                start, stop = lines.span(*place)
                if start < stop:
                    yield Block(BlockKind.ITEM, start, stop, level=depth, ordered=ordered)
        inner = last + 1


def _long_item(
    tokens: Sequence[Token], children: list[tuple[int, int]], lines: _Lines, depth: int, first: int, *, ordered: bool
) -> Iterator[Block]:
    """An item too long to be one block: its first paragraph is the item, what follows are blocks of their own."""
    for nth, (at, end) in enumerate(children):
        place = tokens[at].map
        if nth == 0 and place is not None and tokens[at].type == "paragraph_open":
            start, stop = lines.span(first, place[1])
            yield Block(BlockKind.ITEM, start, stop, level=depth, ordered=ordered)
        elif nth == 0 and place is not None and tokens[at].type in ("fence", "code_block"):
            start, stop = lines.span(first, place[1])
            yield Block(BlockKind.CODE, start, stop, level=depth)
        else:
            yield from _block(tokens, at, end, lines, depth)


def _rows(tokens: Sequence[Token], at: int, end: int, lines: _Lines) -> Iterator[Block]:
    rows = [token.map for token in tokens[at:end] if token.type == "tr_open" and token.map is not None]
    if not rows:
        return
    head = lines.span(rows[0][0], rows[0][0] + 2)  # the header and the delimiters below it
    lead = lines.text[head[0] : head[1]]
    for place in rows[1:]:
        start, stop = lines.span(*place)
        if start < stop:
            yield Block(BlockKind.ROW, start, stop, lead=lead, lead_span=head)
    if len(rows) == 1:
        yield Block(BlockKind.PARAGRAPH, *head)


def _children(tokens: Sequence[Token], at: int, end: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    inner = at + 1
    while inner < end:
        last = _partner(tokens, inner)
        found.append((inner, last))
        inner = last + 1
    return found


def _partner(tokens: Sequence[Token], at: int) -> int:
    """The token that closes the one at `at`; itself where it opens nothing."""
    if tokens[at].nesting != 1:
        return at
    level = tokens[at].level
    return next((i for i in range(at + 1, len(tokens)) if tokens[i].nesting == -1 and tokens[i].level == level), at)


def _led(text: str, blocks: Iterator[Block]) -> Iterator[Block]:
    """The blocks with their lead-in: the last sentence of the paragraph before items or code, if it ends in a colon."""
    lead: tuple[int, int] | None = None
    for block in blocks:
        match block.kind:
            case BlockKind.ITEM | BlockKind.CODE if lead is not None:
                yield replace(block, lead=text[lead[0] : lead[1]], lead_span=lead)
                if block.kind is BlockKind.CODE:
                    lead = None
            case BlockKind.PARAGRAPH:
                lead = _lead_in(text, block)
                yield block
            case _:
                if block.kind is not BlockKind.ITEM:
                    lead = None
                yield block


def _lead_in(text: str, block: Block) -> tuple[int, int] | None:
    if not leads_in(text[block.start : block.end]):
        return None
    start, end = sentences_of(text[block.start : block.end])[-1]
    return block.start + start, block.start + end


def _heading_text(markdown: str, markup: str) -> str:
    underlined = markup in ("=", "-")  # then the marks are its last line
    markdown = markdown.rpartition("\n")[0] if underlined else _HEADING_MARKS.sub("", markdown)
    pieces = re.split(r"(`+[^`]+`+)", " ".join(markdown.split()))
    return "".join(piece.strip("`") if piece.startswith("`") else _without_marks(piece) for piece in pieces).strip()


def _without_marks(text: str) -> str:
    return _INLINE_MARKS.sub("", _INLINE_LINK.sub(r"\1", text) if "](" in text else text)


# --- sentences -------------------------------------------------------------------------------------------------------

# Inline code, links with their targets, bare addresses: no sentence ends inside.
_UNCUT = re.compile(
    r"(?P<ticks>`+)(?:(?!(?P=ticks))[\s\S]){1,2000}?(?P=ticks)"
    r"|\[[^\[\]\n]{0,400}\]\([^()\s]{0,2000}\)"
    r"|<?https?://[^\s<>]{1,2000}[^\s<>.,;:!?)]"
)
_END = re.compile(r"(?P<mark>[.!?…]+[\"'”’»)\]*_]*)(?=\s|$)\s*|(?P<wide>[。！？]+[」』”）]*)\s*")
_NEXT = re.compile(r"[\"'“‘„«(\[*_`\u00bf\u00a1]*\.?(?:[A-Z0-9À-ÖØ-ÞĞİŞÇÖÜА-ЯΑ-Ω]|[^\x00-\u024f]|`|\Z)")
_LAST_WORD = re.compile(r"(?:^|(?<=[\s(\[\"'*_]))([\w.]*\w)[.]*$")
_ABBREVIATIONS = frozenset(
    (
        "e.g i.e eg ie etc vs cf al ca approx resp incl excl fig figs no nos vol sec chap dr mr mrs ms prof st jr sr "
        "inc ltd dept est min max "  # English
        "bzw z.b d.h u.a usw evtl ggf s.o s.u vgl nr abs art bsp inkl zzgl sog o.ä u.u m.e "  # German
        "örn vb vs.b bkz yrd doç"  # Turkish
    ).split()
)
_MONTH = re.compile(r"(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)")  # "am 3. Mai"


def _ends(text: str, begin: int, match: re.Match[str]) -> bool:
    if match["wide"] is not None:
        return True
    mark = match["mark"]
    following = text[match.end() : match.end() + 12]
    if following and not _NEXT.match(following):
        return False
    if mark[0] != "." or mark.startswith("..."):
        return True
    word = _LAST_WORD.search(text[max(begin, match.start() - 40) : match.start()])
    if word is None:
        return True
    last = word[1].lower()
    if last in _ABBREVIATIONS:
        # "etc." and "vs." may end a sentence; before a capital letter most others do not
        return last in ("etc", "usw", "vb", "al") and bool(following[:1].isupper())
    if len(word[1]) == 1 and word[1].isalpha():
        return False  # an initial, or half of "z. B."
    if word[1].isdigit() and len(word[1]) < 3 and _MONTH.match(following):
        return False
    return not (word[1].isdigit() and not text[begin : match.start()].strip(" *_-0123456789"))  # "1. First"


def _inside(at: int, starts: Sequence[int], spans: Sequence[tuple[int, int]]) -> bool:
    nearest = bisect_right(starts, at) - 1
    return nearest >= 0 and at < spans[nearest][1]
