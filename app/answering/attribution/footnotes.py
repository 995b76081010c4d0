"""The footnotes of one answer: numbers by first use, and the passages below them. Not what supports what."""

from collections.abc import Sequence

from app.answering.evidence import Support
from app.answering.titles import with_title
from app.domain.answers import Citation
from app.domain.documents import Document, Passage, distinct

PASSAGES = 6  # of one document at most: more are not read


class Footnotes:
    """Gives documents their numbers while an answer grows, and collects the passages that it rests on."""

    def __init__(self) -> None:
        self._cited: dict[str, tuple[Document, list[Passage]]] = {}

    def cite(self, supports: Sequence[Support]) -> tuple[int, ...]:
        """The numbers of the supports' documents, each once, in the order given; new documents get the next ones."""
        for support in supports:
            document, passages = self._cited.setdefault(support.document.name, (support.document, []))
            _add(passages, support.passage, document.content)
        order = {name: number for number, name in enumerate(self._cited, start=1)}
        return tuple(order[name] for name in distinct(support.document.name for support in supports))

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations by number, their passages in the document's reading order."""
        return tuple(
            Citation(
                number,
                document.name,
                document.uri,
                with_title(document).title,
                document.collection,
                tuple(sorted(passages, key=lambda passage: passage.start or 0)),
            )
            for number, (document, passages) in enumerate(self._cited.values(), start=1)
        )


def _add(passages: list[Passage], new: Passage, content: str) -> None:
    """One more passage, or a known one with more marks. What overlaps becomes one passage."""
    if new.start is None:
        return
    start, end = new.start, new.start + len(new.text)
    marks = {(start + first, start + last) for first, last in new.marks}
    for old in [*passages]:
        if old.start is not None and old.start < end and start < old.start + len(old.text):
            passages.remove(old)
            marks |= {(old.start + first, old.start + last) for first, last in old.marks}
            start, end = min(start, old.start), max(end, old.start + len(old.text))
            new = old if old.start == start else new
    if len(passages) < PASSAGES:
        placed = tuple(sorted((first - start, last - start) for first, last in marks))
        passages.append(Passage(content[start:end], new.headings, start, placed))
