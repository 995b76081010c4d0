"""The app over a remote server, whole: asked by HTTP, stored in a real database, the server a real one on loopback."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from app.main import create_app
from app.settings.remotes import RemoteSource
from tests.support.asgi import Client, served
from tests.support.corpus import opened, settings_for, taken, write_pages
from tests.support.upstream import Upstream
from tests.support.upstream_shapes import MEANINGS, RAW, SECRET, SHAPES

KEY = "the-key-that-nobody-may-see"
QUESTION = "How do I create a queue?"
BOUND = 10


@pytest.fixture
async def upstream() -> AsyncIterator[Upstream]:
    async with Upstream(tools="live", key=KEY) as started:
        yield started


@pytest.fixture
async def client(upstream: Upstream, tmp_path: Path) -> AsyncIterator[Client]:
    settings = settings_for(tmp_path / "data", source_url=upstream.url, source_api_key=KEY)
    async with served(create_app(settings)) as opened_client:
        yield opened_client


async def ask(client: Client, question: str = QUESTION, **given: object) -> dict[str, Any]:
    body = json.dumps({"question": question, **given}).encode()
    reply = await client.post("/api/v1/ask", body=body, headers={"content-type": "application/json"})
    assert reply.status == 200, reply.text
    answer: dict[str, Any] = json.loads(reply.body)
    return answer


# --- the source's own answer -----------------------------------------------------------------------------------------


async def test_an_answer_of_the_server_is_shown_with_citations_of_opened_documents(
    client: Client, upstream: Upstream
) -> None:
    answer = await ask(client)
    assert (answer["status"], answer["origin"], answer["fell_back"]) == ("answered", "answer_query", None)
    cited = answer["citations"]
    assert cited
    assert all(citation["uri"].startswith("https://cloud.example.com/") for citation in cited)  # what the fetch told
    assert all(citation["name"].startswith("documents/docs.cloud.example.com/") for citation in cited)
    assert any(sentence["numbers"] for sentence in answer["sentences"])
    assert (upstream.calls["answer_query"], upstream.calls["search_documents"]) == (1, 0)


async def test_an_equal_question_is_answered_from_memory(client: Client, upstream: Upstream) -> None:
    first, second = await ask(client), await ask(client)
    assert (first["text"], first["citations"]) == (second["text"], second["citations"])
    assert upstream.calls["answer_query"] == 1
    assert upstream.calls["get_documents"] == 1


async def test_equal_questions_at_the_same_time_are_one_call(upstream: Upstream, tmp_path: Path) -> None:
    upstream.answer_seconds = 0.2
    settings = settings_for(tmp_path / "data", source_url=upstream.url, source_api_key=KEY)
    async with served(create_app(settings)) as first:
        readers = [Client(first.app, first.state) for _ in range(20)]
        answers = await asyncio.gather(*map(ask, readers))
    assert {answer["status"] for answer in answers} == {"answered"}
    assert upstream.calls["answer_query"] == 1


# --- the fallback ----------------------------------------------------------------------------------------------------


async def test_a_day_whose_share_is_used_is_composed_from_the_documents_and_says_so(
    client: Client, upstream: Upstream
) -> None:
    upstream.play("answer_query", "A:quota_day")
    answer = await ask(client)
    assert (answer["status"], answer["origin"]) == ("answered", "quoted")
    assert answer["fell_back"] == {"reason": "quota", "until": None}  # when that server's day ends nobody told
    assert answer["citations"][0]["uri"] == "https://cloud.example.com/kestrel/create-queue"
    assert upstream.calls["answer_query"] == 1
    await ask(client, "How long are messages kept?")
    assert upstream.calls["answer_query"] == 1  # known to be used up: not asked again


async def test_our_own_count_of_the_day_outlives_the_process(upstream: Upstream, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data", source_url=upstream.url, source_api_key=KEY, source_answers_a_day=2)
    for _ in range(2):
        async with served(create_app(settings)) as client:
            await ask(client, "How do I create a queue?")
    async with served(create_app(settings)) as client:
        answer = await ask(client, "How long are messages kept?")
    assert answer["fell_back"]["reason"] == "quota"
    assert answer["fell_back"]["until"].endswith("+00:00")
    assert upstream.calls["answer_query"] == 2


@pytest.mark.parametrize(
    ("play", "reason"),
    [
        ("A:quota_minute", "quota"),
        ("A:unavailable", "unavailable"),
        ("badjson", "malformed"),
        ("no_answer", "empty"),
        ("A:filter", "refused"),
        ("C:filter", "refused"),
    ],
)
async def test_each_kind_of_failure_leads_to_the_documents_with_its_own_reason(
    client: Client, upstream: Upstream, play: str, reason: str
) -> None:
    upstream.play("answer_query", play)
    answer = await ask(client)
    assert (answer["status"], answer["origin"]) == ("answered", "quoted")
    assert answer["fell_back"]["reason"] == reason
    assert upstream.calls["answer_query"] == 1  # never tried twice


async def test_a_server_without_answers_is_searched(tmp_path: Path) -> None:
    async with Upstream(tools="reference") as upstream:
        settings = settings_for(tmp_path / "data", source_url=upstream.url)
        upstream.play("answer_query", "A:unknown_tool")
        async with served(create_app(settings)) as client:
            answer = await ask(client)
    assert (answer["status"], answer["fell_back"]["reason"]) == ("answered", "not_offered")


async def test_a_refused_key_is_told_and_nothing_else_is_tried(client: Client, upstream: Upstream) -> None:
    upstream.play("", "A:key")
    answer = await ask(client)
    assert (answer["status"], answer["fell_back"]) == ("failed", None)
    assert upstream.calls["search_documents"] == 0


async def test_a_failed_question_is_no_dead_end(client: Client, upstream: Upstream) -> None:
    upstream.play("", "A:unavailable")
    assert (await ask(client))["status"] == "failed"
    upstream.play("", "")
    assert (await ask(client))["status"] == "answered"


# --- stop, and what must be seen nowhere -----------------------------------------------------------------------------


async def test_a_stop_closes_the_call_at_the_server_within_a_second(client: Client, upstream: Upstream) -> None:
    upstream.play("answer_query", "silent")
    asked = await client.post("/conversations", {"question": QUESTION}, {"hx-request": "true"})
    turn = asked.headers["hx-redirect"].partition("#turn-")[2]
    async with asyncio.timeout(BOUND):
        while not upstream.called("answer_query"):
            upstream.arrived.clear()
            await upstream.arrived.wait()
    await client.post(f"/turns/{turn}/stop", headers={"hx-request": "true"})
    async with asyncio.timeout(1):
        await upstream.left.wait()
    assert upstream.called("answer_query")[0].cancelled


PLAYS = [f"{shape}:{meaning}" for shape in SHAPES for meaning in MEANINGS] + sorted(
    set(RAW) - {"array"}
)  # which is a whole answer, in a list


async def test_neither_key_nor_the_servers_words_on_failure_are_seen_anywhere(
    upstream: Upstream, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    settings = settings_for(tmp_path / "data", source_url=upstream.url, source_api_key=KEY)
    shown: list[str] = []
    for tool in ("answer_query", ""):
        for play in PLAYS:
            upstream.play("", "")
            upstream.play(tool, play)
            async with served(create_app(settings)) as client:
                asked = await client.post("/conversations?wait=1", {"question": f"{QUESTION} {play} {tool}"})
                page = await client.get(f"{asked.headers['location'].partition('#')[0]}?wait=1")
                shown += [page.text, json.dumps(await ask(client, f"{QUESTION} {play} {tool}!"))]
    kept = b"".join(path.read_bytes() for path in (tmp_path / "data").rglob("*") if path.is_file())
    out, err = capfd.readouterr()
    for secret in (KEY, SECRET):
        assert not [text for text in shown if secret in text]
        assert secret.encode() not in kept
        assert secret not in caplog.text + out + err


# --- several sources -------------------------------------------------------------------------------------------------


async def test_own_documents_and_a_server_answer_together_and_each_citation_names_its_source(
    upstream: Upstream, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    async with opened(data) as corpus:
        await taken(corpus, write_pages(tmp_path / "pages"))
    settings = settings_for(data, sources=(RemoteSource(name="kestrel", url=upstream.url, api_key=KEY),))
    async with served(create_app(settings)) as client:
        own = await ask(client, "What is the highest speed of the pump?")
        remote = await ask(client, "How large may a message be?")
        alone = await ask(client, "How large may a message be?", collections=["plant"])
        assert [own["citations"][0]["collection"], remote["citations"][0]["collection"]] == ["plant", "kestrel"]
        assert "kestrel" not in [citation["collection"] for citation in alone["citations"]]
        assert own["fell_back"] is None
        upstream.play("", "A:unavailable")
        degraded = await ask(client, "How do I start the pump?")
    assert degraded["status"] == "answered"
    assert degraded["unreachable"] == ["kestrel"]
    assert degraded["citations"][0]["collection"] == "plant"


async def test_readiness_follows_the_last_real_call(client: Client, upstream: Upstream) -> None:
    assert (await client.get("/readyz")).status == 200
    upstream.play("", "A:unavailable")
    await ask(client)
    told = await client.get("/readyz")
    assert (told.status, json.loads(told.body)["problem"]) == (503, "source_unavailable")
    upstream.play("", "")
    await ask(client)
    assert (await client.get("/readyz")).status == 200


async def test_the_start_page_claims_no_number_of_documents_that_nobody_knows(client: Client) -> None:
    page = await client.get("/")
    assert "1 collection" in page.text
    assert "0 documents" not in page.text


async def test_programs_that_follow_are_told_the_same_reason_as_those_that_wait(
    client: Client, upstream: Upstream
) -> None:
    upstream.play("answer_query", "A:quota_minute")
    body = json.dumps({"question": QUESTION}).encode()
    headers = {"content-type": "application/json", "accept": "text/event-stream"}
    reply = await client.post("/api/v1/ask", body=body, headers=headers)
    events = {
        lines[0].removeprefix("event: "): json.loads(lines[1].removeprefix("data: "))
        for message in reply.text.split("\n\n")
        if (lines := [line for line in message.splitlines() if line.startswith(("event: ", "data: "))])
    }
    assert events["fell_back"]["reason"] == "quota"
    assert events["answer"]["fell_back"] == events["fell_back"]
    assert events["done"] == {"status": "answered"}


# --- what must not cost the other ------------------------------------------------------------------------------------


async def test_many_questions_at_once_fall_back_though_the_answering_tool_is_down(
    client: Client, upstream: Upstream
) -> None:
    upstream.play("answer_query", "A:unavailable")
    readers = [Client(client.app, client.state) for _ in range(12)]
    asked = [ask(reader, f"{QUESTION} {number}") for number, reader in enumerate(readers)]
    answers = await asyncio.gather(*asked)
    assert {answer["fell_back"]["reason"] for answer in answers} == {"unavailable"}
    assert "failed" not in {answer["status"] for answer in answers}
    assert (await ask(client, "How long are messages kept?"))["status"] != "failed"


async def test_a_question_to_another_collection_costs_no_call_and_no_unit(upstream: Upstream, tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data", source_url=upstream.url, source_api_key=KEY, source_answers_a_day=1)
    async with served(create_app(settings)) as client:
        elsewhere = await ask(client, collections=["nope"])
        assert (elsewhere["status"], elsewhere["fell_back"]) == ("not_found", None)
        assert upstream.requests == []
        assert (await ask(client))["fell_back"] is None


async def test_an_hour_without_a_connection_does_not_cost_the_day(tmp_path: Path) -> None:
    async with Upstream(tools="live") as upstream:
        port = upstream.port
    settings = settings_for(tmp_path / "data", source_url=upstream.url, source_answers_a_day=1)
    async with served(create_app(settings)) as client:
        assert (await ask(client))["status"] == "failed"
    async with Upstream(tools="live", port=port), served(create_app(settings)) as client:
        assert (await ask(client))["origin"] == "answer_query"


async def test_where_all_of_several_sources_are_down_it_is_told_once(upstream: Upstream, tmp_path: Path) -> None:
    upstream.play("", "A:unavailable")
    remotes = tuple(RemoteSource(name=name, url=upstream.url, api_key=KEY) for name in ("one", "two"))
    settings = settings_for(tmp_path / "data", sources=remotes, own_documents=False)
    async with served(create_app(settings)) as client:
        answer = await ask(client)
    assert (answer["status"], answer["fell_back"]) == ("failed", None)


async def test_a_search_links_to_the_addresses_that_the_server_tells(client: Client) -> None:
    page = await client.get("/search?q=queue+region")
    assert "https://cloud.example.com/kestrel/create-queue" in page.text
    assert "https://docs.cloud.example.com" not in page.text
    assert "Create a queue" in page.text
