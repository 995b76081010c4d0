"""Everything again in a browser that runs no scripts: forms, links, whole pages."""

import re

import pytest
from playwright.async_api import Page

from tests.journeys.conftest import NewReader
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


async def test_an_answer_in_the_making_can_be_stopped(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted, java_script_enabled=False)
    page = await reader.page()
    await page.locator("textarea").first.fill("endless")
    waiting = page.get_by_role("button", name="Ask", exact=True)
    await waiting.click(no_wait_after=True, timeout=40_000)
    await page.get_by_role("button", name=re.compile("^Stop")).click(timeout=40_000)
    assert await page.locator(".turn.stopped").count() == 1


async def test_an_empty_question_says_what_to_do(plant: Server, new_reader: NewReader) -> None:
    reader = await new_reader(plant, java_script_enabled=False)
    reader.allow("422")
    page = await reader.page()
    await page.locator("textarea").first.fill("   ")
    await page.get_by_role("button", name="Ask", exact=True).click()
    assert "There is no question yet." in await page.locator("main").inner_text()
