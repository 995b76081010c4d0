"""What a remote source does when the server answers well, oddly, late or too much."""

import asyncio

import pytest

from app.domain.answers import Outcome
from app.domain.documents import Scope
from app.domain.errors import (
    DayQuotaExceeded,
    DocumentNotFound,
    MalformedReply,
    NoAnswer,
    SourceTooSlow,
    SourceUnavailable,
    ToolNotOffered,
    ToolRejected,
)
from app.mcp.connecting import Timeouts
from tests.support.remote import KEY, remote, written
from tests.support.upstream_pages import HOST, PAGES

ASKED = "How long does Kestrel keep an unconfirmed message?"
RETENTION = f"documents/{HOST}/kestrel/retention"
QUOTAS = f"documents/{HOST}/kestrel/quotas"
NAMES = [page.name for page in PAGES]
TOOL_SETS = ["live", "reference", "single", "all"]


# --- answers --------------------------------------------------------------------------------------------------------


async def test_an_answer_comes_whole_with_the_names_it_refers_to() -> None:
    async with remote(key=KEY) as (source, upstream):
        answer = await written(source, ASKED)
        assert "for 7 days by default" in answer.text
        assert answer.references[0] == RETENTION
        assert answer.outcome is Outcome.ANSWERED
        assert upstream.calls == {"answer_query": 1}


@pytest.mark.parametrize("play", ["text_only", "sse", "sse_open", "sse_inside", "sse+text_only", "drip", "array"])
async def test_an_answer_is_taken_in_every_wrapping(play: str) -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", play)
        assert (await written(source, ASKED)).text


async def test_an_answer_that_is_mere_text_has_no_references() -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", "plain_text")
        answer = await written(source, ASKED)
        assert "7 days" in answer.text
        assert answer.references == ()


@pytest.mark.parametrize("play", ["no_answer", "empty"])
async def test_an_answer_without_text_is_none(play: str) -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", play)
        with pytest.raises(NoAnswer):
            await written(source, ASKED)
        assert upstream.calls == {"answer_query": 1}


async def test_more_than_twenty_references_are_kept_in_order() -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", "many_references")
        references = (await written(source, ASKED)).references
        assert len(references) == 21
        assert len(set(references)) == 21
        assert references[0] == RETENTION


async def test_references_told_as_addresses_become_names_once_each() -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", "uri_references")
        references = (await written(source, ASKED)).references
        assert references[0] == RETENTION
        assert len(set(references)) == len(references)


async def test_what_is_no_reference_is_left_out() -> None:
    async with remote() as (source, upstream):
        plain = (await written(source, ASKED)).references
        upstream.play("answer_query", "odd_references")
        assert (await written(source, ASKED)).references == plain


@pytest.mark.parametrize(("play", "outcome"), [("weak", Outcome.WEAK), ("not_found", Outcome.NOT_FOUND)])
async def test_what_our_own_server_thinks_of_its_answer_is_passed_on(play: str, outcome: Outcome) -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", play)
        answer = await written(source, ASKED)
        assert answer.outcome is outcome
        assert answer.references


async def test_not_found_may_be_without_text_and_keeps_its_references() -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", "not_found+no_answer")
        answer = await written(source, ASKED)
        assert answer.outcome is Outcome.NOT_FOUND
        assert answer.references


async def test_half_letters_and_nul_become_a_mark_of_their_own() -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", "surrogate+hostile")
        text = (await written(source, ASKED + " \ud800\0")).text
        assert text.encode("utf-8")
        assert "\0" not in text
        assert text.endswith("half \ufffd")


@pytest.mark.parametrize("play", ["A:unavailable", "A:quota_day", "reset", "cut", "badjson", "html", "no_answer"])
async def test_an_answer_is_never_asked_for_twice(play: str) -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", play)
        with pytest.raises((SourceUnavailable, DayQuotaExceeded, MalformedReply, NoAnswer)):
            await written(source, ASKED)
        assert upstream.calls == {"answer_query": 1}


async def test_the_days_quota_ends_answers_but_not_searches() -> None:
    async with remote(answers_a_day=2) as (source, upstream):
        for _ in range(2):
            await written(source, ASKED)
        with pytest.raises(DayQuotaExceeded):
            await written(source, ASKED)
        assert await source.search_documents(ASKED)
        assert upstream.refused == {"answer_query": 1}


async def test_an_empty_question_is_not_sent() -> None:
    async with remote() as (source, upstream):
        with pytest.raises(ToolRejected):
            await written(source, " \n")
        assert not upstream.requests


# --- searches -------------------------------------------------------------------------------------------------------


