"""What is remembered and logged of calls, and when a source counts as ready."""

import asyncio

import pytest
from structlog.testing import capture_logs

from app.domain.answers import Question
from app.domain.documents import Readiness
from app.domain.errors import (
    AccessRefused,
    AppError,
    DayQuotaExceeded,
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
from app.knowledge.instrumentation import Call, Instrumented, SourceHealth
from tests.knowledge.counted import Clock, Counted, settled, told

READY = Readiness(ready=True)


def health(inner: Counted, clock: Clock, probe_seconds: float = 5.0) -> tuple[Instrumented, SourceHealth]:
    calls = Instrumented(inner, "google", now=clock)
    return calls, SourceHealth(calls, Breaker(calls, now=clock), clock, probe_seconds)


async def failed(calls: Instrumented, inner: Counted, error: AppError) -> None:
    inner.errors.append(error)
    with pytest.raises(type(error)):
        await told(calls.answer_query(Question("How?")))


async def test_each_call_is_one_line_with_sizes_and_without_contents() -> None:
    inner, heard = Counted(), list[Call]()
    source = Instrumented(inner, "google", heard.append, Clock())
    with capture_logs() as lines:
        await source.search_documents("my secret question")
        await source.get_document("documents/secret")
        await source.batch_get_documents(["documents/secret", "documents/other"])
        await told(source.answer_query(Question("my secret question")))
        await failed(source, inner, SourceUnavailable("secret detail"))
    assert [(call.tool, call.outcome, call.items) for call in heard] == [
        ("search_documents", "ok", 1),
        ("get_document", "ok", 1),
        ("batch_get_documents", "ok", 2),
        ("answer_query", "ok", 3),
        ("answer_query", "source_unavailable", 1),
    ]
    assert heard[2].characters == 12
    assert len(lines) == 5
    assert all(line["source"] == "google" and line["milliseconds"] == 0 for line in lines)
    assert "secret" not in str(lines)
    assert "secret" not in str(heard)


async def test_before_any_call_a_source_is_ready_and_nobody_asks_it() -> None:
    inner = Counted()
    _, source = health(inner, Clock())
    assert await source.readiness() == READY
    assert inner.calls == []


@pytest.mark.parametrize("error", [SourceUnavailable, SourceTooSlow, AccessRefused, MalformedReply, ToolNotOffered])
async def test_after_a_failure_of_the_source_it_is_not_ready_until_a_call_goes_well(
    error: type[KnowledgeError],
) -> None:
    inner = Counted()
    calls, source = health(inner, Clock())
    await failed(calls, inner, error())
    assert await source.readiness() == Readiness(ready=False, problem=error.code)
    await calls.search_documents("how")
    assert await source.readiness() == READY


@pytest.mark.parametrize(
    "error", [QuotaExceeded, DayQuotaExceeded, NoAnswer, QuestionRefused, DocumentNotFound, ToolRejected]
)
async def test_an_answer_that_is_no_failure_of_the_source_leaves_it_ready(error: type[KnowledgeError]) -> None:
    inner = Counted()
    calls, source = health(inner, Clock())
    await failed(calls, inner, error())
    assert await source.readiness() == READY


async def test_a_call_that_was_left_says_nothing() -> None:
    inner = Counted(errors=[])
    calls, source = health(inner, Clock())
    await failed(calls, inner, SourceUnavailable())
    inner.held = asyncio.Event()
    task = asyncio.create_task(calls.search_documents("how"))
    await settled()
    task.cancel()
    await settled()
    events = calls.answer_query(Question("How?"))
    await anext(events)
    await events.aclose()
    assert (await source.readiness()).problem == "source_unavailable"


async def test_an_old_failure_is_looked_at_again_by_one_search_however_many_ask() -> None:
    clock, inner = Clock(), Counted()
    calls, source = health(inner, clock)
    await failed(calls, inner, SourceUnavailable())
    clock.move(29)
    assert not (await source.readiness()).ready
    assert len(inner.calls) == 1
    clock.move(1)
    assert await asyncio.gather(*(source.readiness() for _ in range(20))) == [READY] * 20
    assert inner.count == {"answer_query": 1, "search_documents": 1}


async def test_a_source_that_stays_down_is_looked_at_every_thirty_seconds() -> None:
    clock, inner = Clock(), Counted()
    calls, source = health(inner, clock)
    await failed(calls, inner, AccessRefused())
    for looks in range(1, 4):
        clock.move(30)
        inner.errors = [AccessRefused()]
        for _ in range(3):
            assert await source.readiness() == Readiness(ready=False, problem="access_refused")
        assert inner.count["search_documents"] == looks


async def test_a_source_that_hangs_holds_readiness_no_longer_than_its_bound() -> None:
    clock, inner = Clock(), Counted()
    calls, source = health(inner, clock, probe_seconds=0.01)
    await failed(calls, inner, SourceTooSlow())
    inner.held = asyncio.Event()
    clock.move(30)
    assert (await source.readiness()).problem == "source_too_slow"
    assert inner.cancelled == 1
    assert (await source.readiness()).problem == "source_too_slow"
    assert inner.count["search_documents"] == 1


async def test_a_clock_set_back_does_not_keep_a_source_unready() -> None:
    clock, inner = Clock(), Counted()
    calls, source = health(inner, clock)
    await failed(calls, inner, SourceUnavailable())
    clock.move(-5000)
    assert await source.readiness() == READY


async def test_a_mistake_of_ours_is_told_as_such_and_says_nothing_of_the_source() -> None:
    inner, heard = Counted(errors=[ZeroDivisionError()]), list[Call]()
    source = Instrumented(inner, listener=heard.append, now=Clock())
    with pytest.raises(ZeroDivisionError):
        await source.search_documents("how")
    assert (heard[0].outcome, heard[0].ready, source.last) == ("error", None, None)
