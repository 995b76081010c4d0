"""Where Markdown that still grows may be cut: blocks that nothing to come can change. No HTML.

The cuts depend on the text alone, not on how it arrived, so that a stream and the whole answer are cut alike.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.token import Token

from app.web.blocks import block_tokens

LIST_PIECE = 4_000  # characters after which a list is cut at its next item, so that the open tail stays small

_LIST_START = frozenset("-+*0123456789 \t")
_FENCE_END = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*")


@dataclass(frozen=True, slots=True)
class Piece:
    """source[start:end] is one block, a part of a long list, or link definitions alone.

    `number`: that of the first item, where an ordered list goes on from the piece before.
    """

    start: int
    end: int
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """The final pieces; what follows the last one is open. `number`: that of the open part's first item, as above."""

    pieces: tuple[Piece, ...]
    number: int | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    """A top-level block by its lines, `first` up to `after`; `items`: the first line of each item of a list."""

    token: Token
    first: int
    after: int
    items: tuple[int, ...]

    @property
    def first_number(self) -> int | None:
        return int(self.token.attrGet("start") or 1) if self.token.type == "ordered_list_open" else None


def cut(source: str, *, upcoming: str = "", ended: bool = False, number: int | None = None) -> Cut:
    """Cut off what is final at the beginning of `source`, which ends with a line end or has `ended`.

    `upcoming` is what is known of the line after it (not blank). `number`: the source begins with the rest of an
    ordered list, and this is the number of its first item.
    """
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(min(starts[-1] + len(line) + 1, len(source)))
    blocks = _blocks(block_tokens(source, {}))
    pieces: list[Piece] = []
    done = 0
    for block in blocks:
        final = ended or block is not blocks[-1] or _is_final(block, lines, upcoming)
        parts = list(_parts(block, starts, number, final=final))
        if parts:
            pieces += _definitions(lines, starts, done, block.first)
        pieces += parts
        if not final:
            return Cut(tuple(pieces), _next_number(block, starts, parts, number))
        done, number = block.after, None
    only_definitions = not blocks and source.endswith("\n") and not lines[-2].strip()
    if ended or only_definitions:
        pieces += _definitions(lines, starts, done, len(lines))
    return Cut(tuple(pieces))


def ends_in_fence(source: str) -> bool:
    """Whether the text ends within the lines of a code block that has not been closed, in lists and quotes too."""
    leaves = [token for token in block_tokens(source, {}) if token.type in ("inline", "fence", "code_block", "hr")]
    if not leaves or leaves[-1].type != "fence" or not leaves[-1].map:
        return False
    first, after = leaves[-1].map
    lines = source.split("\n")
    last = lines[-1].lstrip(" >\t")
    return after >= len(lines) and after - first > 1 and not _ends_fence(last, leaves[-1].markup)


def _blocks(tokens: list[Token]) -> list[_Block]:
    found: list[_Block] = []
    items: list[int] = []
    opened: Token | None = None
    for token in tokens:
        if token.level == 0 and token.nesting >= 0:
            opened, items = token, []
        if token.type == "list_item_open" and token.level == 1 and token.map:
            items.append(token.map[0])
        if token.level == 0 and token.nesting <= 0 and opened is not None and opened.map:
            found.append(_Block(opened, opened.map[0], opened.map[1], tuple(items)))
    return found


def _is_final(block: _Block, lines: list[str], upcoming: str) -> bool:
    """Whether the last block is over, although nothing of another one has come."""
    blank = len(lines) > 1 and not lines[-2].strip()
    match block.token.type:
        case "heading_open" | "hr":
            return True
        case "fence":
            return _is_closed(block, lines)
        case "bullet_list_open" | "ordered_list_open" | "code_block":
            return blank and upcoming[:1] not in _LIST_START and bool(upcoming)
        case _:
            return blank


def _is_closed(block: _Block, lines: list[str]) -> bool:
    return block.after - block.first > 1 and _ends_fence(lines[block.after - 1], block.token.markup)


def _ends_fence(line: str, markup: str) -> bool:
    end = _FENCE_END.fullmatch(line)
    return end is not None and end.group(1).startswith(markup)


def _parts(block: _Block, starts: list[int], number: int | None, *, final: bool) -> Iterator[Piece]:
    """The block as one piece, or as several where it is a long list; without the open last one unless `final`."""
    first = block.first
    base = block.first_number if number is None else number
    for count, item in enumerate(block.items):
        if starts[item] - starts[first] >= LIST_PIECE:
            yield Piece(starts[first], starts[item], number)
            first = item
            number = None if base is None else base + count
    if final:
        yield Piece(starts[first], starts[block.after], number)


def _next_number(block: _Block, starts: list[int], parts: list[Piece], number: int | None) -> int | None:
    base = block.first_number if number is None else number
    if not parts or base is None:
        return number
    return base + sum(starts[item] < parts[-1].end for item in block.items)


def _definitions(lines: list[str], starts: list[int], first: int, after: int) -> Iterator[Piece]:
    """The lines between two blocks that are not blank, each run of them a piece: they can only define links."""
    begin: int | None = None
    for place in range(first, after):
        if lines[place].strip():
            begin = place if begin is None else begin
        elif begin is not None:
            yield Piece(starts[begin], starts[place])
            begin = None
    if begin is not None:
        yield Piece(starts[begin], starts[after])
