"""Several sources as one: merged by rank, each page once, and what cannot be asked is told."""

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from app.domain.answers import AnswerCompleted, AnswerEvent, Outcome, Question, SourceEvent, TextDelta
from app.domain.documents import DocumentChunk, Scope
from app.domain.errors import (
    AppError,
    DocumentNotFound,
    IndexMissing,
    QuotaExceeded,
    SourceTooSlow,
    SourceUnavailable,
    ToolRejected,
)
from app.knowledge.several import Compose, Member, SeveralSources, fused
from app.knowledge.source import KnowledgeSource
from tests.knowledge.counted import Counted, settled, told


def chunk(name: str, number: int = 0, uri: str = "", collection: str = "") -> DocumentChunk:
    return DocumentChunk(f"documents/{name}", str(number), f"{name} {number}", uri=uri, collection=collection)


async def searched(source: KnowledgeSource, question: Question) -> AsyncIterator[AnswerEvent]:
    """An answer from whatever a search finds, all of it opened."""
    found = await source.search_documents(question.text, question.scope, 20)
    batch = await source.batch_get_documents([each.parent for each in found][:20], question.scope)
    yield TextDelta(" ".join(document.content for document in batch.documents))
    yield AnswerCompleted(Outcome.ANSWERED)


def several(*members: Member, compose: Compose = searched, deadline: float = 8.0) -> SeveralSources:
    return SeveralSources(members, compose, deadline)


def two(own: Counted, remote: Counted, **more: float) -> SeveralSources:
    return several(Member("own", own), Member("google", remote, frozenset({"google"})), **more)


def completed(events: list[SourceEvent]) -> AnswerCompleted:
    last = events[-1]
    assert isinstance(last, AnswerCompleted)
    return last


async def test_pages_of_all_are_merged_by_their_places_and_named_by_their_collection() -> None:
    own = Counted(found=(chunk("a", collection="wiki"), chunk("b", collection="wiki")))
    remote = Counted(found=(chunk("x"), chunk("y")))
    found = await two(own, remote).search_documents("how", limit=10)
    assert [each.parent[10:] for each in found] == ["a", "x", "b", "y"]
    assert [each.collection for each in found] == ["wiki", "google", "wiki", "google"]


async def test_all_are_searched_at_the_same_time() -> None:
    own, remote = Counted(held=asyncio.Event()), Counted(held=asyncio.Event())
    task = asyncio.create_task(two(own, remote).search_documents("how"))
    await settled()
    assert (own.running, remote.running) == (1, 1)
    own.held.set()
    remote.held.set()
    await task


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (chunk("docs.x/a", uri="https://docs.x/a"), chunk("docs.x/a")),
        (chunk("docs.x/a", uri="https://x/a/"), chunk("x/a", uri="http://X/a#top")),
        (chunk("docs.x/a/"), chunk("docs.x/a")),
    ],
)
def test_the_same_page_under_two_sources_counts_once_and_comes_first(
    first: DocumentChunk, second: DocumentChunk
) -> None:
    found = fused([(chunk("b"), first), (chunk("y"), second)], 10)
    assert found == (first, chunk("b"), chunk("y"))


def test_where_room_is_short_each_page_has_its_first_chunk_before_another_has_two() -> None:
    own = [chunk("a", 2), chunk("a", 0), chunk("a", 1), chunk("b")]
    remote = [chunk("x", 1), chunk("x", 0)]
    assert fused([own, remote], 4) == (chunk("a", 2), chunk("a", 0), chunk("x", 1), chunk("b"))
    assert fused([own, remote], 0) == ()


@pytest.mark.parametrize("seed", range(30))
def test_a_merged_ranking_invents_nothing_and_keeps_each_pages_order(seed: int) -> None:
    chance = random.Random(seed)
    results = [[chunk(chance.choice("abcdefg"), number) for number in range(chance.randrange(12))] for _ in range(3)]
    limit = chance.randrange(20)
    found = fused(results, limit)
    everything = fused(results, 99)
    pages = {each.parent for result in results for each in result}
    assert {each.parent for each in everything} == pages
    assert len(found) == min(limit, len(everything))
    for name in {each.parent for each in everything}:
        first = next(result for result in results if any(each.parent == name for each in result))
        assert [each for each in everything if each.parent == name] == [each for each in first if each.parent == name]
        kept = [each for each in found if each.parent == name]
        assert kept == [each for each in everything if each.parent == name][: len(kept)]
    if limit >= len(pages):
        assert {each.parent for each in found} == pages
    assert [list(group) for group in [dict.fromkeys(each.parent for each in found)]] == [
        [name for name in dict.fromkeys(each.parent for each in everything) if name in {e.parent for e in found}]
    ]


@pytest.mark.parametrize("error", [SourceUnavailable("502"), QuotaExceeded("429"), IndexMissing()])
async def test_one_that_is_down_degrades_the_answer_and_is_told(error: AppError) -> None:
    own, remote = Counted(found=(chunk("a"),)), Counted(errors=[error])
    events = await told(two(own, remote).answer_query(Question("How?")))
    assert events[0] == TextDelta("Words.")
    assert completed(events).unreachable == ("google",)


async def test_what_failed_for_one_question_is_not_told_with_the_next() -> None:
    own, remote = Counted(), Counted(errors=[SourceUnavailable("502")])
    source = two(own, remote)
    assert completed(await told(source.answer_query(Question("How?")))).unreachable == ("google",)
    assert completed(await told(source.answer_query(Question("How?")))).unreachable == ()


