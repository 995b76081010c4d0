"""One suite for all that yields an answer's events: whoever reads the stream may rely on this."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from app.answering.answerer import Answerer
from app.answering.extractive import ExtractiveWriter
from app.answering.gate import Gate
from app.answering.grounded import Grounded
from app.answering.rewriting import Rewriter
from app.domain.answers import (
    EMPTY_ANSWER,
    Answer,
    AnswerCompleted,
    AnswerEvent,
    CitationsFound,
    FellBack,
    Outcome,
    Question,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import Document
from app.domain.errors import NoAnswer
from tests.support.corpus import PAGES, plant
from tests.support.scripted import ScriptedSource

Events = Callable[[Question], AsyncIterator[AnswerEvent]]
QUESTIONS = ("What is the highest speed of the pump?", "How do I clean the tank?", "Who won the chess championship?")


async def _no_answer(_question: Question) -> AsyncIterator[AnswerEvent]:
    yield TextDelta("Half a sen")
    raise NoAnswer


@pytest.fixture(params=["grounded", "source", "answerer", "fallen back"])
async def events(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Events]:
    grounded = Grounded(ExtractiveWriter(), Gate())
    async with AsyncExitStack() as stack:
        corpus = await stack.enter_async_context(plant(tmp_path))
        pages = [
            Document(f"documents/docs.example.com/{path}", f"https://docs.example.com/{path}", text, title=path)
            for path, text in PAGES.items()
        ]
        made: dict[str, Events] = {
            "grounded": lambda question: grounded.answer(corpus.source, question),
            "source": corpus.source.answer_query,
            "answerer": corpus.answerer.answer,
            "fallen back": Answerer(ScriptedSource(_no_answer, pages), grounded, Rewriter()).answer,
        }
        yield made[request.param]


async def all_of(events: Events, text: str) -> list[AnswerEvent]:
    return [event async for event in events(Question(text))]


def folded(events: list[AnswerEvent]) -> Answer:
    answer = EMPTY_ANSWER
    for event in events:
        answer = answer.apply(event)
    return answer


@pytest.mark.parametrize("text", [*QUESTIONS, "", "\ud800", "🙂", "pump " * 4_000])
async def test_an_answer_is_completed_once_and_last(events: Events, text: str) -> None:
    found = await all_of(events, text)
    assert [isinstance(event, AnswerCompleted) for event in found] == [False] * (len(found) - 1) + [True]


@pytest.mark.parametrize("text", QUESTIONS)
async def test_the_first_event_tells_at_once_what_is_done(events: Events, text: str) -> None:
    told = [event for event in await all_of(events, text) if not isinstance(event, FellBack)]
    first = next(event for event in told if not (isinstance(event, TextDelta) and event.text == "Half a sen"))
    assert first == StepStarted(Step.SEARCHING)


@pytest.mark.parametrize("text", QUESTIONS)
async def test_a_number_is_known_before_it_stands_in_the_text(events: Events, text: str) -> None:
    known: set[int] = set()
    for event in await all_of(events, text):
        match event:
            case CitationsFound():
                known = {citation.number for citation in event.citations}
            case TextDelta():
                assert known.issuperset(event.numbers)
            case _:
                pass


@pytest.mark.parametrize("text", QUESTIONS)
async def test_documents_are_numbered_from_one_in_the_order_of_their_use(events: Events, text: str) -> None:
    answer = folded(await all_of(events, text))
    used = list(dict.fromkeys(number for segment in answer.segments for number in segment.numbers))
    assert used == list(range(1, len(used) + 1))
    assert used == [citation.number for citation in answer.citations]
    assert len({citation.name for citation in answer.citations}) == len(used)


@pytest.mark.parametrize("text", QUESTIONS)
async def test_all_text_of_a_composed_answer_has_a_number_and_ends_its_block(events: Events, text: str) -> None:
    for segment in folded(await all_of(events, text)).segments:
        assert segment.numbers
        assert segment.text.endswith("\n\n")


@pytest.mark.parametrize("text", QUESTIONS)
async def test_an_answer_that_is_not_there_has_no_text_and_no_citations(events: Events, text: str) -> None:
    answer = folded(await all_of(events, text))
    if answer.outcome is Outcome.NOT_FOUND:
        assert (answer.segments, answer.citations) == ((), ())
    else:
        assert answer.text
        assert answer.citations


@pytest.mark.parametrize("text", QUESTIONS)
async def test_the_pages_that_were_found_are_named_once_and_those_cited_are_among_them(
    events: Events, text: str
) -> None:
    answer = folded(await all_of(events, text))
    names = [page.name for page in answer.retrieved]
    assert len(names) == len(set(names)) <= 10
    assert {citation.name for citation in answer.citations} <= set(names)


async def test_a_weak_answer_does_not_claim_to_be_written(events: Events) -> None:
    for text in QUESTIONS:
        found = await all_of(events, text)
        steps = [event.step for event in found if isinstance(event, StepStarted)]
        outcome = folded(found).outcome
        assert (Step.GATHERING in steps) == (outcome is Outcome.WEAK)
        assert (Step.WRITING in steps) == (outcome is Outcome.ANSWERED)
