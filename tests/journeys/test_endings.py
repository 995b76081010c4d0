"""The ways in which an answer ends, and what a reader can do then."""

import time

import pytest
from playwright.async_api import expect

from tests.journeys.conftest import NewReader, NewServer
from tests.support.browser import ask, ended, until_words, words
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


@pytest.mark.parametrize("way", ["button", "Escape"])
async def test_a_stop_is_obeyed_within_a_second_and_what_was_written_stays(
    scripted: Server, new_reader: NewReader, way: str
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "endless")
    await until_words(turn, 20)
    began = time.monotonic()
    if way == "button":
        await page.get_by_role("button", name="Stop").click()
    else:
        await page.keyboard.press("Escape")
    await ended(turn, "stopped")
    assert time.monotonic() - began < 1
    written = await words(turn)
    assert len(written) > 20
    assert written == list(range(len(written)))
    await page.reload()
    assert await words(page.locator(".turn.stopped")) == written


async def test_a_stopped_answer_can_be_asked_again(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "slowly 60")
    await until_words(turn, 5)
    await page.keyboard.press("Escape")
    await ended(turn, "stopped")
    await page.get_by_role("button", name="Write it again").click()
    again = page.locator(".turn").nth(1)
    await ended(again)
    assert await words(again) == list(range(60))


async def test_what_is_not_in_the_documents_is_said_with_a_way_on(plant: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(plant)).page()
    question = "Which parking permit does the Zürich office sell?"
    turn = await ask(page, question)
    await ended(turn, "not_found")
    await expect(turn.get_by_role("heading", name="The documents do not answer this")).to_be_visible()
    assert await turn.locator("a.cite, .note").count() == 0
    assert await turn.locator("textarea").input_value() == question
    second = await ask(page, "What is the highest speed of the pump?")
    await ended(second)


async def test_weak_evidence_is_no_answer(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "weak")
    await ended(turn, "weak")
    await expect(turn.get_by_role("heading", name="These pages may help")).to_be_visible()
    assert await turn.locator(".result").count() == 3
    assert await turn.locator(".prose").count() == 0


async def test_a_failure_says_what_happened_and_under_which_number(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "failing")
    await ended(turn, "failed")
    notice = turn.locator(".notice.fail")
    await expect(notice).to_contain_text("did not accept the question")
    await expect(notice).to_contain_text("Request")
    assert "the script says so" not in await turn.inner_text()


async def test_a_used_up_quota_is_told_in_one_line_and_answered_from_the_documents(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "limited words that count about Tanks")
    await turn.and_(page.locator(".turn:not(.live)")).wait_for()
    await expect(turn.locator(".notice").first).to_contain_text("The answer quota is used up")


async def test_a_crash_in_mid_answer_is_told_and_one_click_asks_again(
    new_server: NewServer, new_reader: NewReader
) -> None:
    server = new_server(scripted=True)
    reader = await new_reader(server)
    reader.allow("ERR_|network error|Failed to fetch|NetworkError")
    page = await reader.page()
    turn = await ask(page, "slowly 60")
    await until_words(turn, 10)
    server.kill()
    server.start()
    await ended(turn, "interrupted")
    written = await words(turn)
    assert written == list(range(len(written)))
    assert len(written) < 60
    await expect(turn.locator(".notice.doubt")).to_contain_text("broke off")
    await page.reload()
    await expect(page.locator(".turn.interrupted")).to_have_count(1)
    await page.get_by_role("button", name="Ask again").click()
    again = page.locator(".turn").nth(1)
    await ended(again)
    assert await words(again) == list(range(60))


async def test_an_orderly_restart_is_told_at_once(new_server: NewServer, new_reader: NewReader) -> None:
    server = new_server(scripted=True)
    reader = await new_reader(server)
    reader.allow("ERR_|network error|Failed to fetch|NetworkError")
    page = await reader.page()
    turn = await ask(page, "endless")
    await until_words(turn, 10)
    server.stop()
    server.start()
    await ended(turn, "interrupted")
    written = await words(turn)
    assert written == list(range(len(written)))
