"""How chunk scores and page scores become one ranking. Not how either is found.

The two levels and their weights are measured: see docs/decisions/0008-two-level-index.md.
"""

from collections.abc import Mapping, Sequence

from app.corpus.index.engine import ChunkHit

DECAY = 0.2  # what each further chunk of a page counts, against the one before
BEST_CHUNKS = 3
PAGE_SHARE = 0.5  # what the page index counts beside the chunks


def ranked(
    chunk_hits: Sequence[tuple[int, int, float]], page_scores: Mapping[int, float], limit: int
) -> tuple[ChunkHit, ...]:
    """Chunks by their own score and their page's, each as a share of the best.

    `chunk_hits` are (chunk, document, score), best first. A page that its chunks found but the page index did not
    gets the lowest page score seen.
    """
    if not chunk_hits:
        return ()
    lowest = min(page_scores.values(), default=0.0)
    of_page: dict[int, list[float]] = {}
    for _, document, score in chunk_hits:
        of_page.setdefault(document, []).append(score)
    pages = {
        document: sum(score * DECAY**place for place, score in enumerate(scores[:BEST_CHUNKS]))
        + PAGE_SHARE * page_scores.get(document, lowest)
        for document, scores in of_page.items()
    }
    best_chunk, best_page = chunk_hits[0][2], max(pages.values())
    hits = [
        ChunkHit(chunk, document, score / best_chunk + pages[document] / best_page, pages[document])
        for chunk, document, score in chunk_hits
    ]
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit])


def pages_of(hits: Sequence[ChunkHit]) -> tuple[int, ...]:
    """Documents by their page score, best first."""
    scores = {hit.document_id: hit.page_score for hit in hits}
    return tuple(sorted(scores, key=lambda document: -scores[document]))