async def test_when_all_are_down_the_first_error_is_raised() -> None:
    own, remote = Counted(errors=[QuotaExceeded("429")]), Counted(errors=[SourceUnavailable("502")])
    with pytest.raises(QuotaExceeded):
        await told(two(own, remote).answer_query(Question("How?")))


async def test_one_that_hangs_is_left_out_after_the_deadline_and_its_call_ended() -> None:
    own, remote = Counted(found=(chunk("a"),)), Counted(held=asyncio.Event())
    events = await told(two(own, remote, deadline=0.01).answer_query(Question("How?")))
    assert completed(events).unreachable == ("google",)
    assert (remote.running, remote.cancelled) == (0, 1)
    with pytest.raises(SourceTooSlow):
        await several(Member("google", remote), deadline=0.01).search_documents("how")


async def test_a_reader_who_stops_ends_the_calls_of_all() -> None:
    own, remote = Counted(held=asyncio.Event()), Counted(held=asyncio.Event())
    task = asyncio.create_task(told(two(own, remote).answer_query(Question("How?"))))
    await settled()
    task.cancel()
    await settled()
    assert (own.running, remote.running, own.cancelled, remote.cancelled) == (0, 0, 1, 1)


async def test_only_members_that_hold_a_collection_are_asked_for_it() -> None:
    own, remote = Counted(), Counted()
    source = two(own, remote)
    await source.search_documents("how", Scope(collections=frozenset({"wiki"}), groups=frozenset({"g"})))
    assert (len(own.calls), len(remote.calls)) == (1, 0)
    await source.search_documents("how", Scope(collections=frozenset({"google"}), groups=frozenset({"g"})))
    _, (_, scope, _) = remote.calls[0]
    assert scope == Scope(groups=frozenset({"g"}))  # by our name it does not know itself
    only = several(Member("google", remote, frozenset({"google"})))
    assert await only.search_documents("how", Scope(collections=frozenset({"wiki"}))) == ()
    with pytest.raises(DocumentNotFound):
        await only.get_document("documents/a", Scope(collections=frozenset({"wiki"})))


async def test_a_page_is_fetched_from_whoever_found_it() -> None:
    own, remote = Counted(found=(chunk("a"),)), Counted(found=(chunk("x"),))
    source = two(own, remote)
    await source.search_documents("how")
    assert (await source.get_document("documents/x")).collection == "google"
    batch = await source.batch_get_documents(["documents/x", "documents/a", "documents/x"])
    assert [document.name[10:] for document in batch.documents] == ["x", "a", "x"]
    assert [document.collection for document in batch.documents] == ["google", "own", "google"]
    assert own.calls[1:] == [("batch_get_documents", ("documents/a",))]
    assert remote.calls[-1] == ("batch_get_documents", ("documents/x",))


async def test_a_page_that_two_found_is_the_first_members() -> None:
    own, remote = Counted(found=(chunk("a"),)), Counted(found=(chunk("a"), chunk("x")))
    source = two(own, remote)
    assert [each.collection for each in await source.search_documents("how")] == ["own", "google"]
    assert (await source.get_document("documents/a")).collection == "own"


async def test_a_page_that_nobody_found_is_asked_of_each_in_order() -> None:
    own, remote = (
        Counted(unknown=frozenset({"documents/x", "documents/n"})),
        Counted(unknown=frozenset({"documents/n"})),
    )
    source = two(own, remote)
    assert (await source.get_document("documents/x")).collection == "google"
    batch = await source.batch_get_documents(["documents/n", "documents/x", "documents/a"])
    assert [document.collection for document in batch.documents] == ["google", "own"]
    assert batch.unknown == ("documents/n",)
    with pytest.raises(DocumentNotFound, match="documents/n"):
        await source.get_document("documents/n")


async def test_a_page_of_a_member_that_is_down_fails_beside_others_and_is_an_error_alone() -> None:
    own = Counted(found=(chunk("a"),), unknown=frozenset({"documents/x"}))
    remote = Counted(found=(chunk("x"),))
    source = two(own, remote)
    await source.search_documents("how")
    remote.errors = [SourceUnavailable("502")]
    batch = await source.batch_get_documents(["documents/a", "documents/x"])
    assert [document.name for document in batch.documents] == ["documents/a"]
    assert (batch.unknown, batch.failed) == ((), ("documents/x",))  # perhaps the next time
    for call in (source.get_document("documents/x"), source.batch_get_documents(["documents/x"])):
        remote.errors = [SourceUnavailable("502")]
        with pytest.raises(SourceUnavailable):
            await call


async def test_a_member_that_fails_only_when_pages_are_opened_is_told_too() -> None:
    class Half(Counted):
        async def batch_get_documents(self, names, scope=Scope()):  # noqa: B008
            raise SourceUnavailable("502")

    own, remote = Counted(found=(chunk("a"),)), Half(found=(chunk("x"),))
    assert completed(await told(two(own, remote).answer_query(Question("How?")))).unreachable == ("google",)


async def test_more_than_twenty_names_are_refused_without_asking_anyone() -> None:
    own, remote = Counted(), Counted()
    with pytest.raises(ToolRejected):
        await two(own, remote).batch_get_documents(["documents/a"] * 21)
    assert own.calls == remote.calls == []


async def test_a_mistake_of_ours_comes_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        await two(Counted(errors=[ZeroDivisionError()]), Counted(held=asyncio.Event())).search_documents("how")
