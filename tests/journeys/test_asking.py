"""A reader asks, watches words arrive, and loses none of them, whatever happens to the page."""

import pytest

from tests.journeys.conftest import NewReader
from tests.support.browser import ask, ended, until_words, words
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_reader_asks_and_watches_words_arrive(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "slowly 40")
    await until_words(turn, 5)
    seen = await words(turn)
    assert seen == list(range(len(seen)))
    assert len(seen) < 40, "the answer came at once, not word by word"
    await ended(turn)
    assert await words(turn) == list(range(40))


async def test_a_reload_in_mid_answer_loses_no_word_and_doubles_none(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "slowly 60")
    await until_words(turn, 20)
    await page.reload()
    turn = page.locator(".turn")
    await until_words(turn, 25)
    seen = await words(turn)
    assert seen == list(range(len(seen)))
    await ended(turn)
    assert await words(turn) == list(range(60))


async def test_a_second_tab_sees_the_same_answer_arrive(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    page = await reader.page()
    first = await ask(page, "slowly 60")
    await until_words(first, 10)
    other = await reader.context.new_page()
    await other.goto(page.url)
    second = other.locator(".turn")
    await until_words(second, 20)
    for turn in (first, second):
        await ended(turn)
        assert await words(turn) == list(range(60))


async def test_an_answer_goes_on_while_its_reader_is_elsewhere(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await ask(page, "slowly 40")
    conversation = page.url
    await page.goto(f"{scripted.address}/search")
    await page.locator("#q").wait_for()
    await page.go_back()
    turn = page.locator(".turn")
    await ended(turn)
    assert page.url == conversation
    assert await words(turn) == list(range(40))


async def test_leaving_before_the_first_word_loses_nothing(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await ask(page, "slowly 16")
    await page.goto("about:blank")
    await page.go_back()
    turn = page.locator(".turn")
    await ended(turn)
    assert await words(turn) == list(range(16))


async def test_a_cut_connection_goes_on_where_it_was(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    reader.allow("ERR_INTERNET_DISCONNECTED|network error|Failed to fetch")
    page = await reader.page()
    turn = await ask(page, "slowly 80")
    await until_words(turn, 10)
    await reader.context.set_offline(True)
    await page.wait_for_timeout(300)
    await reader.context.set_offline(False)
    await ended(turn)
    assert await words(turn) == list(range(80))


async def test_a_follow_up_is_asked_on_the_same_page(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    await ended(await ask(page, "slowly 8"))
    conversation = page.url.partition("#")[0]
    second = await ask(page, "slowly 12 more")
    await ended(second)
    assert page.url.partition("#")[0] == conversation
    assert await words(second) == list(range(12))
    assert await page.locator(".turn").count() == 2
    assert await page.locator("#count").inner_text() == "2 questions"
    assert await page.locator(".dock textarea").input_value() == ""
    await page.reload()
    assert await page.locator(".turn.answered").count() == 2


async def test_ten_tabs_of_one_answer_all_show_it_whole(scripted: Server, new_reader: NewReader) -> None:
    """A browser opens six connections to a host; the others wait for one, and lose nothing by it."""
    reader = await new_reader(scripted)
    page = await reader.page()
    await ask(page, "slowly 60")
    tabs = [await reader.context.new_page() for _ in range(9)]
    for tab in tabs:
        await tab.evaluate("address => { location.href = address }", page.url)
    for tab in (page, *tabs):
        turn = tab.locator(".turn")
        await ended(turn)
        assert await words(turn) == list(range(60))


async def test_times_are_those_of_the_readers_own_clock(scripted: Server, new_reader: NewReader) -> None:
    titles = []
    for zone in ("Asia/Tokyo", "America/Lima"):
        page = await (await new_reader(scripted, timezone_id=zone)).page()
        turn = await ask(page, "slowly 8")
        await ended(turn)
        moment = turn.locator("local-time time")
        expected = await moment.evaluate(
            "time => new Date(time.dateTime).toLocaleTimeString(document.documentElement.lang, { timeStyle: 'short' })"
        )
        titles.append(str(await moment.get_attribute("title")))
        assert str(expected) in titles[-1]
    assert titles[0] != titles[1]
