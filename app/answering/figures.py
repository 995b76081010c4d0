"""What the judged answers of an evaluation come to: shares, counts and times. It asks nothing and judges nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

from app.domain.answers import Origin

RANKS = 10
REPLIES = ("answered", "weak")


@dataclass(frozen=True, slots=True)
class Judged:
    """One question's measurements. `facts`, `excerpt_facts` and `first_fact` are of its gold facts."""

    lang: str
    kind: str
    gold: frozenset[str]  # names of right pages; empty: no page answers it
    status: str
    origin: Origin
    words: int  # of the answer's text
    retrieved: tuple[str, ...]  # names in order
    cited: tuple[str, ...]  # names by number
    verbatim: tuple[bool, ...]  # of each shown passage
    resolves: tuple[bool, ...]  # of each cited document
    facts: tuple[bool, ...]  # whether the whole text holds it
    excerpt_facts: tuple[bool, ...]  # whether one passage alone holds it
    first_fact: bool  # whether the first words of the text hold any
    search_ms: float
    ask_ms: float


def grouped(results: Sequence[Judged], by: str) -> Mapping[str, list[Judged]]:
    """The results by language or kind, in the order of the alphabet."""
    groups: dict[str, list[Judged]] = {}
    for result in results:
        groups.setdefault(str(getattr(result, by)), []).append(result)
    return dict(sorted(groups.items()))


def figures(results: Sequence[Judged]) -> dict[str, object]:
    """The keys that docs/evaluate.md explains. A share of nothing is None."""
    answerable = [result for result in results if result.gold]
    others = [result for result in results if not result.gold]
    replies = [result for result in results if result.status in REPLIES]
    ranks = [_rank(result) for result in answerable]
    cited = [(result, name) for result in answerable if result.status in REPLIES for name in result.cited]
    return {
        "questions": len(results),
        "answerable": len(answerable),
        "hit1": _share([rank == 1 for rank in ranks]),
        "hit3": _share([0 < rank <= 3 for rank in ranks]),
        "hit5": _share([0 < rank <= 5 for rank in ranks]),
        "mrr10": _mean([1 / rank if rank else 0.0 for rank in ranks]),
        "expected_cited": _share([_cites(result, len(result.cited)) for result in answerable]),
        "first_cited": _share([_cites(result, 1) for result in answerable]),
        "cited_gold": _share([name in result.gold for result, name in cited]),
        "facts": _share([fact for result in answerable for fact in result.facts]),
        "facts_first60": _share([result.first_fact for result in answerable if result.facts]),
        "facts_one_excerpt": _share([fact for result in answerable for fact in result.excerpt_facts]),
        "words_median": median(result.words for result in replies) if replies else None,
        "written_by_model": sum(result.origin is Origin.MODEL for result in results),
        "verbatim": _share([found for result in results for found in result.verbatim]),
        "resolves": _share([found for result in results for found in result.resolves]),
        "not_found": _share([result.status == "not_found" for result in others]),
        "unanswerable_confident": _share([result.status == "answered" for result in others]),
        "wrong_refusal": _share([result.status == "not_found" for result in answerable]),
        "weak_answerable": _share([result.status == "weak" for result in answerable]),
        "search_p50_ms": _quantile([result.search_ms for result in results], 50),
        "search_p95_ms": _quantile([result.search_ms for result in results], 95),
        "ask_p50_ms": _quantile([result.ask_ms for result in results], 50),
        "ask_p95_ms": _quantile([result.ask_ms for result in results], 95),
    }


def _cites(result: Judged, first: int) -> bool:
    """Whether a right page is among the first so many citations of a reply that has any."""
    return result.status in REPLIES and not result.gold.isdisjoint(result.cited[:first])


def _rank(result: Judged) -> int:
    """The place of the first right page among the first ten; 0 where there is none."""
    return next((rank for rank, name in enumerate(result.retrieved[:RANKS], 1) if name in result.gold), 0)


def _share(cases: Sequence[object]) -> float | None:
    """Of how many cases it is true; None where there are no cases."""
    return _mean([1.0 if case else 0.0 for case in cases])


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _quantile(values: Sequence[float], percent: int) -> float | None:
    if len(values) < 2:
        return round(values[0], 2) if values else None
    return round(quantiles(values, n=100, method="inclusive")[percent - 1], 2)
