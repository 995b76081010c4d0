"""Words as they are compared: stemmed, weighed by how rare they are. Not which words matter in a question: words.py."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from Stemmer import Stemmer

from app.answering.words import content_words, words_of
from app.domain.documents import DocumentChunk


class TermStatistics(Protocol):
    """How frequent words are where the chunks come from; the corpus index knows it for the whole corpus."""

    @property
    def chunk_count(self) -> int: ...

    def document_frequency(self, term: str) -> int:
        """In how many chunks the English stem occurs."""
        ...


class StatisticsOfChunks:
    """Word statistics of the chunks at hand: what is left where the source tells none."""

    def __init__(self, chunks: Sequence[DocumentChunk], terms: "Terms") -> None:
        self._counts = Counter(term for chunk in chunks for term in set(terms.stems(chunk.content)))
        self._chunks = len(chunks)

    @property
    def chunk_count(self) -> int:
        return self._chunks

    def document_frequency(self, term: str) -> int:
        return self._counts[term]


class Terms:
    """Turns texts into English stems, as the index has them; other languages' words are compared by them, too."""

    def __init__(self) -> None:
        self._stemmer = Stemmer("english")

    def stems(self, text: str) -> tuple[str, ...]:
        """All stems of a text in order. Identifiers count by their parts, as in the index."""
        return tuple(self._stemmer.stemWords(list(_parted(words_of(text)))))

    def of_question(self, text: str) -> tuple[str, ...]:
        """The stems that carry a question, each once."""
        return tuple(dict.fromkeys(self._stemmer.stemWords(list(_parted(content_words(text))))))


def _parted(words: Iterable[str]) -> Iterable[str]:
    for word in words:
        if "_" in word:
            yield from (part for part in word.split("_") if part)
        else:
            yield word


def weights(terms: Iterable[str], statistics: TermStatistics) -> Mapping[str, float]:
    """Each term's inverse document frequency, as BM25 has it; always above 0."""
    count = max(statistics.chunk_count, 1)
    weighed = {}
    for term in terms:
        frequency = min(statistics.document_frequency(term), count)
        weighed[term] = math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
    return weighed


def share(weighed: Mapping[str, float], present: frozenset[str] | set[str]) -> float:
    """Which share of the terms' weight is present, 0 to 1."""
    total = sum(weighed.values())
    return sum(weight for term, weight in weighed.items() if term in present) / total if total else 0.0
