"""Measuring: the figures are what the handbook says they are."""

import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from app.answering.answerer import Answerer
from app.answering.evaluation import Asked, evaluate, read_questions
from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.answering.reporting import answer_object
from app.answering.rewriting import Rewriter
from app.domain.answers import (
    EMPTY_ANSWER,
    AnswerCompleted,
    AnswerEvent,
    Citation,
    CitationsFound,
    Origin,
    Outcome,
    Question,
    TextDelta,
)
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, Document, DocumentChunk, Passage, Scope
from app.domain.errors import ManifestInvalid
from tests.support.corpus import BASE, plant
from tests.support.scripted import ScriptedSource

KEYS = {
    *("questions", "answerable", "facts_first60", "facts_one_excerpt", "words_median", "written_by_model"),
    *("hit1", "hit3", "hit5", "mrr10", "expected_cited", "first_cited", "cited_gold", "facts", "verbatim", "resolves"),
    *("not_found", "unanswerable_confident", "wrong_refusal", "weak_answerable"),
    *("search_p50_ms", "search_p95_ms", "ask_p50_ms", "ask_p95_ms"),
}
QUESTIONS = [
    {
        "id": "q1",
        "question": "What is the highest speed of the pump?",
        "lang": "en",
        "kind": "short",
        "gold_uris": [f"{BASE}/pump/"],
        "gold_facts": ["The highest speed is 85 percent"],
    },
    {
        "id": "q2",
        "question": "And how do I start it?",
        "lang": "en",
        "kind": "followup",
        "gold_uris": [f"{BASE}/pump"],
        "gold_facts": ["Press the green button", "Call the submarine"],
        "after": "q1",
    },
    {"id": "q3", "question": "Who won the chess championship?", "lang": "en", "kind": "unanswerable", "gold_uris": []},
]


def written(place: Path, *lines: object) -> Path:
    file = place / "questions.jsonl"
    file.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return file


async def test_every_figure_is_there_and_right(tmp_path: Path) -> None:
    questions = read_questions(written(tmp_path, *QUESTIONS))
    async with plant(tmp_path) as corpus:
        result = await evaluate(corpus.source, corpus.answerer, questions)
    report = result.report
    assert report.keys() == {"by_lang", "by_kind", *KEYS}
    assert (report["questions"], report["answerable"], report["written_by_model"]) == (3, 2, 0)
    assert (report["hit1"], report["mrr10"], report["expected_cited"], report["first_cited"]) == (1.0, 1.0, 1.0, 1.0)
    assert (report["verbatim"], report["resolves"]) == (1.0, 1.0)
    assert report["facts"] == pytest.approx(2 / 3, abs=0.001)
    assert (report["not_found"], report["unanswerable_confident"], report["wrong_refusal"]) == (1.0, 0.0, 0.0)
    kinds = report["by_kind"]
    assert isinstance(kinds, dict)
    assert kinds["unanswerable"]["hit1"] is None
    assert kinds["followup"].keys() == KEYS
    assert [(group["questions"], group["answerable"]) for group in kinds.values()] == [(1, 1), (1, 1), (1, 0)]
    assert [line["id"] for line in result.lines] == ["q1", "q2", "q3"]
    assert {line["file"] for line in result.lines} == {str(tmp_path / "questions.jsonl")}
    assert result.lines[0].keys() == {*answer_object(id="", status="", answer=EMPTY_ANSWER, ms=0), "file"}


PUMP = Document(
    "documents/docs.example.com/pump",
    "https://docs.example.com/pump",
    "The seal is made of rubber. The highest speed is 85 percent.",
    "Pump",
)
FACTS = ("The highest speed is 85 percent", "The seal is made of rubber", "rubber seal, highest speed")


def answering(text: str, *excerpts: str) -> Answerer:
    """Whatever is asked, the answer is `text` with these excerpts of the one document there is."""

    async def script(_question: Question) -> AsyncIterator[AnswerEvent]:
        passages = tuple(Passage(excerpt) for excerpt in excerpts)
        yield CitationsFound((Citation(1, PUMP.name, PUMP.uri, PUMP.title, passages=passages),))
        yield TextDelta(text, (1,))
        yield AnswerCompleted(Outcome.ANSWERED, origin=Origin.MODEL)

    return Answerer(ScriptedSource(script, (PUMP,)), Grounded(ExtractiveWriter(), Gate()), Rewriter())


