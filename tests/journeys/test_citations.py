"""From a number in the text to the words that it rests on: the link, the card, the footnote, the reader."""

import re

import pytest
from playwright.async_api import expect

from tests.journeys.conftest import NewReader
from tests.support.browser import ask, ended
from tests.support.plays import ADDRESSES
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_citation_leads_to_the_documents_address_in_a_tab_of_its_own(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "slowly 24")
    await ended(turn)
    for number, address in enumerate(ADDRESSES, 1):
        cite = turn.locator(f".prose a.cite.c{number}")
        assert await cite.inner_text() == str(number)
        assert await cite.get_attribute("href") == address
        assert await cite.get_attribute("target") == "_blank"
        assert "noopener" in str(await cite.get_attribute("rel"))


async def test_the_third_footnotes_passage_stands_marked_in_the_reader(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "slowly 24")
    await ended(turn)
    note = turn.locator(".note.n3")
    passage = await note.locator(".passage").inner_text()
    await note.get_by_role("link", name="Read here").click()
    marked = page.locator(".prose .cited")
    await marked.wait_for()
    assert await marked.locator("mark").all_inner_texts() == [passage]
    await expect(marked).to_be_in_viewport()
    assert await page.locator("h1").inner_text() == "Valves (a guide)"
    assert await page.get_by_role("link", name="Open at docs.example.com").get_attribute("href") == ADDRESSES[2]


async def test_a_real_document_is_quoted_cited_and_opened(plant: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(plant)).page()
    turn = await ask(page, "What is the highest speed of the pump?")
    await ended(turn)
    assert "85 percent" in await turn.locator(".prose").inner_text()
    assert await turn.locator("a.cite").first.get_attribute("href") == "https://docs.example.com/plant/pump"
    await turn.get_by_role("link", name="Read here").first.click()
    await expect(page.locator("mark", has_text="85 percent")).to_be_in_viewport()


async def test_a_card_opens_at_a_pointer_and_never_covers_its_sentence(scripted: Server, new_reader: NewReader) -> None:
    for viewport in ({"width": 1440, "height": 900}, {"width": 390, "height": 700}, {"width": 320, "height": 400}):
        page = await (await new_reader(scripted, viewport=viewport)).page()
        turn = await ask(page, "slowly 24")
        await ended(turn)
        for number in (1, 2, 3):
            cite = turn.locator(f".prose .c{number}")
            await cite.hover()
            card = page.locator("citation-card:popover-open")
            await expect(card.locator(".title")).to_have_attribute("href", ADDRESSES[number - 1])
            assert await cite.get_attribute("aria-expanded") == "true"
            numeral, box = await cite.bounding_box(), await card.bounding_box()
            assert numeral
            assert box
            below, above = box["y"] >= numeral["y"] + numeral["height"], box["y"] + box["height"] <= numeral["y"]
            assert below or above, (viewport, number)
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= viewport["width"]
            await page.mouse.move(1, 1)
            await card.wait_for(state="detached")
            assert await cite.get_attribute("aria-expanded") == "false"


async def test_a_card_is_reached_and_left_by_keyboard(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "slowly 24")
    await ended(turn)
    cite = turn.locator(".prose .c2")
    await turn.locator(".prose .c1").focus()
    await page.keyboard.press("Tab")  # its card's title
    card = page.locator("citation-card:popover-open")
    await expect(card.locator(".title")).to_be_focused()
    await page.keyboard.press("Tab")
    await expect(card.get_by_role("link", name="Read here")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(turn.locator(".prose .c1")).to_be_focused()
    await expect(card).to_have_count(0)
    await page.keyboard.press("Tab")
    await expect(cite).to_be_focused()
    await expect(card.locator(".title")).to_have_text("Tanks")


async def test_a_card_says_what_its_footnote_says(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "slowly 24")
    await ended(turn)
    await turn.locator(".prose .c3").hover()
    card, note = page.locator("citation-card:popover-open"), turn.locator(".note.n3")
    await card.wait_for()
    for part in (".title", ".path", ".passage", "mark"):
        assert await card.locator(part).inner_text() == await note.locator(part).inner_text()
    here = note.get_by_role("link", name="Read here")
    assert await card.get_by_role("link", name="Read here").get_attribute("href") == await here.get_attribute("href")
    assert await card.get_by_role("link", name="Open", exact=True).get_attribute("href") == ADDRESSES[2]
    assert await card.locator("[id]").count() == 0


async def test_a_copied_answer_has_the_numbers_and_addresses_of_the_page(
    scripted: Server, new_reader: NewReader
) -> None:
    reader = await new_reader(scripted, permissions=["clipboard-read", "clipboard-write"])
    page = await reader.page()
    turn = await ask(page, "rich")
    await ended(turn)
    await turn.locator(".prose .c1").hover()  # an open card is no part of the answer
    await page.locator("citation-card:popover-open").wait_for()
    await turn.locator(".tools").get_by_role("button", name="Copy").click()
    await turn.locator(".tools").get_by_role("button", name="Copied").wait_for()
    copied = str(await page.evaluate("() => navigator.clipboard.readText()"))
    text, _, notes = copied.rpartition("\n\n")
    assert notes.splitlines() == [
        f"[{number}] {title}: {address}"
        for number, (title, address) in enumerate(
            zip(("Pumps", "Tanks", "Valves (a guide)"), ADDRESSES, strict=True), 1
        )
    ]
    assert "never goes below it.[1] When it returns" in text
    assert "switched off.[1][2]" in text
    assert "`pumpctl drain`" in text
    assert '    return pumps.run("drain", tank, percent) == 0\n```' in text
    assert "2. Do the work on the machine.\n   - With a helper." in text
    assert "| `200` | The drain is granted. | Nothing |" in text
    assert "Read here" not in text


async def test_code_is_copied_as_it_is(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted, permissions=["clipboard-read", "clipboard-write"])
    page = await reader.page()
    turn = await ask(page, "rich")
    await ended(turn)
    figure = turn.locator("figure.code")
    await figure.get_by_role("button").click()
    await figure.get_by_role("button", name="Copied").wait_for()
    copied = str(await page.evaluate("() => navigator.clipboard.readText()"))
    assert copied == await figure.locator("pre").inner_text()
    assert re.match(r"import pumps\n\n\ndef drain\(", copied)
