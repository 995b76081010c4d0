"""Every wrapper around a KnowledgeSource passes its behaviour on unchanged."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from app.domain.answers import (
    AnswerCompleted,
    AnswerWritten,
    Citation,
    CitationsFound,
    Outcome,
    Question,
    SourceEvent,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import Document, DocumentBatch, Scope
from app.domain.errors import (
    AccessRefused,
    DayQuotaExceeded,
    DocumentNameInvalid,
    DocumentNotFound,
    KnowledgeError,
    MalformedReply,
    NoAnswer,
    QuestionRefused,
    QuotaExceeded,
    SourceTooSlow,
    SourceUnavailable,
    ToolNotOffered,
    ToolRejected,
)
from app.knowledge.breaker import Breaker
from app.knowledge.caching import Cached
from app.knowledge.flight import SingleFlight
from app.knowledge.instrumentation import Instrumented
from app.knowledge.quota import GOOGLE_LIMITS, DaysInMemory, QuotaGuard
from app.knowledge.several import Member, SeveralSources
from app.knowledge.source import KnowledgeSource
from tests.knowledge.counted import Counted, settled, told
from tests.support.scripted import ScriptedSource

Wrap = Callable[[KnowledgeSource], KnowledgeSource]


def guarded(inner: KnowledgeSource) -> KnowledgeSource:
    return QuotaGuard(inner, GOOGLE_LIMITS, DaysInMemory())


def all_of_them(inner: KnowledgeSource) -> KnowledgeSource:
    return SingleFlight(Cached(Breaker(guarded(Instrumented(inner)))))


def one_member(inner: KnowledgeSource) -> KnowledgeSource:
    return SeveralSources([Member("one", inner)], lambda source, question: inner.answer_query(question))


WRAPPERS: dict[str, Wrap] = {
    "cached": Cached,
    "single flight": SingleFlight,
    "quota guard": guarded,
    "breaker": Breaker,
    "instrumented": Instrumented,
    "several": one_member,
    "all": all_of_them,
}
PAGES = tuple(Document(f"documents/{n}", f"https://{n}", f"# {n}\n\nWords.", n, collection="docs") for n in "abc")
A, B, C = (page.name for page in PAGES)
EVENTS: tuple[SourceEvent, ...] = (
    StepStarted(Step.SEARCHING, 2),
    TextDelta("Some words", (1,)),
    CitationsFound((Citation(1, A, "https://a", "a"),)),
    AnswerCompleted(Outcome.ANSWERED),
)
WRITTEN: tuple[SourceEvent, ...] = (StepStarted(Step.ASKING), AnswerWritten("Some words.", (A, B)))
QUESTION = Question("How?", "en", Scope(groups=frozenset({"g"})))
ERRORS = [
    QuotaExceeded("x", retry_after=3),
    DayQuotaExceeded("x", retry_after=9),
    SourceUnavailable("x", retry_after=5),
    SourceTooSlow("x"),
    ToolNotOffered("x"),
    MalformedReply("x"),
    QuestionRefused("x"),
    NoAnswer("x"),
    ToolRejected("x"),
    DocumentNameInvalid("x"),
    AccessRefused("x"),
    DocumentNotFound(A),
]


@pytest.fixture(params=WRAPPERS)
def wrap(request: pytest.FixtureRequest) -> Wrap:
    return WRAPPERS[request.param]


def playing(*events: SourceEvent) -> ScriptedSource:
    async def script(_question: Question) -> AsyncIterator[SourceEvent]:
        for event in events:
            yield event

    return ScriptedSource(script, PAGES)


async def test_what_is_found_fetched_and_told_is_the_same_the_first_and_the_second_time(wrap: Wrap) -> None:
    bare = playing(*EVENTS)
    source = wrap(bare)
    for _ in range(2):
        found = await source.search_documents("how", limit=2)
        assert [(each.parent, each.content, each.end) for each in found] == [
            (each.parent, each.content, each.end) for each in await bare.search_documents("how", limit=2)
        ]
        assert await source.get_document(B) == PAGES[1]
        for names in ([], [C, A], [B, "documents/none", A, B]):
            assert await source.batch_get_documents(names) == await bare.batch_get_documents(names)
        assert await told(source.answer_query(QUESTION)) == list(EVENTS)


async def test_a_written_answer_stays_as_it_is(wrap: Wrap) -> None:
    source = wrap(playing(*WRITTEN))
    for _ in range(2):
        assert await told(source.answer_query(QUESTION)) == list(WRITTEN)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.code)
async def test_an_error_keeps_its_class_its_detail_and_its_time(wrap: Wrap, error: KnowledgeError) -> None:
    inner = Counted()
    calls: list[Callable[[KnowledgeSource], Awaitable[object]]] = [
        lambda source: source.search_documents("how"),
        lambda source: source.get_document(A),
        lambda source: told(source.answer_query(QUESTION)),
    ]
    for call in calls:
        inner.errors = [error]
        with pytest.raises(KnowledgeError) as raised:
            await call(wrap(inner))
        assert type(raised.value) is type(error)
        assert raised.value.detail == error.detail
        assert getattr(raised.value, "retry_after", None) == getattr(error, "retry_after", None)


async def test_an_error_in_mid_answer_comes_after_what_was_told(wrap: Wrap) -> None:
    inner = Counted(errors=[MalformedReply("cut")])
    events = wrap(inner).answer_query(QUESTION)
    assert await anext(events) == StepStarted(Step.ASKING)
    with pytest.raises(MalformedReply):
        await anext(events)


async def test_the_question_arrives_as_it_was_asked(wrap: Wrap) -> None:
    asked: list[Question] = []

    async def script(question: Question) -> AsyncIterator[SourceEvent]:
        asked.append(question)
        yield AnswerCompleted(Outcome.NOT_FOUND)

    question = Question("  How\u0301  do -E and -e differ? ", "tr", Scope(collections=frozenset({"one"})), asked="x")
    await told(wrap(ScriptedSource(script)).answer_query(question))
    assert asked == [question]


async def test_a_question_is_told_word_by_word_and_not_at_its_end(wrap: Wrap) -> None:
    inner = Counted(held=asyncio.Event())
    events = wrap(inner).answer_query(QUESTION)
    assert await anext(events) == StepStarted(Step.ASKING)
    await events.aclose()


async def test_a_reader_who_leaves_ends_the_call_of_every_tool(wrap: Wrap) -> None:
    inner = Counted(held=asyncio.Event())
    source = wrap(inner)
    calls = (
        source.search_documents("how"),
        source.get_document(A),
        source.batch_get_documents([A]),
        told(source.answer_query(QUESTION)),
    )
    tasks = [asyncio.ensure_future(call) for call in calls]
    await settled()
    assert inner.running == 4
    for task in tasks:
        task.cancel()
    await settled()
    assert (inner.running, inner.cancelled) == (0, 4)
    assert all(task.cancelled() for task in tasks)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_stream_that_is_closed_early_ends_the_call(wrap: Wrap) -> None:
    inner, ended = Counted(), asyncio.Event()

    class Telling(Counted):
        async def answer_query(self, question: Question) -> AsyncIterator[SourceEvent]:
            try:
                for event in EVENTS:
                    yield event
                    await asyncio.sleep(0)
                await asyncio.Event().wait()
            finally:
                ended.set()

    inner = Telling()
    events = wrap(inner).answer_query(QUESTION)
    await anext(events)
    await events.aclose()
    await settled()
    assert ended.is_set()


async def test_an_empty_batch_and_an_empty_search_are_no_errors(wrap: Wrap) -> None:
    source = wrap(Counted(found=()))
    assert await source.search_documents("how") == ()
    assert await source.batch_get_documents([]) == DocumentBatch(())
