"""Cuts a document into the chunks that are searched: at headings, between blocks, never within code or a sentence.

Not the fields that an index makes of a chunk. About 250 words are best for what an answer can quote; small neighbouring
sections share a chunk, with their heading lines in it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.answering.blocks import Block, BlockKind, blocks_of, leads_in, sentences_of

CHUNKING_VERSION = 1  # part of a document's digest: another way of cutting cuts everything anew
MAX_CHARACTERS = (
    6_000  # of a chunk, however few blanks it has; code and rows may reach it, all else is cut near `words`
)
SMALL = 60  # words: a chunk below this takes in the next section even where that stands higher

_WORD = re.compile(r"\S+")
_CHARACTERS_A_WORD = 8  # a chunk without blanks (Chinese, a certificate) is measured by its length
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[^\n]*")


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """A chunk's place: `content[start:end]` are its words. `headings` is the path of headings that it begins under.

    `lead` belongs in front of the words: a table's head where the chunk begins within a table, a fence's first line
    where it begins within a block of code; else it is empty.
    """

    start: int
    end: int
    headings: tuple[str, ...]
    lead: str = ""


@dataclass(slots=True)
class _Piece:
    """What may not be cut: a block, a sentence of a long one, some lines of long code."""

    start: int
    end: int
    size: int  # in words
    lead: str = ""
    leads_in: bool = False  # it ends with a colon: it stays with what follows


@dataclass(slots=True)
class _Section:
    """A heading with the pieces up to the next one. `start` is where its heading stands, or the first of several."""

    level: int
    headings: tuple[str, ...]
    start: int
    size: int
    pieces: list[_Piece] = field(default_factory=list)


def chunks_of(content: str, title: str, *, words: int = 250) -> tuple[ChunkSpan, ...]:
    """The chunks of a document in reading order. `title` is not repeated in a chunk's heading path.

    They do not overlap, and what lies between them is blank, a heading without words below it, or a table's head.
    """
    packed: list[ChunkSpan] = []
    for sections in _merged(_sections(content, title, words), words):
        packed.extend(_packed(sections, words))
    return tuple(packed)


# --- sections --------------------------------------------------------------------------------------------------------


def _sections(content: str, title: str, words: int) -> Iterator[_Section]:
    """The sections that have words. A heading without any begins the next section where that is below it."""
    path: list[tuple[int, str]] = []
    waiting: list[tuple[int, int]] = []  # headings without words so far: level, start
    section = _Section(0, (), 0, 0)
    for block in blocks_of(content):
        if block.kind is BlockKind.HEADING:
            if section.pieces:
                yield section
                waiting = []
            waiting = [*(above for above in waiting if above[0] < block.level), (block.level, block.start)]
            path = [*(above for above in path if above[0] < block.level), (block.level, block.text)]
            names = tuple(name for _, name in path if name)
            if names and names[0].casefold() == title.casefold():
                names = names[1:]
            size = len(_WORD.findall(content, waiting[0][1], block.end))
            section = _Section(waiting[0][0], names, waiting[0][1], size)
        elif block.kind is not BlockKind.RULE:
            if not section.pieces and not waiting:
                section.start = block.start
            section.pieces.extend(_pieces(content, block, words))
    if section.pieces:
        yield section


def _merged(sections: Iterator[_Section], words: int) -> Iterator[list[_Section]]:
    """Neighbouring sections that fit into one chunk: those below or beside the first; a small one takes any."""
    group: list[_Section] = []
    size = 0
    for section in sections:
        added = section.size + sum(piece.size for piece in section.pieces)
        length = section.pieces[-1].end - (group[0] if group else section).start
        fits = size + added <= words and length <= MAX_CHARACTERS
        related = bool(group) and (section.level >= group[0].level or size < SMALL)
        if group and not (fits and related):
            yield group
            group, size = [], 0
        group.append(section)
        size += added
    if group:
        yield group


# --- chunks ----------------------------------------------------------------------------------------------------------


def _packed(sections: list[_Section], words: int) -> Iterator[ChunkSpan]:
    """The chunks of sections that belong together: one, or several where a single section is too long."""
    if len(sections) > 1:
        first, last = sections[0], sections[-1]
        yield ChunkSpan(first.start, last.pieces[-1].end, first.headings, "")
        return
    section = sections[0]
    chunk: list[_Piece] = []
    size = section.size
    start = section.start
    for piece in section.pieces:
        begin = chunk[0].start if chunk else start
        too_long = piece.end - begin > MAX_CHARACTERS
        if chunk and (size + piece.size > words or too_long):
            kept = chunk.pop() if len(chunk) > 1 and chunk[-1].leads_in and chunk[-1].size < words // 3 else None
            yield ChunkSpan(start, chunk[-1].end, section.headings, chunk[0].lead if start == chunk[0].start else "")
            chunk = [kept] if kept else []
            size = kept.size if kept else 0
            start = kept.start if kept else piece.start
        chunk.append(piece)
        size += piece.size
    if chunk:
        yield ChunkSpan(start, chunk[-1].end, section.headings, chunk[0].lead if start == chunk[0].start else "")


# --- pieces ----------------------------------------------------------------------------------------------------------


def _pieces(content: str, block: Block, words: int) -> Iterator[_Piece]:
    text = content[block.start : block.end]
    size = _size(text)
    match block.kind:
        case BlockKind.CODE:
            yield from _code(content, block, size)
        case BlockKind.ROW:
            spans = [(block.start, block.end)] if len(text) <= MAX_CHARACTERS else _cut(text, block.start, words)
            lead = block.lead + "\n" if len(block.lead) < MAX_CHARACTERS // 4 else ""
            for start, end in spans:
                yield _Piece(start, end, _size(content[start:end]), lead)
        case _ if size <= words and len(text) <= MAX_CHARACTERS:
            yield _Piece(block.start, block.end, size, leads_in=leads_in(text))
        case BlockKind.PARAGRAPH:
            yield from _joined(content, [(block.start + s, block.start + e) for s, e in sentences_of(text)], words)
        case _:
            yield from _joined(content, _lines(text, block.start), words)


def _code(content: str, block: Block, size: int) -> Iterator[_Piece]:
    """Code in one piece, as long as it is at all possible; then cut at line ends, the fence's first line as lead."""
    if block.end - block.start <= MAX_CHARACTERS:
        yield _Piece(block.start, block.end, size)
        return
    text = content[block.start : block.end]
    fence = _FENCE.match(text)
    lead = fence[0].strip(" \t>") + "\n" if fence and len(fence[0]) < 200 else ""
    start = block.start
    end = start
    for first, last in _lines(text, block.start):
        if last - start > MAX_CHARACTERS - len(lead) and end > start:
            yield _Piece(start, end, _size(content[start:end]), lead if start > block.start else "")
            start = first
        if last - start > MAX_CHARACTERS:  # one line longer than all that may be
            for begin, stop in _cut(content[start:last], start, MAX_CHARACTERS):
                yield _Piece(begin, stop, _size(content[begin:stop]), lead)
            start = last
        end = last
    if end > start:
        yield _Piece(start, end, _size(content[start:end]), lead)


