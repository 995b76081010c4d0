"""Where in opened documents the answer to a question stands, when the search did not tell. Not the search itself.

A remote server's chunks come without places and scores. The documents that it led to are cut as our own are, and their
chunks ranked by BM25 over just these documents, together with the order in which the search named them.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.answering.chunking import ChunkSpan, chunks_of
from app.answering.terms import Terms
from app.domain.documents import Document, DocumentChunk, distinct_names

K1, B = 1.2, 0.75  # BM25's usual parameters
TITLE_SHARE = 0.2  # what a word in title or headings counts beside one in the text: as in the index of our own
DECAY = 0.2  # what each further chunk of a page counts, against the one before
BEST_CHUNKS = 3
RANK_SHARE = 0.5  # what the search's own order counts beside the words
LONGEST = 200_000  # characters of a document that are looked through; of a longer one what is near the search's hits
KEPT = 30
UNSEEN = 50  # chunks thought of beside those opened, which were chosen for the question's words: others lack them


@dataclass(frozen=True, slots=True)
class _Candidate:
    document: Document
    span: ChunkSpan
    position: int
    counts: Counter[str]
    title: frozenset[str]

    @property
    def length(self) -> int:
        return sum(self.counts.values())


def known(chunks: Sequence[DocumentChunk]) -> bool:
    """Whether the search told where all of its chunks stand."""
    return all(chunk.end > chunk.start for chunk in chunks)


def located(question: str, chunks: Sequence[DocumentChunk], documents: Mapping[str, Document]) -> "Located":
    """The documents' own chunks, best first, and how many there were to choose from."""
    terms = Terms()
    wanted = terms.of_question(question)
    order = [name for name in distinct_names(chunks) if name in documents]
    hits = {name: [chunk for chunk in chunks if chunk.parent == name] for name in order}
    candidates = [each for name in order for each in _candidates(documents[name], hits[name], terms)]
    scores = _scores(wanted, candidates)
    ranks = {name: 1 / (1 + place) for place, name in enumerate(order)}
    best = max(scores, default=0.0) or 1.0
    pages = dict.fromkeys(order, 0.0)
    for name in order:
        of_page = sorted((s for s, c in zip(scores, candidates, strict=True) if c.document.name == name), reverse=True)
        words = sum(score * DECAY**place for place, score in enumerate(of_page[:BEST_CHUNKS]))
        pages[name] = words + RANK_SHARE * best * ranks[name]
    best_page = max(pages.values(), default=0.0) or 1.0
    found = [
        _as_chunk(each, score / best + pages[each.document.name] / best_page, pages[each.document.name])
        for each, score in zip(candidates, scores, strict=True)
        if score
    ]
    found.sort(key=lambda chunk: (-chunk.score, order.index(chunk.parent), chunk.start))
    return Located(
        tuple(found[:KEPT]), len(candidates) + UNSEEN, Counter(term for each in candidates for term in each.counts)
    )


@dataclass(frozen=True, slots=True)
class Located:
    """Chunks with places, best first, and word statistics of all chunks of the opened documents."""

    chunks: tuple[DocumentChunk, ...]
    chunk_count: int
    frequencies: Mapping[str, int]

    def document_frequency(self, term: str) -> int:
        return self.frequencies.get(term, 0)


def _candidates(document: Document, hits: Sequence[DocumentChunk], terms: Terms) -> list[_Candidate]:
    content = document.content
    windows = [(0, len(content))] if len(content) <= LONGEST else _near(content, hits)
    title = frozenset(terms.stems(document.title))
    found: list[_Candidate] = []
    for start, end in windows:
        for span in chunks_of(content[start:end], document.title):
            moved = replace(span, start=span.start + start, end=span.end + start)
            stems = terms.stems(content[moved.start : moved.end])
            heads = frozenset(terms.stems(" ".join(span.headings)))
            found.append(_Candidate(document, moved, len(found), Counter(stems), title | heads))
    return found


def _near(content: str, hits: Sequence[DocumentChunk]) -> list[tuple[int, int]]:
    """Parts of a very long document, cut at blank lines: around what the search showed of it, else its beginning."""
    around: list[tuple[int, int]] = []
    share = LONGEST // max(1, min(len(hits), 5))
    for hit in hits[:5]:
        words = hit.content.strip()
        at = content.find(words[:200]) if words else -1
        if at >= 0:
            around.append((max(0, at - share // 2), min(len(content), at + share // 2)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(around or [(0, LONGEST)]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return [(_blank_after(content, start), end) for start, end in merged]


def _blank_after(content: str, start: int) -> int:
    """A part does not begin within a paragraph, where there are paragraphs."""
    if not start:
        return 0
    at = content.find("\n\n", start, start + 5_000)
    return at + 2 if at >= 0 else start


def _scores(wanted: Sequence[str], candidates: Sequence[_Candidate]) -> list[float]:
    """BM25 of each candidate over all of them; words of title and headings count for a share."""
    count = len(candidates) + UNSEEN
    mean = sum(each.length for each in candidates) / max(len(candidates), 1)
    weights = {}
    for term in wanted:
        frequency = sum(term in each.counts for each in candidates)
        weights[term] = math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
    scores = []
    for each in candidates:
        norm = K1 * (1 - B + B * each.length / max(mean, 1.0))
        score = 0.0
        for term, weight in weights.items():
            times = each.counts[term]
            score += weight * (times * (K1 + 1) / (times + norm) if times else 0.0)
            score += weight * TITLE_SHARE if term in each.title else 0.0
        scores.append(score)
    return scores


def _as_chunk(each: _Candidate, score: float, page_score: float) -> DocumentChunk:
    document, span = each.document, each.span
    return DocumentChunk(
        parent=document.name,
        id=str(each.position),
        content=span.lead + document.content[span.start : span.end],
        uri=document.uri,
        title=document.title,
        collection=document.collection,
        language=document.language,
        headings=span.headings,
        lead=span.lead,
        start=span.start,
        end=span.end,
        score=score,
        page_score=page_score,
    )