async def test_a_chunk_has_its_parents_address_and_its_sources_name() -> None:
    async with remote() as (source, _):
        first = (await source.search_documents("dead letter deliveries"))[0]
        assert first.parent == f"documents/{HOST}/kestrel/dead-letter"
        assert first.uri == f"https://{HOST}/kestrel/dead-letter"
        assert (first.collection, first.title, first.end) == ("remote", "", 0)
        assert "5 failed deliveries" in first.content


async def test_a_limit_is_kept_and_none_is_asked_for_below_one() -> None:
    async with remote() as (source, _):
        assert len(await source.search_documents("message", limit=2)) == 2
        assert await source.search_documents("message", limit=0) == ()


async def test_a_search_beyond_the_limit_is_refused_before_the_call() -> None:
    async with remote() as (source, upstream):
        assert isinstance(await source.search_documents("a" * 500), tuple)
        with pytest.raises(ToolRejected, match="501 characters"):
            await source.search_documents("a" * 501)
        assert upstream.calls == {"search_documents": 1}


@pytest.mark.parametrize("query", ["", "  \n"])
async def test_a_search_for_nothing_finds_nothing_without_a_call(query: str) -> None:
    async with remote() as (source, upstream):
        assert await source.search_documents(query) == ()
        assert not upstream.requests


async def test_no_results_are_no_error() -> None:
    async with remote() as (source, upstream):
        upstream.play("search_documents", "no_results")
        assert await source.search_documents("message") == ()


async def test_malformed_results_are_left_out_unless_all_are() -> None:
    async with remote() as (source, upstream):
        good = await source.search_documents("message")
        upstream.play("search_documents", "some_malformed")
        assert await source.search_documents("message") == good
        for play in ("all_malformed", "wrong_lists", "empty"):
            upstream.play("search_documents", play)
            with pytest.raises(MalformedReply):
                await source.search_documents("message")


# --- scopes ---------------------------------------------------------------------------------------------------------


async def test_what_the_wire_cannot_send_of_a_scope_is_dropped() -> None:
    scope = Scope(frozenset({"remote"}), frozenset({"Kestrel"}), frozenset({"2"}), frozenset({"staff"}))
    async with remote() as (source, upstream):
        assert await source.search_documents("message", scope)
        assert upstream.called("search_documents")[0].arguments == {"query": "message"}


# --- documents ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tools", TOOL_SETS)
async def test_documents_come_whichever_tool_fetches_them(tools: str) -> None:
    async with remote(tools=tools) as (source, _):
        document = await source.get_document(RETENTION)
        assert document.uri == "https://cloud.example.com/kestrel/retention"
        assert (document.name, document.collection) == (RETENTION, "remote")
        assert document.title == ("Message retention" if tools in ("live", "all") else "")
        batch = await source.batch_get_documents([QUOTAS, "documents/none", RETENTION, QUOTAS])
        assert [each.name for each in batch.documents] == [QUOTAS, RETENTION, QUOTAS]
        assert batch.unknown == ("documents/none",)
        with pytest.raises(DocumentNotFound, match="documents/none"):
            await source.get_document("documents/none")


@pytest.mark.parametrize("shape", ["A", "B", "C", "D", "DH"])
async def test_unknown_names_lose_no_others_in_any_shape_of_the_error(shape: str) -> None:
    unknown = [f"documents/none/{n}" for n in range(3)]
    async with remote(shape=shape) as (source, _):
        batch = await source.batch_get_documents([*unknown, *NAMES])
        assert [each.name for each in batch.documents] == NAMES
        assert batch.unknown == tuple(unknown)
        assert (await source.batch_get_documents(unknown)).unknown == tuple(unknown)


async def test_a_batch_of_known_names_is_one_call() -> None:
    async with remote() as (source, upstream):
        await source.batch_get_documents(NAMES)
        assert upstream.calls == {"get_documents": 1}


async def test_names_beyond_twenty_or_too_long_are_refused_before_the_call() -> None:
    async with remote() as (source, upstream):
        with pytest.raises(ToolRejected, match="20"):
            await source.batch_get_documents([RETENTION] * 21)
        for fetch in (source.get_document, lambda name: source.batch_get_documents([name])):
            with pytest.raises(ToolRejected, match="501 characters"):
                await fetch("documents/" + "a" * 491)
        assert not upstream.requests


async def test_a_document_under_another_name_keeps_the_name_asked_for() -> None:
    async with remote() as (source, upstream):
        upstream.play("get_documents", "other_names")
        batch = await source.batch_get_documents([QUOTAS, RETENTION])
        assert [each.name for each in batch.documents] == [QUOTAS, RETENTION]
        assert batch.documents[1].uri == "https://cloud.example.com/kestrel/retention"
        assert (await source.get_document(QUOTAS)).content.startswith("# Quotas")


@pytest.mark.parametrize("play", ["no_uri", "bad_uri"])
async def test_an_address_that_is_none_is_derived_from_the_name(play: str) -> None:
    async with remote() as (source, upstream):
        upstream.play("get_documents", play)
        assert (await source.get_document(RETENTION)).uri == f"https://{HOST}/kestrel/retention"


