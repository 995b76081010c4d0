"""The two levels of the tantivy index, chunks and pages: their fields, their words, their queries. No files named here.

Two indexes, so that each level has word statistics of its own. Nothing is stored in them but keys.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import tantivy
from tantivy import Filter, Occur, Query, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from app.corpus.index.engine import IndexedDocument, Wanted
from app.domain.documents import Scope, widened

RECIPE = "tantivy-two-levels-2"  # raised whenever fields or words change: an index of another recipe is made anew
LABELS = ("collection", "product", "version", "language")  # what a document is filed under; found whole
CANDIDATES = 200  # hits taken of each level
LONGEST_WORD = 40  # bytes; longer ones are noise: hashes, encoded data
ANALYSER = "footnote"
CHUNK_BOOSTS = {"title": 0.2, "path": 0.2, "body": 1.0}  # fields' scores are added, so boosts must be small
PAGE_BOOSTS = {"title": 0.2, "path": 0.2, "heads": 0.3, "body": 1.0}


@dataclass(frozen=True, slots=True)
class Level:
    """One of the two indexes, open for reading: what it held when it was opened."""

    schema: tantivy.Schema
    searcher: tantivy.Searcher
    boosts: Mapping[str, float]

    @classmethod
    def of_chunks(cls, place: Path, analyser: TextAnalyzer) -> "Level":
        """Raises ValueError where there is no sound index."""
        return cls(_chunk_schema(), _searcher(place / "chunks", analyser), CHUNK_BOOSTS)

    @classmethod
    def of_pages(cls, place: Path, analyser: TextAnalyzer) -> "Level":
        """Raises ValueError where there is no sound index."""
        return cls(_page_schema(), _searcher(place / "pages", analyser), PAGE_BOOSTS)

    def chunk_hits(self, wanted: Wanted, scope: Scope) -> list[tuple[int, int, float]]:
        """Chunk, document, score; best first."""
        scores, places = self._found(wanted, scope)
        chunks = self.searcher.fast_field_values("id", places)
        documents = self.searcher.fast_field_values("document", places)
        return [
            (int(chunk or 0), int(document or 0), score)
            for chunk, document, score in zip(chunks, documents, scores, strict=True)
        ]

    def page_scores(self, wanted: Wanted, scope: Scope) -> dict[int, float]:
        """The score of each document that was found."""
        scores, places = self._found(wanted, scope)
        documents = self.searcher.fast_field_values("document", places)
        return {int(document or 0): score for document, score in zip(documents, scores, strict=True)}

    def _found(self, wanted: Wanted, scope: Scope) -> tuple[list[float], list[tantivy.DocAddress]]:
        hits = self.searcher.search(self._query(wanted, scope), CANDIDATES, count=False).hits
        return [float(score or 0.0) for score, _ in hits], [place for _, place in hits]

    def _query(self, wanted: Wanted, scope: Scope) -> Query:
        words = Query.boolean_query(
            [
                (Occur.Should, Query.boost_query(Query.term_query(self.schema, field, term), boost))
                for term in dict.fromkeys(wanted.terms)
                for field, boost in self.boosts.items()
            ]
        )
        sides = [self._one_of(field, names) for field, names in _labels(scope).items() if names]
        return Query.boolean_query([(Occur.Must, words), *((Occur.Must, side) for side in sides)]) if sides else words

    def _one_of(self, field: str, names: frozenset[str]) -> Query:
        inside = [(Occur.Should, Query.term_query(self.schema, field, name)) for name in sorted(names)]
        return Query.const_score_query(Query.boolean_query(inside), 0.0)  # where it stands says nothing of how well


def analyser() -> TextAnalyzer:
    """Words in lower case, stemmed as English: measured no worse than any other for mixed questions."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST_WORD))
        .filter(Filter.lowercase())
        .filter(Filter.stemmer("english"))
        .build()
    )


def chunk_index(place: Path, words: TextAnalyzer) -> tantivy.Index:
    """The index of chunks to be written; made where it is not there."""
    return _made(place / "chunks", _chunk_schema(), words)


def page_index(place: Path, words: TextAnalyzer) -> tantivy.Index:
    """The index of pages to be written; made where it is not there."""
    return _made(place / "pages", _page_schema(), words)


def chunk_entries(document: IndexedDocument) -> Iterable[tantivy.Document]:
    """A document's chunks as the chunk index takes them."""
    path = words_of_address(document.address)
    for chunk in document.chunks:
        entry = tantivy.Document()
        entry.add_unsigned("id", chunk.id)
        _file(entry, document)
        entry.add_text("title", " > ".join((document.title, *chunk.headings)))
        entry.add_text("path", path)
        entry.add_text("body", chunk.text)
        yield entry


def page_entry(document: IndexedDocument) -> tantivy.Document:
    """A document as the page index takes it."""
    entry = tantivy.Document()
    _file(entry, document)
    entry.add_text("title", document.title)
    entry.add_text("path", words_of_address(document.address))
    entry.add_text("heads", "\n".join(document.headings))
    entry.add_text("body", document.text)
    return entry


def _file(entry: tantivy.Document, document: IndexedDocument) -> None:
    """What a document is known by and filed under."""
    entry.add_unsigned("document", document.id)
    entry.add_text("collection", document.collection)
    entry.add_text("product", document.product)
    entry.add_text("version", document.version)
    for tag in widened(document.language):
        entry.add_text("language", tag)


def _labels(scope: Scope) -> dict[str, frozenset[str]]:
    """What a document has to be filed under, by field."""
    return {
        "collection": scope.collections,
        "product": scope.products,
        "version": scope.versions,
        "language": frozenset(tag.lower() for tag in scope.languages),
    }


def document_queries(document_id: int) -> tuple[Query, Query]:
    """What finds a document's chunks in the one index, and its page in the other."""
    return (
        Query.term_query(_chunk_schema(), "document", document_id),
        Query.term_query(_page_schema(), "document", document_id),
    )


def words_of_address(address: str) -> str:
    """The words of an address, without those that every address has."""
    bare = address.partition("://")[2] or address
    return "".join(sign if sign.isalnum() else " " for sign in bare.removesuffix(".html"))


def _chunk_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", stored=False, indexed=False, fast=True)
    return _with_shared_fields(builder, CHUNK_BOOSTS)


def _page_schema() -> tantivy.Schema:
    return _with_shared_fields(tantivy.SchemaBuilder(), PAGE_BOOSTS)


def _with_shared_fields(builder: tantivy.SchemaBuilder, fields: Iterable[str]) -> tantivy.Schema:
    builder.add_unsigned_field("document", stored=False, indexed=True, fast=True)
    for label in LABELS:
        builder.add_text_field(label, stored=False, tokenizer_name="raw", index_option="basic")
    for field in fields:
        builder.add_text_field(field, stored=False, tokenizer_name=ANALYSER, index_option="freq")
    return builder.build()


def _searcher(place: Path, words: TextAnalyzer) -> tantivy.Searcher:
    if not tantivy.Index.exists(str(place)):
        raise ValueError(f"no index in {place.name}")
    index = tantivy.Index.open(str(place))
    index.register_tokenizer(ANALYSER, words)
    index.config_reader("manual", 1)
    index.reload()
    return index.searcher()


def _made(place: Path, schema: tantivy.Schema, words: TextAnalyzer) -> tantivy.Index:
    place.mkdir(parents=True, exist_ok=True)
    index = tantivy.Index(schema, str(place), reuse=True)
    index.register_tokenizer(ANALYSER, words)
    return index
