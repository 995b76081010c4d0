"""Makes attributions over documents, and remembers the documents that it has read. Not what a sentence rests on."""

from collections import OrderedDict
from collections.abc import Callable, Sequence

from app.answering.attribution.attribution import Attribution
from app.answering.attribution.places import Place, places_of
from app.domain.documents import Document

REMEMBERED = 2_000_000  # characters of documents; their places take some ten times as many bytes


class Attributor:
    """The same pages are opened again and again, and reading one costs more than judging a sentence by it."""

    def __init__(self, characters: int = REMEMBERED, read: Callable[[Document], list[Place]] = places_of) -> None:
        """At most so many characters of documents are remembered."""
        self._room = characters
        self._read = read
        self._used = 0
        self._places: OrderedDict[Document, list[Place]] = OrderedDict()

    def over(self, documents: Sequence[Document]) -> Attribution:
        """What sentences rest on within these documents."""
        return Attribution(documents, self._places_of)

    def _places_of(self, document: Document) -> list[Place]:
        """By the whole value: a page that has changed is another one."""
        if document in self._places:
            self._places.move_to_end(document)
            return self._places[document]
        places = self._read(document)
        if len(document.content) <= self._room:
            self._places[document] = places
            self._used += len(document.content)
            while self._used > self._room:
                self._used -= len(self._places.popitem(last=False)[0].content)
        return places
