"""A document as places that a sentence may rest on: sentences, rows, code, each with what stands around it. No choice.

A very large document is read up to a limit, cut where a section ends: no sentence is bound to what lies beyond.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from app.answering.attribution.wording import Wording, stems_of, wording_of
from app.answering.blocks import Block, BlockKind, blocks_of, sentences_of
from app.domain.documents import Document

READ = 300_000  # characters of one document that are read at most
LONGEST_PLACE = 2_000  # characters: a longer sentence, row or line is looked at by its beginning only
SHOWN = 420  # characters: a block up to so long is shown whole
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)


@dataclass(slots=True, weakref_slot=True)
class Section:
    """The heading path that places stand under; its words count for each of them."""

    document: Document
    headings: tuple[str, ...]
    above: str  # title, headings and name, as words
    _wording: Wording | None = field(default=None, repr=False)
    _stems: frozenset[str] | None = field(default=None, repr=False)

    @property
    def wording(self) -> Wording:
        if self._wording is None:
            self._wording = wording_of(self.above)
        return self._wording

    @property
    def stems(self) -> frozenset[str]:
        if self._stems is None:
            self._stems = frozenset(stems_of(self.above))
        return self._stems


@dataclass(eq=False)
class Place:
    """A sentence, a row or code: `document.content[start:end]`. `block` is the span of the block that it stands in.

    `lead` is what has to be read before it: a table's head, the sentence before a list. `group` is the list's, the
    table's or the paragraph's number in its document; `at` the place's own.
    """

    section: Section
    kind: BlockKind
    start: int
    end: int
    block: tuple[int, int]
    lead: str
    group: int
    at: int
    stems: tuple[str, ...] = ()

    @property
    def document(self) -> Document:
        return self.section.document

    @property
    def text(self) -> str:
        return self.document.content[self.start : min(self.end, self.start + LONGEST_PLACE)]

    @cached_property
    def wording(self) -> Wording:
        return wording_of(self.text)

    @cached_property
    def led_by(self) -> Wording:
        return wording_of(self.lead)

    @cached_property
    def around(self) -> frozenset[str]:
        """The stems of its lead and of the headings above it."""
        return frozenset(stems_of(self.lead)) | self.section.stems if self.lead else self.section.stems


def places_of(document: Document) -> list[Place]:
    """The places of a document in reading order."""
    content = readable(document.content)
    places = list(_places(document, content))
    words = [stems_of(content[place.start : min(place.end, place.start + LONGEST_PLACE)]) for place in places]
    for at, (place, stems) in enumerate(zip(places, words, strict=True)):
        place.at, place.stems = at, tuple(stems)
    return places


def readable(content: str) -> str:
    """The part of a document that is read: all, or the sections that end before the limit."""
    if len(content) <= READ:
        return content
    last = max((match.start() for match in _HEADING.finditer(content, READ // 2, READ)), default=0)
    return content[: last or content.rfind("\n", READ // 2, READ) + 1 or READ]


def _places(document: Document, content: str) -> Iterator[Place]:
    title = document.title.strip()
    path: list[tuple[int, str]] = []
    name = re.sub(r"[\W_]+", " ", document.name.partition("/")[2])
    section = Section(document, (), f"{title}\n{name}")
    group = 0
    former: Block | None = None
    for block in blocks_of(content):
        if block.kind is BlockKind.HEADING:
            path = [*(each for each in path if each[0] < block.level), (block.level, block.text)]
            headings = tuple(text for _, text in path if text and text.casefold() != title.casefold())
            section = Section(document, headings, "\n".join((title, *headings, name)))
        elif block.kind is not BlockKind.RULE:
            if not _together(former, block):
                group += 1
            for start, end in _cut(block, content):
                yield Place(section, block.kind, start, end, (block.start, block.end), block.lead, group, 0)
        former = block


def _together(former: Block | None, block: Block) -> bool:
    """Whether both are items of one list or rows of one table."""
    return (
        former is not None
        and former.kind is block.kind
        and block.kind in (BlockKind.ITEM, BlockKind.ROW)
        and former.lead_span == block.lead_span
        and block.start - former.end <= 3
    )


def _cut(block: Block, content: str) -> Iterator[tuple[int, int]]:
    if block.kind in (BlockKind.CODE, BlockKind.ROW):
        yield block.start, block.end
        return
    text = content[block.start : block.end]
    for start, end in sentences_of(text):
        yield block.start + start, block.start + end
