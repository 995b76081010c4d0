"""Equal calls at the same time are one call."""

import asyncio
import gc
import random

import pytest

from app.domain.answers import Question, Step, StepStarted
from app.domain.documents import Scope
from app.domain.errors import SourceUnavailable
from app.knowledge.flight import SingleFlight
from tests.knowledge.counted import Counted, settled, told

QUESTION = Question("How?")


def complaints() -> list[dict[str, object]]:
    """What the event loop complains about: exceptions that nobody has seen, tasks that were lost."""
    heard: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: heard.append(context))
    return heard


async def test_two_hundred_equal_questions_are_one_call() -> None:
    inner = Counted(held=asyncio.Event())
    flight = SingleFlight(inner)
    asked = [asyncio.create_task(told(flight.answer_query(QUESTION))) for _ in range(200)]
    await settled()
    inner.held.set()
    answers = await asyncio.gather(*asked)
    assert inner.count == {"answer_query": 1}
    assert all(answer == answers[0] and len(answer) == 3 for answer in answers)
    assert flight.under_way == 0


async def test_two_hundred_different_questions_are_as_many_calls_at_once() -> None:
    inner = Counted(held=asyncio.Event())
    flight = SingleFlight(inner)
    asked = [asyncio.create_task(told(flight.answer_query(Question(f"How {n}?")))) for n in range(200)]
    await settled()
    assert inner.running == 200
    inner.held.set()
    answers = await asyncio.gather(*asked)
    assert [answer[1].text for answer in answers] == [f"How {n}?: yes" for n in range(200)]


async def test_every_tool_shares_equal_calls_and_only_these() -> None:
    inner = Counted(held=asyncio.Event())
    flight = SingleFlight(inner)
    mine, yours = Scope(groups=frozenset({"a"})), Scope(groups=frozenset({"b"}))
    calls = [
        call
        for scope in (mine, yours)
        for _ in range(3)
        for call in (
            flight.search_documents("how", scope),
            flight.search_documents("how", scope, 2),
            flight.get_document("documents/x", scope),
            flight.batch_get_documents(["documents/x"], scope),
            told(flight.answer_query(Question("how", scope=scope))),
        )
    ]
    tasks = [asyncio.ensure_future(call) for call in calls]
    await settled()
    inner.held.set()
    await asyncio.gather(*tasks)
    assert inner.count == {"search_documents": 4, "get_document": 2, "batch_get_documents": 2, "answer_query": 2}


async def test_who_comes_late_is_told_all_from_the_first_event() -> None:
    inner = Counted(held=asyncio.Event())
    flight = SingleFlight(inner)
    early = asyncio.create_task(told(flight.answer_query(QUESTION)))
    await settled()
    late = flight.answer_query(QUESTION)
    first = await anext(late)
    inner.held.set()
    assert [first, *await told(late)] == await early
    assert inner.count == {"answer_query": 1}


async def test_an_error_reaches_all_and_the_next_call_begins_anew() -> None:
    heard = complaints()
    inner = Counted(held=asyncio.Event(), errors=[SourceUnavailable("502")])
    flight = SingleFlight(inner)
    asked = [asyncio.create_task(told(flight.answer_query(QUESTION))) for _ in range(20)]
    await settled()
    inner.held.set()
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert all(isinstance(result, SourceUnavailable) for result in results)
    assert len(await told(flight.answer_query(QUESTION))) == 3
    assert inner.count == {"answer_query": 2}
    gc.collect()
    await settled()
    assert heard == []


async def test_who_leaves_disturbs_nobody_and_the_last_one_ends_the_call() -> None:
    inner = Counted(held=asyncio.Event())
    flight = SingleFlight(inner)
    first, second = (asyncio.create_task(told(flight.answer_query(QUESTION))) for _ in range(2))
    await settled()
    first.cancel()
    await settled()
    assert (inner.running, inner.cancelled) == (1, 0)
    second.cancel()
    await settled(3)
    assert (inner.running, inner.cancelled, flight.under_way) == (0, 1, 0)


async def test_who_comes_after_the_last_one_left_gets_a_call_of_its_own() -> None:
    inner = Counted(held=asyncio.Event())
    flight = SingleFlight(inner)
    first = asyncio.create_task(flight.search_documents("how"))
    await settled()
    first.cancel()
    second = asyncio.create_task(flight.search_documents("how"))
    await settled()
    inner.held.set()
    assert (await second)[0].content == "how"
    assert inner.count == {"search_documents": 2}


async def test_what_has_just_ended_is_asked_anew_by_whoever_waited_for_it() -> None:
    inner = Counted(errors=[SourceUnavailable("502")])
    flight = SingleFlight(inner)
    with pytest.raises(SourceUnavailable):
        await flight.search_documents("how")
    assert await flight.search_documents("how")
    assert await flight.search_documents("how")
    assert len(inner.calls) == 3


async def test_an_error_that_nobody_waits_for_is_no_complaint() -> None:
    heard = complaints()

    class Stubborn(Counted):
        async def answer_query(self, question):
            yield self.events[0]
            try:
                await asyncio.Event().wait()
            finally:
                raise SourceUnavailable("while leaving")

    flight = SingleFlight(Stubborn(events=(StepStarted(Step.ASKING),)))
    asked = asyncio.create_task(told(flight.answer_query(QUESTION)))
    await settled()
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await settled()
    gc.collect()
    await settled()
    assert heard == []
    assert flight.under_way == 0


async def test_a_reader_who_stops_in_the_middle_ends_the_call() -> None:
    inner = Counted(held=asyncio.Event())
    flight = SingleFlight(inner)
    events = flight.answer_query(QUESTION)
    await anext(events)
    await settled()
    await events.aclose()
    await settled(3)
    assert (inner.cancelled, flight.under_way) == (1, 0)


@pytest.mark.parametrize("seed", range(40))
async def test_any_order_of_coming_and_leaving_keeps_the_rules(seed: int) -> None:
    heard = complaints()
    chance = random.Random(seed)
    inner = Counted(held=asyncio.Event())
    flight = SingleFlight(inner)
    asked: list[tuple[int, asyncio.Task[list[object]]]] = []
    left = set()
    for _ in range(120):
        match chance.randrange(6):
            case 0 | 1 | 2:
                number = chance.randrange(4)
                asked.append((number, asyncio.create_task(told(flight.answer_query(Question(f"{number}"))))))
            case 3 if asked:
                _, task = chance.choice(asked)
                if not task.done():
                    task.cancel()
                    left.add(task)
            case 4:
                inner.held.set()
                await settled(chance.randrange(12))
                inner.held.clear()
            case _:
                if chance.random() < 0.3:
                    inner.errors.append(SourceUnavailable("502"))
                await settled(chance.randrange(6))
        assert inner.running <= 4 + inner.cancelled + len(left)
    inner.held.set()
    results = await asyncio.gather(*(task for _, task in asked), return_exceptions=True)
    for (number, task), result in zip(asked, results, strict=True):
        if isinstance(result, asyncio.CancelledError):
            assert task in left
        elif not isinstance(result, SourceUnavailable):
            assert len(result) == 3
            assert result[1].text == f"{number}: yes"
    await settled()
    gc.collect()
    assert (inner.running, flight.under_way, heard) == (0, 0, [])
