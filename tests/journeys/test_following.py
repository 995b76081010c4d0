"""The page while an answer arrives: it keeps to the end only for those who are there, and nothing jumps."""

import pytest
from playwright.async_api import Page, expect

from tests.journeys.conftest import NewReader
from tests.support.browser import ask, until_words
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

VIEW = {"width": 700, "height": 500}
TO_END = "() => document.documentElement.scrollHeight - innerHeight - scrollY"


async def from_end(page: Page) -> float:
    return float(await page.evaluate(TO_END))


async def test_the_page_follows_until_the_reader_scrolls_up_and_goes_on_when_asked_to(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted, viewport=VIEW)).page()
    turn = await ask(page, "slowly 600")
    await until_words(turn, 100)
    assert await from_end(page) < 10
    newest = page.get_by_role("button", name="To the newest")
    await expect(newest).to_be_hidden()

    await page.mouse.move(300, 200)
    await page.mouse.wheel(0, -60)
    await until_words(turn, 120)
    place = await page.evaluate("() => scrollY")
    await until_words(turn, 160)
    assert await page.evaluate("() => scrollY") == place
    await expect(newest).to_be_visible()

    await newest.click()
    await until_words(turn, 200)
    assert await from_end(page) < 10
    await expect(newest).to_be_hidden()

    await page.keyboard.press("PageUp")
    await until_words(turn, 240)
    assert await from_end(page) > 100
    await page.keyboard.press("End")
    await until_words(turn, 280)
    assert await from_end(page) < 10
    await page.keyboard.press("Escape")


async def test_a_long_answer_that_comes_at_once_is_read_from_its_beginning(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted, viewport=VIEW)).page()
    turn = await ask(page, "burst")
    await turn.get_by_text("Paragraph 59").wait_for()
    await expect(turn.locator(".question")).to_be_in_viewport()
    await expect(page.get_by_role("button", name="To the newest")).to_be_visible()


async def test_the_page_says_when_nothing_new_comes(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await page.clock.install()
    turn = await ask(page, "silent")
    await turn.get_by_text("Searching").wait_for()
    stalled = page.locator(".stalled")
    await expect(stalled).to_be_hidden()
    await page.clock.run_for(25_000)
    await expect(stalled).to_be_visible()
    await page.keyboard.press("Escape")


async def test_nothing_jumps_while_words_arrive(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    await reader.context.add_init_script(
        """
        window.shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
        """
    )
    page = await reader.page()
    turn = await ask(page, "rich")
    await turn.get_by_text("If the drain seems").wait_for()
    assert await page.evaluate("() => window.shift") < 0.1
