"""One block of an answer as HTML: numerals behind what has a source, dots under what has none.

It does not know how an answer grows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from markdown_it.token import Token
from markdown_it.utils import EnvType
from markupsafe import Markup

from app.web.appraisal import last_claim
from app.web.blocks import Style, Words, block_tokens, parse_inlines, to_html
from app.web.marking import SIGN_LIMIT, Lines, move_out, put, replaced, sign, wrapped
from app.web.mending import closed

Cite = Callable[[int, bool], Markup]  # a citation's number, and whether this is its first use in the answer
Address = Callable[[int], str]  # a citation's number to its document's address; empty: not known

_EMPTY_LINE = '<p class="refs"></p>'


@dataclass(frozen=True, slots=True)
class Mark:
    """What is known of the text that ends at an offset of the Markdown: citation numbers, or that it has no source.

    `doubt` counts the pieces without a source, from 1; 0: it is none. `begin` is where its segment begins, which may
    be before the block.
    """

    offset: int
    numbers: tuple[int, ...] = ()
    doubt: int = 0
    begin: int = 0

    def moved(self, back: int) -> "Mark":
        return replace(self, offset=self.offset - back, begin=self.begin - back)


@dataclass(slots=True)
class BlockWriter:
    """Writes the blocks of one answer in their order; remembers link definitions and which numbers were used.

    `doubts`: what the ids of pieces without a source begin with; empty: they have none.
    """

    cite: Cite
    address: Address
    words: Words
    doubts: str = ""
    definitions: dict[str, object] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)

    def copy(self) -> "BlockWriter":
        """A writer that goes on from here and leaves no trace in this one."""
        return replace(self, definitions=dict(self.definitions), used=set(self.used))

    def write(self, source: str, marks: Sequence[Mark], number: int | None = None, *, grows: bool = False) -> Markup:
        """One block; `number` is a continued list's. `grows`: more will come, so what is open is shown closed."""
        references: dict[str, object] = {"references": self.definitions}
        tokens = block_tokens(source, references)
        marks = _at_most(marks, SIGN_LIMIT // 2)
        placed = _Placing(tokens, source, references)
        for index, mark in enumerate(marks):
            placed.add(index, mark)
        placed.write()
        if grows:
            _close_last(tokens)
        parse_inlines(tokens, references)
        for token in tokens:
            if token.children:
                token.children = move_out(token.children, _is_opening)
        html = to_html(tokens, Style(self.words, self._base(marks), _below_the_question, number))
        if placed.orphans and (html.strip() or any(mark.numbers for mark in marks)):
            html += f'<p class="refs">{placed.orphans}</p>\n'
        return self._dressed(html, marks, placed)

    def _dressed(self, html: str, marks: Sequence[Mark], placed: "_Placing") -> Markup:
        """The sanitised HTML with what its signs stand for."""
        named: set[int] = set()

        def name(doubt: int) -> str:
            if not self.doubts or doubt in named:
                return ""
            named.add(doubt)
            return f' id="{escape(self.doubts)}{doubt}"'

        words = escape(self.words.no_source)

        def underlined(text: str, index: int) -> str:
            return f'<span class="unsourced"{name(marks[index // 2].doubt)}>{text}</span>'

        def note(index: int) -> str:
            if index in placed.below:
                return f'<span class="unsourced"{name(marks[index].doubt)}>{words}</span>'
            return f'<span class="unseen"{name(marks[index].doubt)}> ({words})</span>'

        def shown(signs: tuple[int, ...]) -> str:
            met = [index // 2 for index in signs]
            notes = "".join(note(index) for index in dict.fromkeys(met) if marks[index].doubt)
            return notes + self._marks([number for index in met for number in marks[index].numbers])

        html = wrapped(html, placed.pairs, underlined)
        html = replaced(html, shown)
        return Markup(html.replace(_EMPTY_LINE, ""))  # noqa: S704 - sanitised, and what `cite` made

    def _base(self, marks: Sequence[Mark]) -> str:
        return next((self.address(number) for mark in marks for number in mark.numbers), "")

    def _marks(self, numbers: list[int]) -> str:
        made: list[Markup] = []
        for number in dict.fromkeys(numbers):
            html = self.cite(number, number not in self.used)
            if html:
                self.used.add(number)
                made.append(html)
        return f'<sup class="ref">{Markup("").join(made)}</sup>' if made else ""


def _below_the_question(level: int) -> int:
    """The question is the page's h2; an answer's headings are h3 and h4."""
    return 3 if level <= 2 else 4


def _at_most(marks: Sequence[Mark], limit: int) -> Sequence[Mark]:
    if len(marks) <= limit:
        return marks
    rest = tuple(dict.fromkeys(number for mark in marks[limit - 1 :] for number in mark.numbers))
    return [*marks[: limit - 1], Mark(marks[-1].offset, rest)]


def _closing(index: int) -> str:
    """The sign behind the text of the mark at that place."""
    return sign(2 * index)


def _opening(index: int) -> str:
    """The sign before the text of a mark that has no source."""
    return sign(2 * index + 1)


def _is_opening(index: int) -> bool:
    return index % 2 == 1


class _Placing:
    """Sets the signs of marks into the blocks where their texts end, and where those begin that have no source.

    `orphans` are the signs that found no block; `below` the marks that stand in a line of their own below one; `pairs`
    lead from opening to closing signs.
    """

    def __init__(self, tokens: list[Token], source: str, references: EnvType) -> None:
        self.orphans = ""
        self.below: set[int] = set()
        self.pairs: dict[str, str] = {}
        self._references = references
        self._lines = Lines(source)
        self._leaves = _leaves(tokens)
        self._cells = _cells(tokens)
        self._within: dict[int, tuple[Token, list[tuple[int, str]]]] = {}

    def add(self, index: int, mark: Mark) -> None:
        line, _ = self._lines.place(max(0, mark.offset - 1))
        token = next((token for first, token in reversed(self._leaves) if first <= line), None)
        if token is None:
            self.orphans += _closing(index)
            self.below.add(index)
        elif token.type in ("inline", "long_text"):
            end = self._lines.within(token, mark.offset)
            if mark.doubt:
                begin = self._lines.within(token, max(0, mark.begin))
                self._open(index, token, begin + last_claim(token.content[begin:end]))
            self._put(token, end, _closing(index))
        elif not (mark.doubt and self._underline_rows(index, mark, line)):
            token.meta["below"] = token.meta.get("below", "") + _closing(index)
            self.below.add(index)

    def write(self) -> None:
        """Set the signs; to be called once, after the last mark."""
        for token, signs in self._within.values():
            token.content = put(token.content, signs, self._references, plain=token.type == "long_text")

    def _underline_rows(self, index: int, mark: Mark, last: int) -> bool:
        """Underline the table's rows from the mark's beginning on; False where they have no words."""
        begin = max(0, mark.begin)
        blanks = len(self._lines.source) - begin - len(self._lines.source[begin:].lstrip())
        first, _ = self._lines.place(begin + blanks)
        cells = [cell for line, cell in self._cells if first <= line <= last and cell.content.strip()]
        if cells:
            self._open(index, cells[0], 0)
            self._put(cells[-1], len(cells[-1].content), _closing(index))
        return bool(cells)

    def _open(self, index: int, token: Token, place: int) -> None:
        self.pairs[_opening(index)] = _closing(index)
        self._put(token, place, _opening(index))

    def _put(self, token: Token, place: int, char: str) -> None:
        self._within.setdefault(id(token), (token, []))[1].append((place, char))


def _leaves(tokens: list[Token]) -> list[tuple[int, Token]]:
    """What holds text, with its first line: inline content, code, rules, and a table by its closing token."""
    leaves: list[tuple[int, Token]] = []
    table: int | None = None
    for token in tokens:
        if token.type == "table_open":
            table = (token.map or [0])[0]
        elif token.type == "table_close" and table is not None:
            leaves.append((table, token))
            table = None
        elif table is None and token.type in ("inline", "long_text", "fence", "code_block", "hr"):
            leaves.append(((token.map or [0])[0], token))
    return leaves


def _cells(tokens: list[Token]) -> list[tuple[int, Token]]:
    """The cells of tables' bodies with the line of their row."""
    cells: list[tuple[int, Token]] = []
    in_body = False
    for token in tokens:
        if token.type in ("tbody_open", "tbody_close"):
            in_body = token.nesting == 1
        elif in_body and token.type in ("inline", "long_text"):
            cells.append(((token.map or [0])[0], token))
    return cells


def _close_last(tokens: list[Token]) -> None:
    leaves = [token for token in tokens if token.type in ("inline", "fence", "code_block", "hr", "table_close")]
    if leaves and leaves[-1].type == "inline":
        leaves[-1].content = closed(leaves[-1].content)