def asked(id: str = "q", question: str = "How fast?", *, facts: Sequence[str] = FACTS, **given: str) -> Asked:  # noqa: A002  # its name there
    return Asked(id, question, "en", "short", frozenset((PUMP.name,)), tuple(facts), **given)


async def none_asked(_question: Question) -> AsyncIterator[AnswerEvent]:
    raise AssertionError
    yield


SOURCE = ScriptedSource(none_asked, (PUMP,))


async def test_facts_are_looked_for_in_the_whole_text_in_its_beginning_and_in_single_excerpts() -> None:
    seal, speed = PUMP.content.partition(". ")[0] + ".", PUMP.content.partition(". ")[2]
    late = f"{seal} {'and so on ' * 19}{speed}"  # the speed begins behind the 60th word
    report = (await evaluate(SOURCE, answering(late, seal, speed), [asked()])).report
    assert (report["facts"], report["facts_one_excerpt"], report["facts_first60"]) == (1.0, 0.6667, 1.0)
    late_alone = [asked(facts=FACTS[:1]), asked(facts=())]  # a question without facts has no share in it
    assert (await evaluate(SOURCE, answering(late, seal), late_alone)).report["facts_first60"] == 0.0
    assert (report["words_median"], report["written_by_model"]) == (len(late.split()), 1)


async def test_without_a_reply_there_is_no_median_length() -> None:
    report = (await evaluate(SOURCE, answering("", ""), [])).report
    assert (report["questions"], report["words_median"], report["facts_first60"]) == (0, None, None)


async def test_a_question_is_made_to_stand_alone_once_and_searched_for_as_that() -> None:
    made: list[str] = []
    searched: list[str] = []

    class Counting:
        async def standalone(self, question: Question) -> str:
            made.append(question.text)
            return f"{question.text} ({len(made)})"

    class Listening(ScriptedSource):
        async def search_documents(
            self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
        ) -> tuple[DocumentChunk, ...]:
            searched.append(query)
            return await super().search_documents(query, scope, limit)

    async def script(_question: Question) -> AsyncIterator[AnswerEvent]:
        yield AnswerCompleted(Outcome.NOT_FOUND)

    source = Listening(script, (PUMP,))
    await evaluate(source, Answerer(source, Grounded(ExtractiveWriter(), Gate()), Counting()), [asked()])
    assert (made, searched) == (["How fast?"], ["How fast? (1)"])


async def test_files_may_use_the_same_ids_and_each_follow_up_follows_its_own(tmp_path: Path) -> None:
    files = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for file, topic in zip(files, ("pump", "tank"), strict=True):
        first = {"id": "q1", "question": f"What is a {topic}?"}
        then = {"id": "q2", "question": "Why?", "after": "q1"}
        file.write_text("\n".join(map(json.dumps, (first, then))), encoding="utf-8")
    histories: list[str] = []

    async def script(question: Question) -> AsyncIterator[AnswerEvent]:
        histories.extend(exchange.question for exchange in question.history)
        yield AnswerCompleted(Outcome.NOT_FOUND)

    source = ScriptedSource(script)
    questions = [each for file in files for each in read_questions(file)]
    result = await evaluate(source, Answerer(source, Grounded(ExtractiveWriter(), Gate()), Rewriter()), questions)
    assert histories == ["What is a pump?", "What is a tank?"]
    assert [(line["id"], line["file"]) for line in result.lines] == [
        (name, str(file)) for file in files for name in ("q1", "q2")
    ]


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "x"}', '{"id": "x", "question": "?", "gold_uris": [""]}'])
def test_a_wrong_line_is_told_by_its_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(ManifestInvalid, match="line 2"):
        read_questions(written(tmp_path, QUESTIONS[0], line))


def test_a_follow_up_of_a_missing_question_is_told(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid, match="q1"):
        read_questions(written(tmp_path, QUESTIONS[1]))
