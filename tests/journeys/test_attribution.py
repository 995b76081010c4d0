"""What has a source and what has none: seen while it arrives, when it stands, with and without scripts, and copied."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.journeys.conftest import NewReader
from tests.support.browser import ask, ended
from tests.support.plays import ADDRESSES, UNSOURCED
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FOLLOW_MARKS = """
window.marked = [];
new MutationObserver(() => {
  const turn = document.querySelector(".turn.live");
  if (turn) window.marked.push([...turn.querySelectorAll(".unsourced")].map((each) => each.textContent).join(""));
}).observe(document, { childList: true, subtree: true, characterData: true });
"""


async def unsourced(turn: Locator) -> str:
    """All words that are marked, as one."""
    return " ".join("".join(await turn.locator(".unsourced").all_text_contents()).split())


async def test_a_sentence_without_a_source_is_marked_and_one_with_a_source_opens_its_passage(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "doubtful")
    await ended(turn)
    assert await unsourced(turn) == "".join(UNSOURCED)
    style = await turn.locator(".unsourced").first.evaluate("each => getComputedStyle(each).textDecorationStyle")
    assert style == "dotted"
    supported = turn.locator("p", has_text="Whoever looks after pumps").first
    cite = supported.locator("a.cite.c1")
    assert await cite.get_attribute("href") == ADDRESSES[0]
    await cite.hover()
    card = page.locator("citation-card:popover-open")
    await expect(card.locator("mark")).to_have_text("The words that count about Pumps stand here.")
    await card.get_by_role("link", name="Read here").click()
    await expect(page.locator(".cited mark", has_text="that count about Pumps")).to_be_in_viewport()


async def test_the_words_of_a_numeral_begin_behind_those_without_a_source(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "doubtful")
    await ended(turn)
    await turn.locator("a.cite").nth(1).hover()
    await page.locator("citation-card:popover-open").wait_for()
    tinted = await page.evaluate("[...CSS.highlights.get('sentence')].map((range) => range.toString().trim())")
    assert tinted == ["The words that count about pumps stand there."]


async def test_marks_arrive_with_their_sentences_and_stay_as_they_are(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    await reader.context.add_init_script(FOLLOW_MARKS)
    page = await reader.page()
    turn = await ask(page, "doubtful")
    await ended(turn)
    seen = [" ".join(text.split()) for text in await page.evaluate("window.marked")]
    assert seen, "nothing was seen of the answer while it arrived"
    whole = await unsourced(turn)
    assert all(whole.startswith(part) for part in seen), "what was marked stays marked, and nothing else ever was"
    assert len(set(seen)) > 3
    await page.reload()
    assert await unsourced(page.locator(".turn")) == whole


async def test_what_the_marks_mean_is_told_by_the_keyboard_and_leads_to_each(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "doubtful")
    await ended(turn)
    await explained(page, turn)


async def test_without_scripts_the_same_is_told(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted, java_script_enabled=False)).page()
    await page.locator("textarea").first.fill("doubtful")
    await page.get_by_role("button", name="Ask", exact=True).click()
    turn = page.locator(".turn.answered")
    assert await unsourced(turn) == "".join(UNSOURCED)
    await explained(page, turn)


async def explained(page: Page, turn: Locator) -> None:
    summary = turn.locator(".doubts summary")
    assert await summary.inner_text() == "4 sentences have no source"
    await summary.focus()
    await page.keyboard.press("Enter")
    await expect(turn.locator(".doubts p")).to_contain_text("check them before relying on them")
    links = turn.locator(".doubts li a")
    assert await links.all_inner_texts() == [
        "A pump without oil runs for nine minutes, no longer.",
        "Shut the valve first.",
        "429 Nobody knows why.",
        "pumpctl drain --all",
    ]
    for link in await links.all():
        await link.click()
        await expect(page.locator(".unsourced:target")).to_be_in_viewport()


async def test_a_mark_is_there_for_ears_and_not_by_colour_alone(scripted: Server, new_reader: NewReader) -> None:
    for options in ({}, {"forced_colors": "active"}):
        page = await (await new_reader(scripted, **options)).page()
        turn = await ask(page, "doubtful")
        await ended(turn)
        tree = await turn.aria_snapshot()
        assert re.search(r"no longer\W+\(no source\)", tree), tree
        style = "each => getComputedStyle(each).textDecorationLine"
        assert await turn.locator(".unsourced").first.evaluate(style) == "underline"


async def test_a_copied_answer_keeps_the_marks(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted, permissions=["clipboard-read", "clipboard-write"])
    page = await reader.page()
    turn = await ask(page, "doubtful")
    await ended(turn)
    await turn.locator(".tools").get_by_role("button", name="Copy").click()
    await turn.locator(".tools").get_by_role("button", name="Copied").wait_for()
    copied = str(await page.evaluate("() => navigator.clipboard.readText()"))
    assert (
        "what was done.[1] Here is more. A pump *without `oil`* runs for **nine minutes**, no longer. (no source)"
        in copied
    )
    assert "- Shut the [valve](https://docs.example.com/v) first. (no source)\n- Then" in copied
    assert "| `429` | Nobody knows *why*. (no source) |" in copied
    assert "pumpctl drain --all\n```\n\n(no source)\n" in copied


async def test_on_paper_the_marks_and_their_count_are_left(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "doubtful")
    await ended(turn)
    await page.emulate_media(media="print")
    await expect(turn.locator(".doubts summary")).to_be_visible()
    await expect(turn.locator(".doubts p")).to_be_hidden()
    await expect(turn.get_by_role("button", name="Ask again")).to_be_hidden()
    style = await turn.locator(".unsourced").first.evaluate("each => getComputedStyle(each).textDecorationStyle")
    assert style == "dotted"
