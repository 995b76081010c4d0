"""The composer and the keys: what sends, what does not, and that nothing typed is ever lost."""

import asyncio

import pytest
from playwright.async_api import Page, Route, expect

from tests.journeys.conftest import NewReader
from tests.support.browser import ask, ended, until_words, words
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TYPED = "slowly 8 words, typed with care"


async def dispatched(page: Page, **key: object) -> None:
    """A key as an input method lets a page see it."""
    await page.locator("textarea:focus").dispatch_event("keydown", {"bubbles": True, "cancelable": True, **key})


async def test_enter_sends_and_shift_enter_breaks_the_line(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await page.locator("textarea").press_sequentially("slowly")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("8")
    assert await page.locator("textarea").input_value() == "slowly\n8"
    await page.keyboard.press("Enter")
    turn = page.locator(".turn")
    await ended(turn)
    assert await words(turn) == list(range(8))


async def test_enter_does_not_send_while_an_input_method_is_composing(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    page = await reader.page()
    field = page.locator("textarea")
    await field.focus()
    devtools = await reader.context.new_cdp_session(page)
    await devtools.send("Input.imeSetComposition", {"text": "にほんご", "selectionStart": 4, "selectionEnd": 4})
    await dispatched(page, key="Enter", code="Enter", isComposing=True)
    await dispatched(page, key="Enter", code="Enter", keyCode=229)
    await devtools.send("Input.insertText", {"text": "日本語"})
    assert await field.input_value() == "日本語"
    assert page.url == f"{scripted.address}/"
    assert not any("conversations" in address for address in reader.asked)


async def test_nothing_is_sent_where_nothing_is_typed(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    page = await reader.page()
    await page.locator("textarea").fill("  \n ")
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Ask", exact=True).click()
    await expect(page.locator("textarea")).to_be_focused()
    assert not any("conversations" in address for address in reader.asked)


async def test_a_question_is_asked_once_however_often_it_is_sent(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    page = await reader.page()

    async def late(route: Route) -> None:
        await asyncio.sleep(0.3)
        await route.continue_()

    await page.route("**/conversations", late)
    await page.locator("textarea").fill(TYPED)
    for _ in range(3):
        await page.keyboard.press("Enter")
    await page.locator(".turn").wait_for()
    assert sum(address.endswith("/conversations") for address in reader.asked) == 1


async def test_a_slash_begins_to_type_but_not_in_a_field(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await page.keyboard.press("/")
    await expect(page.locator("textarea")).to_be_focused()
    await page.keyboard.type("a/b")
    assert await page.locator("textarea").input_value() == "a/b"


async def test_a_draft_survives_a_reload_and_goes_when_it_is_asked(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await page.locator("textarea").fill(TYPED)
    await page.reload()
    assert await page.locator("textarea").input_value() == TYPED
    await page.locator("textarea").press("Enter")
    await ended(page.locator(".turn"))
    await page.goto(scripted.address)
    assert await page.locator("textarea").input_value() == ""


async def test_what_is_typed_while_an_answer_arrives_stays(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await ended(await ask(page, "slowly 8"))
    turn = await ask(page, "slowly 40")
    await until_words(turn, 3)
    field = page.locator(".dock textarea")
    await field.press_sequentially("and then", delay=10)
    await ended(turn)
    assert await field.input_value() == "and then"
    await expect(field).to_be_focused()


async def test_a_question_that_was_not_sent_stays_and_says_so(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    reader.allow("ERR_|Failed to fetch|NetworkError")
    page = await reader.page()
    await page.locator("textarea").fill(TYPED)
    await reader.context.set_offline(True)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("was not sent")
    assert await page.locator("textarea").input_value() == TYPED
    await reader.context.set_offline(False)
    await page.keyboard.press("Enter")
    await ended(page.locator(".turn"))


async def test_a_sign_in_page_instead_of_an_answer_is_not_swapped_in(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    page = await reader.page()

    async def foreign(route: Route) -> None:
        await route.fulfill(status=200, content_type="text/html", body="<h1>Sign in here</h1>")

    await page.route("**/conversations", foreign)
    await page.locator("textarea").fill(TYPED)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("was not sent")
    assert "Sign in here" not in await page.locator("body").inner_text()
    assert await page.locator("textarea").input_value() == TYPED


async def test_a_refused_question_comes_back_with_the_reason(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    reader.allow("422")
    page = await reader.page()
    long = "long " * 1_000
    await page.locator("textarea").fill(long)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert").filter(visible=True)).to_contain_text("too long")
    assert (await page.locator("textarea").input_value()).strip() == long.strip()


async def test_a_whole_journey_by_keyboard_alone(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await page.keyboard.press("Tab")
    await expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    await expect(page.locator("textarea")).to_be_focused()
    await page.keyboard.type("slowly 24")
    await page.keyboard.press("Enter")
    turn = page.locator(".turn")
    await ended(turn)
    await page.locator("#main").focus()
    note = turn.locator(".note.n1").get_by_role("link", name="Read here")
    for _ in range(40):
        await page.keyboard.press("Tab")
        if await note.evaluate("link => link === document.activeElement"):
            break
    await expect(note).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.locator(".cited mark")).to_be_in_viewport()


async def test_a_screen_reader_hears_what_happens_and_not_each_word(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "slowly 24")
    heard = page.locator("#says")
    await expect(heard).to_have_attribute("role", "status")
    await expect(heard).to_have_text("Answering")
    await ended(turn)
    await expect(heard).to_have_text("Answer ready, 3 sources")
    assert await turn.get_attribute("aria-labelledby") == await turn.locator(".question").get_attribute("id")
