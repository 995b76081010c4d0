"""Short searches in place of a long question: nothing cut in the middle, what they find merged by rank."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.answering.focusing import LONGEST_QUERY, FocusedSource, focused, merged
from app.domain.answers import AnswerCompleted, AnswerEvent, Outcome, Question
from app.domain.documents import EVERYWHERE, SEARCH_LIMIT, DocumentChunk, Scope
from app.domain.errors import KnowledgeError, QuotaExceeded, SourceUnavailable
from tests.support.scripted import ScriptedSource


def chunk(parent: str, content: str, number: str = "0") -> DocumentChunk:
    return DocumentChunk(f"documents/{parent}", number, content)


async def _nothing(_question: Question) -> AsyncIterator[AnswerEvent]:
    yield AnswerCompleted(Outcome.NOT_FOUND)


class Recording(ScriptedSource):
    """Finds one chunk a query, and fails those that it is told to."""

    def __init__(self, failing: tuple[KnowledgeError | None, ...] = ()) -> None:
        super().__init__(_nothing)
        self.queries: list[str] = []
        self._failing = failing

    async def search_documents(
        self, query: str, scope: Scope = EVERYWHERE, limit: int = SEARCH_LIMIT
    ) -> tuple[DocumentChunk, ...]:
        place = len(self.queries)
        self.queries.append(query)
        error = self._failing[place] if place < len(self._failing) else None
        await asyncio.sleep(0)
        if error:
            raise error
        return (chunk(f"page{place}", f"text {place}"),)


QUESTION = "How do I create a Cloud Storage bucket in a region, and what does the bucket's location mean for latency?"


def test_a_short_question_is_asked_as_it_is_and_by_its_keywords() -> None:
    whole, long, short = focused(QUESTION)
    assert whole == QUESTION
    assert len(short.split()) <= 4 < len(long.split()) <= 8
    assert {"Storage", "Cloud"} & set(short.split()) or {"storage", "cloud"} & set(short.split())


def test_a_question_of_one_word_is_one_query() -> None:
    assert focused("buckets") == ("buckets",)


@pytest.mark.parametrize("text", [QUESTION * 40, "word " * 900, "x" * 5_000, "🙂 " * 600, "the " * 500])
def test_no_query_is_longer_than_the_source_takes(text: str) -> None:
    assert all(0 < len(query) <= LONGEST_QUERY for query in focused(text))


def test_a_long_question_keeps_whole_words_and_its_names() -> None:
    text = f"{'We tried many things over the last weeks. ' * 20}Why does FirebaseAuth refuse the token?"
    for query in focused(text):
        assert set(query.lower().split()) <= set(text.lower().replace(".", " ").replace("?", " ").split())
    assert all("firebaseauth" in query.lower() for query in focused(text))


@pytest.mark.parametrize("text", ["", "   ", "?!"])
async def test_a_question_without_words_is_not_sent_as_nothing(text: str) -> None:
    source = Recording()
    await FocusedSource(source).search_documents(text)
    assert all(query.strip() for query in source.queries)


async def test_queries_run_together_and_their_hits_are_merged() -> None:
    source = Recording()
    found = await FocusedSource(source).search_documents(QUESTION)
    assert len(source.queries) == len(found) == 3


async def test_what_one_query_lost_the_others_still_found() -> None:
    found = await FocusedSource(Recording((None, QuotaExceeded(), None))).search_documents(QUESTION)
    assert [each.parent for each in found] == ["documents/page0", "documents/page2"]


async def test_the_first_error_is_told_where_all_queries_fail() -> None:
    source = Recording((SourceUnavailable("one"), QuotaExceeded(), QuotaExceeded()))
    with pytest.raises(SourceUnavailable, match="one"):
        await FocusedSource(source).search_documents(QUESTION)


def test_what_several_searches_found_stands_before_what_one_found() -> None:
    one, two, three = chunk("a", "first words"), chunk("b", "second words"), chunk("c", "third words")
    assert merged([[one, two], [three, two]])[0].parent == two.parent


def test_an_excerpt_within_another_or_going_on_where_it_ends_is_one_with_it() -> None:
    start = "The bucket is made in one region and cannot be moved later. Its name is global."
    end = "cannot be moved later. Its name is global. It is made of small letters and digits."
    inside = "made in one region"
    found = merged([[chunk("a", start, "1"), chunk("a", end, "2"), chunk("a", inside, "3"), chunk("b", inside, "1")]])
    assert [each.parent for each in found] == ["documents/a", "documents/b"]
    assert found[0].content == f"{start} It is made of small letters and digits."


def test_very_long_excerpts_are_merged_in_bounded_time() -> None:
    assert len(merged([[chunk("a", "ab" * 150_000, "1"), chunk("a", "cd" * 150_000, "2")]])) == 2
