"""An answer of quoted blocks, without a model: which blocks, how many, in which order. Every word is a document's own.

The weights are measured (docs/decisions/0009-composed-answer.md) on questions of several sites and coarse on purpose.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from textwrap import dedent

from app.answering.blocks import BlockKind, blocks_of, sentences_of
from app.answering.foreign import addresses_a_machine, without_marks
from app.answering.terms import StatisticsOfChunks, Terms, TermStatistics, share, weights
from app.answering.units import CHUNKS, Unit, units_of
from app.answering.words import words_of
from app.domain.answers import Citation, Question, Segment
from app.domain.documents import Document, DocumentChunk, Passage

BUDGET_WORDS = 220
FIRST_PICKS = 3  # these stand in the order of their worth, the rest in reading order
NOVELTY = 0.9
ENOUGH = 0.30  # a further block must be worth this share of the first pick, else the answer is complete
SHORTEST_WORDS = 20  # below it a block is not worth more for being shorter
PROSE = (BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.ROW, BlockKind.QUOTE)

_HOW = frozenset(("how", "wie", "nasıl"))
_YES_NO = frozenset(
    ("is", "are", "does", "do", "can", "may", "should", "will", "has", "kann", "ist", "sind", "gibt", "muss", "darf")
)
_LIMITS = frozenset(("not", "only", "must", "default", "never", "always", "no", "yes", "cannot"))


@dataclass(frozen=True, slots=True)
class Composition:
    """What the answer shows: its segments, and the citations that their numbers name."""

    segments: tuple[Segment, ...]
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class _Scored:
    unit: Unit
    worth: float
    stems: frozenset[str]


class ExtractiveWriter:
    """Composes answers from chunks and their whole documents."""

    def __init__(self, statistics: TermStatistics | None = None) -> None:
        self._statistics = statistics
        self._terms = Terms()

    def compose(
        self, question: Question, chunks: Sequence[DocumentChunk], documents: Mapping[str, Document]
    ) -> Composition:
        """The blocks that answer best. Empty where the chunks hold nothing to quote."""
        units = [unit for unit in units_of(chunks, documents) if _for_readers(unit)]
        statistics = self._statistics or StatisticsOfChunks(chunks, self._terms)
        weighed = weights(self._terms.of_question(question.text), statistics)
        scored = self._scored(question, units, weighed)
        picked = _picked(scored)
        return self._written(_in_order(picked), weighed)

    def _scored(self, question: Question, units: Sequence[Unit], weighed: Mapping[str, float]) -> list[_Scored]:
        if not units:
            return []
        asked = frozenset(words_of(question.text))
        best_page = max(unit.page_score for unit in units) or 1.0
        scored = []
        for unit in units:
            stems = frozenset(self._terms.stems(unit.text))
            around = stems | set(self._terms.stems(" ".join((unit.document.title, *unit.headings))))
            heading = set(self._terms.stems(unit.headings[-1] if unit.headings else unit.document.title))
            z = (
                -8.0
                + 2.75 * share(weighed, stems)
                + 0.73 * share(weighed, around)
                + 1.7 * unit.page_score / best_page
                + 0.95 / (1 + unit.place)
                + 0.72 * share(weighed, heading)
                + 0.59 * math.log(1 + unit.words)
                + _form(unit, asked)
            )
            scored.append(_Scored(unit, 1 / (1 + math.exp(-z)), stems))
        best = max(each.worth for each in scored)
        return [_Scored(each.unit, each.worth / best, each.stems) for each in scored]

    def _written(self, units: Sequence[Unit], weighed: Mapping[str, float]) -> Composition:
        """Segments in order, and citations numbered by first use; units of one list or table stand together."""
        numbers: dict[str, int] = {}
        passages: dict[str, list[Passage]] = {}
        segments: list[Segment] = []
        shown: set[tuple[str, int]] = set()
        former: Unit | None = None
        for _, run in groupby(units, key=lambda unit: (unit.group, unit.kind in (BlockKind.ITEM, BlockKind.ROW))):
            group = list(run)
            first = group[0]
            number = numbers.setdefault(first.document.name, len(numbers) + 1)
            lead = _lead_of(first, shown)
            text = _heading_above(first, former) + _lead_text(first, lead) + first.header + _separated(group)
            shown.update((unit.document.name, unit.start) for unit in group)
            quoted = [*lead, *((unit.start, unit.end) for unit in group)]
            passages.setdefault(first.document.name, []).extend(
                self._passage(first, span, weighed) for span in _merged(quoted, first.document.content)
            )
            segments.append(Segment(text.rstrip() + "\n\n", (number,)))
            former = first
        citations = tuple(
            _citation(number, _document_of(units, name), passages[name]) for name, number in numbers.items()
        )
        return Composition(tuple(segments), citations)

    def _passage(self, unit: Unit, span: tuple[int, int], weighed: Mapping[str, float]) -> Passage:
        """The quoted span, with its sentence that says most of what was asked as its mark."""
        text = unit.document.content[slice(*span)]
        sentences = [
            (block.start + start, block.start + end)
            for block in blocks_of(text)
            if block.kind in PROSE
            for start, end in sentences_of(text[block.start : block.end])
        ]
        worth = {each: share(weighed, set(self._terms.stems(text[slice(*each)]))) for each in sentences}
        mark = max(sentences, key=lambda each: worth[each], default=None)
        return Passage(text, unit.headings, span[0], (mark,) if mark else ())


def _for_readers(unit: Unit) -> bool:
    return unit.kind is BlockKind.CODE or not addresses_a_machine(unit.text)


def _form(unit: Unit, asked: frozenset[str]) -> float:
    """What the form of a block says: code, steps and rows answer more often than prose of the same words."""
    text = unit.text
    worth = 0.27 * ("`" in text) + 0.33 * any(sign.isdigit() for sign in text)
    worth += {BlockKind.ITEM: 0.34, BlockKind.ROW: 0.61, BlockKind.CODE: 0.31}.get(unit.kind, 0.0)
    if asked & _HOW:
        worth += 0.41 * (unit.kind is BlockKind.CODE) + 0.2 * (unit.kind is BlockKind.ITEM)
    elif asked & _YES_NO and not _LIMITS.isdisjoint(words_of(text)):
        worth += 0.1
    if text.rstrip().endswith("?"):
        worth -= 4.0
    return worth


def _picked(scored: Sequence[_Scored]) -> list[_Scored]:
    """Greedily: worth, less what was said already, against length; until the budget is used or enough is said."""
    picked: list[_Scored] = []
    left = list(scored)
    words = 0
    first_gain = 0.0
    while left:
        gains = [(_gain(each, picked), -place) for place, each in enumerate(left)]
        gain, place = max(gains)
        if first_gain and gain < ENOUGH * first_gain:
            break
        best = left.pop(-place)
        length = best.unit.words + _lead_words(best.unit)
        if picked and words + length > BUDGET_WORDS:
            continue
        first_gain = first_gain or gain
        picked.append(best)
        words += length
    return picked


def _gain(each: _Scored, picked: Sequence[_Scored]) -> float:
    repeated = max((_overlap(each.stems, other.stems) for other in picked), default=0.0)
    worth = math.pow(each.worth, 0.8)
    return worth * (1 - NOVELTY * repeated) / math.sqrt(max(SHORTEST_WORDS, each.unit.words))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def _lead_words(unit: Unit) -> int:
    return len(unit.document.content[slice(*unit.lead)].split()) if unit.lead else 0


def _in_order(picked: Sequence[_Scored]) -> list[Unit]:
    """Three picks first, each with the other picks of its list or table; the rest by page, in reading order."""
    units = [each.unit for each in picked]
    first = units[:FIRST_PICKS]
    groups = dict.fromkeys(unit.group for unit in first)
    pages = list(dict.fromkeys(unit.document.name for unit in units))
    ordered: list[Unit] = []
    for group in groups:
        ordered += sorted((unit for unit in units if unit.group == group), key=lambda unit: unit.start)
    rest = [unit for unit in units if unit.group not in groups]
    return ordered + sorted(rest, key=lambda unit: (pages.index(unit.document.name), unit.start))


def _heading_above(unit: Unit, former: Unit | None) -> str:
    """Where a block stands, when it stands elsewhere than the one before it."""
    if former and former.document.name == unit.document.name and former.headings == unit.headings:
        return ""
    if not unit.headings:
        return ""
    return f"**{unit.headings[-1].replace('*', '')}**\n\n"


def _lead_of(unit: Unit, shown: set[tuple[str, int]]) -> list[tuple[int, int]]:
    """The span of the sentence that introduces the unit, unless it was shown already."""
    if unit.lead is None or (unit.document.name, unit.lead[0]) in shown:
        return []
    shown.add((unit.document.name, unit.lead[0]))
    return [unit.lead]


def _lead_text(unit: Unit, lead: Sequence[tuple[int, int]]) -> str:
    return "".join(unit.document.content[start:end].rstrip() + "\n\n" for start, end in lead)


def _merged(spans: Sequence[tuple[int, int]], content: str) -> list[tuple[int, int]]:
    """Spans with nothing but blanks between them are one passage."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start >= merged[-1][1] and not content[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def _separated(group: Sequence[Unit]) -> str:
    """Blocks one below the other; what stood indented inside a list stands at the edge, so that it is still a block."""
    return "\n".join(_shown(unit).rstrip("\n") for unit in group)


def _shown(unit: Unit) -> str:
    text = dedent(unit.text)
    return text if "```" in text or unit.kind is BlockKind.CODE else without_marks(text)


def _document_of(units: Sequence[Unit], name: str) -> Document:
    return next(unit.document for unit in units if unit.document.name == name)


def _citation(number: int, document: Document, passages: Sequence[Passage]) -> Citation:
    return Citation(number, document.name, document.uri, document.title, document.collection, tuple(passages))


__all__ = ["CHUNKS", "Composition", "ExtractiveWriter"]
