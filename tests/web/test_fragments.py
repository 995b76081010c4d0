"""What scripts of the page are answered: fragments, partials and redirects, each with a nonce and our mark."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.domain.answers import AnswerCompleted, AnswerEvent, Outcome, Question, Step, StepStarted, TextDelta
from app.domain.documents import EVERYWHERE, Document, Scope
from app.main import create_app
from tests.support.asgi import Client, Reply, served
from tests.support.corpus import settings_for
from tests.support.scripted import ScriptedSource
from tests.support.sse import Message, Parts, messages

HTMX = {"hx-request": "true"}


async def _play(question: Question) -> AsyncIterator[AnswerEvent]:
    """Answers at once, or (`wait`) writes one word and then nothing more."""
    yield StepStarted(Step.WRITING)
    yield TextDelta("Yes.\n\n")
    if question.text == "wait":
        await asyncio.Event().wait()
    yield AnswerCompleted(Outcome.ANSWERED)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[Client]:
    async with served(create_app(settings_for(tmp_path / "data"), source=ScriptedSource(_play))) as opened:
        yield opened


async def begun(client: Client, question: str) -> tuple[str, str]:
    """(conversation's address, turn's id) of a question that was asked by a script."""
    reply = await client.post("/conversations", {"question": question}, HTMX)
    assert reply.status == 204
    found = re.fullmatch(r"(/c/[\w-]+)#turn-([\w-]+)", reply.headers["hx-redirect"])
    assert found
    return found[1], found[2]


def parts(reply: Reply) -> dict[str, str]:
    return Parts().take([Message(reply.text)]).parts


async def test_a_first_question_leads_to_its_page_which_does_not_wait(client: Client) -> None:
    conversation, turn = await begun(client, "wait")
    page = await client.get(conversation)
    assert f'id="turn-{turn}"' in page.text
    assert "hx-sse:connect" in page.text
    await client.post(f"/turns/{turn}/stop", headers=HTMX)


async def test_a_follow_up_brings_its_article_and_what_changes_with_it(client: Client) -> None:
    conversation, _ = await begun(client, "now")
    reply = await client.post(f"{conversation}/turns", {"question": "And then?"}, HTMX)
    assert reply.text.startswith("<article")
    assert parts(reply)["count"] == "2 questions"
    assert "And then?" not in parts(reply)["ask-form"], "a fresh composer"
    nonce = re.search(r"'nonce-([^']+)'", reply.headers["content-security-policy"])
    assert nonce
    assert f'hx-nonce="{nonce[1]}"' in reply.text
    assert reply.headers["x-app"]


async def test_a_question_that_cannot_be_asked_comes_back_in_its_composer(client: Client) -> None:
    conversation, _ = await begun(client, "now")
    for address in ("/conversations", f"{conversation}/turns"):
        reply = await client.post(address, {"question": "x" * 4001}, HTMX)
        assert reply.status == 422
        assert "4,001 characters" in parts(reply)["ask-form"]
        assert "x" * 4001 in parts(reply)["ask-form"]
        assert Parts().take([Message(reply.text)]).stray.strip() == ""


async def test_too_many_questions_at_once_are_refused_with_the_text_kept(client: Client) -> None:
    conversation, first = await begun(client, "wait")
    turns = [first]
    for _ in range(2):
        reply = await client.post(f"{conversation}/turns", {"question": "wait"}, HTMX)
        turns += re.findall(r'<article[^>]*id="turn-([\w-]+)"', reply.text)
    reply = await client.post(f"{conversation}/turns", {"question": "one more"}, HTMX)
    assert reply.status == 429
    assert "one more" in parts(reply)["ask-form"]
    without_scripts = await client.post(f"{conversation}/turns", {"question": "one more"})
    assert without_scripts.status == 429
    assert "one more" in without_scripts.text
    again = await client.post(f"/turns/{first}/again", headers=HTMX)
    assert again.status == 429
    assert "Too many questions" in parts(again)[f"turn-{first}"]
    for turn in turns:
        assert (await client.post(f"/turns/{turn}/stop", headers=HTMX)).status == 204


async def test_a_stop_is_told_by_the_stream_and_what_was_written_stays(client: Client) -> None:
    _, turn = await begun(client, "wait")
    async with client.stream("GET", f"/turns/{turn}/events") as (status, headers, pieces):
        assert (status, headers["cache-control"], headers["x-accel-buffering"]) == (200, "no-store", "no")
        page = Parts()
        async for message in messages(pieces):
            page.take([message])
            if "Yes." in page.parts.get(f"blocks-{turn}", "") + page.parts.get(f"tail-{turn}", ""):
                break
        assert (await client.post(f"/turns/{turn}/stop", headers=HTMX)).status == 204
        rest = [message async for message in messages(pieces)]
    assert (rest[-1].name, rest[-1].data) == ("done", "stopped")
    final = await client.get(f"/turns/{turn}", HTMX)
    assert "You stopped this answer." in final.text
    assert "Yes." in final.text
    assert parts(final)["says"] == "You stopped this answer."


async def test_without_scripts_a_stop_leads_back_to_the_page(client: Client) -> None:
    conversation, turn = await begun(client, "wait")
    reply = await client.post(f"/turns/{turn}/stop")
    assert (reply.status, reply.headers["location"]) == (303, f"{conversation}#turn-{turn}")
    assert "You stopped this answer." in (await client.get(conversation)).text


async def test_asking_again_makes_a_new_turn(client: Client) -> None:
    conversation, turn = await begun(client, "now")
    await client.get(f"/turns/{turn}", HTMX)
    reply = await client.post(f"/turns/{turn}/again", headers=HTMX)
    assert reply.text.startswith("<article")
    assert f'id="turn-{turn}"' not in reply.text
    assert (await client.post(f"/turns/{turn}/again")).status == 303
    assert (await client.get(conversation)).text.count("<article") == 3


async def test_a_turn_that_is_gone_replaces_its_article_with_the_reason(client: Client) -> None:
    conversation, turn = await begun(client, "now")
    await client.get(f"/turns/{turn}", HTMX)
    await client.post(f"{conversation}/delete")
    reply = await client.get(f"/turns/{turn}", HTMX)
    assert reply.status == 404
    assert "There is no such question." in parts(reply)[f"turn-{turn}"]


async def test_a_script_that_is_refused_hears_why_in_place(client: Client) -> None:
    foreign = await client.post("/conversations", {"question": "now"}, {**HTMX, "sec-fetch-site": "cross-site"})
    assert foreign.status == 403
    assert "another site" in parts(foreign)["trouble"]
    huge = await client.post("/conversations", {"question": "x" * 70_000}, HTMX)
    assert huge.status == 413
    assert "too much text" in parts(huge)["trouble"]
    assert foreign.headers["x-request-id"] in parts(foreign)["trouble"]


async def test_the_guards_refuse_in_the_apps_own_words(client: Client) -> None:
    page = await client.post("/conversations", {"question": "now"}, {"sec-fetch-site": "cross-site"})
    assert (page.status, "<h1>The request came from another site.</h1>" in page.text) == (403, True)
    headers = {"content-type": "application/json", "sec-fetch-site": "cross-site"}
    problem = await client.post("/api/v1/ask", body=b"{}", headers=headers)
    assert problem.headers["content-type"] == "application/problem+json"


class _Broken(ScriptedSource):
    async def get_document(self, name: str, scope: Scope = EVERYWHERE) -> Document:
        raise RuntimeError("a secret of the program")


async def test_a_fault_of_the_program_is_told_without_its_details(tmp_path: Path) -> None:
    async with served(create_app(settings_for(tmp_path / "data"), source=_Broken(_play))) as client:
        page = await client.get("/documents/x")
        assert (page.status, "secret" in page.text, "Traceback" in page.text) == (500, False, False)
        assert page.headers["x-request-id"] in page.text
        assert page.headers["content-security-policy"]
        fragment = await client.get("/documents/x", HTMX)
        assert "Something went wrong here." in parts(fragment)["trouble"]


async def test_a_probe_may_ask_for_the_headers_alone(client: Client) -> None:
    async with client.stream("HEAD", "/healthz") as (status, _, _pieces):
        assert status == 200
