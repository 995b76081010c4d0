"""The embedded index: tantivy at two levels, chunks and pages, in one folder. Nothing is stored in it but keys.

Two indexes, so that each level has word statistics of its own. Both are committed, then `index.json` names the
database's generation that they hold: a crash in between leaves a name that does not fit, and the index is rebuilt.
"""

import json
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog
import tantivy
from tantivy import Filter, Occur, Query, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from app.corpus.index.engine import ChunkHit, IndexedDocument
from app.corpus.index.ranking import ranked
from app.domain.errors import IndexLocked, IndexMissing

RECIPE = "tantivy-two-levels-1"  # to be raised whenever fields, analysers or the library's format change
CANDIDATES = 200  # hits taken of each level
HEAP_BYTES = 40_000_000  # for each of the two writers; tantivy wants 15 MB at least
LONGEST_WORD = 40  # bytes; longer ones are noise: hashes, encoded data
LOOK_SECONDS = 0.5  # how often at most a reader looks for a new generation
ANALYSER = "footnote"
CHUNK_BOOSTS = {"title": 0.2, "path": 0.2, "body": 1.0}
PAGE_BOOSTS = {"title": 0.2, "path": 0.2, "heads": 0.3, "body": 1.0}

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Level:
    """One of the two indexes, open for reading."""

    index: tantivy.Index
    schema: tantivy.Schema
    boosts: dict[str, float]

    def query(self, terms: Sequence[str], collections: frozenset[str]) -> Query:
        clauses = [
            (Occur.Should, Query.boost_query(Query.term_query(self.schema, field, term), boost))
            for term in dict.fromkeys(terms)
            for field, boost in self.boosts.items()
        ]
        words = Query.boolean_query(clauses)
        if not collections:
            return words
        inside = [(Occur.Should, Query.term_query(self.schema, "collection", name)) for name in sorted(collections)]
        unscored = Query.const_score_query(Query.boolean_query(inside), 0.0)
        return Query.boolean_query([(Occur.Must, words), (Occur.Must, unscored)])


