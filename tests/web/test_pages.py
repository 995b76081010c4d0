"""The pages as a reader without scripts meets them, over a real corpus and a real database."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from app.main import create_app
from tests.support.asgi import Client, Reply, served
from tests.support.corpus import BASE, plant, settings_for

QUESTION = "What is the highest speed of the pump?"


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with plant(tmp_path):
        pass
    async with served(create_app(settings_for(tmp_path / "data"))) as opened:
        yield opened


def page(reply: Reply) -> LexborHTMLParser:
    return LexborHTMLParser(reply.text)


async def asked(client: Client, question: str = QUESTION) -> str:
    """Ask without scripts; the address of the conversation."""
    reply = await client.post("/conversations", {"question": question})
    assert reply.status == 303
    return reply.headers["location"]


async def test_the_start_page_says_what_can_be_asked(client: Client) -> None:
    start = await client.get("/")
    assert start.status == 200
    assert page(start).css_first("textarea[name=question]") is not None
    assert "1 collection, 4 documents" in start.text


async def test_a_question_without_scripts_is_answered_on_the_page_that_follows(client: Client) -> None:
    answer = page(await client.get(await asked(client)))
    turn = answer.css_first("article.turn")
    assert turn is not None
    assert "85 percent" in turn.text()
    cite = turn.css_first("a.cite")
    assert cite is not None
    assert cite.attributes["href"] == f"{BASE}/pump"
    assert cite.attributes["rel"] == "noopener"
    assert turn.css_first(".note .passage") is not None or turn.css_first(".note details") is not None


async def test_the_reader_marks_the_passage_that_a_footnote_names(client: Client) -> None:
    answer = page(await client.get(await asked(client)))
    read_here = answer.css_first(".note .acts a")
    assert read_here is not None
    address = (read_here.attributes["href"] or "").partition("#")[0]
    document = page(await client.get(address))
    assert document.css_first("#passage-1") is not None
    assert document.css_first("mark") is not None
    assert document.css_first(".address a.button").attributes["href"] == f"{BASE}/pump"


async def test_a_passage_that_has_changed_is_told_and_not_guessed(client: Client) -> None:
    document = await client.get("/documents/docs.example.com/plant/pump?passage=0-5-00000000")
    assert document.status == 200
    assert page(document).css_first("mark") is None
    assert page(document).css_first(".lost") is not None


async def test_what_the_documents_do_not_tell_is_said_first(client: Client) -> None:
    answer = page(await client.get(await asked(client, "Who won the chess championship?")))
    assert "The documents do not answer this" in answer.css_first("article.turn").text()
    assert answer.css_first("a.cite") is None


@pytest.mark.parametrize(
    ("question", "status"), [("", 422), ("   ", 422), ("\0", 422), ("🙂" * 20_000, 413), ("a" * 8000, 422)]
)
async def test_a_question_that_cannot_be_asked_comes_back_with_the_reason(
    client: Client, question: str, status: int
) -> None:
    reply = await client.post("/conversations", {"question": question})
    assert reply.status == status
    if status == 422:
        field = page(reply).css_first("textarea")
        assert field is not None
        assert field.text().strip() == question.strip().replace("\0", "\ufffd")
        assert page(reply).css_first(".notice") is not None


@pytest.mark.parametrize(
    "question", ["🙂 pump", "مضخة", "{{7*7}} <script>alert(1)</script>", "pump\r\nevent: done", "a" * 3999]
)
async def test_any_other_question_is_shown_as_it_was_typed(client: Client, question: str) -> None:
    answer = await client.get(await asked(client, question))
    assert answer.status == 200
    shown = page(answer).css_first("h2.question")
    assert shown is not None
    assert shown.text().split() == question.split()
    assert "<script>alert" not in answer.text


async def test_another_readers_conversation_is_not_found(client: Client) -> None:
    address = (await asked(client)).partition("?")[0]
    stranger = Client(client.app, client.state)
    assert (await stranger.get(address)).status == 404
    assert (await stranger.post(f"{address}/turns", {"question": "And now?"})).status == 404
    assert (await stranger.post(f"{address}/delete")).status == 404
    assert (await client.get(address)).status == 200


async def test_a_deleted_conversation_is_gone(client: Client) -> None:
    address = (await asked(client)).partition("?")[0]
    assert (await client.get(f"{address}/delete")).status == 200
    assert (await client.post(f"{address}/delete")).status == 303
    assert (await client.get(address)).status == 404


@pytest.mark.parametrize(
    "address", ["/c/none", "/turns/none", "/documents/none", "/nowhere", "/documents/%00", "/static/x/none.css"]
)
async def test_what_is_not_there_is_told_on_a_page_of_ours(client: Client, address: str) -> None:
    reply = await client.get(address)
    assert reply.status == 404
    assert page(reply).css_first("main h1") is not None


async def test_search_finds_pages_and_keeps_the_words(client: Client) -> None:
    found = page(await client.get("/search?q=vinegar"))
    assert found.css_first("input[name=q]").attributes["value"] == "vinegar"
    assert "Tank" in found.css_first(".result").text()
    assert "Nothing matches" in (await client.get("/search?q=zzzzz")).text


async def test_a_form_of_another_site_is_refused(client: Client) -> None:
    reply = await client.post("/conversations", {"question": "pump"}, {"sec-fetch-site": "cross-site"})
    assert reply.status == 403


async def test_every_reply_carries_the_guards(client: Client) -> None:
    for address in ("/", "/nowhere", "/readyz", "/search?q=pump"):
        reply = await client.get(address)
        policy = reply.headers["content-security-policy"]
        assert "frame-ancestors 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-app"]
    first, second = (await client.get("/")).text, (await client.get("/")).text
    assert re.findall(r'nonce="([^"]+)"', first)[0] != re.findall(r'nonce="([^"]+)"', second)[0]


async def test_no_page_holds_a_style_or_a_script_of_its_own(client: Client) -> None:
    for address in ("/", await asked(client), "/search?q=pump", "/documents/docs.example.com/plant/pump"):
        parsed = page(await client.get(address))
        assert parsed.css_first("[style]") is None
        assert all(script.attributes.get("src") for script in parsed.css("script"))


async def test_the_app_is_ready_only_when_there_is_something_to_ask(tmp_path: Path, client: Client) -> None:
    assert (await client.get("/readyz")).status == 200
    assert (await client.get("/healthz")).status == 200
    async with served(create_app(settings_for(tmp_path / "other"))) as empty:
        reply = await empty.get("/readyz")
        assert (reply.status, json.loads(reply.body)["problem"]) == (503, "index_missing")


async def test_the_interface_for_programs_answers_one_object(client: Client) -> None:
    body = json.dumps({"question": QUESTION}).encode()
    reply = await client.post("/api/v1/ask", body=body, headers={"content-type": "application/json"})
    answer = json.loads(reply.body)
    assert reply.status == 200
    assert answer.keys() >= {"id", "status", "text", "citations", "sentences", "retrieved", "ms"}
    assert (answer["origin"], answer["fell_back"], answer["searched_for"]) == ("quoted", None, "")
    assert answer["status"] in ("answered", "weak")
    assert answer["citations"][0]["uri"] == f"{BASE}/pump"


async def test_programs_can_follow_the_answer(client: Client) -> None:
    body = json.dumps({"question": QUESTION}).encode()
    headers = {"content-type": "application/json", "accept": "text/event-stream", "sec-fetch-site": "same-origin"}
    async with client.stream("POST", "/api/v1/ask", body, headers) as (status, got, pieces):
        events = "".join([piece.decode() async for piece in pieces])
    assert (status, got["content-type"].partition(";")[0]) == (200, "text/event-stream")
    names = re.findall(r"^event: (\w+)$", events, re.MULTILINE)
    assert names[0] == "status"
    assert names[-2:] == ["answer", "done"]
    assert "text" in names


@pytest.mark.parametrize(
    ("body", "status"), [(b"{", 422), (b'{"question": ""}', 422), (b'{"question": "x", "evil": 1}', 422), (b"[]", 422)]
)
async def test_a_wrong_request_of_a_program_is_a_problem_that_repeats_nothing(
    client: Client, body: bytes, status: int
) -> None:
    reply = await client.post("/api/v1/ask", body=body, headers={"content-type": "application/json"})
    assert reply.status == status
    assert reply.headers["content-type"] == "application/problem+json"
    assert "evil" not in reply.text


async def turn_of(client: Client) -> str:
    return (await asked(client)).partition("#turn-")[2]


async def events_of(client: Client, turn: str, last: str = "") -> list[tuple[str, str, str]]:
    """(id, name, data) of each message of the page's stream."""
    headers = {"last-event-id": last} if last else {}
    async with client.stream("GET", f"/turns/{turn}/events", headers=headers) as (status, _, pieces):
        assert status == 200
        text = "".join([piece.decode() async for piece in pieces])
    found = []
    for block in text.split("\n\n"):
        fields: dict[str, list[str]] = {}
        for line in block.splitlines():
            name, _, value = line.partition(": ")
            fields.setdefault(name, []).append(value)
        if "data" in fields:
            number, event = (fields.get(name, [""])[0] for name in ("id", "event"))
            found.append((number, event, "\n".join(fields["data"])))
    return found


async def test_the_pages_stream_holds_partials_and_ends_with_done(client: Client) -> None:
    messages = await events_of(client, await turn_of(client))
    assert messages[-1][1] == "done"
    assert messages[-1][2] in ("answered", "weak")
    assert all(data.startswith("<hx-partial ") for _, name, data in messages if not name)


async def test_whoever_reconnects_gets_only_what_is_missing_and_done_again(client: Client) -> None:
    turn = await turn_of(client)
    messages = await events_of(client, turn)
    last = messages[-1][0]
    assert await events_of(client, turn, last) == [messages[-1]]
    assert len(await events_of(client, turn, messages[0][0] or "0")) <= len(messages)


async def test_a_strangers_stream_says_done_and_tells_nothing(client: Client) -> None:
    turn = await turn_of(client)
    messages = await events_of(Client(client.app, client.state), turn)
    assert [(name, data) for _, name, data in messages if name] == [("done", "not_found")]
    assert "pump" not in "".join(data for _, _, data in messages).lower()
