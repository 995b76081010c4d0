"""Whether the documents answer a question at all: answered, weak, or not found. Not what the answer is.

Three outcomes, since refusing hardly works: a question about a covered product that no page answers looks like one
that a page answers. The weights are those of docs/decisions/0009-composed-answer.md.
"""

import math
from collections.abc import Mapping, Sequence

from app.answering.names import names_in
from app.answering.terms import StatisticsOfChunks, Terms, TermStatistics, share, weights
from app.answering.words import language_of
from app.domain.answers import Outcome, Question
from app.domain.documents import Document, DocumentChunk

CONFIDENT = 0.28
POSSIBLE = 0.05
LEAST_COVERED = 0.2  # below this share of the question's weight no page is about it
MEASURED_CHUNKS = 28_155  # the corpus whose raw scores the weight of the page score belongs to
MEASURED_WEIGHT = 4.0  # and the mean weight of a question's term in it
TOP = 5


class Gate:
    """Judges what a search found."""

    def __init__(self, statistics: TermStatistics | None = None) -> None:
        self._statistics = statistics
        self._terms = Terms()

    def outcome(
        self,
        question: Question,
        chunks: Sequence[DocumentChunk],
        documents: Mapping[str, Document],
        statistics: TermStatistics | None = None,
    ) -> Outcome:
        """`statistics` of the words where the chunks come from, if they differ from those given at first."""
        statistics = statistics or self._statistics or StatisticsOfChunks(chunks, self._terms)
        weighed = weights(self._terms.of_question(question.text), statistics)
        if not chunks or not weighed:
            return Outcome.NOT_FOUND
        scores = list(dict.fromkeys(sorted((chunk.page_score for chunk in chunks), reverse=True)))
        best = documents.get(max(chunks, key=lambda chunk: chunk.page_score).parent)
        present = frozenset(self._terms.stems(f"{best.title}\n{best.content}")) if best else frozenset()
        covered = share(weighed, present)
        language = language_of(question.text)
        if language != "en":  # over English pages words are missing because of the language, not of the subject
            known = {term: weight for term, weight in weighed.items() if statistics.document_frequency(term)}
            covered = share(known, present)
        if covered < LEAST_COVERED:
            return Outcome.NOT_FOUND
        names = self._terms.stems(" ".join(names_in(question.text)))
        likelihood = self._likelihood(chunks, scores, covered, present, weighed, names, statistics)
        unknown = any(not statistics.document_frequency(name) for name in names)
        if likelihood < POSSIBLE and (unknown or language == "en"):
            return Outcome.NOT_FOUND
        if unknown:  # asked about something by a name that stands nowhere
            return Outcome.WEAK
        return Outcome.ANSWERED if likelihood >= CONFIDENT else Outcome.WEAK

    def _likelihood(  # the five features, once
        self,
        chunks: Sequence[DocumentChunk],
        scores: Sequence[float],
        covered: float,
        present: frozenset[str],
        weighed: Mapping[str, float],
        names: Sequence[str],
        statistics: TermStatistics,
    ) -> float:
        score = _as_measured(scores[0], weighed, statistics.chunk_count)
        fifth = scores[TOP - 1] if len(scores) >= TOP else 0.0  # no fifth page: nothing rivals the first
        gap = (scores[0] - fifth) / scores[0] if scores[0] else 0.0
        pages = len({chunk.parent for chunk in chunks[:TOP]})
        missing = sum(name not in present for name in names) / len(names) if names else 0.0
        z = -3.48 + 0.065 * score + 1.02 * covered + 1.29 * gap - 1.91 * missing - 0.344 * pages
        return 1 / (1 + math.exp(-z))


def _as_measured(score: float, weighed: Mapping[str, float], chunk_count: int) -> float:
    """What the page score would be in the corpus that the weights were measured on.

    Raw BM25 grows with the corpus, since words become rarer. In a small one their weights say little, and what counts
    is how much of the best possible score a page has.
    """
    size = min(1.0, math.log(max(chunk_count, 2)) / math.log(MEASURED_CHUNKS))
    raised = score / size
    free = score / sum(weighed.values()) * len(weighed) * MEASURED_WEIGHT
    return size * raised + (1 - size) * free
