"""The chosen units as an answer: in which order, under which headings, with which numbers. Not which are chosen."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from textwrap import dedent

from app.answering.blocks import BlockKind, blocks_of, sentences_of
from app.answering.foreign import without_marks
from app.answering.units import Unit
from app.domain.answers import Citation, Segment
from app.domain.documents import Passage

GAP = "…\n\n"  # something of the section is left out here
PROSE = (BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.ROW, BlockKind.QUOTE)

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Composition:
    """What the answer shows: its segments, and the citations that their numbers name."""

    segments: tuple[Segment, ...]
    citations: tuple[Citation, ...]


def arranged(picked: Sequence[Unit], worth: Callable[[str], float]) -> Composition:
    """The answer of the picked units, which come best first. `worth` of a sentence decides what a passage marks."""
    cited: dict[str, _Cited] = {}
    segments: list[Segment] = []
    for _, section in groupby(in_order(picked), key=_section):
        units = list(section)
        first = units[0]
        known = first.document.name in cited
        citation = cited.setdefault(first.document.name, _Cited(len(cited) + 1, first))
        former: Unit | None = None
        for _, run in groupby(units, key=lambda unit: unit.group):
            group = list(run)
            lead = _lead(group[0], units)
            text = _heading(group[0], begins=not segments, known=known) if former is None else ""
            text += GAP if former and _left_out(former, lead or (group[0].start, 0)) else ""
            text += _shown_lead(group[0], lead) + group[0].header + _shown(group)
            segments.append(Segment(text.rstrip() + "\n\n", (citation.number,)))
            citation.quote(group, lead)
            former = group[-1]
    return Composition(tuple(segments), tuple(each.citation(worth) for each in cited.values()))


def in_order(picked: Sequence[Unit]) -> list[Unit]:
    """The section of the best unit first, then what else was picked by page; everything in reading order."""
    if not picked:
        return []
    pages = list(dict.fromkeys(unit.document.name for unit in picked))
    best = _section(picked[0])
    return sorted(
        picked, key=lambda unit: (_section(unit) != best, pages.index(unit.document.name), unit.start, unit.end)
    )


def _section(unit: Unit) -> tuple[str, int]:
    return unit.document.name, unit.section[0]


# --- text ------------------------------------------------------------------------------------------------------------


def _heading(unit: Unit, *, begins: bool, known: bool) -> str:
    """Where the section stands, as bold words: the document's headings must not be taken for the answer's.

    The page's title is told where the answer goes on with another page, and for what stands above all headings.
    """
    title, heading = unit.document.title, unit.headings[-1] if unit.headings else ""
    if begins:
        words = heading
    elif known:
        words = heading or title
    else:
        words = " · ".join(dict.fromkeys(name for name in (title, heading) if name))
    return f"**{words.replace('*', '')}**\n\n" if words else ""


def _lead(unit: Unit, beside: Sequence[Unit]) -> Span | None:
    """The span of the sentence that introduces the unit, unless it is shown anyway."""
    lead = unit.lead
    if lead is None or any(other.start <= lead[0] and lead[1] <= other.end for other in beside):
        return None
    if any(other.lead == lead and other.start < unit.start for other in beside):
        return None
    return lead


def _shown_lead(unit: Unit, lead: Span | None) -> str:
    return without_marks(unit.document.content[slice(*lead)].strip()) + "\n\n" if lead else ""


def _left_out(former: Unit, following: Span) -> bool:
    return bool(former.document.content[former.end : following[0]].strip())


def _shown(group: Sequence[Unit]) -> str:
    """Blocks one below the other; what stood indented inside a list stands at the edge, so that it is still a block.

    Where items of a list are left out, that is shown; a table's rows are understood as some of many.
    """
    text = ""
    for unit, former in zip(group, [None, *group], strict=False):
        if former and unit.kind is not BlockKind.ROW and _left_out(former, (unit.start, 0)):
            text += "\n" + GAP
        text += _words(unit).rstrip("\n") + "\n"
    return text


def _words(unit: Unit) -> str:
    text = dedent(unit.text)
    indented_code = unit.kind is BlockKind.CODE and "```" not in text and "~~~" not in text
    return text if indented_code else without_marks(text)


# --- citations -------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Cited:
    """One cited document, and what is quoted of it so far."""

    number: int
    first: Unit
    quoted: list[tuple[Unit, Span]] = field(default_factory=list)

    def quote(self, group: Sequence[Unit], lead: Span | None) -> None:
        spans = [*([lead] if lead else []), *((unit.start, unit.end) for unit in group)]
        self.quoted += [(group[0], span) for span in _merged(spans, group[0].document.content)]

    def citation(self, worth: Callable[[str], float]) -> Citation:
        document = self.first.document
        passages = tuple(_passage(unit, span, worth) for unit, span in self.quoted)
        return Citation(self.number, document.name, document.uri, document.title, document.collection, passages)


def _passage(unit: Unit, span: Span, worth: Callable[[str], float]) -> Passage:
    """The quoted span, with its sentence that says most of what was asked as its mark."""
    text = unit.document.content[slice(*span)]
    mark = max(_sentences(text), key=lambda each: worth(text[slice(*each)]), default=None)
    return Passage(text, unit.headings, span[0], (mark,) if mark else ())


def _sentences(text: str) -> Iterator[Span]:
    for block in blocks_of(text):
        if block.kind in PROSE:
            for start, end in sentences_of(text[block.start : block.end]):
                yield block.start + start, block.start + end


def _merged(spans: Sequence[Span], content: str) -> list[Span]:
    """Spans with nothing but blanks between them are one passage."""
    merged: list[Span] = []
    for start, end in spans:
        if merged and start >= merged[-1][1] and not content[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged
