"""An answer as HTML, whole or while it is being written: what is finished, and the open rest. No events, no page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.domain.answers import Segment
from app.web.blocks import ENGLISH, Words
from app.web.cited_blocks import Address, BlockWriter, Cite, Mark
from app.web.mending import without_half_lines
from app.web.sanitising import characters
from app.web.splitting import Piece, cut, ends_in_fence

OPEN_LIMIT = 8_000  # characters of an open block; of a longer one only the beginning is shown until it is finished
ANSWER_LIMIT = 200_000  # characters; what is beyond is left out, and an ellipsis says so


@dataclass(frozen=True, slots=True)
class Rendered:
    """What an update brought: the blocks that are finished now, and the open rest as it looks at the moment."""

    closed: tuple[Markup, ...]
    tail: Markup


def _unknown(number: int) -> str:  # noqa: ARG001 - the form of an Address
    return ""


def answer_html(
    segments: Sequence[Segment], cite: Cite, *, address: Address = _unknown, words: Words = ENGLISH, doubts: str = ""
) -> tuple[Markup, ...]:
    """The blocks of a whole answer: exactly those that a stream of the same segments closes one by one."""
    return AnswerRendering(cite, address=address, words=words, doubts=doubts).update(segments, ended=True).closed


class AnswerRendering:
    """The rendering of one growing answer. A finished block is rendered once, only the open rest again.

    Marks stand at the end of their segment's text, neighbours in one <sup class="ref">; those behind code or a table
    in a small line below it. `cite` may return an empty Markup: then there is no mark. Relative links lead to where
    they lead in the document that is cited first in their block; where `address` does not know it, they are text.
    What has no source is underlined from its last sentence's beginning on; `doubts` begins the ids of such pieces.
    """

    def __init__(self, cite: Cite, *, address: Address = _unknown, words: Words = ENGLISH, doubts: str = "") -> None:
        self._writer = BlockWriter(cite, address, words, doubts)
        self._segment = 0  # the segment that was open at the last update,
        self._taken = ""  # what was taken of it,
        self._begin = 0  # where it begins in the open text (before that: below 0),
        self._doubts = 0  # and how many finished ones have no source
        self._length = 0
        self._open = ""  # the text behind the last cut,
        self._marks: list[Mark] = []  # and the marks of finished segments in it
        self._number: int | None = None  # of the item that the open text begins with, in an ordered list that goes on
        self._next_try = 0  # length of the open text at which looking for a cut is worth its cost again
        self._long_tail: tuple[str, Markup] = ("", Markup(""))

    def update(self, segments: Sequence[Segment], *, ended: bool) -> Rendered:
        """Render what came since the last update: `segments` are those from before, grown.

        When the source fell back, what was written is void: begin a new rendering. Costs some milliseconds; a whole
        long answer some tens of them, so call it in a thread then. Raises ValueError for another answer's segments.
        """
        latest = self._take(segments)
        marks = [*self._marks, *latest]
        pieces = self._cut(ended=ended)
        finished = [
            self._writer.write(self._open[piece.start : piece.end], _within(marks, piece), piece.number)
            for piece in pieces
        ]
        if pieces:
            end = pieces[-1].end
            self._open = self._open[end:]
            self._begin -= end
            self._marks = _behind(self._marks, end)
            marks = _behind(marks, end)
        if not ended:
            return Rendered(_not_empty(finished), self._tail(marks))
        if self._length > ANSWER_LIMIT:
            finished.append(Markup("<p>…</p>"))
        return Rendered(_not_empty(finished), Markup(""))

    def _take(self, segments: Sequence[Segment]) -> list[Mark]:
        """Take over what is new; returns the marks behind it, which may still get more."""
        while self._segment < len(segments):
            segment = segments[self._segment]
            if not segment.text.startswith(self._taken):
                raise ValueError("these segments do not continue those of the last update")
            new = segment.text[len(self._taken) :]
            last = self._segment == len(segments) - 1
            if last and new.endswith("\r"):  # perhaps the first half of a line end
                new = new[:-1]
            self._taken += new
            self._append(new)
            doubtful = segment.unsupported and bool(segment.text.strip())
            doubt = self._doubts + 1 if doubtful else 0
            mark = Mark(len(self._open.rstrip()), segment.numbers, doubt, self._begin)
            marks = [mark] if segment.numbers or doubt else []
            if last:
                return marks
            self._marks += marks
            self._doubts = doubt or self._doubts
            self._segment, self._taken, self._begin = self._segment + 1, "", len(self._open)
        return []

    def _append(self, new: str) -> None:
        room = max(0, ANSWER_LIMIT - self._length)
        self._length += len(new)
        self._open += characters(new[:room].replace("\r\n", "\n").replace("\r", "\n"))

    def _cut(self, *, ended: bool) -> tuple[Piece, ...]:
        held = self._open if ended else self._open.rstrip()  # a mark may still come before the blanks at the end
        known = len(held) if ended else held.rfind("\n") + 1
        if not known or (known < self._next_try and not ended):
            return ()
        found = cut(held[:known], upcoming=held[known:], ended=ended, number=self._number)
        self._number = found.number
        self._next_try = 0 if found.pieces or known < OPEN_LIMIT else known + known // 4
        return found.pieces

    def _tail(self, marks: list[Mark]) -> Markup:
        """The open rest as it can be shown now; it leaves no trace."""
        held = self._open.rstrip()
        if len(held) <= OPEN_LIMIT:
            return self._shown(without_half_lines(held, in_fence=ends_in_fence(held)), marks)
        beginning = held[: held.rfind("\n", 0, OPEN_LIMIT) + 1] or held[:OPEN_LIMIT]
        if self._long_tail[0] != beginning:
            self._long_tail = (beginning, self._shown(beginning, marks))
        return self._long_tail[1]

    def _shown(self, source: str, marks: list[Mark]) -> Markup:
        writer = self._writer.copy()
        pieces = cut(source, ended=True, number=self._number).pieces
        return Markup("").join(
            writer.write(
                source[piece.start : piece.end], _within(marks, piece), piece.number, grows=piece is pieces[-1]
            )
            for piece in pieces
        )


def _within(marks: Iterable[Mark], piece: Piece) -> list[Mark]:
    """The marks whose text ends in the piece, by offsets within it."""
    return [
        mark.moved(piece.start)
        for mark in marks
        if piece.start < mark.offset <= piece.end or mark.offset == piece.start == 0
    ]


def _behind(marks: Iterable[Mark], end: int) -> list[Mark]:
    return [mark.moved(end) for mark in marks if mark.offset > end]


def _not_empty(blocks: Iterable[Markup]) -> tuple[Markup, ...]:
    return tuple(block for block in blocks if block)
