"""Everything again in a browser that runs no scripts: forms, links, whole pages."""

import re

import pytest
from playwright.async_api import Page, expect

from tests.journeys.conftest import NewReader
from tests.support.browser import words
from tests.support.plays import ADDRESSES
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def asked(new_reader: NewReader, server: Server, question: str) -> Page:
    page = await (await new_reader(server, java_script_enabled=False)).page()
    await page.locator("textarea").first.fill(question)
    await page.get_by_role("button", name="Ask", exact=True).click()
    return page


async def test_the_whole_answer_stands_on_the_page_that_follows(plant: Server, new_reader: NewReader) -> None:
    page = await asked(new_reader, plant, "How do I start the pump?")
    turn = page.locator(".turn.answered")
    assert "Press the green button." in await turn.inner_text()
    assert await turn.locator("a.cite").count() >= 1
    await turn.get_by_role("link", name=re.compile("^Read here")).first.click()
    assert await page.locator("mark").count() >= 1


async def test_a_follow_up_and_a_missing_answer_work(plant: Server, new_reader: NewReader) -> None:
    page = await asked(new_reader, plant, "How do I start the pump?")
    await page.locator(".dock textarea").fill("Who won the chess championship?")
    await page.locator(".dock").get_by_role("button", name="Ask", exact=True).click()
    assert await page.locator(".turn").count() == 2
    assert "The documents do not answer this" in await page.locator(".turn.not_found").inner_text()


async def test_words_come_whole_with_their_numbers_and_notes(scripted: Server, new_reader: NewReader) -> None:
    page = await asked(new_reader, scripted, "slowly 24")
    turn = page.locator(".turn.answered")
    assert await words(turn) == list(range(24))
    assert [await cite.get_attribute("href") for cite in await turn.locator("a.cite").all()] == list(ADDRESSES)
    await turn.locator(".note.n3").get_by_role("link", name="Read here").click()
    await expect(page.locator(".cited mark")).to_be_in_viewport()


@pytest.mark.parametrize(("question", "face"), [("weak", "weak"), ("missing", "not_found"), ("failing", "failed")])
async def test_the_other_faces_need_no_script(
    scripted: Server, new_reader: NewReader, question: str, face: str
) -> None:
    page = await asked(new_reader, scripted, question)
    await page.locator(f".turn.{face}").wait_for()


async def test_an_answer_in_the_making_can_be_stopped(scripted: Server, new_reader: NewReader) -> None:
    """A page that comes before its answer (after some time, or on the way back) says so and has the stop button."""
    page = await (await new_reader(scripted, java_script_enabled=False)).page()
    asking = await page.request.post(
        f"{scripted.address}/conversations",
        form={"question": "endless"},
        headers={"Origin": scripted.address},
        max_redirects=0,
    )
    assert asking.status == 303
    await page.goto(scripted.address + asking.headers["location"].replace("?wait=1", ""))
    await expect(page.get_by_role("link", name="look again")).to_be_visible()
    await page.get_by_role("button", name=re.compile("^Stop")).click()
    turn = page.locator(".turn.stopped")
    await turn.wait_for()
    written = await words(turn)
    assert written == list(range(len(written)))


async def test_a_refused_question_comes_back_with_the_reason(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted, java_script_enabled=False)
    reader.allow("422")
    page = await reader.page()
    long = "long " * 1_000
    await page.locator("textarea").fill(long)
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("too long")
    assert (await page.locator("textarea").input_value()).strip() == long.strip()


async def test_an_empty_question_says_what_to_do(plant: Server, new_reader: NewReader) -> None:
    reader = await new_reader(plant, java_script_enabled=False)
    reader.allow("422")
    page = await reader.page()
    await page.locator("textarea").first.fill("   ")
    await page.get_by_role("button", name="Ask", exact=True).click()
    assert "There is no question yet." in await page.locator("main").inner_text()
