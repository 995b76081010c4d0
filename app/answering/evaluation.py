"""How good retrieval and answers are, over questions whose right pages are known. Measures; changes nothing."""

import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from app.answering.answerer import Answerer
from app.answering.reporting import answer_object
from app.answering.terms import Terms
from app.answering.words import content_words
from app.domain.answers import EMPTY_ANSWER, Answer, Exchange, Question
from app.domain.documents import BATCH_LIMIT, EVERYWHERE, Scope, distinct_names, name_of
from app.domain.errors import DocumentNameInvalid, ManifestInvalid
from app.knowledge.source import KnowledgeSource

SEARCHED = 50  # chunks, so that ten pages are among them
RANKS = 10
REPLIES = ("answered", "weak")
FACT_SHARE = 0.6  # of a fact's content words, stemmed, must stand in the text


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of a question file (docs/evaluate.md)."""

    id: str
    question: str
    lang: str
    kind: str
    gold: frozenset[str]  # names of right pages
    facts: tuple[str, ...]
    after: str = ""

    @property
    def answerable(self) -> bool:
        return bool(self.gold)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`report` is the one object of figures, `lines` one object a question."""

    report: dict[str, object]
    lines: list[dict[str, object]]


@dataclass(slots=True)
class _Result:
    asked: Asked
    status: str
    text: str
    retrieved: tuple[str, ...]  # names in order
    cited: tuple[str, ...]  # names by number
    verbatim: tuple[bool, ...]
    resolves: tuple[bool, ...]
    facts: tuple[bool, ...]
    search_ms: float
    ask_ms: float
    line: dict[str, object] = field(default_factory=dict)


def read_questions(file: Path) -> tuple[Asked, ...]:
    """The questions of a file in order. Raises ManifestInvalid with the number of the line that is wrong."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ManifestInvalid(f"{file.name}: not UTF-8") from error
    asked = tuple(_asked(line, f"{file.name}, line {number}") for number, line in enumerate(lines, 1) if line.strip())
    known = {each.id for each in asked}
    for each in asked:
        if each.after and each.after not in known:
            raise ManifestInvalid(f"{file.name}: question {each.id} comes after {each.after}, which is not there")
    return asked


def _asked(line: str, where: str) -> Asked:
    try:
        entry = json.loads(line)
        return Asked(
            id=str(entry["id"]),
            question=str(entry["question"]),
            lang=str(entry.get("lang", "en")),
            kind=str(entry.get("kind", "short")),
            gold=frozenset(name_of(uri) for uri in entry.get("gold_uris", ())),
            facts=tuple(map(str, entry.get("gold_facts", ()))),
            after=str(entry.get("after", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError, DocumentNameInvalid) as error:
        raise ManifestInvalid(f"{where}: needs id, question, lang, kind, gold_uris and gold_facts") from error


async def evaluate(
    source: KnowledgeSource,
    answerer: Answerer,
    questions: Sequence[Asked],
    *,
    scope: Scope = EVERYWHERE,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Evaluation:
    """Ask all questions. A follow-up is asked after the question that it names, with that one's answer as history."""
    terms = Terms()
    by_id = {asked.id: asked for asked in questions}
    answers: dict[str, Answer] = {}
    results = []
    for done, asked in enumerate(questions, 1):
        history: tuple[Exchange, ...] = ()
        if asked.after:
            if asked.after not in answers:
                answers[asked.after] = await _answer(answerer, Question(by_id[asked.after].question, scope=scope))
            history = (Exchange(by_id[asked.after].question, answers[asked.after].text),)
        question = Question(asked.question, scope=scope, history=history)
        began = time.perf_counter()
        standalone = await answerer.standalone(question)
        chunks = await source.search_documents(standalone.text, scope, SEARCHED)
        searched = time.perf_counter()
        answer = answers[asked.id] = await _answer(answerer, question)
        ended = time.perf_counter()
        results.append(
            await _judged(source, asked, answer, distinct_names(chunks), terms, searched - began, ended - searched)
        )
        on_progress(done, len(questions))
    report: dict[str, object] = {"questions": len(results), **_figures(results)}
    report["by_lang"] = {key: _figures(group) for key, group in _grouped(results, "lang").items()}
    report["by_kind"] = {key: _figures(group) for key, group in _grouped(results, "kind").items()}
    return Evaluation(report, [result.line for result in results])


