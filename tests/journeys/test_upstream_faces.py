"""What a reader is told when a service or a model fails: each in its own words, live and later, with a next step."""

import re

import pytest
from playwright.async_api import Locator, Page, expect

from app.domain.answers import FallbackReason
from tests.journeys.conftest import NewReader
from tests.support.browser import ask, ended
from tests.support.server import Server

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

TOMORROW = r"(Tomorrow|[A-Z][a-z]+ \d{1,2})( at|,) \d\d:\d\d( UTC)?"
COMPOSED = " This answer is composed from the documents."
FELL_BACK = {
    FallbackReason.QUOTA_DAY: rf"The answer quota is used up until {TOMORROW}\.",
    FallbackReason.QUOTA_MINUTE: rf"The answer quota is used up for the moment, until {TOMORROW}\.",
    FallbackReason.UNAVAILABLE: r"The answering service did not reply\.",
    FallbackReason.NOT_OFFERED: r"The knowledge service offers no ready answers\.",
    FallbackReason.MALFORMED: r"The answering service sent something that cannot be read\.",
    FallbackReason.NO_ANSWER: r"The answering service had no answer\.",
    FallbackReason.REFUSED: r"A filter of the answering service turned the question away\.",
}
FAILED = {
    "quota_exceeded": ("asked too often at the moment.", r"Try again in \d\d? seconds\.", "button"),
    "day_quota_exceeded": ("its share of questions for today.", rf"again from {TOMORROW}\.", "button"),
    "access_refused": ("refused this app's credentials.", r"The operator must renew them", ""),
    "source_unavailable": ("cannot be reached.", r"Try again in 3 minutes\.", "button"),
    "source_too_slow": ("did not answer in time.", r"ask for less at once\.", "button"),
    "malformed_reply": ("in a form that nobody can read.", r"tell the operator the request's number\.", "button"),
    "question_refused": ("turned the question away.", r"Ask in other words\.", "link"),
    "model": ("The writing model gave no answer.", r"Try again, or search the documents\.", "button"),
}


async def asked_without_scripts(new_reader: NewReader, server: Server, question: str) -> Page:
    page = await (await new_reader(server, java_script_enabled=False)).page()
    await page.locator("textarea").first.fill(question)
    await page.get_by_role("button", name="Ask", exact=True).click()
    return page


# --- answered in another way --------------------------------------------------------------------------------------


async def is_composed(turn: Locator, reason: FallbackReason) -> None:
    await expect(turn.locator(".notice")).to_have_text(re.compile(FELL_BACK[reason] + COMPOSED))
    await expect(turn.locator(".prose")).to_contain_text("The words that count about Pumps stand here.")
    assert "Void words" not in await turn.inner_text()


@pytest.mark.parametrize("reason", FELL_BACK)
async def test_a_fall_back_is_told_at_once_and_later_in_its_own_words(
    scripted: Server, new_reader: NewReader, reason: FallbackReason
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, f"fallen {reason}")
    await is_composed(turn, reason)
    await ended(turn)
    await is_composed(turn, reason)
    await expect(turn.locator(".prose .label")).to_have_text("From the documents")
    await page.reload()
    await is_composed(page.locator(".turn"), reason)


@pytest.mark.parametrize("reason", FELL_BACK)
async def test_without_scripts_a_fall_back_is_told_too(
    scripted: Server, new_reader: NewReader, reason: FallbackReason
) -> None:
    page = await asked_without_scripts(new_reader, scripted, f"fallen {reason}")
    await is_composed(page.locator(".turn.answered"), reason)


async def test_a_time_is_told_by_the_reader_s_own_clock(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted, timezone_id="Asia/Kathmandu")).page()
    turn = await ask(page, "fallen quota_day")
    await ended(turn)
    time = turn.locator(".notice time")
    minutes = int(str(await time.get_attribute("datetime"))[14:16])
    shown = re.search(r"\d\d:(\d\d)$", await time.inner_text())
    assert shown, "with scripts no UTC is told"
    assert int(shown[1]) == (minutes + 45) % 60


