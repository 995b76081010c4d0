"""What can be quoted: blocks of the chunks that were found, each with what makes it understandable. No choice."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.answering.blocks import Block, BlockKind, blocks_of
from app.domain.documents import Document, DocumentChunk

CHUNKS = 6  # of the best; more change nothing (measured)
LONGEST_LIST_WORDS = 180  # up to so many words an ordered list is one unit: steps are never torn apart
SHORT_LIST_WORDS = 60  # an unordered list of so many words is one unit, too
SHORT_SECTION_WORDS = 90  # a section of so many words is one unit
FEWEST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a document that may be shown: `document.content[start:end]`, verbatim.

    `lead` is the span of the sentence that introduces it, `header` a table's header rows; empty where there is none.
    `group` is shared by the pieces of one list or table; `place` is its chunk's rank.
    """

    document: Document
    start: int
    end: int
    kind: BlockKind
    headings: tuple[str, ...]
    place: int
    page_score: float
    group: tuple[str, int] = ("", -1)
    lead: tuple[int, int] | None = None
    header: str = ""

    @property
    def text(self) -> str:
        return self.document.content[self.start : self.end]

    @property
    def words(self) -> int:
        return len(self.text.split())


def units_of(chunks: Sequence[DocumentChunk], documents: Mapping[str, Document]) -> tuple[Unit, ...]:
    """The units of the best chunks, in the chunks' order, each piece of a document once."""
    seen: set[tuple[str, int]] = set()
    found = []
    for place, chunk in enumerate(chunks[:CHUNKS]):
        document = documents.get(chunk.parent)
        if document is None or chunk.end > len(document.content) or not chunk.end:
            continue
        for unit in _units_of_chunk(chunk, place, document):
            if (document.name, unit.start) not in seen and unit.words >= FEWEST_WORDS:
                seen.add((document.name, unit.start))
                found.append(unit)
    return tuple(found)


def _units_of_chunk(chunk: DocumentChunk, place: int, document: Document) -> Iterator[Unit]:
    text = document.content[chunk.start : chunk.end]
    headings = chunk.headings
    path: dict[int, str] = {}
    blocks = [block for block in blocks_of(text) if block.kind is not BlockKind.RULE]
    at = 0
    while at < len(blocks):
        block = blocks[at]
        if block.kind is BlockKind.HEADING:
            path = {level: title for level, title in path.items() if level < block.level} | {block.level: block.text}
            headings = _below(chunk.headings, tuple(path.values()))
            at += 1
            continue
        if run := _section(blocks, at, text):
            last = blocks[at + run - 1]
            start = blocks[at - 1].end  # a table's head lies before its first row
            start += len(text[start : block.start]) - len(text[start : block.start].lstrip())
            kinds = {each.kind for each in blocks[at : at + run]}
            yield Unit(
                document,
                chunk.start + start,
                chunk.start + last.end,
                BlockKind.CODE if BlockKind.CODE in kinds else BlockKind.PARAGRAPH,
                headings,
                place,
                chunk.page_score,
                group=(document.name, chunk.start + block.start),
            )
            at += run
            continue
        run = _run(blocks, at, text)
        for start, end in _pieces(blocks[at : at + run], text):
            yield Unit(
                document,
                chunk.start + start,
                chunk.start + end,
                block.kind,
                headings,
                place,
                chunk.page_score,
                group=(document.name, chunk.start + block.start),
                lead=_moved(block.lead_span, chunk.start) if block.kind is not BlockKind.ROW else None,
                header=_header(block, chunk) if block.kind is BlockKind.ROW else "",
            )
        at += run


def _header(row: Block, chunk: DocumentChunk) -> str:
    """The table's header rows, as lines of their own: from the chunk's text, or what was put before it."""
    header = row.lead or chunk.lead
    return header.rstrip("\n") + "\n" if header.strip() else ""


def _below(of_chunk: tuple[str, ...], within: tuple[str, ...]) -> tuple[str, ...]:
    """The chunk's heading path, gone on by headings inside the chunk."""
    return of_chunk if not within or within[-1] in of_chunk else (*of_chunk, within[-1])


def _section(blocks: Sequence[Block], at: int, text: str) -> int:
    """How many blocks the rest of a short section has, right below its heading; 0 where it is long or one block.

    A signature and what is said of it, a sentence and its example: torn apart neither can be understood.
    """
    if at == 0 or blocks[at - 1].kind is not BlockKind.HEADING:
        return 0
    end = at
    while end < len(blocks) and blocks[end].kind is not BlockKind.HEADING:
        end += 1
    short = len(text[blocks[at].start : blocks[end - 1].end].split()) <= SHORT_SECTION_WORDS
    return end - at if end - at > 1 and short else 0


def _run(blocks: Sequence[Block], at: int, text: str) -> int:
    """How many blocks from here are items of one list or rows of one table."""
    kind = blocks[at].kind
    if kind not in (BlockKind.ITEM, BlockKind.ROW):
        return 1
    end = at + 1
    while (
        end < len(blocks)
        and blocks[end].kind is kind
        and blocks[end].ordered == blocks[at].ordered
        and not text[blocks[end - 1].end : blocks[end].start].strip()
    ):
        end += 1
    return end - at


def _pieces(run: Sequence[Block], text: str) -> Iterator[tuple[int, int]]:
    first, last = run[0], run[-1]
    whole = len(text[first.start : last.end].split())
    limit = LONGEST_LIST_WORDS if first.ordered else SHORT_LIST_WORDS
    if first.kind is BlockKind.ITEM and whole <= limit:
        yield first.start, last.end
        return
    for block in run:
        yield block.start, block.end


def _moved(span: tuple[int, int] | None, by: int) -> tuple[int, int] | None:
    return (span[0] + by, span[1] + by) if span else None