class TantivyIndex:
    """An IndexEngine over a folder. Many processes may read it, one writes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._analyser = _analyser()
        self._levels: tuple[_Level, _Level] | None = None
        self._generation: int | None = None
        self._stamp: tuple[int, int] | None = None
        self._looked = 0.0
        self._follow()

    @property
    def generation(self) -> int | None:
        return self._generation

    @property
    def chunk_count(self) -> int:
        return int(self._levels[0].index.searcher().num_docs) if self._levels else 0

    def document_frequency(self, term: str) -> int:
        if self._levels is None:
            return 0
        return int(self._levels[0].index.searcher().doc_freq("body", term))

    def terms(self, text: str) -> tuple[str, ...]:
        return tuple(self._analyser.analyze(text))

    def search(self, terms: Sequence[str], collections: frozenset[str], limit: int) -> tuple[ChunkHit, ...]:
        """Raises IndexMissing where there is no index to be trusted."""
        if self._levels is None:
            raise IndexMissing(str(self._folder))
        if not terms:
            return ()
        chunks, pages = self._levels
        return ranked(_chunk_hits(chunks, terms, collections), _page_scores(pages, terms, collections), limit)

    def changes(self, *, afresh: bool = False) -> "TantivyChanges":
        return TantivyChanges(self._folder, self._analyser, self._follow, afresh=afresh or self._levels is None)

    def refresh(self) -> None:
        now = time.monotonic()
        if now - self._looked < LOOK_SECONDS:
            return
        self._looked = now
        if _stamp_of(self._folder) != self._stamp:
            self._follow()

    def _follow(self) -> None:
        """Open what `index.json` names; nothing where it is missing, of another recipe, or damaged."""
        self._stamp = _stamp_of(self._folder)
        try:
            named = json.loads((self._folder / "index.json").read_text(encoding="utf-8"))
            if named["recipe"] != RECIPE:
                raise ValueError(f"recipe {named['recipe']}")
            place = self._folder / named["folder"]
            self._levels = (
                _opened(place / "chunks", _chunk_schema(), CHUNK_BOOSTS, self._analyser),
                _opened(place / "pages", _page_schema(), PAGE_BOOSTS, self._analyser),
            )
            self._generation = int(named["generation"])
        except FileNotFoundError:
            self._levels, self._generation = None, None
        except (OSError, ValueError, KeyError, TypeError) as error:  # tantivy raises ValueError for a damaged index
            log.warning("index cannot be used and will be rebuilt", reason=str(error))
            self._levels, self._generation = None, None


class TantivyChanges:
    """Uncommitted changes. A rebuild goes to a new folder, so that readers keep the former index until the end."""

    def __init__(self, folder: Path, analyser: TextAnalyzer, committed: Callable[[], None], *, afresh: bool) -> None:
        self._folder = folder
        self._committed = committed
        self._afresh = afresh
        self._former = _named_folder(folder)
        self._name = f"v{time.time_ns()}" if afresh or not self._former else self._former
        place = folder / self._name
        self._pair = (
            _made(place / "chunks", _chunk_schema(), analyser),
            _made(place / "pages", _page_schema(), analyser),
        )
        self._done = False

    def __enter__(self) -> Self:
        try:
            self._chunks, self._pages = (index.writer(HEAP_BYTES, 1) for index in self._pair)
        except ValueError as error:  # tantivy's own lock: another process writes
            raise IndexLocked(str(self._folder)) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._done:
            for writer in (self._chunks, self._pages):
                writer.rollback()
        for writer in (self._chunks, self._pages):
            writer.wait_merging_threads()
        if not self._done and self._name != self._former:
            shutil.rmtree(self._folder / self._name, ignore_errors=True)

    def add(self, document: IndexedDocument) -> None:
        for chunk in document.chunks:
            entry = tantivy.Document()
            entry.add_unsigned("id", chunk.id)
            entry.add_unsigned("document", document.id)
            entry.add_text("collection", document.collection)
            entry.add_text("title", " > ".join((document.title, *chunk.headings)))
            entry.add_text("path", _words_of(document.address))
            entry.add_text("body", chunk.text)
            self._chunks.add_document(entry)
        page = tantivy.Document()
        page.add_unsigned("document", document.id)
        page.add_text("collection", document.collection)
        page.add_text("title", document.title)
        page.add_text("path", _words_of(document.address))
        page.add_text("heads", "\n".join(document.headings))
        page.add_text("body", document.text)
        self._pages.add_document(page)

    def remove(self, document_ids: Iterable[int]) -> None:
        for document_id in document_ids:
            self._chunks.delete_documents("document", document_id)
            self._pages.delete_documents("document", document_id)

    def commit(self, generation: int) -> None:
        self._chunks.commit()
        self._pages.commit()
        _name_atomically(self._folder, {"recipe": RECIPE, "generation": generation, "folder": self._name})
        self._done = True
        for former in self._folder.glob("v*"):
            if former.name != self._name:
                shutil.rmtree(former, ignore_errors=True)  # a reader that still holds its files keeps them
        self._committed()


def _chunk_hits(level: _Level, terms: Sequence[str], collections: frozenset[str]) -> list[tuple[int, int, float]]:
    searcher = level.index.searcher()
    found = searcher.search(level.query(terms, collections), CANDIDATES, count=False).hits
    places = [place for _, place in found]
    ids = searcher.fast_field_values("id", places)
    documents = searcher.fast_field_values("document", places)
    return [(int(id_ or 0), int(document or 0), score) for id_, document, (score, _) in zip(ids, documents, found, strict=True)]


def _page_scores(level: _Level, terms: Sequence[str], collections: frozenset[str]) -> dict[int, float]:
    searcher = level.index.searcher()
    found = searcher.search(level.query(terms, collections), CANDIDATES, count=False).hits
    documents = searcher.fast_field_values("document", [place for _, place in found])
    return {int(document or 0): score for document, (score, _) in zip(documents, found, strict=True)}


def _analyser() -> TextAnalyzer:
    """Words in lower case, stemmed as English: measured no worse than any other for mixed questions."""
    return (
        TextAnalyzerBuilder(Tokenizer.simple())
        .filter(Filter.remove_long(LONGEST_WORD))
        .filter(Filter.lowercase())
        .filter(Filter.stemmer("english"))
        .build()
    )


def _chunk_schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("id", stored=False, indexed=False, fast=True)
    return _with_shared_fields(builder, CHUNK_BOOSTS)


def _page_schema() -> tantivy.Schema:
    return _with_shared_fields(tantivy.SchemaBuilder(), PAGE_BOOSTS)


def _with_shared_fields(builder: tantivy.SchemaBuilder, fields: Iterable[str]) -> tantivy.Schema:
    builder.add_unsigned_field("document", stored=False, indexed=True, fast=True)
    builder.add_text_field("collection", stored=False, tokenizer_name="raw", index_option="basic")
    for field in fields:
        builder.add_text_field(field, stored=False, tokenizer_name=ANALYSER, index_option="freq")
    return builder.build()


def _opened(place: Path, schema: tantivy.Schema, boosts: dict[str, float], analyser: TextAnalyzer) -> _Level:
    if not tantivy.Index.exists(str(place)):
        raise ValueError(f"no index in {place.name}")
    index = tantivy.Index.open(str(place))
    index.register_tokenizer(ANALYSER, analyser)
    index.config_reader("manual", 1)
    index.reload()
    return _Level(index, schema, boosts)


def _made(place: Path, schema: tantivy.Schema, analyser: TextAnalyzer) -> tantivy.Index:
    place.mkdir(parents=True, exist_ok=True)
    index = tantivy.Index(schema, str(place), reuse=True)
    index.register_tokenizer(ANALYSER, analyser)
    return index


def _words_of(address: str) -> str:
    """The words of an address, without those that every address has."""
    bare = address.partition("://")[2] or address
    return "".join(sign if sign.isalnum() else " " for sign in bare.removesuffix(".html"))


def _named_folder(folder: Path) -> str:
    try:
        return str(json.loads((folder / "index.json").read_text(encoding="utf-8"))["folder"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _name_atomically(folder: Path, named: dict[str, object]) -> None:
    fresh = folder / "index.json.new"
    fresh.write_text(json.dumps(named), encoding="utf-8")
    fresh.replace(folder / "index.json")


def _stamp_of(folder: Path) -> tuple[int, int] | None:
    try:
        found = (folder / "index.json").stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino
