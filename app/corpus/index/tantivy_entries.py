"""What an embedded index holds of some documents, key by key, to be compared with the database. Not for searching."""

from collections import Counter, defaultdict

import tantivy
from tantivy import FieldType, Query

from app.corpus.index.keeping import Entries
from app.corpus.index.tantivy_levels import Level

LARGEST_KEY = 2**63 - 1
EXPECTED = 20_000  # entries at a time; where there are more, one asks again


def entries_of(chunks: Level, pages: Level, after: int, upto: int | None) -> Entries:
    """All entries of documents with keys above `after`, up to `upto` or to the end."""
    found: dict[int, list[int]] = defaultdict(list)
    places = _places(chunks, after, upto)
    documents = chunks.searcher.fast_field_values("document", places)
    for document, chunk in zip(documents, chunks.searcher.fast_field_values("id", places), strict=True):
        found[int(document or 0)].append(int(chunk or 0))
    of_pages = pages.searcher.fast_field_values("document", _places(pages, after, upto))
    return Entries(found, Counter(int(document or 0) for document in of_pages))


def _places(level: Level, after: int, upto: int | None) -> list[tantivy.DocAddress]:
    query = Query.range_query(
        level.schema, "document", FieldType.Unsigned, after + 1, LARGEST_KEY if upto is None else upto
    )
    limit = EXPECTED
    while len(hits := level.searcher.search(query, limit, count=False).hits) == limit:
        limit *= 4
    return [place for _, place in hits]
