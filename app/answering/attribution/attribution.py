"""Provisional: to be replaced by whoever owns this file. Nothing is supported."""

from collections.abc import Sequence

from app.answering.arranging import Composition
from app.answering.evidence import Support
from app.domain.answers import Segment
from app.domain.documents import Document


class Attribution:
    """Finds no support for anything."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents

    def support(self, sentence: str, claimed: Sequence[str] = ()) -> tuple[Support, ...]:  # noqa: ARG002  # provisional
        return ()

    def claims(self, piece: str) -> bool:
        return bool(piece.strip())

    def bound(self, text: str) -> Composition:
        return Composition((Segment(text),), ())
