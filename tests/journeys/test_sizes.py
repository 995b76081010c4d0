"""Small windows, and how much a page weighs."""

import gzip
from urllib.parse import urljoin

import pytest
from playwright.async_api import Page, Response

from tests.journeys.conftest import NewReader
from tests.journeys.screenshots import SCREENS
from tests.support.browser import ask, ended
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TOO_WIDE = """() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return [];
  return [...document.querySelectorAll("body *")]
    .filter((each) => each.getBoundingClientRect().right > root.clientWidth + 1)
    .map((each) => `${each.localName}.${each.className}`);
}"""


@pytest.mark.parametrize("name", [name for name in SCREENS if name != "error"])
async def test_no_page_scrolls_sideways_in_a_small_frame(scripted: Server, new_reader: NewReader, name: str) -> None:
    page = await (await new_reader(scripted, viewport={"width": 320, "height": 400})).page()
    await SCREENS[name](page)
    assert await page.evaluate(TOO_WIDE) == []


async def test_no_page_scrolls_sideways_by_a_long_word(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted, viewport={"width": 320, "height": 400})).page()
    await ended(await ask(page, "slowly 8 " + "unbreakable" * 40))
    assert await page.evaluate(TOO_WIDE) == []


async def _weight(page: Page, address: str) -> tuple[int, list[str]]:
    """Bytes as they were sent, of the page and all that it needs, and their addresses."""
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))  # noqa: PLW0108  # no built-in can be marked
    await page.goto(address, wait_until="networkidle")
    total = 0
    for response in responses:
        body = await response.body()
        packed = response.headers.get("content-encoding") == "gzip"
        total += len(gzip.compress(body)) if packed else len(body)
    return total, [response.url for response in responses]


async def test_a_first_load_weighs_at_most_60_kilobytes(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).context.new_page()
    weight, addresses = await _weight(page, scripted.address)
    assert weight <= 60_000
    assert len(addresses) <= 8, addresses


async def test_what_never_changes_is_asked_for_once(scripted: Server, new_reader: NewReader) -> None:
    """Under the version of their content styles and scripts may be kept for ever."""
    page = await (await new_reader(scripted)).page()
    kept = [
        *[await each.get_attribute("src") for each in await page.locator("script[src]").all()],
        *[await each.get_attribute("href") for each in await page.locator("link[rel=stylesheet]").all()],
    ]
    assert len(kept) == 5
    for path in kept:
        reply = await page.request.get(urljoin(scripted.address, str(path)))
        assert "immutable" in reply.headers["cache-control"]
        assert reply.headers["content-encoding"] == "gzip"
