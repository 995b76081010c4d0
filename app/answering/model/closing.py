"""The sentences of a streamed answer, each closed with the numbers of what supports it. No model is asked here.

Words are given on at once. Where a sentence, an item, a row or a block of code is over, what supports it closes it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from app.answering.blocks import sentences_of
from app.answering.evidence import Support, Supporting
from app.answering.model.marks import Kind, Mark, Piece, Words
from app.answering.model.prompt import SENTINEL
from app.domain.answers import AnswerEvent, Citation, CitationsFound, TextDelta
from app.domain.documents import Document, distinct

LONGEST = 2000  # letters after which a sentence is over wherever it may be
UNCLAIMED = 2  # documents that a sentence gets whose marks are confirmed by none
WORD = 12  # letters after which a word tells what it begins, though more may follow

_BLANKS = re.compile(r"\s*")
_EMPTY_LINE = re.compile(r"\n[ \t]*\n")
_TAIL = 24  # letters in which a full stop and what closes behind it stand
_STOPPED = re.compile(r"[.!?…。！？][\"'”’»)\]*_」』）]*\Z")
_WIDE = re.compile(r"(?<=[。！？])(?=[^」』”）])")
_BLOCK_BEGINS = re.compile(r"(?:[-*+]|\d{1,9}[.)]|#{1,6}|[|][\s\S]*|[-*_=]{3,})\Z")
_DELIMITERS = re.compile(r"[|\s:-]+")
_AROUND = "`*_[](). \n"


class Numbering(Protocol):
    """Numbers for documents, by first use."""

    def cite(self, supports: Sequence[Support]) -> tuple[int, ...]: ...

    @property
    def citations(self) -> tuple[Citation, ...]: ...


class Closing:
    """Turns words and marks into an answer's events. `sources[n - 1]` is the document that a mark n names."""

    def __init__(self, sources: Sequence[Document], supporting: Supporting, numbering: Numbering) -> None:
        self._sources = sources
        self._supporting = supporting
        self._numbering = numbering
        self._citations: tuple[Citation, ...] = ()
        self._current = ""  # what was given and is not closed
        self._before = ""  # the piece that was judged last
        self._held = ""  # a word that may begin the next sentence
        self._claimed: list[int] = []
        self._sealed = False  # a mark stood behind the full stop
        self._code = False  # `_current` is a block of code
        self._table = False  # the line before was a table's
        self._begun = False
        self._silent = False

    @property
    def silent(self) -> bool:
        """Whether the answer begins by saying that the passages do not answer. Then nothing was given."""
        return self._silent

    @property
    def said(self) -> bool:
        """Whether anything was given."""
        return self._begun

    def read(self, pieces: Sequence[Piece]) -> list[AnswerEvent]:
        """The events that are certain now; neighbouring text is one delta."""
        found: list[AnswerEvent] = []
        for piece in pieces:
            match piece:
                case Mark(numbers):
                    found += self._settled()
                    self._claimed += numbers
                    self._sealed = bool(_STOPPED.search(self._current[-_TAIL:]))
                case Words(text, Kind.OPENING | Kind.FENCE as kind):
                    found += self._of_code(text, opens=kind is Kind.OPENING)
                case Words(text, Kind.SPAN):
                    found += self._word(text)
                case Words(text):
                    for word in _WIDE.split(text):
                        found += self._word(word)
        return _joined(found)

    def end(self, *, cut: bool = False) -> list[AnswerEvent]:
        """What is left. `cut`: the text broke off, which its reader sees."""
        found = [*self._settled()]
        if cut and self._code and not self._current.rstrip().endswith(("```", "~~~")):
            found += self._given("\n```" if "```" in self._current else "\n~~~")
        broken = cut and not self._code and self._current.strip() != "" and not _STOPPED.search(self._current[-_TAIL:])
        if broken:
            found += self._given(" …")
        found += self._closed()
        if cut and not broken and self._begun:
            found += self._given("\n\n…")
        return _joined(found)

    # --- words -------------------------------------------------------------------------------------------------------

    def _word(self, text: str) -> Iterator[AnswerEvent]:
        if self._held and text[:1].isspace() and self._held.strip():
            yield from self._settled()
        if self._held or self._may_begin(text):
            self._held += text
            bare = self._held.strip(_AROUND)
            if bare != SENTINEL and (len(bare) >= WORD or not (self._begun or SENTINEL.startswith(bare))):
                yield from self._settled()
        else:
            yield from self._given(text)

    def _may_begin(self, text: str) -> bool:
        """Whether a sentence or block may begin here; the first word of all may be that there is no answer."""
        if not self._begun or self._code:
            return True
        blank = text[:1].isspace()
        stopped = _STOPPED.search(self._current[-_TAIL:]) is not None
        return (blank and (stopped or self._sealed or "\n" in text)) or (
            stopped and self._current[-1:] in "。！？」』”）"
        )

    def _settled(self) -> Iterator[AnswerEvent]:
        """The held word is whole: what was before it is closed if it begins something."""
        held, self._held = self._held, ""
        if not held:
            return
        blanks = _BLANKS.match(held)
        blank = blanks[0] if blanks else ""
        if self._silent or held.strip(_AROUND) == SENTINEL:
            self._silent = not self._begun
            return
        if self._begins(held, blank):
            yield from self._closed()
            if _EMPTY_LINE.search(blank):
                self._table = False
        yield from self._given(held)

    def _begins(self, held: str, blank: str) -> bool:
        if self._code or self._sealed or _EMPTY_LINE.search(blank):
            return True
        word = held[len(blank) :]
        body = self._current.lstrip()
        if len(body) > LONGEST:
            return True
        if "\n" in blank:
            line = self._current.rpartition("\n")[2].lstrip()
            if line.startswith(("|", "#")) or _BLOCK_BEGINS.match(word):
                return True
            if word.startswith(">") and not line.startswith(">"):
                return True
        return any(end == len(body) for _, end in sentences_of(body + held))

    def _given(self, text: str) -> Iterator[AnswerEvent]:
        if self._silent or not (self._begun or text.strip()):
            return
        self._current += text
        self._begun = self._begun or bool(text.strip())
        yield TextDelta(text)

    def _of_code(self, text: str, *, opens: bool) -> Iterator[AnswerEvent]:
        yield from self._settled()
        if opens:
            yield from self._closed()
            self._code = True
        yield from self._given(text)

    # --- what supports it --------------------------------------------------------------------------------------------

    def _closed(self) -> Iterator[AnswerEvent]:
        piece, claimed = self._current.strip(), self._claimed
        self._current, self._claimed, self._sealed, self._code = "", [], False, False
        if not piece or self._heads_table(piece) or not self._supporting.claims(piece):
            return
        names = distinct(self._sources[number - 1].name for number in claimed)
        supports = self._supporting.support(piece, names, before=self._before)
        self._before = piece
        confirmed = [support for support in supports if support.document.name in names]
        numbers = self._numbering.cite(confirmed or supports[:UNCLAIMED])
        if self._citations != self._numbering.citations:
            self._citations = self._numbering.citations
            yield CitationsFound(self._citations)
        yield TextDelta("", numbers, unsupported=not numbers)

    def _heads_table(self, piece: str) -> bool:
        """A table's head stays with its first row: nothing may stand between the two."""
        row = piece.startswith("|")
        head = row and (not self._table or _DELIMITERS.fullmatch(piece) is not None)
        self._table = row
        return head


def _joined(events: Sequence[AnswerEvent]) -> list[AnswerEvent]:
    found: list[AnswerEvent] = []
    for event in events:
        last = found[-1] if found else None
        if isinstance(event, TextDelta) and isinstance(last, TextDelta) and not last.closes:
            found[-1] = TextDelta(last.text + event.text, event.numbers, event.unsupported)
        else:
            found.append(event)
    return found