async def test_a_document_of_thirty_megabytes_loses_no_others_and_is_not_read() -> None:
    async with remote() as (source, upstream):
        await source.offered()
        upstream.huge.add(QUOTAS)
        batch = await source.batch_get_documents([RETENTION, QUOTAS, NAMES[0]])
        assert [each.name for each in batch.documents] == [RETENTION, NAMES[0]]
        assert (batch.unknown, batch.failed) == ((), (QUOTAS,))  # it is there, but not to be had
        for fetch in (source.get_document, lambda name: source.batch_get_documents([name])):
            with pytest.raises(MalformedReply, match="bytes"):
                await fetch(QUOTAS)
        await upstream.left.wait()
        assert upstream.requests[-1].cancelled or upstream.requests[-2].cancelled


async def test_a_stream_without_end_is_read_to_the_limit_only() -> None:
    async with remote() as (source, upstream):
        upstream.play("answer_query", "endless")
        with pytest.raises(MalformedReply, match="more than 2000000 bytes"):
            await written(source, ASKED)
        await upstream.left.wait()
        upstream.play("answer_query", "endless+A:internal")  # of a failure the beginning is enough
        with pytest.raises(SourceUnavailable):
            await written(source, ASKED)


async def test_a_batch_that_fails_for_another_reason_is_not_asked_for_in_parts() -> None:
    async with remote() as (source, upstream):
        upstream.play("get_documents", "A:unavailable")
        with pytest.raises(SourceUnavailable):
            await source.batch_get_documents(NAMES)
        assert upstream.calls == {"get_documents": 1}


async def test_single_fetches_run_side_by_side_but_not_all_at_once() -> None:
    async with remote(tools="single", delay=0.05) as (source, upstream):
        upstream.play("get_document", "slow")
        await source.batch_get_documents(NAMES)
        assert upstream.most == 5


# --- tools ----------------------------------------------------------------------------------------------------------


async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    async with remote(tools="search") as (source, upstream):
        with pytest.raises(ToolNotOffered):
            await written(source, ASKED)
        with pytest.raises(ToolNotOffered):
            await source.get_document(RETENTION)
        assert await source.search_documents("message")
        assert upstream.calls == {"search_documents": 1}


async def test_tools_are_read_once_and_again_when_one_is_unknown() -> None:
    async with remote() as (source, upstream):
        await source.get_document(RETENTION)
        await source.get_document(QUOTAS)
        upstream.tools = "reference"
        assert (await source.get_document(RETENTION)).name == RETENTION
        assert (await source.batch_get_documents([QUOTAS])).documents
        assert [each.method for each in upstream.requests].count("tools/list") == 2
        assert upstream.calls == {"get_documents": 3, "get_document": 1, "batch_get_documents": 1}


async def test_a_list_of_tools_is_read_to_its_end() -> None:
    async with remote(tools="all", tools_a_page=1) as (source, _):
        assert len(await source.offered()) == 5


async def test_a_list_of_tools_without_end_is_given_up() -> None:
    async with remote(tools="all", tools_a_page=0) as (source, upstream):
        assert await source.offered() == ()
        assert len(upstream.requests) == 10


# --- time -----------------------------------------------------------------------------------------------------------

SHORT = {"timeouts": Timeouts(connect=5.0, call=0.2, answer=0.2)}


@pytest.mark.parametrize("play", ["silent", "drip"])
async def test_a_server_that_takes_too_long_is_told_apart_from_one_that_is_down(play: str) -> None:
    async with remote(SHORT, delay=0.1) as (source, upstream):
        await source.offered()
        for tool in ("answer_query", "search_documents"):
            upstream.play(tool, play)
        with pytest.raises(SourceTooSlow):
            await written(source, ASKED)
        with pytest.raises(SourceTooSlow):
            await source.search_documents("message")


async def test_one_who_stops_waiting_stops_the_request() -> None:
    async with remote() as (source, upstream):
        await source.offered()
        upstream.play("answer_query", "silent")
        upstream.arrived.clear()
        asking = asyncio.create_task(written(source, ASKED))
        await upstream.arrived.wait()
        asking.cancel()
        async with asyncio.timeout(1):
            await upstream.left.wait()
        assert upstream.requests[-1].cancelled
        with pytest.raises(asyncio.CancelledError):
            await asking
        upstream.play("answer_query", "")
        assert (await written(source, ASKED)).text


async def test_a_server_that_is_not_there_is_unavailable_and_may_come_back() -> None:
    async with remote() as (source, upstream):
        upstream.play("", "reset", times=1)
        with pytest.raises(SourceUnavailable):
            await written(source, ASKED)
        assert (await written(source, ASKED)).text
