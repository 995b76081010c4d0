"""Which passage of the documents says what a sentence says: candidates, windows around them, how much they cover.

Lexical: the share of the sentence's words, weighed by how rare they are, that stand close together. What agrees and
what contradicts is decided elsewhere (agreeing.py).
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from app.answering.attribution.agreeing import agrees
from app.answering.attribution.places import Place, places_of
from app.answering.attribution.swapping import verbs_of
from app.answering.attribution.vocabulary import FRAMING
from app.answering.attribution.wording import Token, Wording, stems_of
from app.answering.blocks import BlockKind
from app.domain.documents import Document

CANDIDATES = 10  # places that are looked at around
WIDEST = 3  # sentences of one passage
GROUP = 10  # items or rows that are one passage together
AROUND = 0.85  # what a word counts that stands in a heading or a lead-in only
BESIDE = 0.5  # and one that stands in the next sentence
A_PLACE_MORE = 0.03  # what a further sentence must bring
UNKNOWN = 0.7  # what a word weighs that stands nowhere: it may be another word for something
DONE = 0.6  # times that for a verb: another one often says the same
LEAST = 0.35  # a window that says less is not looked at closely
COMPARABLE = 0.7  # times the share of what agrees: what says less than that contradicts nothing
AGAINST = 0.05  # by how much a passage that contradicts must fit better to speak against one that agrees
LOOKED_AT = 4_000  # places that hold one of the words; common words are left out where there are more
NEARBY = 4  # places before and after the last sentence's support


@dataclass(frozen=True, slots=True)
class Match:
    """Places of one document that say what the sentence says; `share` of it, 0 to 1."""

    places: tuple[Place, ...]
    share: float

    @property
    def document(self) -> Document:
        return self.places[0].document


class Matcher:
    """The places of some documents, and which of them say a sentence."""

    def __init__(self, documents: Sequence[Document], read: Callable[[Document], list[Place]] = places_of) -> None:
        self._places: list[Place] = []
        self._first: dict[str, int] = {}
        self._holding: dict[str, list[int]] = defaultdict(list)
        for document in documents:
            if document.name in self._first:
                continue
            self._first[document.name] = len(self._places)
            self._places += read(document)
        for number, place in enumerate(self._places):
            for stem in set(place.stems):
                self._holding[stem].append(number)

    @property
    def places(self) -> Sequence[Place]:
        return self._places

    def weight(self, stem: str) -> float:
        """How much a word tells: its inverse frequency among the places; framing words count a third."""
        count, held = max(len(self._places), 40), len(self._holding.get(stem, ()))
        weight = math.log(1 + (count - held + 0.5) / (held + 0.5)) / math.log(2 * count + 2)
        if not held:
            weight = UNKNOWN
        return max(weight, 0.15) * (0.3 if stem in FRAMING else 1.0)

    def matches(self, said: Wording, near: Match | None = None) -> list[Match]:
        """The best agreeing match of each document, best first; `near` is where the sentence before rests."""
        weights = self._weights(said)
        total = sum(weights.values())
        if not total:
            return []
        named = frozenset(stem for name in said.names for stem in stems_of(name))
        named |= frozenset(token.stem for token in said.content if token.proper)
        bare = {stem: weight for stem, weight in weights.items() if stem not in named} or weights
        bare_total = sum(bare.values())
        best: dict[str, tuple[Match, float]] = {}
        against: dict[str, float] = defaultdict(float)
        for number in self._candidates(weights, near):
            for window in self._windows(number):
                name = window[0].document.name
                share, rest = self._share(window, weights, total), self._share(window, bare, bare_total)
                former = best.get(name)
                better = share >= LEAST and (former is None or share > former[0].share)
                if not better and rest <= max(against[name], former[1] + AGAINST if former else 0.0):
                    continue
                if not agrees(said, window, self.weight):
                    if former is None or share >= former[0].share * COMPARABLE:
                        against[name] = max(against[name], rest)
                elif better:
                    best[name] = Match(window, share), rest
        kept = [match for match, rest in best.values() if against[match.document.name] <= rest + AGAINST]
        return sorted(kept, key=lambda match: -match.share)

    def _weights(self, said: Wording) -> dict[str, float]:
        weights: dict[str, float] = {}
        verbs = verbs_of(said)
        for token in said.content:
            if token.number is None:
                weight = self._emphasis(token) * (DONE if token.stem in verbs else 1.0)
                weights[token.stem] = max(weights.get(token.stem, 0.0), weight)
        return weights

    def _emphasis(self, token: Token) -> float:
        return self.weight(token.stem) * (1.3 if token.proper or token.name else 1.0)

    def _candidates(self, weights: dict[str, float], near: Match | None) -> list[int]:
        scores: dict[int, float] = defaultdict(float)
        looked = 0
        for stem, weight in sorted(weights.items(), key=lambda each: len(self._holding.get(each[0], ()))):
            held = self._holding.get(stem, ())
            looked += len(held)
            if looked > LOOKED_AT and scores:
                break
            for number in held[:LOOKED_AT]:
                scores[number] += weight
        found = sorted(scores, key=lambda number: (-scores[number], number))[:CANDIDATES]
        if near is not None:
            at = self._first[near.document.name] + near.places[-1].at
            found += [n for n in range(max(0, at - NEARBY), min(len(self._places), at + NEARBY + 1)) if n not in found]
        return found

    def _windows(self, number: int) -> Iterator[tuple[Place, ...]]:
        place = self._places[number]
        yield (place,)
        for begin in range(max(0, number - WIDEST + 1), number + 1):
            for end in range(max(begin + 1, number), begin + WIDEST):
                window = tuple(self._places[begin : end + 1])
                if begin <= number <= end and len(window) == end - begin + 1 > 1 and _belong(window):
                    yield window
        group = self._group(number)
        if 1 < len(group) <= GROUP:
            yield group

    def _group(self, number: int) -> tuple[Place, ...]:
        place = self._places[number]
        if place.kind not in (BlockKind.ITEM, BlockKind.ROW):
            return (place,)
        begin = end = number
        while begin and end - begin <= GROUP and self._same_group(begin - 1, number):
            begin -= 1
        while end + 1 < len(self._places) and end - begin <= GROUP and self._same_group(end + 1, number):
            end += 1
        return tuple(self._places[begin : end + 1])

    def _same_group(self, one: int, other: int) -> bool:
        first, second = self._places[one], self._places[other]
        return first.document is second.document and first.group == second.group

    def _share(self, window: Sequence[Place], weights: dict[str, float], total: float) -> float:
        own: set[str] = set()
        for place in window:
            own.update(place.stems)
        around = window[0].around
        beside = self._beside(window)
        found = 0.0
        for stem, weight in weights.items():
            if stem in own:
                found += weight
            elif stem in around:
                found += weight * AROUND
            elif stem in beside:
                found += weight * BESIDE
        return found / total - A_PLACE_MORE * (len(window) - 1 if window[0].kind is not BlockKind.ROW else 1)

    def _beside(self, window: Sequence[Place]) -> set[str]:
        first = self._first[window[0].document.name] + window[0].at
        found: set[str] = set()
        for number in (first - 1, first + len(window)):
            if 0 <= number < len(self._places):
                place = self._places[number]
                if place.section is window[0].section and place.kind is not BlockKind.ROW:
                    found.update(place.stems)
        return found


def _belong(window: Sequence[Place]) -> bool:
    """Whether places make one passage: they stand under one heading, and rows are of one table."""
    first = window[0]
    return all(
        place.section is first.section and (BlockKind.ROW not in (place.kind, first.kind) or place.group == first.group)
        for place in window
    )