async def _answer(answerer: Answerer, question: Question) -> Answer:
    answer = EMPTY_ANSWER
    async for event in answerer.answer(question):
        answer = answer.apply(event)
    return answer


async def _judged(  # one question's measurements, used once
    source: KnowledgeSource,
    asked: Asked,
    answer: Answer,
    retrieved: tuple[str, ...],
    terms: Terms,
    search_seconds: float,
    ask_seconds: float,
) -> _Result:
    status = str(answer.outcome or "failed")
    names = list(dict.fromkeys(citation.name for citation in answer.citations))
    documents = {}
    for at in range(0, len(names), BATCH_LIMIT):
        batch = await source.batch_get_documents(names[at : at + BATCH_LIMIT], EVERYWHERE)
        documents.update({document.name: document for document in batch.documents})
    text = answer.text
    stems = frozenset(terms.stems(text))
    return _Result(
        asked=asked,
        status=status,
        text=text,
        retrieved=retrieved,
        cited=tuple(citation.name for citation in answer.citations),
        verbatim=tuple(
            citation.name in documents and passage.text in documents[citation.name].content
            for citation in answer.citations
            for passage in citation.passages
        ),
        resolves=tuple(name in documents for name in names),
        facts=tuple(_holds(fact, stems, terms) for fact in asked.facts) if asked.answerable else (),
        search_ms=search_seconds * 1000,
        ask_ms=ask_seconds * 1000,
        line=answer_object(id=asked.id, status=status, answer=answer, ms=round(ask_seconds * 1000)),
    )


def _holds(fact: str, stems: frozenset[str], terms: Terms) -> bool:
    wanted = frozenset(terms.stems(" ".join(content_words(re.sub(r"[^\w\s]", " ", fact), "en"))))
    return bool(wanted) and len(wanted & stems) >= FACT_SHARE * len(wanted)


def _grouped(results: Sequence[_Result], by: str) -> Mapping[str, list[_Result]]:
    groups: dict[str, list[_Result]] = {}
    for result in results:
        groups.setdefault(str(getattr(result.asked, by)), []).append(result)
    return dict(sorted(groups.items()))


def _figures(results: Sequence[_Result]) -> dict[str, object]:
    answerable = [result for result in results if result.asked.answerable]
    others = [result for result in results if not result.asked.answerable]
    citing = [result for result in answerable if result.status in REPLIES]
    ranks = [_rank(result) for result in answerable]
    cited = [(result, name) for result in citing for name in result.cited]
    return {
        "hit1": _share([rank == 1 for rank in ranks]),
        "hit3": _share([0 < rank <= 3 for rank in ranks]),
        "hit5": _share([0 < rank <= 5 for rank in ranks]),
        "mrr10": _mean([1 / rank if rank else 0.0 for rank in ranks]),
        "expected_cited": _share([_cites(result, len(result.cited)) for result in answerable]),
        "first_cited": _share([_cites(result, 1) for result in answerable]),
        "cited_gold": _share([name in result.asked.gold for result, name in cited]),
        "facts": _share([fact for result in answerable for fact in result.facts]),
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


def _cites(result: _Result, first: int) -> bool:
    """Whether a right page is among the first so many citations of a reply that has any."""
    return result.status in REPLIES and not result.asked.gold.isdisjoint(result.cited[:first])


def _rank(result: _Result) -> int:
    """The place of the first right page among the first ten; 0 where there is none."""
    return next((rank for rank, name in enumerate(result.retrieved[:RANKS], 1) if name in result.asked.gold), 0)


def _share(cases: Sequence[object]) -> float | None:
    """Of how many cases it is true; None where there are no cases."""
    return _mean([1.0 if case else 0.0 for case in cases])


def _mean(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _quantile(values: Sequence[float], percent: int) -> float | None:
    if len(values) < 2:
        return round(values[0], 2) if values else None
    return round(quantiles(values, n=100, method="inclusive")[percent - 1], 2)
