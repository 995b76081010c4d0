"""Measuring: the figures are what the handbook says they are."""

import json
from pathlib import Path

import pytest

from app.answering.evaluation import evaluate, read_questions
from app.answering.reporting import answer_object
from app.domain.answers import EMPTY_ANSWER
from app.domain.errors import ManifestInvalid
from tests.support.corpus import BASE, plant

KEYS = {
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
    assert report.keys() == {"questions", "by_lang", "by_kind", *KEYS}
    assert report["questions"] == 3
    assert (report["hit1"], report["mrr10"], report["expected_cited"], report["first_cited"]) == (1.0, 1.0, 1.0, 1.0)
    assert (report["verbatim"], report["resolves"]) == (1.0, 1.0)
    assert report["facts"] == pytest.approx(2 / 3, abs=0.001)
    assert (report["not_found"], report["unanswerable_confident"], report["wrong_refusal"]) == (1.0, 0.0, 0.0)
    kinds = report["by_kind"]
    assert isinstance(kinds, dict)
    assert kinds["unanswerable"]["hit1"] is None
    assert [line["id"] for line in result.lines] == ["q1", "q2", "q3"]
    assert result.lines[0].keys() == answer_object(id="", status="", answer=EMPTY_ANSWER, ms=0).keys()


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "x"}', '{"id": "x", "question": "?", "gold_uris": [""]}'])
def test_a_wrong_line_is_told_by_its_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(ManifestInvalid, match="line 2"):
        read_questions(written(tmp_path, QUESTIONS[0], line))


def test_a_follow_up_of_a_missing_question_is_told(tmp_path: Path) -> None:
    with pytest.raises(ManifestInvalid, match="q1"):
        read_questions(written(tmp_path, QUESTIONS[1]))
