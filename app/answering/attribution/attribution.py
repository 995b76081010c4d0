"""Which sentence of an answer rests on which passage of which document. It judges words; it does not understand them.

What no document supports is told apart and never given a number to please (docs/decisions/0014-attribution.md).
"""

import re
from collections.abc import Callable, Sequence

from app.answering.arranging import Composition
from app.answering.attribution.agreeing import stands
from app.answering.attribution.footnotes import Footnotes
from app.answering.attribution.matching import Match, Matcher
from app.answering.attribution.pieces import claims_something, pieces_of
from app.answering.attribution.places import SHOWN, Place, places_of
from app.answering.attribution.wording import Wording, plain, wording_of
from app.answering.blocks import BlockKind
from app.answering.evidence import Support
from app.answering.foreign import without_marks
from app.domain.answers import Segment
from app.domain.documents import Document, Passage

ENOUGH = 0.7  # the share of a sentence's words that a passage must say
ENOUGH_OF_FEW = 0.8  # where there are three words or four
ENOUGH_OF_CODE = 1.0  # where a sentence that names nothing would rest on code alone
ENOUGH_CLAIMED = 0.93  # times that, where the writer itself named the document
NEAR = 0.10  # what it counts that the sentence before rests close by, for one that says "it"
AS_GOOD = 0.01  # a second document is named only where it says the same
PIECES = 500  # of an answer: what is longer is no answer, and its rest is left without a source
LINES = 0.6  # of code that must stand in a document's code
_BACK = re.compile(r"(?:it|its|they|their|these|this|that|those|such|both|also|otherwise|then)\b", re.IGNORECASE)
_CODE_LINE = re.compile(r"[^\n]+")


class Attribution:
    """Finds what supports a sentence, within the documents that an answer was made from."""

    def __init__(self, documents: Sequence[Document], read: Callable[[Document], list[Place]] = places_of) -> None:
        """`read` makes a document's places."""
        self._matcher = Matcher(documents, read)
        self._last: Match | None = None
        self._last_text = ""

    def claims(self, piece: str) -> bool:
        """Whether the piece says anything that needs a source: a heading or "For example:" does not."""
        return claims_something(piece)

    def support(self, sentence: str, claimed: Sequence[str] = (), *, before: str = "") -> tuple[Support, ...]:
        """The documents that support a sentence, a row or a block of code, the best first; empty where none does.

        `before` is the sentence before it: where that rests, "It also works on Windows." is looked for first.
        """
        if sentence.lstrip().startswith(("```", "~~~")):
            return self._code(sentence)
        near = self._near(before) if before and _BACK.match(plain(sentence).strip(" *-_")) else None
        matches = self._found(sentence, claimed, near)
        self._last_text, self._last = sentence, matches[0] if matches else None
        return tuple(Support(match.document, passage_of(match.places)) for match in matches)

    def bound(self, text: str) -> Composition:
        """A whole answer with its footnotes. The segments together are the text without foreign marks."""
        text = without_marks(text)
        notes = Footnotes()
        segments: list[Segment] = []
        at = 0
        before = ""
        for number, piece in enumerate(each for each in pieces_of(text) if each.claims):
            if number >= PIECES:
                segments.append(Segment(text[at:], unsupported=True))
                at = len(text)
                break
            words = text[piece.start : piece.end]
            supports = self.support(words, before=before)
            before = words
            numbers = notes.cite(supports)
            segments.append(Segment(text[at : piece.end], numbers, unsupported=not numbers))
            at = piece.end
        if at < len(text):
            segments.append(Segment(text[at:]))
        return Composition(tuple(segments), notes.citations)

    def _near(self, before: str) -> Match | None:
        if before == self._last_text:
            return self._last
        found = self._found(before, (), None)
        return found[0] if found else None

    def _found(self, sentence: str, claimed: Sequence[str], near: Match | None) -> list[Match]:
        said = wording_of(sentence)
        if not said.content:
            return []
        enough = _enough(said)
        good = []
        for match in self._matcher.matches(said, near):
            needed = enough * (ENOUGH_CLAIMED if match.document.name in claimed else 1.0)
            if not said.names and all(place.kind is BlockKind.CODE for place in match.places):
                needed = max(needed, ENOUGH_OF_CODE)
            if near and match.document is near.document and abs(match.places[0].at - near.places[-1].at) <= 4:
                needed -= NEAR
            if match.share >= needed or _quoted(said, match):
                good.append(match)
        good.sort(key=lambda match: (match.document.name not in claimed, -match.share))
        return [match for match in good[:3] if match is good[0] or match.share >= good[0].share - AS_GOOD][:2]

    def _code(self, code: str) -> tuple[Support, ...]:
        """Code rests on a document in whose code most of its lines stand."""
        lines = [" ".join(line.split()) for line in code.strip().splitlines()[1:]]
        lines = [line for line in lines if any(letter.isalnum() for letter in line) and not line.startswith("```")]
        if not lines:
            return ()
        best: tuple[float, list[Place]] = (0.0, [])
        for document_places in self._coded():
            met = {line: place for line in lines for place in document_places if _has_line(line, place)}
            share = len([line for line in lines if line in met]) / len(lines)
            if share > best[0]:
                best = (share, list(dict.fromkeys(met.values())))
        if best[0] < LINES:
            return ()
        first = max(best[1], key=lambda place: sum(_has_line(line, place) for line in lines))
        return (Support(first.document, passage_of((first,))),)

    def _coded(self) -> list[list[Place]]:
        found: dict[str, list[Place]] = {}
        for place in self._matcher.places:
            if place.kind is BlockKind.CODE or "`" in place.text:
                found.setdefault(place.document.name, []).append(place)
        return list(found.values())


def _enough(said: Wording) -> float:
    words = len(said.stems)
    if words <= 2:
        return 0.95
    return ENOUGH_OF_FEW if words <= 4 else ENOUGH


def _quoted(said: Wording, match: Match) -> bool:
    return said.lower.rstrip(".") in " ".join(place.wording.lower for place in match.places)


def _has_line(line: str, place: Place) -> bool:
    return stands(line.casefold(), place.wording.lower)


def passage_of(places: Sequence[Place]) -> Passage:
    """What is shown of a match: the block where it is short, else its sentences; these are marked."""
    first, last = places[0], places[-1]
    start, end = first.start, last.end
    if max(last.block[1], end) - first.block[0] <= SHOWN:
        start, end = min(start, first.block[0]), max(end, last.block[1])
    content = first.document.content
    marks = [(place.start - start, place.end - start) for place in places]
    return Passage(content[start:end], first.section.headings, start, tuple(marks))