async def gave_up(turn: Locator) -> None:
    await expect(turn.locator(".notice")).to_have_text(
        "The writing model gave no answer. Passages of the documents are quoted instead."
    )
    await expect(turn.locator(".prose")).to_contain_text("The words that count about Tanks stand here.")
    assert "Void words" not in await turn.inner_text()


async def test_what_a_model_wrote_before_it_gave_up_is_replaced(scripted: Server, new_reader: NewReader) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "gaveup")
    await turn.get_by_text("Void words of a model").wait_for()
    await gave_up(turn)
    await ended(turn)
    await gave_up(turn)
    await expect(turn.locator(".prose .label")).to_have_text("From the documents")
    assert await turn.locator("a.cite").all_inner_texts() == ["1", "2", "3"]
    await gave_up((await asked_without_scripts(new_reader, scripted, "gaveup")).locator(".turn.answered"))


async def test_a_source_that_could_not_be_asked_and_what_was_searched_for_are_told(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "partly")
    await ended(turn)
    plain = (await asked_without_scripts(new_reader, scripted, "partly")).locator(".turn.answered")
    for each in (turn, plain):
        await expect(each.locator(".notice")).to_have_text(
            "The source Platform wiki could not be asked; this answer rests on the others."
        )
        await expect(each.locator(".asked")).to_have_text(
            "Searched for: How is a tank drained when the pump stands still?"
        )
        assert await each.locator(".prose .label").count() == 0, "who wrote it was the service"


# --- not answered ---------------------------------------------------------------------------------------------------


async def is_failed(turn: Locator, code: str) -> None:
    title, text, step = FAILED[code]
    notice = turn.locator(".notice.fail")
    await expect(notice.locator("strong")).to_contain_text(title)
    await expect(notice).to_have_text(re.compile(text))
    await expect(notice.locator("code")).to_have_text("7f3a-91c2")
    await expect(notice.get_by_role("link", name="Search the documents")).to_be_visible()
    assert await notice.get_by_role("button", name="Try again").count() == int(step == "button")
    assert await notice.get_by_role("link", name="Ask in other words").count() == int(step == "link")


@pytest.mark.parametrize("code", FAILED)
async def test_each_failure_has_its_own_words_and_a_next_step(
    scripted: Server, new_reader: NewReader, code: str
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, f"broken {code}")
    await ended(turn, "failed")
    await is_failed(turn, code)
    await page.reload()
    await is_failed(page.locator(".turn"), code)


@pytest.mark.parametrize("code", FAILED)
async def test_without_scripts_a_failure_says_the_same(scripted: Server, new_reader: NewReader, code: str) -> None:
    page = await asked_without_scripts(new_reader, scripted, f"broken {code}")
    await is_failed(page.locator(".turn.failed"), code)


async def test_a_wait_counts_down_and_ends(scripted: Server, new_reader: NewReader) -> None:
    reader = await new_reader(scripted)
    page = await reader.context.new_page()
    await page.clock.install()
    await page.goto(scripted.address)
    turn = await ask(page, "broken quota_exceeded")
    await page.clock.run_for(1_000)
    await ended(turn, "failed")
    notice = turn.locator(".notice.fail")
    await expect(notice).to_contain_text(re.compile(r"Try again in \d\d? seconds\."))
    await page.clock.run_for(20_000)
    await expect(notice).to_contain_text(re.compile(r"Try again in (20|1\d) seconds\."))
    await page.clock.run_for(30_000)
    await expect(notice).to_contain_text("Try again now.")


async def test_a_question_that_was_turned_away_is_kept_to_be_put_otherwise(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted)).page()
    question = "broken question_refused & <so> on?"
    turn = await ask(page, question)
    await ended(turn, "failed")
    await turn.get_by_role("link", name="Ask in other words").click()
    assert await page.locator("textarea").first.input_value() == question


async def test_after_a_failure_the_same_can_be_asked_again_and_searched(
    scripted: Server, new_reader: NewReader
) -> None:
    page = await (await new_reader(scripted)).page()
    turn = await ask(page, "broken source_unavailable")
    await ended(turn, "failed")
    await turn.get_by_role("button", name="Try again").click()
    await page.locator(".turn.failed").nth(1).wait_for()
    await turn.get_by_role("link", name="Search the documents").click()
    assert await page.locator('input[name="q"]').input_value() == "broken source_unavailable"
