"""What an answer may rest on: passages of opened documents, and what supports a sentence. Values and one seam."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.domain.documents import Document, Passage


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage of an opened document, verbatim: `document.content[start:end]`, behind its heading path."""

    document: Document
    start: int
    end: int
    headings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.document.content[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Support:
    """That a sentence rests on a document, and on which of its words. `passage.start` is never None."""

    document: Document
    passage: Passage


class Supporting(Protocol):
    """Tells what supports a sentence, within the documents that an answer was made from."""

    def support(self, sentence: str, claimed: Sequence[str] = (), *, before: str = "") -> tuple[Support, ...]:
        """The documents that support a sentence of Markdown, the best first; empty where none does.

        `claimed`: names of the documents that its writer gave for it. They are preferred, but claims alone prove
        nothing. `before`: the piece that was judged before it, which "it" may speak of.
        """
        ...

    def claims(self, sentence: str) -> bool:
        """Whether the piece says anything that needs a source: a heading or "For example:" does not."""
        ...
