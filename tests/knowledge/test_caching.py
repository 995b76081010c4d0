"""What is remembered, for how long, for whom, and what never is."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from app.domain.answers import (
    AnswerCompleted,
    AnswerEvent,
    AnswerWritten,
    Exchange,
    FallbackReason,
    FellBack,
    ModelGaveUp,
    Outcome,
    Question,
    Step,
    StepStarted,
    TextDelta,
)
from app.domain.documents import Document, Scope
from app.domain.errors import DocumentNotFound, QuotaExceeded, SourceUnavailable, ToolRejected
from app.knowledge.caching import Ages, Bounds, Cached, Shelf, weight
from app.knowledge.flight import SingleFlight
from app.knowledge.streams import closing
from tests.knowledge.counted import Clock, Counted, settled, told
from tests.support.scripted import ScriptedSource

HOUR = 3600
A, B, C = "documents/a", "documents/b", "documents/c"


def cached(inner: Counted, clock: Clock | None = None, **more: object) -> Cached:
    return Cached(inner, now=clock or Clock(), **more)


async def test_an_equal_question_is_told_the_same_events_without_a_call() -> None:
    inner = Counted()
    source = cached(inner)
    first = await told(source.answer_query(Question("How  do I?", history=(Exchange("a", "b"),))))
    again = await told(source.answer_query(Question(" How do\nI?", asked="and how?")))
    assert first == again
    assert inner.count == {"answer_query": 1}


@pytest.mark.parametrize(("tool", "age"), [("answer", 6 * HOUR), ("search", HOUR), ("document", 24 * HOUR)])
async def test_each_kind_is_remembered_for_its_age_and_no_longer(tool: str, age: float) -> None:
    clock, inner = Clock(), Counted()
    source = cached(inner, clock)

    async def ask() -> int:
        match tool:
            case "answer":
                await told(source.answer_query(Question("How?")))
            case "search":
                await source.search_documents("how")
            case _:
                await source.get_document(A)
        return len(inner.calls)

    assert await ask() == 1
    clock.move(age - 1)
    assert await ask() == 1
    clock.move(1)
    assert await ask() == 2


async def test_a_clock_set_back_makes_nothing_last_longer() -> None:
    clock, inner = Clock(), Counted()
    source = cached(inner, clock)
    await source.get_document(A)
    clock.move(-500)
    await source.get_document(A)
    assert len(inner.calls) == 2
    clock.move(24 * HOUR - 1)
    await source.get_document(A)
    assert len(inner.calls) == 2
    clock.move(1)
    await source.get_document(A)
    assert len(inner.calls) == 3


@pytest.mark.parametrize("side", ["collections", "products", "versions", "groups"])
async def test_what_one_scope_was_told_another_is_not(side: str) -> None:
    inner = Counted()
    source = cached(inner)
    for scope in (Scope(**{side: frozenset({"a"})}), Scope(**{side: frozenset({"b"})}), Scope()):
        await source.search_documents("how", scope)
        await source.get_document(A, scope)
        await told(source.answer_query(Question("How?", scope=scope)))
    assert inner.count == {"search_documents": 3, "get_document": 3, "answer_query": 3}


async def test_an_error_is_never_remembered() -> None:
    inner = Counted()
    source = cached(inner)
    for call in (
        lambda: source.search_documents("how"),
        lambda: source.get_document(A),
        lambda: source.batch_get_documents([B]),
        lambda: told(source.answer_query(Question("How?"))),
    ):
        for error in (SourceUnavailable(), QuotaExceeded()):
            inner.errors.append(error)
            with pytest.raises(type(error)):
                await call()
        assert await call()
    assert len(inner.calls) == 12


async def test_an_unknown_document_is_remembered_for_a_minute() -> None:
    clock, inner = Clock(), Counted(unknown=frozenset({A}))
    source = cached(inner, clock)
    for _ in range(3):
        with pytest.raises(DocumentNotFound, match=A):
            await source.get_document(A)
    assert (await source.batch_get_documents([A])).unknown == (A,)
    assert len(inner.calls) == 1
    clock.move(60)
    inner.unknown = frozenset()
    assert (await source.get_document(A)).name == A


async def test_a_search_that_found_nothing_is_asked_again_after_a_minute() -> None:
    clock, inner = Clock(), Counted(found=())
    source = cached(inner, clock)
    for wait, calls in ((0, 1), (59, 1), (1, 2)):
        clock.move(wait)
        assert await source.search_documents("how") == ()
        assert len(inner.calls) == calls


async def test_a_batch_asks_only_for_what_is_missing_and_keeps_order_and_repetitions() -> None:
    inner = Counted(unknown=frozenset({"documents/none"}))
    source = cached(inner)
    await source.get_document(B)
    batch = await source.batch_get_documents([C, B, "documents/none", A, C])
    assert [document.name for document in batch.documents] == [C, B, A, C]
    assert batch.unknown == ("documents/none",)
    assert inner.calls[-1] == ("batch_get_documents", (C, "documents/none", A))
    await source.batch_get_documents([A, B, C])
    await source.get_document(C)
    assert len(inner.calls) == 2


async def test_too_many_names_are_refused_though_all_are_remembered() -> None:
    class Strict(Counted):
        async def batch_get_documents(self, names, scope=Scope()):  # noqa: B008
            if len(names) > 20:
                raise ToolRejected("at most 20")
            return await super().batch_get_documents(names, scope)

    source = cached(Strict())
    await source.get_document(A)
    with pytest.raises(ToolRejected):
        await source.batch_get_documents([A] * 21)


DONE = AnswerCompleted(Outcome.ANSWERED)


@pytest.mark.parametrize(
    ("events", "kept"),
    [
        ((TextDelta("x"), DONE), True),
        ((TextDelta("x"), AnswerWritten("x", (A,))), True),
        ((TextDelta("x"), AnswerWritten(" ")), False),
        ((TextDelta("x"), AnswerWritten("x", outcome=Outcome.WEAK)), False),
        ((TextDelta("x"), AnswerCompleted(Outcome.NOT_FOUND)), False),
        ((TextDelta("x"), AnswerCompleted(Outcome.ANSWERED, unreachable=("wiki",))), False),
        ((FellBack(FallbackReason.QUOTA_DAY), TextDelta("x"), DONE), False),
        ((TextDelta("y"), ModelGaveUp("model"), TextDelta("x"), DONE), False),
        ((DONE, TextDelta("x")), False),
        ((StepStarted(Step.ASKING), TextDelta("x")), False),
    ],
)
async def test_only_a_whole_good_answer_is_remembered(events: tuple, kept: bool) -> None:
    inner = Counted(events=events)
    source = cached(inner)
    assert await told(source.answer_query(Question("How?"))) == list(events)
    assert await told(source.answer_query(Question("How?"))) == list(events)
    assert len(inner.calls) == (1 if kept else 2)


async def test_an_answer_whose_reader_left_is_not_remembered() -> None:
    inner = Counted()
    source = cached(inner)
    events = source.answer_query(Question("How?"))
    await anext(events)
    await anext(events)
    await events.aclose()
    assert len(await told(source.answer_query(Question("How?")))) == 3
    assert len(inner.calls) == 2


async def test_what_was_not_used_for_longest_goes_first() -> None:
    inner = Counted()
    source = cached(inner, bounds=Bounds(entries=2))
    for name in (A, B, A, C, A):
        await source.get_document(name)
    assert [asked for _, (asked, _) in inner.calls] == [A, B, C]
    await source.get_document(B)
    assert len(inner.calls) == 4


@pytest.mark.parametrize("seed", range(20))
def test_memory_stays_bounded_whatever_is_kept(seed: int) -> None:
    chance, clock = random.Random(seed), Clock()
    shelf = Shelf(Bounds(entries=30, size=100_000), clock)
    kept: dict[str, tuple[Document, float]] = {}
    for _ in range(600):
        key = str(chance.randrange(80))
        if chance.random() < 0.5:
            document = Document(key, "", chance.choice("aä€") * chance.randrange(9_000))
            age = chance.choice([0, 10, 100])
            shelf.put(key, document, age)
            kept[key] = (document, clock() + age)
        else:
            found = shelf.get(key)
            assert found is None or (found is kept[key][0] and clock() < kept[key][1])
        clock.move(chance.choice([0, 0, 1, 5, -2]))
        assert shelf.size <= 100_000
        assert len(shelf) <= 30
        assert shelf.size >= 0
    assert len(shelf) > 0


def test_a_huge_document_does_not_push_out_the_others() -> None:
    shelf = Shelf(Bounds(size=1_000_000), Clock())
    small, huge = Document(A, "", "a"), Document(B, "", "b" * 900_000)
    shelf.put("small", small, 9)
    shelf.put("huge", huge, 9)
    assert (shelf.get("small"), shelf.get("huge")) == (small, None)


def test_a_values_weight_grows_with_its_texts() -> None:
    assert 100_000 <= weight((TextDelta("x" * 100_000), DONE)) < 102_000


async def test_no_equal_call_slips_between_flight_and_cache() -> None:
    inner = Counted(held=asyncio.Event())
    source = SingleFlight(cached(inner))
    chance = random.Random(7)
    asked = [asyncio.create_task(told(source.answer_query(Question("How?"))))]
    await settled()
    inner.held.set()
    for _ in range(200):
        asked.append(asyncio.create_task(told(source.answer_query(Question("How?")))))
        await settled(chance.randrange(3))
    answers = await asyncio.gather(*asked)
    assert all(answer == answers[0] for answer in answers)
    assert inner.count == {"answer_query": 1}


async def test_ages_are_values_and_none_means_not_at_all() -> None:
    inner = Counted()
    source = cached(inner, ages=Ages(searches=0))
    await source.search_documents("how")
    await source.search_documents("how")
    assert len(inner.calls) == 2


async def test_whoever_leaves_with_the_last_event_leaves_the_answer_behind() -> None:
    async def script(_question: Question) -> AsyncIterator[AnswerEvent]:
        calls.append(1)
        yield TextDelta("So it is.", (1,))
        yield AnswerCompleted(Outcome.ANSWERED)

    calls: list[int] = []
    source = Cached(ScriptedSource(script))
    for _ in range(2):
        async with closing(source.answer_query(Question("How?"))) as events:
            async for event in events:
                if isinstance(event, AnswerCompleted):
                    break
    assert len(calls) == 1
