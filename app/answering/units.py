"""What can be quoted: blocks of the chunks that were found, each with what makes it understandable. No choice.

A unit is cut from the whole document, not from the chunk: steps that begin in one chunk and end in the next are one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from app.answering.blocks import Block, BlockKind, blocks_of, leads_in, sentences_of
from app.domain.documents import Document, DocumentChunk

CHUNKS = 6  # of the best; more change nothing (measured)
LONGEST_STEPS_WORDS = 250  # up to so many words an ordered list is one unit: steps are never torn apart
STEPS_WORDS = 120  # of longer ones so many stand together
SHORT_LIST_WORDS = 60  # an unordered list or a table of so many words is one unit, too
SHORT_SECTION_WORDS = 90  # a section of so many words is one unit
LED_WORDS = 80  # a sentence and what it leads in are one unit up to so many words
LONGEST_LEAD_WORDS = 40
FEWEST_WORDS = 3
LARGE = 60_000  # characters: a larger document is not read whole for one answer, but from the chunk on
BEYOND = 4_000  # characters behind the chunk that are read then


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a document that may be shown: `document.content[start:end]`, verbatim.

    `lead` is the span of the sentence that introduces it, `header` a table's header rows; empty where there is none.
    `group` is where its list or table begins, `section` the span of its section without the heading; `place` is its
    chunk's rank.
    """

    document: Document
    start: int
    end: int
    kind: BlockKind
    headings: tuple[str, ...]
    section: tuple[int, int]
    group: int
    lead: tuple[int, int] | None = None
    header: str = ""
    ordered: bool = False
    place: int = 0
    page_score: float = 0.0

    @property
    def text(self) -> str:
        return self.document.content[self.start : self.end]

    @property
    def words(self) -> int:
        return len(self.text.split())


@dataclass(frozen=True, slots=True)
class _Section:
    """The blocks below one heading, which is not among them. Offsets are the document's."""

    document: Document
    headings: tuple[str, ...]
    blocks: tuple[Block, ...]

    def words(self, first: int, last: int) -> int:
        """How many words the blocks from `first` to `last` have, a table's head included."""
        return len(self.document.content[self.begin(first) : self.blocks[last].end].split())

    def begin(self, at: int) -> int:
        """Where the block begins; for a table's first row, where its head does."""
        block = self.blocks[at]
        if block.kind is BlockKind.ROW and block.lead_span and not self._same_table(at - 1, at):
            return block.lead_span[0]
        return block.start

    def _same_table(self, one: int, other: int) -> bool:
        return one >= 0 and self.blocks[one].lead_span == self.blocks[other].lead_span

    def run(self, at: int) -> int:
        """The last of the blocks from here that are items of one list or rows of one table."""
        kind, ordered = self.blocks[at].kind, self.blocks[at].ordered
        last = at
        if kind not in (BlockKind.ITEM, BlockKind.ROW):
            return at
        while last + 1 < len(self.blocks):
            following = self.blocks[last + 1]
            between = self.document.content[self.blocks[last].end : following.start]
            if following.kind is not kind or following.ordered != ordered or between.strip():
                break
            last += 1
        return last


def units_of(chunks: Sequence[DocumentChunk], documents: Mapping[str, Document]) -> tuple[Unit, ...]:
    """The units of the best chunks, in the chunks' order, each piece of a document once."""
    seen: set[tuple[str, int]] = set()
    sections: dict[str, tuple[_Section, ...]] = {}
    found = []
    for place, chunk in enumerate(chunks[:CHUNKS]):
        document = documents.get(chunk.parent)
        span = _span(chunk, document) if document else None
        if document is None or span is None:
            continue
        if len(document.content) > LARGE:
            of_chunk = _sections_from(document, span, chunk)
        elif document.name in sections:
            of_chunk = sections[document.name]
        else:
            of_chunk = sections[document.name] = tuple(_sections(document, (0, len(document.content))))
        for section in of_chunk:
            if not _overlap((section.blocks[0].start, section.blocks[-1].end), span):
                continue
            for unit in _units(section):
                key = (document.name, unit.start)
                if key not in seen and unit.words >= FEWEST_WORDS and _overlap((unit.start, unit.end), span):
                    seen.add(key)
                    found.append(replace(unit, place=place, page_score=chunk.page_score))
    return tuple(found)


def _span(chunk: DocumentChunk, document: Document) -> tuple[int, int] | None:
    """Where the chunk stands in its document; a source that does not tell is helped by looking for its words."""
    if 0 <= chunk.start < chunk.end <= len(document.content):
        return chunk.start, chunk.end
    words = chunk.content.strip()
    at = document.content.find(words) if words else -1
    return (at, at + len(words)) if at >= 0 else None


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


# --- sections --------------------------------------------------------------------------------------------------------


def _sections(document: Document, span: tuple[int, int], chunk: DocumentChunk | None = None) -> Iterator[_Section]:
    """The sections of a part of the document that have words, with their heading paths below the title."""
    start, end = span
    above = chunk.headings if chunk else ()
    path: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for block in blocks_of(document.content[start:end]):
        match block.kind:
            case BlockKind.HEADING:
                if blocks:
                    yield _Section(document, _headings(path, above, document.title), tuple(blocks))
                blocks = []
                path = [*(each for each in path if each[0] < block.level), (block.level, block.text)]
            case BlockKind.RULE:
                pass
            case _:
                blocks.append(_moved(block, start, chunk.lead if chunk else ""))
    if blocks:
        yield _Section(document, _headings(path, above, document.title), tuple(blocks))


