"""Passages marked in rendered Markdown: <mark> round their words, block by block. Not what a passage is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it.token import Token
from markdown_it.utils import EnvType

from app.web.marking import SIGN_LIMIT, Lines, highlighted, put, sign

SPAN_LIMIT = SIGN_LIMIT // 2

Span = tuple[int, int]  # from, up to; offsets in the Markdown


@dataclass(slots=True)
class SpanMarks:
    """Sets the signs of spans into parsed blocks, and turns them into <mark> in the HTML.

    `prefix`: the first mark of the span at place n gets the id `{prefix}{n + 1}`, and its blocks the class "cited";
    empty: neither. In a table whole rows are marked; a code block as a whole, without <mark>.
    """

    source: str
    spans: Sequence[Span]
    prefix: str = ""
    found: set[int] = field(default_factory=set)
    _named: set[int] = field(default_factory=set)

    def place(self, tokens: list[Token], references: EnvType) -> None:
        lines = Lines(self.source)
        wanted = [(number, span) for number, span in enumerate(self.spans[:SPAN_LIMIT]) if self._is_within(span)]
        for leaf in _leaves(tokens):
            touching = [(number, span) for number, span in wanted if _touches(leaf, span, lines)]
            if not touching:
                continue
            if leaf.token.type in ("fence", "code_block"):
                self._mark_code(leaf.token, [number for number, _ in touching])
            else:
                self._mark_text(leaf, touching, lines, references)

    def applied(self, html: str) -> str:
        """The sanitised HTML with its marks."""
        return highlighted(html, lambda index: (index // 2, index % 2 == 0), self._id_once)

    def _is_within(self, span: Span) -> bool:
        return 0 <= span[0] < span[1] <= len(self.source)

    def _mark_code(self, token: Token, numbers: list[int]) -> None:
        self.found.update(numbers)
        if not self.prefix:
            return
        token.meta["cited"] = True
        for number in numbers:
            name = self._id_once(number)
            if name and "id" in token.attrs:
                token.meta["ids"] = [*token.meta.get("ids", ()), name]
            elif name:
                token.attrSet("id", name)

    def _mark_text(self, leaf: "_Leaf", touching: list[tuple[int, Span]], lines: Lines, references: EnvType) -> None:
        signs: list[tuple[int, int, str]] = []  # place, closing before opening, sign
        for number, (start, end) in touching:
            first = 0 if leaf.is_cell else lines.within(leaf.token, start)
            last = len(leaf.token.content) if leaf.is_cell else lines.within(leaf.token, end)
            if first < last and leaf.token.content[first:last].strip():
                signs += [(first, 1, sign(2 * number)), (last, 0, sign(2 * number + 1))]
                self.found.add(number)
        if not signs:
            return
        signs.sort()
        plain = leaf.token.type == "long_text"
        leaf.token.content = put(leaf.token.content, [(at, char) for at, _, char in signs], references, plain=plain)
        if self.prefix:
            leaf.block.attrSet("class", "cited")

    def _id_once(self, number: int) -> str:
        if not self.prefix or number in self._named:
            return ""
        self._named.add(number)
        return f"{self.prefix}{number + 1}"


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A token with text, the visible block that it stands in, and whether that is a table's row."""

    token: Token
    block: Token
    is_cell: bool


def _leaves(tokens: list[Token]) -> Iterator[_Leaf]:
    blocks: list[Token] = []  # the open ones that are drawn
    for token in tokens:
        if token.type in ("inline", "long_text"):
            row = next((block for block in reversed(blocks) if block.type == "tr_open"), None)
            yield _Leaf(token, row or blocks[-1], row is not None)
        elif token.type in ("fence", "code_block"):
            yield _Leaf(token, token, is_cell=False)
        elif token.nesting == 1 and not token.hidden:
            blocks.append(token)
        elif token.nesting == -1 and not token.hidden:
            blocks.pop()


def _touches(leaf: _Leaf, span: Span, lines: Lines) -> bool:
    first, after = leaf.token.map or (0, 0)
    start, end = span
    return lines.place(start)[0] < after and lines.place(end - 1)[0] >= first