def _joined(content: str, spans: Sequence[tuple[int, int]], words: int) -> Iterator[_Piece]:
    """Sentences or lines as pieces; one that is itself too long is cut at blanks, or anywhere if it has none."""
    for start, end in spans:
        text = content[start:end]
        if _size(text) <= words and len(text) <= MAX_CHARACTERS:
            if text.strip():
                yield _Piece(start, end, _size(text))
        else:
            for begin, stop in _cut(text, start, words):
                yield _Piece(begin, stop, _size(content[begin:stop]))


def _cut(text: str, offset: int, words: int) -> Iterator[tuple[int, int]]:
    """Parts of a text without a better place to cut: at most `words` words and MAX_CHARACTERS characters each."""
    limit = min(MAX_CHARACTERS, words * _CHARACTERS_A_WORD)
    at = 0
    while at < len(text):
        end = at + limit
        if end < len(text):
            blank = max(text.rfind(" ", at, end), text.rfind("\n", at, end))
            end = blank + 1 if blank > at + limit // 2 else _whole_character(text, end)
        stop = at + len(text[at:end].rstrip())
        if stop > at:
            yield offset + at, offset + stop
        at = max(end, at + 1)


def _whole_character(text: str, at: int) -> int:
    """A place near `at` where no joined emoji or accent is torn from what it belongs to."""
    for _ in range(20):
        if at >= len(text) or not (
            text[at] in "\u200d\ufe0f" or "\u0300" <= text[at] <= "\u036f" or text[at - 1] == "\u200d"
        ):
            return at
        at += 1
    return at


def _lines(text: str, offset: int) -> list[tuple[int, int]]:
    return [
        (offset + match.start(), offset + match.start() + len(match[0].rstrip("\n"))) for match in _LINE.finditer(text)
    ]


def _size(text: str) -> int:
    """The number of words; where there are few blanks, what the length amounts to in words."""
    counted = len(_WORD.findall(text))
    wide = len(_WIDE.findall(text)) if not text.isascii() else 0
    return max(counted, wide // 2 + counted // 2) if wide else counted