def _sections_from(document: Document, span: tuple[int, int], chunk: DocumentChunk) -> tuple[_Section, ...]:
    """The sections from a chunk's beginning to a little beyond its end, without the last block, which may be cut."""
    end = min(len(document.content), span[1] + BEYOND)
    sections = list(_sections(document, (span[0], end), chunk))
    last = sections[-1] if sections else None
    if last and end < len(document.content) and last.blocks[-1].start >= span[1]:
        sections[-1:] = [replace(last, blocks=last.blocks[:-1])] if len(last.blocks) > 1 else []
    return tuple(sections)


def _headings(path: Sequence[tuple[int, str]], above: tuple[str, ...], title: str) -> tuple[str, ...]:
    names = tuple(name for _, name in path if name)
    if names and names[0].casefold() == title.casefold():
        names = names[1:]
    return above if not names or names[-1] in above else (*above, *names[-1:]) if above else names


def _moved(block: Block, by: int, header: str) -> Block:
    lead = (block.lead_span[0] + by, block.lead_span[1] + by) if block.lead_span else None
    header = block.lead or (header if block.kind is BlockKind.ROW else "")
    return replace(block, start=block.start + by, end=block.end + by, lead_span=lead, lead=header)


# --- units -----------------------------------------------------------------------------------------------------------


def _units(section: _Section) -> Iterator[Unit]:
    last = len(section.blocks) - 1
    if last and section.words(0, last) <= SHORT_SECTION_WORDS:
        yield _unit(section, 0, last)
        return
    at = 0
    while at <= last:
        end = section.run(at)
        if at < last and _opens(section, at):
            yield _unit(section, at, at + 1)
            end = at + 1
        elif at < last and section.blocks[at].kind is BlockKind.PARAGRAPH and _leads_in(section, at):
            end = section.run(at + 1)
            if section.words(at, end) <= LED_WORDS:
                yield _unit(section, at, end)
            else:
                yield from _before_the_lead(section, at)
                yield from _split(section, at + 1, end)
        else:
            yield from _split(section, at, end)
        at = end + 1


def _split(section: _Section, first: int, last: int) -> Iterator[Unit]:
    """The units of one block, list or table: a short list whole, steps whole, else each item or row by itself.

    Steps that are too many stay together with their neighbours: a single one is of no use.
    """
    block = section.blocks[first]
    lead = _lead(section, first)
    limit = LONGEST_STEPS_WORDS if block.ordered else SHORT_LIST_WORDS
    if first == last or section.words(first, last) <= limit:
        yield _unit(section, first, last, lead=lead)
        return
    at = first
    while at <= last:
        end = at
        while block.ordered and end < last and section.words(at, end + 1) <= STEPS_WORDS:
            end += 1
        yield _unit(section, at, end, lead=lead, group=block.start)
        at = end + 1


def _unit(
    section: _Section, first: int, last: int, *, lead: tuple[int, int] | None = None, group: int | None = None
) -> Unit:
    """The blocks from `first` to `last` as one unit. What it leads in decides what it is."""
    kinds = [block.kind for block in section.blocks[first : last + 1]]
    kind = next((each for each in (BlockKind.CODE, BlockKind.ROW, BlockKind.ITEM) if each in kinds), kinds[-1])
    single_row = first == last and kind is BlockKind.ROW
    header = section.blocks[first].lead if single_row else ""
    start = section.blocks[first].start if single_row else section.begin(first)
    return Unit(
        section.document,
        start,
        section.blocks[last].end,
        kind,
        section.headings,
        (section.blocks[0].start, section.blocks[-1].end),
        section.blocks[first].start if group is None else group,
        lead=lead,
        header=header.rstrip("\n") + "\n" if header.strip() else "",
        ordered=section.blocks[last].ordered,
    )


def _opens(section: _Section, at: int) -> bool:
    """Whether this is a section's first block and code that the paragraph below it explains: a signature, a command."""
    if at or section.blocks[0].kind is not BlockKind.CODE or section.blocks[1].kind is not BlockKind.PARAGRAPH:
        return False
    return not _leads_in(section, 1) and section.words(0, 1) <= SHORT_SECTION_WORDS


def _leads_in(section: _Section, at: int) -> bool:
    block = section.blocks[at]
    return leads_in(section.document.content[block.start : block.end])


def _before_the_lead(section: _Section, at: int) -> Iterator[Unit]:
    """A paragraph without its last sentence, which leads in what follows and is shown with that."""
    block = section.blocks[at]
    sentences = sentences_of(section.document.content[block.start : block.end])
    if len(sentences) > 1:
        yield replace(_unit(section, at, at), end=block.start + sentences[-2][1])


def _lead(section: _Section, at: int) -> tuple[int, int] | None:
    """The sentence that introduces a list or code: the one that ends in a colon, or the last one before it."""
    block = section.blocks[at]
    if block.kind is BlockKind.ITEM and block.lead_span:
        return block.lead_span
    before = section.blocks[at - 1] if at else None
    if block.kind not in (BlockKind.CODE, BlockKind.ITEM) or before is None or before.kind is not BlockKind.PARAGRAPH:
        return None  # code below a list: the sentence before the list leads in the list
    text = section.document.content[before.start : before.end]
    start, end = sentences_of(text)[-1]
    if len(text[start:end].split()) > LONGEST_LEAD_WORDS:
        return None
    return before.start + start, before.start + end
