"""What text of an answer may do to the page: nothing. That the pages themselves are clean every journey asserts."""

import pytest

from tests.journeys.conftest import NewReader
from tests.support.browser import ask, ended
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

INERT = """() => ({
  fired: window.fired ?? null,
  images: document.querySelectorAll("img").length,
  frames: document.querySelectorAll("iframe").length,
  scripts: document.querySelectorAll("body script").length,
  obeyed: document.querySelectorAll(".prose [hx-get], .prose [hx-swap-oob], .prose form, .prose style").length,
  handlers: [...document.querySelectorAll(".prose *")].filter((each) => each.onclick || each.onerror).length,
  links: [...document.querySelectorAll(".prose a:not(.cite)")].map((link) => link.href),
})"""
NOTHING = {"fired": None, "images": 0, "frames": 0, "scripts": 0, "obeyed": 0, "handlers": 0}


async def test_hostile_text_stays_text_while_it_arrives_and_afterwards(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    page = await reader.page()
    turn = await ask(page, "hostile")
    await turn.get_by_text("<script>window.fired=2</script>").wait_for()
    live = await page.evaluate(INERT)
    await ended(turn)
    for found in (live, await page.evaluate(INERT)):
        links = found.pop("links")
        assert found == NOTHING
        assert all(link.startswith("https://evil.example/") for link in links)  # a plain link, which nobody follows
    assert await page.locator("#says").inner_text() == "Answer ready, 3 sources"
    assert "{{ 7+7 }} ${ 7+7 }" in await turn.inner_text()
    assert not any("evil" in address for address in reader.asked)


async def test_a_hostile_question_stays_text(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    page = await reader.page()
    question = (
        """hostile <img src="/evil" onerror="window.fired=1"> {{7*7}} <hx-partial hx-target="#says">x</hx-partial>"""
    )
    turn = await ask(page, question)
    await ended(turn)
    assert await turn.locator(".question").inner_text() == question
    assert (await page.title()).startswith(question[:60])
    assert await page.evaluate("() => window.fired ?? null") is None
    assert not any("evil" in address for address in reader.asked)
