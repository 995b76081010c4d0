"""What a unit is worth as part of an answer, from 0 to 1. Not how many are shown, nor in which order.

The weights are measured (docs/decisions/0009-composed-answer.md) on questions of several sites and coarse on purpose.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.answering.blocks import BlockKind
from app.answering.terms import Terms, share
from app.answering.units import Unit
from app.answering.words import words_of

NOT_FOR_READERS = 4.0  # what a question in the text, or a list of links, is worth less

_HOW = frozenset(("how", "wie", "nasıl"))
_YES_NO = frozenset(
    ("is", "are", "does", "do", "can", "may", "should", "will", "has", "kann", "ist", "sind", "gibt", "muss", "darf")
)
_LIMITS = frozenset(("not", "only", "must", "default", "never", "always", "no", "yes", "cannot"))
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()\s]*\)")


@dataclass(frozen=True, slots=True)
class Weighed:
    """A unit with its worth, as a share of the best one's.

    `covered` is the share of the question's weight in the unit, its headings and its page's title; `about` the share
    in its heading alone.
    """

    unit: Unit
    worth: float
    stems: frozenset[str]
    words: int
    covered: float
    about: float


def weighed_units(
    question: str, units: Sequence[Unit], weighed: Mapping[str, float], terms: Terms
) -> tuple[Weighed, ...]:
    """The units in their order. `weighed` are the question's stems with their weights."""
    words = frozenset(words_of(question))
    best_page = max((unit.page_score for unit in units), default=0.0) or 1.0
    found = [_weighed(unit, words, weighed, terms, best_page) for unit in units]
    best = max((each.worth for each in found), default=1.0)
    return tuple(replace(each, worth=each.worth / best) for each in found)


def _weighed(
    unit: Unit, question: frozenset[str], weighed: Mapping[str, float], terms: Terms, best_page: float
) -> Weighed:
    stems = frozenset(terms.stems(unit.text))
    covered = share(weighed, stems.union(terms.stems(" ".join((unit.document.title, *unit.headings)))))
    about = share(weighed, frozenset(terms.stems(unit.headings[-1] if unit.headings else unit.document.title)))
    words = unit.words
    z = (
        -8.0
        + 2.75 * share(weighed, stems)
        + 0.73 * covered
        + 1.7 * unit.page_score / best_page
        + 0.95 / (1 + unit.place)
        + 0.72 * about
        + 0.59 * math.log(1 + words)
        + _form(unit, question)
    )
    return Weighed(unit, 1 / (1 + math.exp(-z)), stems, words, covered, about)


def _form(unit: Unit, question: frozenset[str]) -> float:
    """What the form of a block says: code, steps and rows answer more often than prose of the same words."""
    text = unit.text
    worth = 0.27 * ("`" in text) + 0.33 * any(sign.isdigit() for sign in text)
    match unit.kind:
        case BlockKind.ITEM:
            worth += 0.34
        case BlockKind.CODE:
            worth += 0.31
        case BlockKind.ROW if unit.header:  # one row; a whole table is worth what its words are
            worth += 0.61
    if question & _HOW:
        worth += 0.41 * (unit.kind is BlockKind.CODE) + 0.2 * (unit.kind is BlockKind.ITEM)
    elif question & _YES_NO and not _LIMITS.isdisjoint(words_of(text)):
        worth += 0.1
    if text.rstrip().endswith("?") or _only_points_elsewhere(text):
        worth -= NOT_FOR_READERS
    return worth


def _only_points_elsewhere(text: str) -> bool:
    """Whether more than half of a block's words are links: a table of contents, a list of further pages."""
    links = [match[1] for match in _LINK.finditer(text)]
    linked = sum(len(words_of(link)) for link in links)
    return len(links) > 1 and 2 * linked > len(words_of(_LINK.sub(r"\1", text)))
