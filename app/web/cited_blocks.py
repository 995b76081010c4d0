"""One block of an answer as HTML with its citation marks. It does not know how an answer grows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from markdown_it.token import Token
from markdown_it.utils import EnvType
from markupsafe import Markup

from app.web.blocks import Style, Words, block_tokens, parse_inlines, to_html
from app.web.marking import SIGN_LIMIT, Lines, move_out, put, replaced, sign
from app.web.mending import closed

Cite = Callable[[int, bool], Markup]  # a citation's number, and whether this is its first use in the answer
Address = Callable[[int], str]  # a citation's number to its document's address; empty: not known

_EMPTY_LINE = '<p class="refs"></p>'


@dataclass(frozen=True, slots=True)
class Mark:
    """Citation numbers that stand behind an offset of the Markdown."""

    offset: int
    numbers: tuple[int, ...]

    def moved(self, back: int) -> "Mark":
        return replace(self, offset=self.offset - back)


@dataclass(slots=True)
class BlockWriter:
    """Writes the blocks of one answer in their order; remembers link definitions and which numbers were used."""

    cite: Cite
    address: Address
    words: Words
    definitions: dict[str, object] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)

    def copy(self) -> "BlockWriter":
        """A writer that goes on from here and leaves no trace in this one."""
        return replace(self, definitions=dict(self.definitions), used=set(self.used))

    def write(self, source: str, marks: Sequence[Mark], number: int | None = None, *, grows: bool = False) -> Markup:
        """One block; `number` is a continued list's. `grows`: more will come, so what is open is shown closed."""
        references: dict[str, object] = {"references": self.definitions}
        tokens = block_tokens(source, references)
        marks = _at_most(marks, SIGN_LIMIT)
        orphans = _place(tokens, source, marks, references)
        if grows:
            _close_last(tokens)
        parse_inlines(tokens, references)
        for token in tokens:
            if token.children:
                token.children = move_out(token.children)
        html = to_html(tokens, Style(self.words, self._base(marks), _below_the_question, number))
        if orphans:
            html += f'<p class="refs">{orphans}</p>\n'
        cited = replaced(html, lambda indices: self._marks([n for i in indices for n in marks[i].numbers]))
        return Markup(cited.replace(_EMPTY_LINE, ""))  # noqa: S704 - sanitised, and what `cite` made

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


def _place(tokens: list[Token], source: str, marks: Sequence[Mark], references: EnvType) -> str:
    """Set each mark's sign into the block where its text ends; returns the signs that found none."""
    lines = Lines(source)
    leaves = _leaves(tokens)
    within: dict[int, list[tuple[int, str]]] = {}
    orphans = ""
    for index, mark in enumerate(marks):
        line, _ = lines.place(max(0, mark.offset - 1))
        at = max((place for place, (first, _) in enumerate(leaves) if first <= line), default=None)
        if at is None:
            orphans += sign(index)
            continue
        token = leaves[at][1]
        if token.type in ("inline", "long_text"):
            within.setdefault(at, []).append((lines.within(token, mark.offset), sign(index)))
        else:
            token.meta["below"] = token.meta.get("below", "") + sign(index)
    for at, signs in within.items():
        token = leaves[at][1]
        token.content = put(token.content, signs, references, plain=token.type == "long_text")
    return orphans


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


def _close_last(tokens: list[Token]) -> None:
    leaves = [token for token in tokens if token.type in ("inline", "fence", "code_block", "hr", "table_close")]
    if leaves and leaves[-1].type == "inline":
        leaves[-1].content = closed(leaves[-1].content)
