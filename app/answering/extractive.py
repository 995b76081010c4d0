"""An answer of quoted blocks, without a model: which blocks and how many. Every word is a document's own.

Whole passages, the most direct one first, nothing twice, and no more than is needed
(docs/decisions/0009-composed-answer.md).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.answering.arranging import Composition, arranged
from app.answering.foreign import for_readers
from app.answering.terms import StatisticsOfChunks, Terms, TermStatistics, share, weights
from app.answering.units import Unit, units_of
from app.answering.worth import Weighed, weighed_units
from app.domain.answers import Question
from app.domain.documents import Document, DocumentChunk

BUDGET_WORDS = 220
SHORTEST_WORDS = 30  # below it a block is not worth more for being shorter
NOVELTY = 0.9  # what a word that is there already takes from a further block
SAID = 0.8  # a block that shares so many of its words with one that is there says nothing new
ON_SUBJECT = 0.5  # another section has to hold, or to be worth, this share of what the first block holds or is worth

# When the answer is complete: when a further block is worth less than this share of the first one. Where the first one
# holds nearly all that was asked for, little can be missing.
ENOUGH = 0.2
ENOUGH_BESIDE_DIRECT = 0.4
DIRECT = 0.75
FEW_WORDS = 50  # but not before so many words
SCRAP_WORDS = 12  # a block of fewer words adds nothing to an answer that has begun

# A section whose heading says what was asked for is quoted whole, if it is not too long.
ABOUT = 0.6
WHOLE_SECTION_WORDS = 160


class ExtractiveWriter:
    """Composes answers from chunks and their whole documents."""

    def __init__(self, statistics: TermStatistics | None = None) -> None:
        self._statistics = statistics
        self._terms = Terms()

    def compose(
        self,
        question: Question,
        chunks: Sequence[DocumentChunk],
        documents: Mapping[str, Document],
        *,
        words: int = BUDGET_WORDS,
        statistics: TermStatistics | None = None,
    ) -> Composition:
        """The blocks that answer best, of about so many words. Empty where the chunks hold nothing to quote."""
        units = [unit for unit in units_of(chunks, documents) if for_readers(unit.text)]
        statistics = statistics or self._statistics or StatisticsOfChunks(chunks, self._terms)
        weighed = weights(self._terms.of_question(question.text), statistics)
        picked = _picked(weighed_units(question.text, units, weighed, self._terms), words)
        return arranged(picked, lambda sentence: share(weighed, frozenset(self._terms.stems(sentence))))


def _picked(found: Sequence[Weighed], budget: int) -> list[Unit]:
    """The best unit, then greedily what adds most for its length, until enough is said or the budget is used."""
    if not found:
        return []
    first = max(found, key=lambda each: _gain(each, ()))
    enough = _gain(first, ()) * (ENOUGH_BESIDE_DIRECT if first.covered >= DIRECT else ENOUGH)
    first = _with_its_section(first, found)
    picked, words = [first], first.words + _lead_words(first.unit)
    left = [each for each in found if not _inside(each.unit, first.unit) and each.words >= SCRAP_WORDS]
    while left:
        best = max(left, key=lambda each: _gain(each, picked))
        gain = _gain(best, picked)
        if not gain or (gain < enough and words >= FEW_WORDS):
            break
        left.remove(best)
        length = best.words + _lead_words(best.unit)
        if words + length <= budget:
            picked.append(best)
            words += length
    return [each.unit for each in picked]


def _gain(each: Weighed, picked: Sequence[Weighed]) -> float:
    """What a unit would add to those that are picked, for its length."""
    repeated = max((_repeated(each, other) for other in picked), default=0.0)
    if repeated >= SAID or (picked and not _on_subject(each, picked)):
        return 0.0
    return math.pow(each.worth, 0.8) * (1 - NOVELTY * repeated) / math.sqrt(max(SHORTEST_WORDS, each.words))


def _repeated(one: Weighed, other: Weighed) -> float:
    """Which share of its words the one with fewer of them has in common with the other."""
    fewer = min(len(one.stems), len(other.stems))
    return len(one.stems & other.stems) / fewer if fewer else 0.0


def _on_subject(each: Weighed, picked: Sequence[Weighed]) -> bool:
    if each.covered >= ON_SUBJECT * picked[0].covered or each.worth >= ON_SUBJECT:
        return True
    return any(_same_section(each.unit, other.unit) for other in picked)


def _with_its_section(first: Weighed, found: Sequence[Weighed]) -> Weighed:
    """The first unit, or the whole section that it stands in, where that is what was asked for."""
    unit = first.unit
    whole = replace(unit, start=unit.section[0], end=unit.section[1], lead=None, header="", group=unit.section[0])
    if first.about < ABOUT or whole.words > WHOLE_SECTION_WORDS:
        return first
    stems = first.stems.union(*(each.stems for each in found if _inside(each.unit, whole)))
    return replace(first, unit=whole, stems=stems, words=whole.words)


def _same_section(one: Unit, other: Unit) -> bool:
    return one.document.name == other.document.name and one.section == other.section


def _inside(one: Unit, other: Unit) -> bool:
    return one.document.name == other.document.name and other.start <= one.start and one.end <= other.end


def _lead_words(unit: Unit) -> int:
    return len(unit.document.content[slice(*unit.lead)].split()) if unit.lead else 0
