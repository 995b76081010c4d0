"""A source that is down rests, is tried by one call, and is never given up."""

import asyncio
import math
import random

import pytest

from app.domain.answers import Question
from app.domain.errors import (
    DocumentNotFound,
    KnowledgeError,
    MalformedReply,
    QuotaExceeded,
    SourceTooSlow,
    SourceUnavailable,
)
from app.knowledge.breaker import Breaker, Pause
from tests.knowledge.counted import Clock, Counted, settled, told


async def failed(breaker: Breaker, inner: Counted, times: int, error: KnowledgeError | None = None) -> None:
    for _ in range(times):
        inner.errors.append(error or SourceUnavailable("502"))
        with pytest.raises(SourceUnavailable):
            await breaker.search_documents("how")


async def test_after_five_failures_in_a_row_the_source_is_not_asked_for_ten_seconds() -> None:
    clock, inner = Clock(), Counted()
    breaker = Breaker(inner, now=clock)
    await failed(breaker, inner, 3)
    await failed(breaker, inner, 2, SourceTooSlow("30 s"))
    for wait, left in ((0, 10), (4, 6), (5, 1)):
        clock.move(wait)
        with pytest.raises(SourceUnavailable) as raised:
            await breaker.batch_get_documents(("documents/a",))
        assert raised.value.retry_after == left
    assert len(inner.calls) == 5
    clock.move(1)
    assert await breaker.search_documents("how")
    assert await breaker.search_documents("how")


async def test_where_answers_are_down_documents_can_still_be_had_and_none_of_their_calls_is_a_trial() -> None:
    clock, inner = Clock(), Counted()
    breaker = Breaker(inner, now=clock)
    for _ in range(20):  # questions, one after each rest: the answer fails, what it falls back to does not
        clock.move(130)
        inner.errors.append(SourceUnavailable("502"))
        with pytest.raises(SourceUnavailable):
            await told(breaker.answer_query(Question("How?")))
        assert await breaker.search_documents("how")
    clock.move(130)
    await failed(breaker, inner, 5)
    assert await told(breaker.answer_query(Question("How?")))  # nor the other way round


async def test_failures_with_an_answer_between_them_open_nothing() -> None:
    inner = Counted()
    breaker = Breaker(inner, now=Clock())
    for _ in range(4):
        await failed(breaker, inner, 4)
        inner.errors.append(DocumentNotFound("documents/a"))  # an answer, too: the source is there
        with pytest.raises(DocumentNotFound):
            await breaker.get_document("documents/a")
    assert len(inner.calls) == 20


async def test_the_rest_doubles_up_to_two_minutes_and_begins_anew_after_an_answer() -> None:
    clock, inner = Clock(), Counted()
    breaker = Breaker(inner, now=clock)
    await failed(breaker, inner, 5)
    for rest in (10, 20, 40, 80, 120, 120):
        clock.move(rest - 0.5)
        before = len(inner.calls)
        with pytest.raises(SourceUnavailable):
            await breaker.search_documents("how")
        assert len(inner.calls) == before
        clock.move(0.5)
        await failed(breaker, inner, 1)
        assert len(inner.calls) == before + 1
    clock.move(120)
    assert await breaker.search_documents("how")
    await failed(breaker, inner, 5)
    clock.move(10)
    assert await breaker.search_documents("how")


async def test_what_the_source_says_of_its_return_wins() -> None:
    clock, inner = Clock(), Counted()
    breaker = Breaker(inner, now=clock)
    await failed(breaker, inner, 5, SourceUnavailable("503", retry_after=45))
    clock.move(44)
    with pytest.raises(SourceUnavailable) as raised:
        await breaker.search_documents("how")
    assert raised.value.retry_after == 1
    clock.move(1)
    assert await breaker.search_documents("how")


async def test_of_many_that_wait_one_tries_and_when_it_leaves_the_next_one_may() -> None:
    clock, inner = Clock(), Counted()
    breaker = Breaker(inner, now=clock)
    await failed(breaker, inner, 5)
    clock.move(10)
    inner.held = asyncio.Event()
    first = asyncio.create_task(breaker.get_document("documents/a"))
    await settled()
    others = await asyncio.gather(*(breaker.search_documents("how") for _ in range(50)), return_exceptions=True)
    assert all(isinstance(other, SourceUnavailable) and other.retry_after for other in others)
    assert len(inner.calls) == 6
    first.cancel()
    await settled()
    inner.held.set()
    assert await breaker.search_documents("how")
    assert await breaker.search_documents("how")


async def test_two_hundred_that_fail_together_are_one_rest_of_ten_seconds() -> None:
    clock, inner = Clock(), Counted(held=asyncio.Event(), errors=[SourceUnavailable("502") for _ in range(200)])
    breaker = Breaker(inner, now=clock)
    asked = [asyncio.create_task(breaker.search_documents("how")) for _ in range(200)]
    await settled()
    inner.held.set()
    await asyncio.gather(*asked, return_exceptions=True)
    clock.move(10)
    assert await breaker.search_documents("how")


async def test_an_answer_to_a_call_from_before_the_rest_does_not_end_it() -> None:
    clock, inner = Clock(), Counted(held=asyncio.Event())
    breaker = Breaker(inner, now=clock)
    early = asyncio.create_task(breaker.search_documents("how"))
    await settled()
    held, inner.held = inner.held, None
    await failed(breaker, inner, 5)
    held.set()
    assert await early
    with pytest.raises(SourceUnavailable):
        await breaker.search_documents("how")


async def test_the_guards_own_refusal_of_the_trial_says_nothing() -> None:
    clock, inner = Clock(), Counted()
    breaker = Breaker(inner, now=clock)
    await failed(breaker, inner, 5)
    clock.move(10)
    inner.errors.append(QuotaExceeded("this minute's"))
    with pytest.raises(QuotaExceeded):
        await breaker.search_documents("how")
    await failed(breaker, inner, 1)  # still the trial: one failure is enough
    clock.move(19)
    with pytest.raises(SourceUnavailable):
        await breaker.search_documents("how")
    assert len(inner.calls) == 7


async def test_a_reply_that_cannot_be_read_is_a_reply() -> None:
    inner = Counted(errors=[MalformedReply() for _ in range(9)])
    breaker = Breaker(inner, now=Clock())
    for _ in range(9):
        with pytest.raises(MalformedReply):
            await breaker.search_documents("how")


async def test_a_clock_set_back_ends_the_rest_instead_of_prolonging_it() -> None:
    clock, inner = Clock(), Counted()
    breaker = Breaker(inner, now=clock)
    await failed(breaker, inner, 5)
    clock.move(-900)
    assert await breaker.search_documents("how")


async def test_an_answer_that_fails_is_asked_for_once() -> None:
    inner = Counted(errors=[SourceUnavailable("502")])
    with pytest.raises(SourceUnavailable):
        await told(Breaker(inner, now=Clock()).answer_query(Question("How?")))
    assert inner.count == {"answer_query": 1}


def test_after_a_clock_was_set_back_a_failure_begins_a_pause_as_ever() -> None:
    clock = Clock()
    pause = Pause(60, 900, clock)
    pause.begin(clock() - 1)
    clock.move(-500)
    assert not pause.on
    assert pause.begin(clock() - 1) == 120


@pytest.mark.parametrize("nonsense", [math.nan, math.inf, -5.0, 0.0, 1e12])
def test_no_told_time_makes_a_pause_for_ever(nonsense: float) -> None:
    clock = Clock()
    pause = Pause(60, 900, clock)
    assert 1 <= pause.begin(clock() - 1, nonsense) <= 3600


@pytest.mark.parametrize("seed", range(30))
async def test_whatever_happened_a_source_that_is_well_again_is_asked_within_its_longest_rest(seed: int) -> None:
    chance, clock, inner = random.Random(seed), Clock(), Counted()
    breaker = Breaker(inner, now=clock)
    kinds = [SourceUnavailable("x"), SourceTooSlow("x"), QuotaExceeded("x"), MalformedReply("x"), None]
    for _ in range(200):
        if (error := chance.choice(kinds)) is not None:
            inner.errors = [error]
        inner.held = asyncio.Event() if chance.random() < 0.3 else None
        task = asyncio.create_task(breaker.search_documents("how"))
        await settled(4)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        clock.move(chance.choice([0, 1, 7, 30, -3]))
    inner.errors, inner.held = [], None
    clock.move(120)
    assert await breaker.search_documents("how")
    assert await breaker.search_documents("how")
