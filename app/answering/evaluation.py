"""How good retrieval and answers are, over questions whose right pages are known. Measures; changes nothing."""

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.answering.answerer import Answerer
from app.answering.figures import Judged, figures, grouped
from app.answering.reporting import answer_object
from app.answering.terms import Terms
from app.answering.words import content_words
from app.domain.answers import EMPTY_ANSWER, Answer, Exchange, Question
from app.domain.documents import BATCH_LIMIT, EVERYWHERE, Scope, distinct_names, name_of
from app.domain.errors import DocumentNameInvalid, ManifestInvalid
from app.knowledge.source import KnowledgeSource

SEARCHED = 50  # chunks, so that ten pages are among them
FIRST_WORDS = 60  # what a reader sees at a glance
FACT_SHARE = 0.6  # of a fact's content words, stemmed, must stand in the text


@dataclass(frozen=True, slots=True)
class Asked:
    """One line of a question file (docs/evaluate.md). `file` is the path as it was given."""

    id: str
    question: str
    lang: str
    kind: str
    gold: frozenset[str]  # names of right pages
    facts: tuple[str, ...]
    after: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """`report` is the one object of figures, `lines` one object a question."""

    report: dict[str, object]
    lines: list[dict[str, object]]


def read_questions(file: Path) -> tuple[Asked, ...]:
    """The questions of a file in order. Raises ManifestInvalid with the number of the line that is wrong."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ManifestInvalid(f"{file.name}: not UTF-8") from error
    asked = tuple(_asked(line, file, number) for number, line in enumerate(lines, 1) if line.strip())
    known = {each.id for each in asked}
    for each in asked:
        if each.after and each.after not in known:
            raise ManifestInvalid(f"{file.name}: question {each.id} comes after {each.after}, which is not there")
    return asked


def _asked(line: str, file: Path, number: int) -> Asked:
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
            file=str(file),
        )
    except (ValueError, KeyError, TypeError, AttributeError, DocumentNameInvalid) as error:
        raise ManifestInvalid(
            f"{file.name}, line {number}: needs id, question, lang, kind, gold_uris and gold_facts"
        ) from error


async def evaluate(
    source: KnowledgeSource,
    answerer: Answerer,
    questions: Sequence[Asked],
    *,
    scope: Scope = EVERYWHERE,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Evaluation:
    """Ask all questions. A follow-up is asked after the question that it names, with that one's answer as history.

    An id is of its file: questions of several files may share one.
    """
    terms = Terms()
    by_id = {(asked.file, asked.id): asked for asked in questions}
    answers: dict[tuple[str, str], Answer] = {}
    results: list[Judged] = []
    lines: list[dict[str, object]] = []
    for done, asked in enumerate(questions, 1):
        history: tuple[Exchange, ...] = ()
        if asked.after:
            before = (asked.file, asked.after)
            if before not in answers:
                answers[before] = await _answer(answerer, Question(by_id[before].question, scope=scope))
            history = (Exchange(by_id[before].question, answers[before].text),)
        began = time.perf_counter()
        answer = await _answer(answerer, Question(asked.question, scope=scope, history=history))
        answered = time.perf_counter()
        # What the answer itself searched for: to make the question stand alone again could cost a call, and differ.
        chunks = await source.search_documents(answer.searched_for or asked.question, scope, SEARCHED)
        searched = time.perf_counter()
        answers[asked.file, asked.id] = answer
        result = await _judged(
            source, asked, answer, distinct_names(chunks), terms, searched - answered, answered - began
        )
        results.append(result)
        line = answer_object(id=asked.id, status=result.status, answer=answer, ms=round(result.ask_ms))
        lines.append({**line, "file": asked.file})
        on_progress(done, len(questions))
    report = figures(results)
    report["by_lang"] = {key: figures(group) for key, group in grouped(results, "lang").items()}
    report["by_kind"] = {key: figures(group) for key, group in grouped(results, "kind").items()}
    return Evaluation(report, lines)


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
) -> Judged:
    names = list(dict.fromkeys(citation.name for citation in answer.citations))
    documents = {}
    for at in range(0, len(names), BATCH_LIMIT):
        batch = await source.batch_get_documents(names[at : at + BATCH_LIMIT], EVERYWHERE)
        documents.update({document.name: document for document in batch.documents})
    text = answer.text
    passages = [(citation.name, passage.text) for citation in answer.citations for passage in citation.passages]
    facts = asked.facts if asked.gold else ()
    whole, beginning, *excerpts = (
        frozenset(terms.stems(part))
        for part in (text, " ".join(text.split()[:FIRST_WORDS]), *(excerpt for _, excerpt in passages))
    )
    return Judged(
        lang=asked.lang,
        kind=asked.kind,
        gold=asked.gold,
        status=str(answer.outcome or "failed"),
        origin=answer.origin,
        words=len(text.split()),
        retrieved=retrieved,
        cited=tuple(citation.name for citation in answer.citations),
        verbatim=tuple(name in documents and excerpt in documents[name].content for name, excerpt in passages),
        resolves=tuple(name in documents for name in names),
        facts=tuple(_holds(fact, whole, terms) for fact in facts),
        excerpt_facts=tuple(any(_holds(fact, excerpt, terms) for excerpt in excerpts) for fact in facts),
        first_fact=any(_holds(fact, beginning, terms) for fact in facts),
        search_ms=search_seconds * 1000,
        ask_ms=ask_seconds * 1000,
    )


def _holds(fact: str, stems: frozenset[str], terms: Terms) -> bool:
    wanted = frozenset(terms.stems(" ".join(content_words(re.sub(r"[^\w\s]", " ", fact), "en"))))
    return bool(wanted) and len(wanted & stems) >= FACT_SHARE * len(wanted)
