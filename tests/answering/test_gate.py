"""Whether the documents answer at all: by what is scale-free, rarely refused, never sure of what stands nowhere."""

from collections.abc import Mapping

import pytest

from app.answering.gate import Gate
from app.domain.answers import Outcome, Question
from app.domain.documents import Document, DocumentChunk

PUMP = "The pump moves water from the well to the tank. Its highest speed is 85 percent, set by SpeedLimit."
TANK = "The tank holds water. Clean it twice a year."
FREQUENT = {"pump": 40, "water": 80, "tank": 50, "highest": 9, "speed": 30, "speedlimit": 2, "percent": 20}


class Statistics:
    """A corpus of 2,000 chunks that has seen the words of the pages and no others."""

    def __init__(self, frequencies: Mapping[str, int]) -> None:
        self._frequencies = frequencies

    @property
    def chunk_count(self) -> int:
        return 2_000

    def document_frequency(self, term: str) -> int:
        return self._frequencies.get(term, 0)


def outcome(question: str, *pages: tuple[str, float], known: Mapping[str, int] = FREQUENT) -> Outcome:
    documents = [
        Document(f"documents/a/{nth}", f"https://a/{nth}", text, title=f"Page {nth}")
        for nth, (text, _) in enumerate(pages)
    ]
    chunks = [
        DocumentChunk(document.name, "0", document.content, end=len(document.content), score=score, page_score=score)
        for document, (_, score) in zip(documents, pages, strict=True)
    ]
    return Gate(Statistics(known)).outcome(
        Question(question), chunks, {document.name: document for document in documents}
    )


def test_a_page_that_holds_the_question_and_stands_out_answers_it() -> None:
    assert outcome("What is the highest speed of the pump?", (PUMP, 30.0), (TANK, 5.0)) is Outcome.ANSWERED


def test_nothing_found_answers_nothing() -> None:
    assert outcome("What is the highest speed of the pump?") is Outcome.NOT_FOUND


def test_a_page_that_shares_one_common_word_with_the_question_does_not_answer_it() -> None:
    assert outcome("Who won the chess championship in water polo?", (TANK, 2.0)) is Outcome.NOT_FOUND


def test_many_pages_alike_that_hold_half_of_the_question_may_help() -> None:
    pages = [(TANK, 6.0 - nth / 10) for nth in range(6)]
    assert outcome("How do I clean the tank with chlorine bleach?", *pages, known=FREQUENT | {"clean": 5}) in (
        Outcome.WEAK,
        Outcome.NOT_FOUND,
    )


def test_a_name_that_stands_nowhere_keeps_an_answer_from_being_sure() -> None:
    asked = "What is the highest speed of the pump with {}?"
    assert outcome(asked.format("SpeedLimit"), (PUMP, 30.0), (TANK, 5.0)) is Outcome.ANSWERED
    assert outcome(asked.format("TurboDrive"), (PUMP, 30.0), (TANK, 5.0)) is Outcome.WEAK


def test_foreign_words_over_english_pages_are_no_reason_to_refuse() -> None:
    assert outcome("Wie schnell darf die Pumpe (pump) höchstens sein?", (PUMP, 30.0), (TANK, 5.0)) is not (
        Outcome.NOT_FOUND
    )


@pytest.mark.parametrize("text", ["", "?", "the of and", "\ud800", "🙂", "\0", "A" * 20_000])
def test_any_text_can_be_judged(text: str) -> None:
    assert outcome(text, (PUMP, 3.0)) in Outcome
